// The expected tables and texts of Trends, Changed and Compare, made from the API's answers.
import type {Asking, Seen, ViewTable} from '../look';
import {age, kDash, lost, many, moment, number, ratio, said, share, shape, short, target, us} from '../looks';

const kDay = 86_400_000;

interface Row extends Record<string, any> {
  at: number;
  what: string;
}

const over = ({speedup, measured}: any): string => (speedup ? `${ratio(speedup)} (${number(measured ?? 0)})` : kDash);
const oldOf = ({since, at}: Row): string => (since ? `${number(Math.floor(Math.max(0, at - Date.parse(since)) / kDay))} d` : kDash);

function coursesOf(of: any, rows: Row[], name: string): {tables: Record<string, string[][]>; texts: string[]} {
  const isCovered = of.now.shapes !== undefined;
  const [first, last] = [rows[0] as Row, rows.at(-1) as Row];
  const text = (it: Row) => (isCovered ? share(it['covered'], 1) : many(it['tuned'] ?? 0, 'tuned key'));
  const then = first.at < last.at - of.days * kDay ? `${of.days} days ago` : age(first.at, last.at);
  const points = ((last['covered'] ?? 0) - (first['covered'] ?? 0)) * 100;
  const sentence = `${text(last)} now, ${text(first)} ${then}${isCovered ? `: ${Math.abs(points).toFixed(1)} points ${points < 0 ? 'less' : 'more'}` : ''}.`;
  const tables = {[`${isCovered ? 'Work that finds a tuned row' : 'Tuned keys'}: ${name}`]: rows.map((it) => [moment(it.at), isCovered ? share(it['covered'], 1) : number(it['tuned'] ?? 0)])};
  const sped = rows.filter((it) => it['speedup']);
  if (sped.length === 0) return {tables, texts: [sentence]};
  return {
    tables: {...tables, [`Tuned over default: ${name}`]: sped.map((it) => [moment(it.at), ratio(it['speedup'])])},
    texts: [sentence, `${over(of.now)} now, by keys whose default was measured too.`],
  };
}

async function course({ask, product, now}: Asking, of: {gfx: string; cu_num: number}, more: {model?: string; family?: string; days?: string}): Promise<Seen> {
  const query = Object.entries(more).map(([name, value]) => `&${name}=${value}`).join('');
  const it = await ask(`/trends?gfx=${of.gfx}&cu_num=${of.cu_num}${query}`);
  const name = `${more.model ?? more.family ?? 'all models'} on ${product(of)}`;
  const path = `/ui/trends?target=${target(of)}${query}`;
  if (it.points.length === 0 && !it.now.shapes && !it.now.tuned)
    return {path, tables: {}, texts: {'main .empty p': [`Nothing is known of ${name}: it has no rows, and nothing asks it.`]}};
  const rows: Row[] = [...it.points.map((one: any) => ({...one, at: Date.parse(one.at), what: one.kind + (one.filled_in ? ', filled in' : '')})), {...it.now, at: now, what: 'now', revision: it.revision}];
  const cells = (one: Row): string[] => [
    moment(one.at), one.what, number(one['revision']),
    ...(it.now.shapes === undefined ? [] : [share(one['covered'], 1), one['shapes'] === undefined ? kDash : `${number(one['found'] ?? 0)} of ${number(one['shapes'])}`, number(one['unmeasured'] ?? 0), number(one['missing'] ?? 0)]),
    ...(it.now.tuned === undefined ? [] : [number(one['tuned'] ?? 0), over(one), oldOf(one)]),
  ];
  const events = it.events.map((one: any) => [moment(one.at), one.kind, one.text, said(one.revision), one.run ? String(one.run) : kDash]).reverse();
  const courses = coursesOf(it, rows, name);
  const filled = it.points.filter((one: any) => one.filled_in).length;
  return {
    path,
    tables: {...courses.tables, Points: rows.map(cells).reverse(), ...(events.length > 0 && {'Imports, reverts and toolchains': events})},
    texts: {
      'main .with > p.lead': [`${many(it.points.length, 'point')}${it.points.length === 0 ? ': the first is made after an import, a revert, or at the end of a day' : ''}.`],
      'main figcaption p': courses.texts,
      'main section:has(#table-points) .legend': [
        'A point is made after each import and revert, and of the last revision of each day; until the next one all stays as it is. The first may be of before these days.'
        + (it.left_out > 0 ? ` Older points left out: ${number(it.left_out)}.` : '') + (filled > 0 ? ` Filled in (${number(filled)}): made afterwards from the history, by the models and families of then.` : ''),
      ],
    },
  };
}

async function trends(it: Asking): Promise<Seen[]> {
  const place = it.random.pick(it.of.places);
  const all = await Promise.all(it.of.targets.map((of) => course(it, of, {})));
  return [...all, await course(it, place.target, {family: place.family.name, days: '30'}), await course(it, it.random.pick(it.of.targets), {model: it.random.pick(it.models)})];
}

const kKinds = ['slower', 'faster', 'appeared', 'disappeared', 'unmeasured'];

const kernels = (now: string | null | undefined, before: string | null | undefined): string => said(now ?? before) + (now && before && now !== before ? `before: ${before}` : '');

function timesOf(history: {us: number | null}[]): string {
  const all = history.flatMap((it) => (it.us === null ? [] : [short(it.us)]));
  return all.length > 0 ? `times: ${all.join(', ')} us` : 'no times';
}

async function differences({ask, families, product}: Asking, query: string, asked: string): Promise<Seen> {
  const it = await ask(`/differences?${asked}`);
  const row = (one: any) => [
    shape(families.find(({name}) => name === one.family), one.key), lost(one.lost_us) + (one.demand > 1 ? `${number(one.demand)} calls` : ''), us(one.before?.us), us(one.now?.us), one.kind,
    timesOf(one.history), one.family, product(one), number(one.revision), kernels(one.now?.kernel, one.before && one.now && one.now.kernel !== one.before.kernel ? one.before.kernel : one.now ? undefined : one.before?.kernel),
  ];
  const {created, revision, is_first} = it.since;
  const since = revision ? `revision ${number(revision)}${created ? `, ${moment(created)} UTC` : ''}${is_first ? ', the first there is: the registry is younger than that' : ''}` : 'the beginning: nothing had been imported';
  return {
    path: `/ui/changed?${query}`,
    tables: it.matching > 0 ? {'What changed': {rows: it.differences.slice(0, 50).map(row), of: it.matching, from: it.offset + 1}} : {},
    texts: {
      'main section > p:first-child': [`Since ${since}.`],
      'nav.kinds a': kKinds.map((kind) => `${number(it.counts[kind] ?? 0)} ${kind}`),
      'main section > .legend': [`Lost is now minus before, times the calls that missed the shape where some were counted. Within noise, and not listed: ${number(it.within_noise)}. The limit is ${((it.limits.ratio - 1) * 100).toFixed(1)} % and ${it.limits.slack_us} us; times below ${it.limits.ignore_below_us} us are not compared.`],
      'main section > details summary': it.revisions.length > 0 ? [`${number(it.revision_count)} ${it.revision_count === 1 ? 'revision' : 'revisions'} did it`] : [],
      'main section > details li': it.revisions.map((one: any) => `${one.revision}: ${one.cause}${one.run ? `, run ${one.run}` : ''}: ${number(one.keys)}`),
    },
  };
}

async function changed(it: Asking): Promise<Seen[]> {
  const [of, place, model, kind] = [it.random.pick(it.of.targets), it.random.pick(it.of.places), it.random.pick(it.models), it.random.pick(kKinds)];
  return Promise.all([
    differences(it, '', ''), differences(it, 'page=2', 'offset=50'), differences(it, 'since=30d', 'since=30d'), differences(it, `kind=${kind}`, `kind=${kind}`),
    differences(it, `target=${target(of)}`, `gfx=${of.gfx}&cu_num=${of.cu_num}`), differences(it, `family=${place.family.name}&since=90d`, `family=${place.family.name}&since=90d`),
    differences(it, `model=${model}`, `model=${model}`),
  ]);
}

const kChanges = ['slower', 'unstable', 'same_kernel', 'removed', 'new', 'skipped', 'below_floor', 'faster', 'same'];
const words = (change: string): string => change.replace('_', ' ');
const change = (speedup: number | undefined): string => (speedup ? `${speedup < 1 ? '+' : ''}${share(1 / speedup - 1, 1)}` : kDash);

const sideText = ({environment: {runs, ...more}, keys}: any): string => `${[`run ${runs}`, ...Object.entries(more).map(([name, value]) => `${name} ${value}`)].join(', ')}: ${many(keys, 'key')}`;

const environments = ({repetition, differing}: any): string => (repetition ? 'one: base and head have the same facts' : differing.length > 0 ? `two: these facts differ: ${differing.join(', ')}` : 'unknown: neither side has facts');

async function sides({ask}: Asking, query: string, page = 1): Promise<Seen> {
  const it = await ask(`/compare?${query}&limit=50&offset=${50 * (page - 1)}`);
  const summary = (name: string, of: any, count: number) => [words(name), number(count), change(of?.geometric_mean), of ? `${change(of.greatest)} to ${change(of.least)}` : kDash];
  const listed = kChanges.filter((name) => it.counts[name] > 0 || name === 'slower' || name === 'faster');
  return {
    path: `/ui/compare?${query}${page > 1 ? `&page=${page}` : ''}`,
    tables: {
      'Summary of the comparison': [...listed.map((name) => summary(name, it.speedups[name], it.counts[name] ?? 0)), summary('all with both times', it.speedups.all, it.compared)],
      'Compared keys': {
        rows: it.shapes.map((one: any) => [words(one.change), said(one.target), shape(undefined, one.shape), us(one.base_us), us(one.head_us), ratio(one.speedup), kernels(one.head_kernel, one.base_kernel)]),
        of: it.matching, from: it.offset + 1,
      },
    },
    texts: {
      'main section .legend': [`Change of time from base to head: less is faster. Means are geometric, over every key; the head is ${ratio(it.geometric_mean_speedup)} as fast.`],
      'main dl.facts dd': [sideText(it.base), sideText(it.head), environments(it)],
      'main section:has(#table-compared-keys) h2': [`Keys: ${number(it.matching)} ${words(new URLSearchParams(query).get('change') ?? '')}`.trim()],
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
  const pairs = ids.flatMap((base) => ids.filter((head) => head > base).map((head) => `base=${base}&head=${head}`));
  const seen: Seen[] = [];
  for (const pair of it.random.some(pairs, pairs.length)) {
    seen.push(...await ifAny(sides(it, pair)));
    if (seen.length > 0) seen.push(await sides(it, pair, 2), await sides(it, `${pair}&change=slower`));
    if (seen.length > 0) break;
  }
  if (seen.length === 0) throw new Error('no two runs have a key in common');
  return [...seen, ...await ifAny(sides(it, `base=${ids.slice(0, -1).join('%2C')}&head=${ids.at(-1)}&sort=-base`)), ...await ifAny(sides(it, 'base=rocm%3A7.0&head=rocm%3A7.1&ratio=1.1'))];
}

export const kChangeViews: ViewTable = {trends, changed, compare};
