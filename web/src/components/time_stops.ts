// A figure over time: where the pointer and the arrow keys stop, and the corners of its line. Pure functions.
import type {Place} from './plot_pen';
import type {Stop} from './uplot';

export interface Mark {
  at: number;  // ms
  kind: string;  // 'import', 'revert', 'toolchain'
  text: string;
  href?: string | undefined;
}

export interface Point {
  at: number;  // ms, ascending
  value: number | null;  // null: unknown
  low?: number | null;
  high?: number | null;
  href?: string | undefined;
}

export const kDayMs = 86_400_000;
const kEvents = 3;  // the most events that a day's text lists

export const isKnown = (value: number | null | undefined): value is number => value !== null && value !== undefined;

// "31 Jan"
export const dayText = (ms: number): string =>
  new Date(ms).toLocaleDateString('en-GB', {day: 'numeric', month: 'short', timeZone: 'UTC'});

// One stop for each day with a point or an event: the day's last value, and what happened.
export function stopsOf(points: Point[], marks: Mark[], textOf: (point: Point) => string, floor: number): Stop[] {
  const dayOf = ({at}: {at: number}) => Math.floor(at / kDayMs);
  const days = [...new Set([...points, ...marks].map(dayOf))].sort((a, b) => a - b);
  return days.map((day) => {
    const point = points.findLast((point) => dayOf(point) <= day), events = marks.filter((mark) => dayOf(mark) === day);
    const x = (point && dayOf(point) === day ? point : events[0])!.at;
    const texts = events.slice(0, kEvents).map(({text}) => text);
    if (events.length > kEvents) texts.push(`and ${events.length - kEvents} more`);
    return {
      place: [x, point?.value ?? floor],
      text: [dayText(x), ...(point ? [textOf(point)] : []), ...texts],
      href: events.find(({href}) => href)?.href ?? point?.href,
    };
  });
}

// The corners of a line that keeps its value until the next point. Unknown values cut it into pieces.
export function stepsOf(points: Point[], valueOf: (point: Point) => number | null | undefined): Place[][] {
  const pieces: Place[][] = [[]];
  points.forEach((point, i) => {
    const value = valueOf(point), until = points[i + 1]?.at ?? point.at;
    if (isKnown(value)) pieces.at(-1)!.push([point.at, value], [until, value]);
    else if (pieces.at(-1)!.length > 0) pieces.push([]);
  });
  return pieces;
}
