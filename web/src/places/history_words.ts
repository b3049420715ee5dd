// A model's coverage and time over weeks, in words. Pure functions.
import type {ModelTime, PhaseTime, Trend, TrendEvent, TrendPoint} from '../answers';
import {dayText, kDayMs} from '../components/time_stops';
import {count, micros, percent, plural} from '../format';
import {signed} from './home_cells';

export type Phase = 'decode' | 'prefill';

export const kMonth = 30;  // days

// The state at a time: the last point before it.
const stateAt = <T extends {at: string}>(points: T[], ms: number): T | undefined =>
  points.findLast(({at}) => Date.parse(at) <= ms);

// The points of the present TP; a share of another TP is of other shapes.
export const alike = ({points, now}: Trend): TrendPoint[] => points.filter(({tp}) => tp === now.tp);

// "Covered now 46 %, 30 days ago 32 %: +14 points."
export function coveredText(covered: number, points: TrendPoint[], now: number): string {
  const month = stateAt(points, now - kMonth * kDayMs), then = month ?? points[0];
  const text = `Covered now ${percent(covered)}`;
  if (!then || typeof then.covered !== 'number')
    return `${text}. The hub has no earlier point: it makes one after imports and at each day's end.`;
  const change = Math.round(covered * 100) - Math.round(then.covered * 100);
  const since = dayText(Date.parse(then.at));
  const when = month ? `${kMonth} days ago` : `on ${since}`;
  return `${text}, ${when} ${percent(then.covered)}: ${change === 0 ? 'unchanged' : `${signed(change)} points`}.` +
    (month ? '' : ` The first point is of ${since}.`);
}

const known = (time: PhaseTime | null): time is PhaseTime => time !== null;

// "12.10 us a token now, 13.00 30 days ago: −7 %. The default kernels take 20.20."
export function timeText(of: ModelTime, phase: Phase, now: number): string {
  const layers = `${of.timed_in[phase]} of ${plural(of.layers, 'layer')}`, last = of.points.at(-1)?.[phase];
  if (of.timed_in[phase] === 0) return `No layer has a measured time at M ${count(of.m[phase])}.`;
  if (!last) return `No time yet: one of the ${of.timed_in[phase]} layers has no measured row now.`;
  const timed = of.points.filter((point) => known(point[phase]));
  const month = stateAt(timed, now - kMonth * kDayMs), then = month ?? timed[0]!, before = then[phase]!.us;
  const change = (last.us / before - 1) * 100, usual = of.default[phase];
  const when = month ? `${kMonth} days ago` : `on ${dayText(Date.parse(then.at))}`;
  const size = Math.abs(change).toFixed(1), sign = change < 0 ? '\u2212' : '+';
  const past = `, ${micros(before)} ${when}: ${size === '0.0' ? 'unchanged' : `${sign}${size} %`}`;
  return `${micros(last.us)} us a token now${timed.length < 2 ? '' : past}; by ${layers}.` +
    (usual === null ? '' : ` The default kernels take ${micros(usual)} us.`);
}

export const eventText = ({kind, text}: TrendEvent): string =>
  (kind === 'toolchain' || text.startsWith(kind) ? text : `${kind}: ${text}`);
