// The expected tables and texts of Shape, made from the API's answers.
import type {Asking, Seen, ViewTable} from '../look';
import {kDash, many, ratio, said, shape, share, us} from '../looks';
import {originOf} from './work';

type Key = Record<string, string>;

const textOf = (value: unknown): string => (value === null || value === undefined ? '' : typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value));
const columns = (family: any, roles: string[]): string[] => family.columns.filter((it: any) => roles.includes(it.role)).map((it: any) => it.name);
const keyColumns = (family: any): string[] => columns(family, ['target', 'engine', 'device', 'shape', 'tag']);
const keyOf = (family: any, row: any): Key => Object.fromEntries(keyColumns(family).map((name) => [name, textOf(row[name])]).filter(([, value]) => value !== ''));
const queryOf = (key: Key): string => new URLSearchParams(Object.entries(key).filter(([, value]) => value !== '')).toString();

const candidate = (it: any): string => Object.entries(it.candidate).filter(([, value]) => value !== '').map(([name, value]) => `${name} ${value}`).join(', ');
const rank = (it: any): number => (it.won ? 0 : it.competes ? 1 : 2);
const kStandings = ['measured', 'declared', 'unmeasured', 'quarantined', 'implausible', 'unfinished', 'compared'];  // the server's order
const order = (it: any): number => 10 * rank(it) + kStandings.indexOf(it.standing);
const byTime = (of: any[]): any[] => [...of].sort((a, b) => order(a) - order(b) || (a.us ?? 1e99) - (b.us ?? 1e99) || a.id - b.id);
const rivalsOf = (all: any[], winner: any): any[] => byTime(all.filter((it) => it.competes && it.id !== winner.id && it.provider === winner.provider));

const bounds = ({us: time, low, high, steady}: any): [number, number] => (steady ? [low ?? time * 0.95, high ?? time * 1.05] : [-Infinity, Infinity]);
const overlap = (a: any, b: any): boolean => !a || !b || (bounds(a)[0] <= bounds(b)[1] && bounds(b)[0] <= bounds(a)[1]);

// Compared with the next: the first rival of the winner's standing, at steady clocks if there is one.
function lead(winner: any, rivals: any[]): string {
  const timed = rivals.filter((it) => it.standing === winner.standing && it.compared_by).map((it) => it.compared_by);
  const [by, next] = [winner.compared_by, timed.find((it) => it.steady) ?? timed[0]];
  if (!by || !next) return 'no other candidate has a time';
  if (overlap(by, next)) return `the next, ${us(next.us)} us, may be as fast: the intervals overlap`;
  const spread = (bounds(by)[1] - by.us + next.us - bounds(next)[0]) / next.us;
  return `faster than the next by ${share(1 - by.us / next.us, 1)}, more than the times' spread of ${share(spread, 1)}${by.low === null || next.low === null ? ' (\u00b15 % for a time without samples)' : ''}`;
}

const sampled = (it: any): number => (it?.evidence?.samples ?? []).filter((one: number) => one > 0).length;
const within = (it: any): string => (sampled(it) === 0 ? '' : it.low === null ? (it.evidence.clock && it.evidence.clock !== 'steady' ? `unsteady, n ${sampled(it)}` : '') : `${us(it.low)} to ${us(it.high)}, n ${sampled(it)}`);
const bracketed = (it: any): string => (within(it) ? ` (${within(it)})` : '');

const kReasons: Record<string, (winner: any, rivals: any[]) => string> = {
  only_candidate: ({us: time}) => `The only candidate: ${time === null ? 'it has no time' : 'no other was measured'}.`,
  lowest_time: (winner, rivals) => `Lowest time of ${many(rivals.length + 1, 'candidate')}: ${lead(winner, rivals)}.`,
  lower_error: () => 'Tied: another candidate takes the same time; this one has the lower error.',
  tie_break: () => 'Tied: another candidate has the same time and error; a fixed order decides.',
  tied: ({compared_by: by}, rivals) => `Tied: the intervals of ${many(rivals.filter((it) => it.compared_by && overlap(by, it.compared_by)).length + 1, 'candidate')} overlap: the one measured first stays.`,
  likely: (winner, rivals) => `Likely: ${lead(winner, rivals)}, in one run.`,
  sure: (winner, rivals) => `Sure: ${lead(winner, rivals)}, and two runs agree.`,
  only_measured: () => 'The only credible time: no other candidate has one.',
  nothing_measured: () => 'No credible time: this kernel is served until somebody tunes the shape.',
  latest_declared: () => 'The latest declaration: this family has no times.',
};
const because = (winner: any, rivals: any[]): string => (winner.baseline ? 'Only the default: nothing else was measured, so tuning may find a faster kernel.' : kReasons[winner.won]?.(winner, rivals) ?? '');

// A row does not name a product, so the slowest of the target's products counts.
const rooflineOf = ({rooflines = []}: any): any => [...rooflines].sort((a, b) => b.us - a.us)[0];

function winnerOf(of: any, winner: any): Record<string, unknown[]> {
  const roofline = rooflineOf(of);
  const defaults = of.measurements.filter((it: any) => it.is_default && it.us !== null && it.id !== winner.id && it.standing === 'measured');
  const [usual] = defaults.sort((a: any, b: any) => Number(b.competes) - Number(a.competes) || b.run - a.run);
  const gain = usual?.us && winner.us ? ` takes ${ratio(usual.us / winner.us)} as long` : '';
  return {
    'main .answer': [`${us(winner.us)} us${bracketed(winner)}${roofline && winner.us ? `, ${share(roofline.us / winner.us)} of the roofline of ${roofline.product}` : ''}`],
    'main .because': [because(winner, rivalsOf(of.measurements, winner))],
    'main .winner dd': [
      ...Object.values<string>(winner.candidate).filter((value) => value !== ''), ...(roofline ? [`${us(roofline.us)} us, by ${roofline.bound}`] : []),
      winner.baseline ? 'is served' : usual ? `${us(usual.us)} us${bracketed(usual)}${gain}, run ${usual.run}` : 'not measured, so the speed-up is not known',
      winner.error === null ? 'not given' : share(winner.error, 2), String(winner.run),
    ],
  };
}

const kOutside: Record<string, string> = {
  unconfirmed: 'waits for a confirmation by another run', quarantined: 'left out: wrong or failed', implausible: 'left out: not plausible', unfinished: 'left out: not finished', compared: 'counts in speed-ups only',
};
const standing = (it: any): string =>
  (it.won ? 'served' : it.reverted ? 'its run is reverted' : kOutside[it.standing] ?? (!it.competes ? 'replaced by another measurement of this kernel' : it.standing === 'unmeasured' ? 'competes without a time' : 'competes'));

function measurementsOf(of: any, runs: any[]): string[][] {
  const [roofline, best] = [rooflineOf(of), of.measurements.find((it: any) => it.won)?.us];
  const hasSamples = of.measurements.some(within);
  return byTime(of.measurements).map((it) => [
    us(it.us), ...(hasSamples ? [within(it)] : []), ratio(best && it.us ? it.us / best : null), ...(roofline ? [share(it.us ? roofline.us / it.us : null)] : []),
    share(it.error, 2), `${standing(it)}${it.is_default ? ', the default' : ''}${it.reason ?? ''}`, it.provider, runText(it.run, runs), candidate(it),
  ]);
}

const runText = (id: number | undefined, runs: any[]): string => (id ? `${id}${runs.some((it) => it.id === id) ? originOf(runs.find((it) => it.id === id)) : ''}` : kDash);

// The tuned times along the family's axis; only the fastest at each position.
function alongOf(family: any, rows: any[]): {tables: Record<string, string[][]>; texts: string[]} {
  const axis = family.heat_map.x, time = columns(family, ['objective'])[0] ?? '';
  const kernels = family.columns.filter((it: any) => it.type === 'kernel').map((it: any) => it.name);
  const timed = rows.filter((it) => it.standing !== 'unmeasured' && !it.baseline && Number(it[time]) > 0 && Number(it[axis]) > 0).sort((a, b) => Number(a[axis]) - Number(b[axis]) || Number(a[time]) - Number(b[time]));
  const tuned = timed.filter((it, i) => Number(it[axis]) !== Number(timed[i - 1]?.[axis]));
  const [first, last] = [tuned[0], tuned.at(-1)];
  if (tuned.length < 2) return {tables: {}, texts: []};
  return {
    tables: {[`Tuned times over ${axis}`]: tuned.map((it) => [String(Number(it[axis])), us(Number(it[time])), said(kernels.map((name: string) => it[name]).filter(Boolean).join(' + '))])},
    texts: [`${tuned.length} tuned values of ${axis} from ${axis} ${first[axis]} (${us(Number(first[time]))} us) to ${axis} ${last[axis]} (${us(Number(last[time]))} us).`],
  };
}

const kSteps: Record<string, string> = {
  exact: 'its own row', gl0: 'row of M rounded up in small steps', gl1: 'row of M rounded up in large steps', tier: 'row of tokens rounded up to a power of two', lower_tier: 'the tier has no row: the next lower tier',
  nearest: 'another M of the engine\'s file: the nearest, the next above, or the next bucket', tiles: 'the shape in whole tiles', heuristic: 'no row: a heuristic of the build chooses', default: 'no row: AITER\'s own default kernel or rule runs',
};

// If a family's files name a device, the shape key has no gfx, which GET /lookup needs.
async function lookups({ask}: Asking, family: any, at: Key): Promise<Pick<Seen, 'tables' | 'texts'>> {
  const axis = family.heat_map.x, here = Number(at[axis]);
  const all = [...new Set([Math.floor(here / 2), here - 1, here, here + 1, 2 * here])].filter((m) => at['gfx'] && m > 0);
  if (all.length === 0) return {};
  const kernels = family.columns.filter((it: any) => it.type === 'kernel').map((it: any) => it.name), time = columns(family, ['objective'])[0] ?? '';
  const asked = Object.fromEntries(['gfx', 'cu_num', ...columns(family, ['engine', 'device', 'shape'])].map((name) => [name, name === 'cu_num' && at[name] === '0' ? '' : at[name] ?? '']));
  const found = await Promise.all(all.map((m) => ask(`/lookup/${family.name}?${queryOf({...asked, [axis]: String(m)})}`)));
  const {row: own, wanted} = found[all.indexOf(here)];
  const isThat = own && wanted && Object.entries(wanted.to_tune).every(([name, value]) => String(own[name]) === String(value)) && own.standing !== 'unmeasured' && !own.baseline;
  return {
    tables: {[`Lookups near this ${axis}`]: found.map(({step, row}, i) => [
      String(all[i]), row ? said(row[axis]) : kDash, us(row && Number(row[time])), kSteps[step] ?? step, row ? said(kernels.map((name: string) => row[name]).filter(Boolean).join(' + ')) : kDash,
    ])},
    texts: {'main section:not(.winner) > p': wanted && !isThat ? [`This shape is not tuned. The lookup asks for ${shape(family, wanted.to_tune)}.`] : []},
  };
}

export async function key(asking: Asking, name: string, at: Key): Promise<Seen> {
  const {ask, families} = asking;
  const family = families.find((it) => it.name === name), axis = family.heat_map.x;
  const of = await ask(`/shapes/${name}?${queryOf(at)}&allow_empty=1`);
  const {rows} = await ask(`/rows/${name}?${queryOf({...at, [axis]: ''})}&limit=1000`);
  const {runs} = await ask('/runs?limit=100');
  const along = alongOf(family, rows), near = await lookups(asking, family, at);
  const winner = of.measurements.find((it: any) => it.won);
  const held = of.history.map((it: any) => ({...it, by: of.measurements.find((it2: any) => it2.id === it.measurement)}));
  return {
    path: `/ui/shape?family=${name}&${queryOf(Object.fromEntries(Object.entries(at).map(([column, value]) => [['device', 'engine'].includes(column) ? `key-${column}` : column, value])))}`,
    tables: {
      ...along.tables, ...near.tables, ...(of.measurements.length > 0 && {'Every measurement of this shape': measurementsOf(of, runs)}),
      ...(held.length > 0 && {'Rows that were served, by revision': held.map((it: any) => [String(it.from_revision), String(it.to_revision ?? 'now'), us(it.by?.us), ...(held.some((one: any) => within(one.by)) ? [within(it.by)] : []), runText(it.by?.run, runs), said(it.by && candidate(it.by))])}),
    },
    texts: {'main h1': [`${name}, ${shape(family, at)}`], 'main figcaption p': along.texts, ...near.texts, ...(winner && winnerOf(of, winner))},
  };
}

async function shapes(it: Asking): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const {family, target, keys} of it.random.some(it.of.places, 5)) {
    const {rows} = await it.ask(`/rows/${family.name}?gfx=${target.gfx}&limit=1000`);
    const measured = it.random.some<any>(rows, 1).map((row) => keyOf(family, row));
    const other = {...(columns(family, ['target']).includes('gfx') && {gfx: target.gfx}), ...(columns(family, ['target']).includes('cu_num') && {cu_num: String(target.cu_num)}), ...it.random.pick(keys)};
    for (const at of [...measured, other]) seen.push(await key(it, family.name, at));
  }
  return seen;
}

export const kShapeViews: ViewTable = {shape: shapes};
