// The texts about a shape: why its row won, what each measurement counts for, what a lookup finds. Pure functions.
import type {Compared, Family, Lookup, Measurement, Row, Run, Shape} from '../answers';
import {cellText, micros, percent, plural} from '../format';

export function candidateText(measurement: Measurement): string {
  return Object.entries(measurement.candidate)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

export function kernelsOf(family: Family, row: Row): string {
  const names = family.columns.filter((column) => column.type === 'kernel').map((column) => row[column.name]);
  return cellText(names.filter(Boolean).join(' + '));
}

// The server's order of standings: an impossible time (0, or below the roofline) never beats a measured one.
const kStandings: Measurement['standing'][] = ['measured', 'declared', 'unmeasured', 'unconfirmed', 'quarantined',
  'implausible', 'unfinished', 'compared'];

// The winner first, then those that compete, then all others; each sorted by standing and time. No time comes last.
export function byTime(measurements: Measurement[]): Measurement[] {
  const rank = (measurement: Measurement) => (measurement.won ? 0 : measurement.competes ? 1 : 2);
  const standing = (measurement: Measurement) => kStandings.indexOf(measurement.standing);
  const time = (measurement: Measurement) => measurement.us ?? Infinity;
  return [...measurements].sort((a, b) =>
    rank(a) - rank(b) || standing(a) - standing(b) || time(a) - time(b) || a.id - b.id);
}

const kOutside: Partial<Record<Measurement['standing'], string>> = {
  unconfirmed: 'waits for a confirmation by another run',
  quarantined: 'left out: wrong or failed',
  implausible: 'left out: not plausible',
  unfinished: 'left out: not finished',
  compared: 'counts in speed-ups only',
};

// What a measurement counts for.
export function standingText({won, reverted, competes, standing}: Measurement): string {
  if (won) return 'served';
  if (reverted) return 'its run is reverted';
  if (kOutside[standing]) return kOutside[standing];
  if (!competes) return 'replaced by another measurement of this kernel';
  return standing === 'unmeasured' ? 'competes without a time' : 'competes';
}

const samplesOf = ({evidence}: Pick<Measurement, 'evidence'>): number[] =>
  (Array.isArray(evidence?.samples) ? evidence.samples.filter((us) => us > 0) : []);

// The interval of a compared time; null: infinite. Without samples it is +-5 %, as in the server's winner rule.
const kUnsampled = 0.05;
export const intervalOf = ({us, low, high, steady}: Compared): [number, number] | null =>
  (steady ? [low ?? us * (1 - kUnsampled), high ?? us * (1 + kUnsampled)] : null);

function overlap(a: Compared | null, b: Compared | null): boolean {
  const [one, other] = [a && intervalOf(a), b && intervalOf(b)];
  return !one || !other || (one[0] <= other[1] && other[0] <= one[1]);
}

// "17.30 to 17.60, n 20"; "" without samples or a time.
export function intervalText(of: Pick<Measurement, 'low' | 'high' | 'evidence'> | undefined): string {
  const n = of ? samplesOf(of).length : 0;
  if (!of || n === 0) return '';
  if (of.low !== null) return `${micros(of.low)} to ${micros(of.high)}, n ${n}`;
  return (of.evidence?.['clock'] ?? 'steady') === 'steady' ? '' : `unsteady, n ${n}`;
}

export const rivalsOf = (measurements: Measurement[], winner: Measurement): Measurement[] =>
  byTime(measurements.filter((measurement) =>
    measurement.competes && measurement.id !== winner.id && measurement.provider === winner.provider));

// The default's measurement, unless it is the winner: one that competes, or else the latest.
export function defaultOf(measurements: Measurement[], winner: Measurement): Measurement | undefined {
  const all =
    measurements.filter((measurement) =>
      measurement.is_default && measurement.us !== null && measurement.id !== winner.id &&
        measurement.standing === 'measured');
  return all.sort((a, b) => Number(b.competes) - Number(a.competes) || b.run - a.run)[0];
}

// The command that measures the winner's row again; "" if the run names no tuner that can do this.
export function againOf(family: string, at: Record<string, string>, winner: Measurement, run: Run): string {
  const tuner = String(run.provenance['tuner'] ?? '');
  const by = /^tunehub /.test(tuner) ? (at['gfx']?.startsWith('cpu-') ? ' --device cpu' : '')
    : /^aiter /.test(tuner) ? ' --tuner aiter' : null;
  return by === null || !winner.won ? ''
    : `tunehub-agent bench --after -i row.csv --family ${family} -o again.csv${by}`;
}

// How much faster one time is, and whether the difference is more than the spread of the two times.
function lead(winner: Compared, next: Compared): string {
  const [ours, theirs] = [intervalOf(winner), intervalOf(next)];
  if (!ours || !theirs || overlap(winner, next)) {
    return `the next, ${micros(next.us)} us, may be as fast: the intervals overlap`;
  }
  const spread = (ours[1] - winner.us + next.us - theirs[0]) / next.us;
  const assumed = winner.low === null || next.low === null ? ' (\u00b15 % for a time without samples)' : '';
  return `faster than the next by ${percent(1 - winner.us / next.us, 1)}, more than the times' spread of `
    + percent(spread, 1) + assumed;
}

// How sure the winner is, and the reason. Both are sentences without their full stop.
export function because(measurements: Measurement[], winner: Measurement): [verdict: string, reason: string] {
  const rivals = rivalsOf(measurements, winner);
  const timed = rivals.flatMap((one) => (one.standing === winner.standing && one.compared_by) || []);
  const next = timed.find(({steady}) => steady) ?? timed[0];
  const by = winner.compared_by && next ? lead(winner.compared_by, next) : 'no other candidate has a time';
  const close = rivals.filter((one) => one.compared_by && overlap(winner.compared_by, one.compared_by)).length;
  if (winner.baseline) return ['Only the default', 'nothing else was measured, so tuning may find a faster kernel'];
  switch (winner.won) {
    case 'sure': return ['Sure', `${by}, and two runs agree`];
    case 'likely': return ['Likely', `${by}, in one run`];
    case 'tied': return ['Tied', `the intervals of ${plural(close + 1, 'candidate')} overlap: the one measured first stays`];
    case 'lowest_time': return [`Lowest time of ${plural(rivals.length + 1, 'candidate')}`, by];
    case 'lower_error': return ['Tied', 'another candidate takes the same time; this one has the lower error'];
    case 'tie_break': return ['Tied', 'another candidate has the same time and error; a fixed order decides'];
    case 'only_candidate': return ['The only candidate', winner.us === null ? 'it has no time' : 'no other was measured'];
    case 'only_measured': return ['The only credible time', 'no other candidate has one'];
    case 'nothing_measured': return ['No credible time', 'this kernel is served until somebody tunes the shape'];
    case 'latest_declared': return ['The latest declaration', 'this family has no times'];
    default: return ['Served', winner.won ?? 'for an unknown reason'];
  }
}

const kSteps: Record<string, string> = {
  exact: 'its own row',
  gl0: 'row of M rounded up in small steps',
  gl1: 'row of M rounded up in large steps',
  tier: 'row of tokens rounded up to a power of two',
  lower_tier: 'the tier has no row: the next lower tier',
  nearest: 'another M of the engine\'s file: the nearest, the next above, or the next bucket',
  tiles: 'the shape in whole tiles',
  heuristic: 'no row: a heuristic of the build chooses',
  default: 'no row: AITER\'s own default kernel or rule runs',
};

export const foundText = ({step}: Lookup): string => kSteps[step] ?? step;

// The values of the axis whose lookups a page shows: the shape's own and four around it.
export const nearOf = (at: number): number[] => [Math.floor(at / 2), at - 1, at, at + 1, 2 * at];

// False if the lookup already finds the row that a job would tune, and if that row is tuned.
export function isWorthTuning({row, wanted}: Lookup): boolean {
  if (!wanted) return false;
  const isThat = row !== null &&
    Object.entries(wanted.to_tune).every(([name, value]) => String(row[name]) === String(value));
  return !isThat || row['standing'] === 'unmeasured' || row['baseline'] === true;
}

export interface Point {
  x: number;
  us: number;
  row: Row;
}

// Tuned rows along the axis, without unmeasured rows and baselines; only the fastest at each position.
export function alongAxis(rows: Row[], axis: string, time: string): Point[] {
  const best = new Map<number, Point>();
  for (const row of rows) {
    const x = Number(row[axis]), us = Number(row[time]);
    if (row['standing'] === 'unmeasured' || row['baseline'] || !(us > 0) || !(x > 0)) continue;
    const known = best.get(x);
    if (!known || us < known.us) best.set(x, {x, us, row});
  }
  return [...best.values()].sort((a, b) => a.x - b.x);
}

export function sentenceOf(points: Point[], axis: string): string {
  const first = points[0], last = points[points.length - 1];
  if (!first || !last) return '';
  const end = ({x, us}: Point) => `${axis} ${x} (${micros(us)} us)`;
  return `${plural(points.length, `tuned value of ${axis}`, `tuned values of ${axis}`)} from ${end(first)} to ${end(last)}.`;
}

type Roofline = NonNullable<Shape['rooflines']>[number];

// The roofline of the address's product. If the row's target has no such product: of its slowest one.
export const rooflineOf = (rooflines: Roofline[] = [], product: string | null = null): Roofline | undefined =>
  rooflines.find((its) => its.product === product) ?? [...rooflines].sort((a, b) => b.us - a.us)[0];
