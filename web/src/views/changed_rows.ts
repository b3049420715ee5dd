// What changed, in words and in a line. All of it is pure.
import type {StateSince} from '../answers';
import {count, microsShort, moment, plural} from '../format';

// As the server names them, in its order.
export const kKinds = ['slower', 'faster', 'appeared', 'disappeared', 'unmeasured'];

export function sinceText(since: StateSince): string {
  if (since.tables) {
    const numbers = [...new Set(since.tables.map((it) => it.revision))].sort((a, b) => a - b);
    const which = numbers.length === 1 ? `revision ${numbers[0]}` : `${numbers.length} revisions`;
    return `the lock file: ${plural(since.tables.length, 'table')} of ${which}`;
  }
  if (!since.revision) return 'the beginning: nothing had been imported';
  const at = since.created ? `, ${moment(since.created)} UTC` : '';
  return `revision ${count(since.revision)}${at}${since.is_first ? ', the first there is: the registry is younger than that' : ''}`;
}

// Microseconds with their sign: "+12.50".
export function lostText(us: number | null): string {
  if (us === null) return '\u2013';
  const text = Math.abs(us) >= 10_000 ? microsShort(Math.abs(us)) : Math.abs(us).toLocaleString('en', {minimumFractionDigits: 2, maximumFractionDigits: 2});
  return us === 0 ? text : `${us > 0 ? '+' : '\u2212'}${text}`;
}

const kWidth = 72, kHeight = 20, kEdge = 3;

export interface Spark {
  points: {x: number; y: number}[];
  width: number;
  height: number;
  text: string;
}

// Times one after the other, from the top for the slowest; what has no time is left out.
export function sparkOf(history: {us: number | null}[]): Spark {
  const times = history.flatMap(({us}) => (us === null ? [] : [us]));
  const low = Math.min(...times), high = Math.max(...times);
  const x = (i: number) => (times.length > 1 ? kEdge + (i * (kWidth - 2 * kEdge)) / (times.length - 1) : kWidth / 2);
  const y = (us: number) => (high > low ? kEdge + ((high - us) * (kHeight - 2 * kEdge)) / (high - low) : kHeight / 2);
  return {
    points: times.map((us, i) => ({x: x(i), y: y(us)})),
    width: kWidth,
    height: kHeight,
    text: times.length === 0 ? 'no times' : `times: ${times.map((us) => microsShort(us)).join(', ')} us`,
  };
}
