// The expected tables and texts of Changes, Run and Pin, made from the API's answers.
import type {Asking, Seen, ViewTable} from '../look';
import {age, kDash, kMinus, lost, many, moment, number, ratio, said, share, shape, short, sum, target, us} from '../looks';
import {runOf, runRow} from './work';

const kKinds: [names: string[], title: string][] = [
  [['slower'], 'slower'], [['faster'], 'faster'], [['not_measured_before', 'not_measured_in_base'], 'new'], [['not_measured_after', 'not_measured_in_head'], 'not measured after'],
  [['unstable'], 'unstable'], [['same_kernel'], 'slower, same kernel'], [['skipped'], 'without a time'], [['below_floor'], 'below the floor'], [['within_noise', 'same'], 'within noise'],
];
const title = (kind: string): string => kKinds.find(([names]) => names.includes(kind))?.[1] ?? kind;
const kernels = (now: string | null | undefined, before: string | null | undefined): string => said(now || before) + (now && before && now !== before ? `before: ${before}` : '');
const sign = (value: number): string => (value > 0 ? '+' : value < 0 ? kMinus : '');
const percent = (ratio: number): string => sign(ratio - 1) + share(Math.abs(ratio - 1), 1);

// The times of a row as its cells, and the label of its plot.
function timesOf(kind: string, before: any, after: any, history: (number | null)[]): string[] {
  const times = history.flatMap((it) => (it === null ? [] : [short(it)])).join(', ');
  return [before?.us && after?.us ? `${percent(after.us / before.us)} | times: ${times} us` : title(kind), us(before?.us), us(after?.us)];
}

function kindsOf(counts: Record<string, number>, notes: (name: string) => string): string[] {
  if (Object.values(counts).every((it) => it === 0)) return [];
  return kKinds.flatMap(([names, title], i) => {
    const name = names.find((one) => counts[one] !== undefined);
    return name && (i < 4 || counts[name]! > 0) ? [`${number(counts[name]!)} ${title} ${notes(name)}`.trim()] : [];
  });
}

function headline(counts: Record<string, number>): string {
  const parts = kKinds.slice(0, 4).map(([names, title]) => ({title, count: sum(names.map((name) => counts[name] ?? 0))}));
  return parts.filter(({count}) => count > 0).map(({count, title}) => `${number(count)} ${title}`).join(', ') || 'No change beyond noise';
}

function state({asked, revision, created, is_first}: any): string {
  if (!revision) return 'the beginning, when nothing had been imported';
  return `${asked === 'now' ? 'now, ' : ''}revision ${number(revision)}${created ? ` of ${moment(created)} UTC` : ''}${is_first ? ', the first: the registry is younger than that' : ''}`;
}

function nothing({from, to}: any): string {
  if (!from.revision || from.revision !== to.revision) return '';
  const until = /^\d+$/.test(to.asked) ? `revision ${to.asked}` : to.asked;
  return `Nothing was stored between ${from.created ? `${moment(from.created)} UTC` : `revision ${from.revision}`} and ${until}`;
}

const added = ({lost_us}: any) => (name: string) => (lost_us[name] ? `${lost(lost_us[name])} us` : '');

const rowsOf = ({families, product}: Asking, it: any) => ({
  rows: it.differences.map((one: any) => [
    shape(families.find(({name}) => name === one.family), one.key), ...timesOf(one.kind, one.before, one.after, one.history.map(({us}: any) => us)), lost(one.lost_us) + (one.demand > 1 ? `${number(one.demand)} calls` : ''),
    one.family, product(one).replace(/ \(.*/, ''), number(one.revision), kernels(one.after?.kernel, one.before?.kernel),
  ]),
  of: it.matching, from: it.offset + 1,
});

async function differences(asking: Asking, query: string, asked: string, of?: {gfx: string; cu_num: number}): Promise<Seen> {
  const it = await asking.ask(`/differences?${asked}`), all = await asking.ask(`/differences?${asked.replace(/&(gfx|cu_num|model|tp|kind|after)=[^&]*/g, '')}`);
  const model = /model=([^&]*)/.exec(asked)?.[1];
  return {
    path: `/ui/changes?${query}`,
    tables: {
      ...(it.matching > 0 && {'What changed': rowsOf(asking, it)}),
      ...(it.revisions.length > 0 && {'Revisions that changed the most shapes': it.revisions.map((one: any) => [number(one.revision), one.cause, said(one.run), number(one.keys)])}),
    },
    texts: {
      'main h1': [`Changes: ${model ? `${decodeURIComponent(model)} at TP 8` : of ? 'all models' : 'all models and devices'}${of ? ` on ${asking.product(of)}` : ''}`],
      'main .headline': [nothing(it) || headline(it.counts)],
      'main .with p.lead': [`From ${state(it.from)}, to ${state(it.to)}.`],
      'main .lead + p:has(a)': of && !nothing(it) ? [`All models and devices: ${headline(all.counts)}`] : [],
      'nav.kinds a': kindsOf(it.counts, added(it)),
      'main .legend span:first-child': nothing(it) ? [] : [`Noise: up to ${((it.limits.ratio - 1) * 100).toFixed(1)} % and ${it.limits.slack_us} us. Floor: ${it.limits.ignore_below_us} us.`],
    },
  };
}

async function changes(it: Asking): Promise<Seen[]> {
  const [of, place, model] = [it.random.pick(it.of.targets), it.random.pick(it.of.places), it.random.pick(it.models)];
  const [kind] = it.random.pick(kKinds)[0], {revision} = it.index, device = target(of), parts = `&gfx=${of.gfx}&cu_num=${of.cu_num}`;
  const known = ['slower', 'faster', 'not_measured_before', 'not_measured_after', 'below_floor', 'within_noise'].includes(kind!) ? kind : 'slower';
  return Promise.all([
    differences(it, 'scope=all', 'from=7d'), differences(it, 'scope=all&page=2', 'from=7d&after=50'), differences(it, `scope=all&kind=${known}`, `from=7d&kind=${known}`),
    differences(it, `scope=device&device=${device}&from=30d`, `from=30d${parts}`, of), differences(it, `device=${device}&model=${model}&tp=8`, `from=7d&model=${model}&tp=8${parts}`, of),
    differences(it, `scope=all&family=${place.family.name}&from=rev:1&to=rev:${revision}`, `from=1&to=${revision}&family=${place.family.name}`),
  ]);
}

const sideText = ({environment: {runs, ...more}, keys}: any): string => `${[`run ${runs}`, ...Object.entries(more).map(([name, value]) => `${name} ${value}`)].join(', ')}: ${many(keys, 'shape')}`;
const environments = ({repetition, differing}: any): string => (repetition ? 'the same on both sides' : differing.length > 0 ? `different: ${differing.join(', ')}` : 'unknown: neither side names its environment');

async function sides({ask, families, product}: Asking, base: string, head: string, more = '', asked = ''): Promise<Seen> {
  const it = await ask(`/compare?base=${base.replace('run:', '')}&head=${head.replace('run:', '')}&limit=50${asked}`);
  const row = (one: any) => {
    const [of, family] = one.target.split(' ').reverse(), [gfx, cu_num] = of.split(':');
    const side = (us: any) => (us === undefined ? null : {us});
    return [shape(families.find(({name}) => name === family), one.shape), ...timesOf(one.change, side(one.base_us), side(one.head_us), [one.base_us ?? null, one.head_us ?? null]), family, product({gfx, cu_num: Number(cu_num)}).replace(/ \(.*/, ''), kernels(one.head_kernel, one.base_kernel)];
  };
  return {
    path: `/ui/changes?from=${base}&to=${head}${more}`,
    tables: it.matching > 0 ? {'What changed': {rows: it.shapes.map(row), of: it.matching, from: it.offset + 1}} : {},
    texts: {
      'main .headline': [headline(it.counts)],
      'main dl.facts dd': [sideText(it.base), sideText(it.head), environments(it)],
      'nav.kinds a': kindsOf(it.counts, (name) => (it.speedups[name] ? `${percent(1 / it.speedups[name].geometric_mean)} on average` : '')),
    },
  };
}

// A comparison has no numbers if it has no common shape keys, or no runs on one side.
async function ifAny(seen: Promise<Seen>): Promise<Seen[]> {
  return seen.then((it) => [it], (error: Error) => {
    if (/"(no_common_key|no_runs)"/.test(error.message)) return [];
    throw error;
  });
}

async function compare(it: Asking): Promise<Seen[]> {
  const ids: number[] = (await it.ask('/runs?limit=100')).runs.map((run: any) => run.id).sort((a: number, b: number) => a - b);
  const pairs = ids.flatMap((base) => ids.filter((head) => head > base).map((head) => [`run:${base}`, `run:${head}`] as const));
  const seen: Seen[] = [];
  for (const [base, head] of it.random.some(pairs, pairs.length)) {
    seen.push(...await ifAny(sides(it, base, head)));
    if (seen.length > 0) seen.push(await sides(it, base, head, '&page=2', '&after=50'), await sides(it, base, head, '&kind=slower', '&change=slower'));
    if (seen.length > 0) break;
  }
  if (seen.length === 0) throw new Error('no two runs have a key in common');
  return [...seen, ...await ifAny(sides(it, `run:${ids.slice(0, -1).join(',')}`, `run:${ids.at(-1)}`, '&sort=-before', '&sort=-base')), ...await ifAny(sides(it, 'rocm:7.0', 'rocm:7.1'))];
}

export async function runPage(it: Asking, id: number): Promise<Seen> {
  const seen = await runOf(it, id), {batches} = await it.ask(`/runs/${id}`);
  if (!batches.some(({receipt}: any) => receipt.revision !== undefined)) return seen;
  const found = await it.ask(`/differences?run=${id}`);
  return {...seen, tables: {...seen.tables, ...(found.matching > 0 && {'What changed': rowsOf(it, found)})}, texts: {...seen.texts, 'main .headline': [headline(found.counts)]}};
}

async function run(it: Asking): Promise<Seen[]> {
  const all = (await it.ask('/runs?counts=1&limit=200')).runs;
  const opened = [all.find((one: any) => one.reverted), ...all.filter((one: any) => one.source), it.random.pick(all)];
  return [{path: '/ui/changes?list=runs', tables: {Runs: all.map((one: any) => runRow(one, all))}}, ...await Promise.all([...new Set<number>(opened.map((one) => one.id))].map((id) => runPage(it, id)))];
}

// Sorted by harm, the most harmful first.
const kConcerns: [name: string, title: string][] = [['missing', 'missing'], ['unmeasured', 'without a measured time'], ['borrowed', 'with a row of another device'], ['left_out', 'left out'], ['substituted', 'substituted'], ['needs_rebuild', 'need a rebuild']];
const kernel = (row: any): string => said(Object.entries(row ?? {}).filter(([name, value]) => name.startsWith('kernelName') && value).map(([, value]) => value).join(' + '));

const listOf = ({families}: Asking, {name, items}: any): string[][] => items.map((it: any) => [
  it.family, shape(families.find((one) => one.name === it.family), it.shape ?? it.row), ...(name === 'needs_rebuild' ? [it.in_table ? 'yes' : 'left out'] : []), it.why, kernel(it.row), ...(name === 'substituted' ? [kernel(it.instead_of)] : []),
]);

// A missing shape costs nothing, so only a row that nobody measured is a warning.
export function answerOf({verdict, sentence, counts: {asked, missing, unmeasured}, model, tp, build, notes}: any): string {
  const of = `of ${many(asked, 'shape')} that ${model} at TP ${tp} needs`, usual = "AITER's default kernel runs, with this pin or without it", measured = number(asked - missing - unmeasured);
  if (verdict !== 'not_safe') return sentence.replace(/(?<=\.) .*/, '');
  if (unmeasured > 0) return `Measure first: ${of}, ${number(unmeasured)} would get a kernel that nobody measured, which may be slower than the default. ${missing > 0 ? `For ${number(missing)} without a row ${usual}. ` : ''}${measured} have a measured row.`;
  if (missing === asked) return `No gain, no loss: ${of}, none has a row, so ${usual}.`;
  return `${build && notes.length === 0 ? 'Safe to pin, with gaps' : 'With gaps'}: ${of}, ${measured} have a measured row. For the other ${number(missing)} ${usual}.`;
}

async function verdict(asking: Asking, model: string, of: {gfx: string; cu_num: number}, engine: string, build: string, list = ''): Promise<Seen> {
  const it = await asking.ask(`/verdict?model=${model}&tp=8&gfx=${of.gfx}&cu_num=${of.cu_num}&engine=${engine}${build === 'none' ? '' : `&build=${build}`}${list && `&list=${list}`}`);
  const refusedAt = async (tp: number): Promise<boolean> => {
    const {findings} = await asking.ask(`/map?model=${model}&tp=${tp}&gfx=${of.gfx}&cu_num=${of.cu_num}&engine=${engine}`).catch(() => ({findings: [{refused: true}]}));
    return findings.some((one: any) => one.refused);
  };
  const refused = await refusedAt(8), starts: string[] = [];
  if (refused) for (const tp of [1, 2, 4]) if (!await refusedAt(tp)) starts.push(`TP ${tp}`);
  const title = kConcerns.find(([name]) => name === list)?.[1], isAsked = it.verdict !== 'nothing_asked';
  const counted = kConcerns.slice(0, build === 'none' ? 3 : 6), isAny = counted.some(([name]) => it.counts[name] > 0);
  const concerns = counted.filter(([name], i) => isAny && (i < 4 || it.counts[name] > 0)).map(([name, words]) => `${number(it.counts[name])} ${words}`);
  const families = [...it.families.filter((one: any) => one.judged), ...it.families.filter((one: any) => !one.judged)];
  const since = it.week_ago && await asking.ask(`/differences?from=${it.week_ago.pin}&to=${it.pin}&gfx=${of.gfx}&cu_num=${of.cu_num}`);
  return {
    path: `/ui/model?tab=pin&model=${model}&tp=8&device=${target(of)}&engine=${engine}&stored=config&build=${build}${list && `&list=${list}`}`,
    tables: {
      ...(it.list?.total > 0 && {[`Rows and shapes: ${title}`]: {rows: listOf(asking, it.list).slice(0, 50), of: it.list.total}}),
      Tables: families.map((one: any) => [one.family, one.judged ? 'yes' : 'no', number(one.rows), number(one.asked), number(one.missing), one.why + (one.judged ? '' : one.stored_as.map((name: string) => ` use ${name}`).join('')), said(one.sha256)]),
    },
    texts: isAsked ? {
      'main .verdict .headline': [refused ? `${engine === 'any' ? 'The engine' : 'vLLM'} does not start with this model at TP 8.${starts.length > 0 ? ` It starts at ${starts.join(', ')}.` : ''}` : answerOf(it)],
      'main .verdict p.lead': refused ? [] : [`${it.build ? `Build ${it.build.replace(/@(.{12}).*/, '@$1')}. ` : ''}Revision ${it.revision}${it.created ? ` of ${moment(it.created)} UTC` : ''}`],
      'nav.kinds a': [...(refused ? [] : concerns), ...(since ? kindsOf(since.counts, added(since)) : [])],
    } : {'nav.kinds a': []},
  };
}

async function pin(it: Asking): Promise<Seen[]> {
  const {build: wheel} = (await it.ask('/builds')).builds[0], {target: of} = it.random.pick(it.of.places), models = it.random.some(it.models, 2);
  const seen = await Promise.all(models.map((model) => verdict(it, model, of, 'vllm', 'none')));
  for (const [name] of it.random.some(kConcerns, 3)) seen.push(await verdict(it, models[0]!, of, 'any', wheel, name));
  return seen;
}

export const kChangeViews: ViewTable = {changes, compare, run, pin};
