// The speed-ups' tables. All of it is pure.
import type {Speedups, Spread} from '../api';
import type {CsvRecord} from '../csv';
import {percent, plural, times} from '../format';

export const kSides: {title: string; of: (it: Speedups) => Spread}[] = [
  {title: 'tuned over default', of: (it) => it.tuned_over_default},
  {title: 'heuristic over default', of: (it) => it.heuristic_over_default},
  {title: 'tuned over heuristic', of: (it) => it.tuned_over_heuristic},
];

export function binText(bin: {log2_from: number; log2_to: number}): string {
  return `${times(2 ** bin.log2_from)} to ${times(2 ** bin.log2_to)}`;
}

export function sentenceOf(spread: Spread): string {
  return `${plural(spread.keys, 'key')}: geometric mean ${times(spread.geometric_mean)}, median ${times(spread.median)}, ${percent(spread.above_2x)} more than twice as fast, worst ${times(spread.worst)}.`;
}

// The ends of the list, none of them twice.
export function extremes(rows: CsvRecord[], most: number): {best: CsvRecord[]; worst: CsvRecord[]} {
  const timed = rows.filter((it) => it['tuned_over_default']);
  timed.sort((a, b) => Number(b['tuned_over_default']) - Number(a['tuned_over_default']));
  const best = timed.slice(0, Math.min(most, Math.ceil(timed.length / 2)));
  const worst = timed.slice(best.length).slice(-most).reverse();
  return {best, worst};
}
