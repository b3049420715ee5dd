// The expected tables and texts of Coverage, Tune and Build, made from the API's answers.
import type {Asking, Seen, ViewTable} from '../look';
import {hours, kDash, many, moment, number, said, share, shape, sum, target} from '../looks';

type Of = {gfx: string; cu_num: number};

const at = (model: string, of: Of, tp = 8): string => `model=${model}&tp=${tp}&gfx=${of.gfx}&cu_num=${of.cu_num}`;

// A model, a target, and a family that the model uses on it.
async function pairOf({ask, of, random, models}: Asking, name = ''): Promise<{model: string; to: Of; family: string}> {
  for (const {family, target: to} of random.some(of.places, of.places.length)) {
    if (name && family.name !== name) continue;
    for (const model of random.some(models, models.length)) {
      const {families} = await ask(`/coverage?${at(model, to)}`).catch(() => ({families: []}));  // it may be impossible to split the model over 8 GPUs
      if (families.some((it: any) => it.family === family.name)) return {model, to, family: family.name};
    }
  }
  throw new Error(`vLLM reads ${name || 'no table'} for no model`);
}

const bucket = ({from, to}: any): string => (from === to ? String(from) : `${from}${kDash}${to}`);

function gridOf(of: any): string[][] {
  return of.pairs.map((pair: any, i: number) => {
    const name = of.columns.map((column: string) => String(pair[column] ?? '')).join(' \u00d7 ');
    const cells = of.buckets.map((one: any, b: number) => {
      const cell = of.cells.find((it: any) => it.pair === i && it.bucket === b);
      if (!cell) return 'not asked for';
      const text = `${cell.exact}${cell.padded > 0 ? `+${cell.padded}` : ''}/${cell.shapes}`;
      const words = [`${cell.exact} exact`, `${cell.padded} padded`, cell.baseline > 0 && `${cell.baseline} baseline only`, cell.unmeasured > 0 && `${cell.unmeasured} unmeasured`];
      return `${text} | ${text}, ${of.m} ${bucket(one)}, ${name}: ${words.filter(Boolean).join(', ')}, ${cell.missing} missing of ${cell.shapes}`;
    });
    return [pair.layer ? `${pair.layer} ${name}` : name, ...cells];
  });
}

// Sorted by misses, then by work, the largest first.
async function missingOf({csv}: Asking, of: any, asked: string): Promise<string[][]> {
  const names = [of.m, ...of.columns];
  const lines = await csv(`/coverage?${asked}&family=${of.family}&format=csv&state=missing,baseline,unmeasured`);
  const work = (it: Record<string, string>) => names.reduce((product, name) => product * (Number(it[name]) || 1), 1);
  lines.sort((a, b) => Number(b['demand']) - Number(a['demand']) || work(b) - work(a));
  return lines.map((it) => [...names.map((name) => it[name] ?? ''), it['state'] ?? '', it['demand'] ?? '', it['step'] ?? '', 'open']);
}

async function covered(asking: Asking, {model, to, family}: {model: string; to: Of; family: string}): Promise<Seen> {
  const it = await asking.ask(`/coverage?${at(model, to)}`);
  const of = it.families.find((one: any) => one.family === family);
  const {tables} = await asking.ask(`/coverage/models?tp=8&family=${family}&gfx=${to.gfx}&cu_num=${to.cu_num}`);
  const table = tables.find((one: any) => one.family === family && one.gfx === to.gfx);
  const {missing, baseline, unmeasured} = of.totals;
  const open = missing + baseline + unmeasured;
  return {
    path: `/ui/coverage?model=${model}&tp=8&target=${target(to)}&family=${family}`,
    tables: {
      'Coverage by family': it.families.map(({family: name, headline, totals}: any) => [
        name, share(headline.covered, 1), share(headline.exact, 1), ...['shapes', 'padded', 'baseline', 'unmeasured', 'missing', 'demand'].map((one) => number(totals[one])),
        headline.covered_by_demand === null ? kDash : share(headline.covered_by_demand, 1),
      ]),
      ...(table && {[`Models on ${family}`]: table.models.map((one: any) => [one.model, share(one.covered, 1), share(one.exact, 1), number(one.shapes), number(one.missing)])}),
      [`Coverage of ${family}`]: gridOf(of),
      ...(open > 0 && {'Missing shapes': await missingOf(asking, of, at(model, to))}),
    },
    texts: {
      'main h2': [
        `${family}: ${of.m} by ${of.columns.join(', ')}`,
        `Missing shapes (${[number(missing), ...(baseline > 0 ? [`${number(baseline)} baseline only`] : []), ...(unmeasured > 0 ? [`${number(unmeasured)} unmeasured`] : [])].join(', and ')})`,
        ...(table ? [`${family} for every model: ${table.models.filter((one: any) => one.missing === 0).length} of ${table.models.length} covered`] : []),
      ],
      '.heat thead th': [`${of.columns.join(' \u00d7 ')} \\ ${of.m}`, ...of.buckets.map(bucket)],
      'main p.notice': it.findings.map((one: any) => `${one.refused ? 'An engine would not start: ' : ''}${one.detail}.`),
    },
  };
}

async function coverage(it: Asking): Promise<Seen[]> {
  const names = [...new Set(it.of.places.map(({family}) => family.name))];
  const seen: Seen[] = [];
  for (const name of it.random.some(names, names.length)) {
    const pair = await pairOf(it, name).catch(() => null);  // vLLM reads this table for no model
    if (pair && seen.length < 3) seen.push(await covered(it, pair));
  }
  return seen;
}

const openOf = ({missing, baseline, unmeasured}: any): number => missing + baseline + unmeasured;

function costOf(jobs: any[], family: string): {seconds: number; text: string} | null {
  const done = jobs.filter((it) => it.purpose === 'tune');
  const own = done.filter((it) => it.family === family);
  const used = own.length > 0 ? own : done;
  if (used.length === 0) return null;
  const seconds = sum(used.map((it) => (Date.parse(it.finished) - Date.parse(it.claimed)) / 1000)) / sum(used.map((it) => it.shape_count));
  return {seconds, text: `${Number(seconds.toPrecision(3))} s a shape, by ${many(used.length, 'job')} of ${own.length > 0 ? 'this family' : 'other families'}`};
}

const hoursOf = (cost: ReturnType<typeof costOf>, shapes: number): string => hours(shapes === 0 ? 0 : cost && cost.seconds * shapes);

function gapsOf(of: any, cost: ReturnType<typeof costOf>): {rank: number[]; row: string[]}[] {
  return of.pairs.flatMap((pair: any, i: number) => {
    const all = of.cells.filter((it: any) => it.pair === i), open = all.filter((it: any) => openOf(it) > 0);
    if (open.length === 0) return [];
    const shapes = sum(open.map(openOf)), missed = sum(open.map((it: any) => it.demand));
    const flops = pair.flops_per_token * shapes / sum(all.map((it: any) => it.shapes));
    const runs: number[][] = [];
    for (const {bucket: at} of open) (runs.at(-1)?.at(-1) === at - 1 ? runs.at(-1)! : runs[runs.push([]) - 1]!).push(at);
    const ranges = runs.map((run) => bucket({from: of.buckets[run[0]!].from, to: of.buckets[run.at(-1)!].to})).join(', ');
    const name = of.columns.filter((column: string) => pair[column] !== null).map((column: string) => `${column} ${pair[column]}`).join(', ');
    return [{rank: [flops * missed, flops], row: [`${pair.layer} ${of.family}${name}`, ranges, number(shapes), number(missed), number(Math.round(flops / 1e6)), hoursOf(cost, shapes)]}];
  });
}

async function gaps({ask}: Asking, {model, to}: {model: string; to: Of}, family = ''): Promise<Seen> {
  const {families} = await ask(`/coverage?${at(model, to)}`);
  const speedups = await ask(`/speedups?gfx=${to.gfx}&cu_num=${to.cu_num}`);
  const {jobs} = await ask(`/jobs?state=done&gfx=${to.gfx}&limit=100`);
  const rows = families.map((of: any) => {
    const {missing, baseline, unmeasured, exact, padded} = of.totals, cost = costOf(jobs, of.family);
    const over = speedups.by.family.find((it: any) => it.name === of.family)?.tuned_over_default;
    const measured = over?.keys > 0 ? `${over.geometric_mean.toFixed(2)}\u00d7${many(over.keys, 'key')}` : exact + padded > 0 ? 'not measured' : kDash;
    return [of.family, ...[missing, baseline, unmeasured, exact + padded].map(number), measured, hoursOf(cost, openOf(of.totals)), cost?.text ?? kDash];
  });
  const found = families.filter((of: any) => !family || of.family === family).flatMap((of: any) => gapsOf(of, costOf(jobs, of.family)));
  found.sort((a: any, b: any) => b.rank[0] - a.rank[0] || b.rank[1] - a.rank[1]);
  return {
    path: `/ui/tune?model=${model}&tp=8&target=${target(to)}${family && `&family=${family}`}`,
    tables: {'What to tune, by family': rows, ...(found.length > 0 && {'What to tune': {rows: found.slice(0, 50).map((it: any) => it.row), of: found.length}})},
    texts: {},
  };
}

async function tune(it: Asking): Promise<Seen[]> {
  const [one, other] = [await pairOf(it), await pairOf(it)];
  return [await gaps(it, one), await gaps(it, one, one.family), await gaps(it, other)];
}

// Sorted by harm, the most harmful first.
const kConcerns: [name: string, title: string][] = [['missing', 'missing'], ['unmeasured', 'unmeasured'], ['left_out', 'left out'], ['substituted', 'substituted'], ['needs_rebuild', 'need a rebuild'], ['borrowed', 'borrowed']];
const kOfBuild = ['left_out', 'substituted', 'needs_rebuild'];

const kernel = (row: any): string => said(Object.entries(row ?? {}).filter(([name, value]) => name.startsWith('kernelName') && value).map(([, value]) => value).join(' + '));

function listOf({families}: Asking, {name, items}: any): string[][] {
  return items.map((it: any) => [
    it.family, shape(families.find((one) => one.name === it.family), it.shape ?? it.row), ...(name === 'needs_rebuild' ? [it.in_table ? 'yes' : 'left out'] : []), it.why, kernel(it.row), ...(name === 'substituted' ? [kernel(it.instead_of)] : []),
  ]);
}

async function verdict(asking: Asking, {model, to}: {model: string; to: Of}, build: string, list = '', more = ''): Promise<Seen> {
  const it = await asking.ask(`/verdict?${at(model, to)}${more}${build === 'none' ? '' : `&build=${build}`}${list && `&list=${list}`}`);
  const title = kConcerns.find(([name]) => name === list)?.[1];
  const families = [...it.families.filter((one: any) => one.judged), ...it.families.filter((one: any) => !one.judged)];
  const inForce = `Revision ${it.revision}${it.created ? ` of ${moment(it.created)} UTC` : ''}`;
  const changed = it.changed.map((one: any) => `${one.family} (${many(one.keys, 'key')})`).join(', ') || 'no row';
  const before = it.previous ? ` Before it: revision ${it.previous.revision}, ${moment(it.previous.created)} UTC, ${it.previous.cause}.` : '';
  return {
    path: `/ui/build?model=${model}&tp=8&target=${target(to)}${more}&build=${build}${list && `&list=${list}`}`,
    tables: {
      ...(it.list?.total > 0 && {[`Rows and shapes: ${title}`]: {rows: listOf(asking, it.list).slice(0, 50), of: it.list.total}}),
      'Tables that were judged': families.map((one: any) => [one.family, one.judged ? 'yes' : 'no', one.rows > 0 ? number(one.rows) : 'nothing tuned', one.why + (one.judged ? '' : one.stored_as.map((name: string) => ` judge it stored as ${name}`).join(''))]),
      Tables: it.families.filter((one: any) => one.rows > 0).map((one: any) => [one.family, number(one.rows), number(one.asked), ...kConcerns.map(([name]) => number(one[name])), said(one.sha256)]),
    },
    texts: {
      'main .because': [it.sentence],
      'main .verdict p.lead': [`${it.build ? `Build ${it.build.replace(/@(.{12}).*/, '@$1')}. ` : 'Without a build: substituted, left out and rebuilds are not known. '}${inForce}`],
      'main .counts li': kConcerns.map(([name, words]) => `${build === 'none' && kOfBuild.includes(name) ? kDash : number(it.counts[name])} ${words}`),
      'main h3 + p': [`Revision ${it.revision} changed ${changed}.${before} All runs`],
      ...(it.list && {'main section:has(.state.empty, #table-rows-and-shapes) h2, main section:has([id^="table-rows-and-shapes"]) h2': [`${number(it.list.total)} ${title}`]}),
    },
  };
}

async function build(it: Asking): Promise<Seen[]> {
  const {build: wheel} = (await it.ask('/builds')).builds[0];
  const [one, other] = [await pairOf(it), await pairOf(it)];
  const seen = [await verdict(it, one, 'none'), await verdict(it, other, wheel, '', '&engine=any')];
  for (const [name] of it.random.some(kConcerns, 3)) seen.push(await verdict(it, one, wheel, name, '&engine=any'));
  return seen;
}

export const kModelViews: ViewTable = {coverage, tune, build};
