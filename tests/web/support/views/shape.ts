// The expected tables and texts of Shape, made from the API's answers.
import {expect} from 'vitest';
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
function gain(winner: any, second: any): string {
  if (!second?.us || !winner.us) return '';
  const [a, b] = [winner, second].map((it) => (it.compared_by ? bounds(it.compared_by) : [-Infinity, Infinity])) as [number, number][];
  return a![0] <= b![1] && b![0] <= a![1] ? `; the next best (${us(second.us)} us) may be as fast` : `, ${share(1 - winner.us / second.us, 1)} less than the next best (${us(second.us)} us)`;
}

const sampled = (it: any): number => (it?.evidence?.samples ?? []).filter((one: number) => one > 0).length;
const within = (it: any): string => (sampled(it) === 0 ? '' : it.low === null ? (it.evidence.clock && it.evidence.clock !== 'steady' ? `unsteady, n ${sampled(it)}` : '') : `${us(it.low)} to ${us(it.high)}, n ${sampled(it)}`);
const bracketed = (it: any): string => (within(it) ? ` (${within(it)})` : '');

const kReasons: Record<string, (winner: any, rivals: any[]) => string> = {
  only_candidate: ({us: time}) => (time === null ? 'It is the only candidate, and has no time.' : `It is the only candidate that was measured: ${us(time)} us.`),
  lowest_time: (winner, rivals) => `It has the lowest time of ${many(rivals.filter((it) => it.standing === 'measured').length + 1, 'candidate')}: ${us(winner.us)} us${gain(winner, rivals[0])}.`,
  lower_error: ({us: time}) => `Another candidate is as fast (${us(time)} us); this one has the lower error.`,
  tie_break: () => 'Another candidate has the same time and error; a fixed order decides.',
  tied: ({us: time}) => `Tied: another candidate may be as fast (${us(time)} us); the one that was measured first stays.`,
  likely: ({us: time}) => `Likely: it is faster than all others beyond the noise of its samples: ${us(time)} us, in one run.`,
  sure: ({us: time}) => `Sure: it is faster than all others beyond the noise of its samples: ${us(time)} us, and two runs agree.`,
  only_measured: ({us: time}) => `It is the only one with a time that can be trusted: ${us(time)} us.`,
  nothing_measured: () => 'Nothing was measured: the kernel stands in until somebody tunes this shape.',
  latest_declared: () => 'This family has no times: the latest declaration counts.',
};
const because = (winner: any, rivals: any[]): string => (winner.baseline ? `It is the default: ${us(winner.us)} us. Nothing else was measured: the key waits to be tuned.` : kReasons[winner.won]?.(winner, rivals) ?? '');

// A row does not name a product, so the slowest of the target's products counts.
const rooflineOf = ({rooflines = []}: any): any => [...rooflines].sort((a, b) => b.us - a.us)[0];

function rival(it: any, winner: any, none: string): string {
  return it ? `${us(it.us)} us${bracketed(it)}${it.us && winner.us ? `, ${ratio(it.us / winner.us)} the winner's` : ''}; run ${it.run}${candidate(it)}` : none;
}

// Declared rows rank by the start of their runs. The answer lacks it, so the test accepts any second row.
function winnerOf(of: any, winner: any): Record<string, unknown[]> {
  const [roofline, rivals] = [rooflineOf(of), rivalsOf(of.measurements, winner)];
  const defaults = of.measurements.filter((it: any) => it.is_default && it.us !== null && it.id !== winner.id && it.standing === 'measured');
  defaults.sort((a: any, b: any) => Number(b.competes) - Number(a.competes) || b.run - a.run);
  return {
    'main .because': [because(winner, rivals)],
    'main .winner > dl:not(.rivals) dd': [
      `${us(winner.us)} us${bracketed(winner)}`, ...(roofline ? [`${share(winner.us ? roofline.us / winner.us : null)}: ${us(roofline.us)} us on ${roofline.product}, by ${roofline.bound}`] : []),
      winner.error === null ? 'not given' : share(winner.error, 2), ...Object.values<string>(winner.candidate).filter((value) => value !== '' && value.length <= 24), String(winner.run),
    ],
    'main dl.rivals dd': [winner.standing === 'declared' ? expect.any(String) : rival(rivals[0], winner, 'nothing else competes'), ...(winner.baseline ? [] : [rival(defaults[0], winner, 'not measured: what tuning brought is not known')])],
  };
}

function spread(it: any): string {
  const samples: number[] = (it.evidence?.samples ?? []).filter((one: number) => one > 0);
  if (!it.us) return '';
  return samples.length === 0 ? `${us(it.us)} us, without samples` : `${us(it.us)} us; ${many(samples.length, 'sample')} from ${us(Math.min(...samples))} to ${us(Math.max(...samples))} us`;
}

function measurementsOf(of: any, runs: any[]): string[][] {
  const [roofline, best] = [rooflineOf(of), of.measurements.find((it: any) => it.won)?.us];
  const hasTimes = of.measurements.some((it: any) => it.us), hasSamples = of.measurements.some(within);
  return byTime(of.measurements).map((it) => [
    it.won ? 'won' : it.reverted ? 'reverted' : it.competes ? 'kept' : 'superseded', us(it.us), ...(hasSamples ? [within(it)] : []), hasTimes ? spread(it) : '', ratio(best && it.us ? it.us / best : null), ...(roofline ? [share(it.us ? roofline.us / it.us : null)] : []),
    share(it.error, 2), it.standing + (it.reason ?? (it.is_default ? 'default' : '')), it.provider, runText(it.run, runs), candidate(it),
  ]);
}

const runText = (id: number | undefined, runs: any[]): string => (id ? `${id}${runs.some((it) => it.id === id) ? originOf(runs.find((it) => it.id === id)) : ''}` : kDash);

// The tuned times along the family's axis; only the fastest at each position.
function alongOf(family: any, rows: any[], at: number): {tables: Record<string, string[][]>; texts: string[]} {
  const axis = family.heat_map.x, time = columns(family, ['objective'])[0] ?? '';
  const kernels = family.columns.filter((it: any) => it.type === 'kernel').map((it: any) => it.name);
  const timed = rows.filter((it) => it.standing !== 'unmeasured' && !it.baseline && Number(it[time]) > 0 && Number(it[axis]) > 0).sort((a, b) => Number(a[axis]) - Number(b[axis]) || Number(a[time]) - Number(b[time]));
  const tuned = timed.filter((it, i) => Number(it[axis]) !== Number(timed[i - 1]?.[axis]));
  const [first, last, here] = [tuned[0], tuned.at(-1), tuned.find((it) => Number(it[axis]) === at)];
  if (tuned.length < 2) return {tables: {}, texts: []};
  const end = here ? `; this key, ${axis} ${at}, takes ${us(Number(here[time]))} us.` : '.';
  return {
    tables: {[`Tuned times over ${axis}`]: tuned.map((it) => [String(Number(it[axis])), us(Number(it[time])), said(kernels.map((name: string) => it[name]).filter(Boolean).join(' + '))])},
    texts: [`${tuned.length} tuned values of ${axis} from ${axis} ${first[axis]} (${us(Number(first[time]))} us) to ${axis} ${last[axis]} (${us(Number(last[time]))} us)${end}`],
  };
}

const kSteps: Record<string, string> = {
  exact: 'The row of this very shape.', gl0: 'This shape has no row. AITER rounds M up on its fine grid, and finds the row for that M:', gl1: 'This shape has no row. AITER rounds M up on its coarse grid, and finds the row for that M:',
  tier: 'This shape has no row. AITER takes the row of its tier (its token count, rounded up):', lower_tier: 'Neither this shape nor its tier (its token count, rounded up) has a row. AITER takes the row of a lower tier:', heuristic: 'No row: a heuristic of the build chooses.', default: 'No row: the default kernel runs.',
};

// If a family's files name a device, the shape key has no gfx, which GET /lookup needs.
async function lookup({ask}: Asking, family: any, key: Key): Promise<string[]> {
  if (!key['gfx']) return [];
  const asked = Object.fromEntries(['gfx', 'cu_num', ...columns(family, ['engine', 'device', 'shape'])].map((name) => [name, name === 'cu_num' && key[name] === '0' ? '' : key[name] ?? '']));
  const {step, fallback, row, wanted} = await ask(`/lookup/${family.name}?${queryOf(asked)}`);
  const isThat = row && wanted && Object.entries(wanted.to_tune).every(([name, value]) => String(row[name]) === String(value)) && row.standing !== 'unmeasured' && !row.baseline;
  return [`${kSteps[step] ?? `Found by: ${step}.`}${fallback ? ` ${fallback.reason}` : ''}`, ...(row && step !== 'exact' ? [shape(family, keyOf(family, row))] : []), ...(wanted && !isThat ? [`Worth tuning: ${shape(family, wanted.to_tune)}.`] : [])];
}

export async function key(asking: Asking, name: string, at: Key): Promise<Seen> {
  const {ask, families} = asking;
  const family = families.find((it) => it.name === name), axis = family.heat_map.x;
  const of = await ask(`/shapes/${name}?${queryOf(at)}&allow_empty=1`);
  const {rows} = await ask(`/rows/${name}?${queryOf({...at, [axis]: ''})}&limit=1000`);
  const {runs} = await ask('/runs?limit=100');
  const along = alongOf(family, rows, Number(at[axis]));
  const winner = of.measurements.find((it: any) => it.won);
  const held = of.history.map((it: any) => ({...it, by: of.measurements.find((it2: any) => it2.id === it.measurement)}));
  return {
    path: `/ui/shape?family=${name}&${queryOf(at)}`,
    tables: {
      ...along.tables, ...(of.measurements.length > 0 && {'Every measurement of this key': measurementsOf(of, runs)}),
      ...(held.length > 0 && {'What held this key over revisions': held.map((it: any) => [String(it.from_revision), String(it.to_revision ?? 'now'), us(it.by?.us), ...(held.some((one: any) => within(one.by)) ? [within(it.by)] : []), runText(it.by?.run, runs), said(it.by && candidate(it.by))])}),
    },
    texts: {'main h1': [`${name}, ${shape(family, at)}`], 'main figcaption p': along.texts, 'main section:not(.winner) > p': await lookup(asking, family, at), ...(winner && winnerOf(of, winner))},
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
