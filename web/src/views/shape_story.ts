// The texts about a shape key: why its row won, its neighbours, its share of the roofline. Pure functions.
import type {Compared, Family, Lookup, Measurement, Row, Run, Shape} from '../answers';
import {cellText, micros, percent, plural} from '../format';

export function candidateText(measurement: Measurement): string {
  return Object.entries(measurement.candidate)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

// Why a measurement does not count, or "default" for the default's.
export const remarkOf = ({reason, is_default}: Measurement): string => reason ?? (is_default ? 'default' : '');

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

export function resultOf({won, reverted, competes, standing}: Measurement): string {
  return standing === 'unconfirmed' ? 'waits' : won ? 'won' : reverted ? 'reverted' : competes ? 'kept' : 'superseded';
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

// The measurement that would win without the winner.
export const secondOf = (measurements: Measurement[], winner: Measurement) => rivalsOf(measurements, winner).at(0);

// The default's measurement, unless it is the winner: one that competes, or else the latest.
export function defaultOf(measurements: Measurement[], winner: Measurement): Measurement | undefined {
  const all =
    measurements.filter((measurement) =>
      measurement.is_default && measurement.us !== null && measurement.id !== winner.id &&
        measurement.standing === 'measured');
  return all.sort((a, b) => Number(b.competes) - Number(a.competes) || b.run - a.run)[0];
}

export function spreadOf(of: Measurement): {samples: number[]; text: string} {
  const samples = samplesOf(of);
  if (samples.length === 0) return {samples, text: `${micros(of.us)} us, without samples`};
  const range = `from ${micros(Math.min(...samples))} to ${micros(Math.max(...samples))} us`;
  return {samples, text: `${micros(of.us)} us; ${plural(samples.length, 'sample')} ${range}`};
}

// The smallest and the largest of all times and samples, in us.
export function scaleOf(measurements: Measurement[]): [number, number] | null {
  const all =
    measurements.flatMap((measurement) => (measurement.us ? [measurement.us, ...samplesOf(measurement)] : []));
  return all.length === 0 ? null : [Math.min(...all), Math.max(...all)];
}

// The command that measures the winner's row again; "" if the run names no tuner that can do this.
export function againOf(family: string, at: Record<string, string>, winner: Measurement, run: Run): string {
  const tuner = String(run.provenance['tuner'] ?? '');
  const by = /^tunehub /.test(tuner) ? (at['gfx']?.startsWith('cpu-') ? ' --device cpu' : '')
    : /^aiter /.test(tuner) ? ' --tuner aiter' : null;
  return by === null || !winner.won ? ''
    : `tunehub-agent bench --after -i row.csv --family ${family} -o again.csv${by}`;
}

export function because(measurements: Measurement[], winner: Measurement): string {
  const rivals = rivalsOf(measurements, winner);
  const second = rivals[0], timed = rivals.filter((measurement) => measurement.standing === winner.standing);
  const time = `${micros(winner.us)} us`;
  if (winner.baseline) return `It is the default: ${time}. Nothing else was measured: the key waits to be tuned.`;
  switch (winner.won) {
    case 'only_candidate':
      return winner.us === null ? 'It is the only candidate, and has no time.'
        : `It is the only candidate that was measured: ${time}.`;
    case 'lowest_time': {
      const gain = !second?.us || !winner.us ? ''
        : overlap(winner.compared_by, second.compared_by) ? `; the next best (${micros(second.us)} us) may be as fast`
          : `, ${percent(1 - winner.us / second.us, 1)} less than the next best (${micros(second.us)} us)`;
      return `It has the lowest time of ${plural(timed.length + 1, 'candidate')}: ${time}${gain}.`;
    }
    case 'lower_error':
      return `Another candidate is as fast (${time}); this one has the lower error.`;
    case 'tie_break':
      return `Another candidate has the same time and error; a fixed order decides.`;
    case 'tied':
      return `Tied: another candidate may be as fast (${time}); the one that was measured first stays.`;
    case 'likely':
      return `Likely: it is faster than all others beyond the noise of its samples: ${time}, in one run.`;
    case 'sure':
      return `Sure: it is faster than all others beyond the noise of its samples: ${time}, and two runs agree.`;
    case 'only_measured':
      return `It is the only one with a time that can be trusted: ${time}.`;
    case 'nothing_measured':
      return `Nothing was measured: the kernel stands in until somebody tunes this shape.`;
    case 'latest_declared':
      return `This family has no times: the latest declaration counts.`;
    default:
      return `It won: ${winner.won ?? 'nobody knows why'}.`;
  }
}

const kSteps: Record<string, string> = {
  exact: 'The row of this very shape.',
  gl0: 'This shape has no row. AITER rounds M up on its fine grid, and finds the row for that M:',
  gl1: 'This shape has no row. AITER rounds M up on its coarse grid, and finds the row for that M:',
  tier: 'This shape has no row. AITER takes the row of its tier (its token count, rounded up):',
  lower_tier: 'Neither this shape nor its tier (its token count, rounded up) has a row.'
    + ' AITER takes the row of a lower tier:',
  nearest: 'This shape has no row. The engine takes the row of another M (the nearest, the next above, or the next bucket):',
  tiles: 'This shape has no row. AITER takes the row of the shape in whole tiles:',
  heuristic: 'No row: a heuristic of the build chooses.',
  default: 'No row: the default kernel runs.',
};

export function foundText(found: Lookup): string {
  const reason = found.fallback ? ` ${found.fallback.reason}` : '';
  return (kSteps[found.step] ?? `Found by: ${found.step}.`) + reason;
}

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

interface Drawn {
  x: number;
  tuned: number | null;
  measured: number | null;  // time of another measurement of this shape key, which did not win
}

// The tuned points in order, and at position `at` the shape key's other measurements.
export function pointsAt(tuned: Point[], at: number, measurements: Measurement[]): Drawn[] {
  const others =
    measurements.filter((measurement) =>
      !measurement.won && measurement.standing === 'measured' && measurement.us !== null);
  return [
    ...tuned.map((point): Drawn => ({x: point.x, tuned: point.us, measured: null})),
    ...(at > 0 ? others : []).map((measurement): Drawn => ({x: at, tuned: null, measured: measurement.us})),
  ].sort((a, b) => a.x - b.x);
}

export function sentenceOf(points: Point[], axis: string, at: number): string {
  const first = points[0], last = points[points.length - 1];
  if (!first || !last) return '';
  const here = points.find((point) => point.x === at);
  const many = plural(points.length, `tuned ${axis}`, `tuned values of ${axis}`);
  const end = ({x, us}: Point) => `${axis} ${x} (${micros(us)} us)`;
  const range = `${many} from ${end(first)} to ${end(last)}`;
  return here ? `${range}; this key, ${axis} ${at}, takes ${micros(here.us)} us.` : `${range}.`;
}

type Roofline = NonNullable<Shape['rooflines']>[number];

// A row does not name a product, so the roofline is that of the target's slowest product.
export function slowestOf(rooflines: Roofline[] | undefined): Roofline | undefined {
  return rooflines?.reduce<Roofline | undefined>((slowest, roofline) =>
    (slowest && slowest.us >= roofline.us ? slowest : roofline), undefined);
}

// "46 %: 2.10 us on MI300X, by memory"
export function rooflineText(roofline: Roofline, us: number | null): string {
  const {product, us: least, bound} = roofline;
  return `${percent(us ? least / us : null)}: ${micros(least)} us on ${product}, by ${bound}`;
}
