// A trend as rows of a table and lines of a chart. Pure functions.
import type {Trend, TrendEvent, TrendFigures, TrendPoint} from '../answers';
import {age, count, percent, plural, times} from '../format';

export interface TrendRow extends TrendFigures {
  at: number;  // ms
  what: string;  // "import", "day", "now"
  revision: number;
}

const whatOf = ({kind, filled_in}: TrendPoint): string => kind + (filled_in ? ', filled in' : '');

// All points, then the present.
export function rowsOf(trend: Trend, now: number): TrendRow[] {
  const points = trend.points.map((point) => ({...point, at: Date.parse(point.at), what: whatOf(point)}));
  return [...points, {...trend.now, at: now, what: 'now', revision: trend.revision}];
}

export const kDayMs = 86_400_000;
export const kDaySteps = [1, 2, 7, 14, 28, 56, 91, 182].map((days) => days * kDayMs);  // between a chart's labels

// Moves points older than the shown days to the first of these days.
export function drawn(rows: TrendRow[], days: number, now: number): TrendRow[] {
  const from = now - days * kDayMs;
  return rows.map((row) => ({...row, at: Math.max(row.at, from)}));
}

// "31 Jan"
export const dayText = (ms: number): string =>
  new Date(ms).toLocaleDateString('en-GB', {day: 'numeric', month: 'short', timeZone: 'UTC'});

// In whole days; 0 for rows that the point itself brought.
export const ageText = ({since, at}: TrendRow): string =>
  (since ? `${count(Math.floor(Math.max(0, at - Date.parse(since)) / kDayMs))} d` : '\u2013');

// A sentence about a figure's change from the first row to the last.
export function sentenceOf(rows: TrendRow[], days: number, isCovered: boolean): string {
  const first = rows[0], last = rows[rows.length - 1];
  if (!first || !last) return '';
  const text = (row: TrendRow) => (isCovered ? percent(row.covered, 1) : plural(row.tuned ?? 0, 'tuned key'));
  if (rows.length === 1) return `${text(last)} now; no point is stored yet.`;
  const points = isCovered ? ((last.covered ?? 0) - (first.covered ?? 0)) * 100 : 0;
  const change = isCovered ? `: ${Math.abs(points).toFixed(1)} points ${points < 0 ? 'less' : 'more'}` : '';
  const when = first.at < last.at - days * kDayMs ? `${days} days ago` : age(first.at, last.at);
  return `${text(last)} now, ${text(first)} ${when}${change}.`;
}

// The end of an axis in percent: a quarter above the maximum, so that small changes are visible.
export const topOf = (values: (number | null)[]): number =>
  Math.min(100, 10 * Math.ceil((Math.max(10, ...values.map((value) => value ?? 0)) * 1.25) / 10));

export const marksOf = (events: TrendEvent[]): number[] => events.map((event) => Date.parse(event.at));

export const shapesText = ({found, shapes}: TrendFigures): string =>
  (shapes === undefined ? '\u2013' : `${count(found ?? 0)} of ${count(shapes)}`);

export const overText = ({speedup, measured}: TrendFigures): string =>
  (speedup ? `${times(speedup)} (${count(measured ?? 0)})` : '\u2013');
