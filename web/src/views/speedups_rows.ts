// The tables of speed-ups. Pure functions.
import type {SpeedupPart, Speedups, Spread} from '../answers';
import type {CsvRecord} from '../csv';
import {percent, plural, times} from '../format';
import {bucketText} from './coverage_cells';

export const kSides: {title: string; of: (speedups: Speedups) => Spread}[] = [
  {title: 'tuned over default', of: (speedups) => speedups.tuned_over_default},
  {title: 'heuristic over default', of: (speedups) => speedups.heuristic_over_default},
  {title: 'tuned over heuristic', of: (speedups) => speedups.tuned_over_heuristic},
];

type Bin = NonNullable<Spread['histogram']>[number];

// Adds empty bins between the others, so that the chart shows gaps.
export function binsOf({histogram = []}: Spread): Bin[] {
  const bins: Bin[] = [];
  for (const bin of histogram) {
    const step = bin.log2_to - bin.log2_from;
    for (let last = bins.at(-1); last && last.log2_to < bin.log2_from - step / 2; last = bins.at(-1)) {
      bins.push({log2_from: last.log2_to, log2_to: last.log2_to + step, keys: 0});
    }
    bins.push(bin);
  }
  return bins;
}

export function keysByM(of: Speedups): SpeedupPart[] {
  return of.by.m_bucket.map((bucket) => ({...bucket, name: bucketText({from: bucket.m_from, to: bucket.m_to})}));
}

export const binText = (bin: Bin): string => `${times(2 ** bin.log2_from)} to ${times(2 ** bin.log2_to)}`;

export function sentenceOf(spread: Spread): string {
  const {keys, geometric_mean: mean, median, above_2x: above, worst} = spread;
  const middle = `geometric mean ${times(mean)}, median ${times(median)}`;
  return `${plural(keys, 'key')}: ${middle}, ${percent(above)} more than twice as fast, worst ${times(worst)}.`;
}

// The best and the worst records. No record is in both lists.
export function extremes(rows: CsvRecord[], most: number): {best: CsvRecord[]; worst: CsvRecord[]} {
  const timed = rows.filter((record) => record['tuned_over_default']);
  timed.sort((a, b) => Number(b['tuned_over_default']) - Number(a['tuned_over_default']));
  const best = timed.slice(0, Math.min(most, Math.ceil(timed.length / 2)));
  const worst = timed.slice(best.length).slice(-most).reverse();
  return {best, worst};
}
