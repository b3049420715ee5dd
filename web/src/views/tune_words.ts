// A model's gaps by priority, and the GPU hours to close them. Pure functions.
import type {CoverageCounts, FamilyCoverage, Job} from '../answers';
import {count, plural} from '../format';
import {bucketText} from './coverage_cells';

export const openShapes = (of: CoverageCounts): number => of.missing + of.baseline + of.unmeasured;

// The untuned shapes of one layer, in one family.
export interface Gap {
  family: string;
  layer: string;
  shape: string;
  ranges: string;  // of M
  open: number;
  missed: number;
  flops: number;  // untuned, per token
}

// Adjacent buckets as one range: "1–64, 129–256"
function rangesOf({buckets}: FamilyCoverage, open: number[]): string {
  const ranges: {from: number; to: number; last: number}[] = [];
  for (const i of open) {
    const {from, to} = buckets[i] ?? {from: 0, to: 0};
    const before = ranges.at(-1);
    if (before?.last === i - 1) Object.assign(before, {to, last: i});
    else ranges.push({from, to, last: i});
  }
  return ranges.map(bucketText).join(', ');
}

function gapOf(of: FamilyCoverage, pair: FamilyCoverage['pairs'][number], place: number): Gap {
  const all = of.cells.filter((cell) => cell.pair === place);
  const open = all.filter((cell) => openShapes(cell) > 0);
  const sum = (cells: typeof all, what: (counts: CoverageCounts) => number) =>
    cells.reduce((total, cell) => total + what(cell), 0);
  const shapes = sum(open, openShapes);
  return {
    family: of.family,
    layer: String(pair['layer'] ?? ''),
    shape: of.columns.flatMap((name) => (pair[name] == null ? [] : `${name} ${String(pair[name])}`)).join(', '),
    ranges: rangesOf(of, open.map((cell) => cell.bucket)),
    open: shapes,
    missed: sum(open, (counts) => counts.demand),
    flops: Number(pair['flops_per_token'] ?? 0) * shapes / Math.max(1, sum(all, (counts) => counts.shapes)),
  };
}

// Sorted by untuned flops times misses; gaps without misses are sorted by flops alone.
export const gapsOf = (families: FamilyCoverage[]): Gap[] => families
  .flatMap((of) => of.pairs.map((pair, i) => gapOf(of, pair, i)))
  .filter((gap) => gap.open > 0)
  .sort((a, b) => b.flops * b.missed - a.flops * a.missed || b.flops - a.flops);

export interface Cost {
  seconds: number;  // of one GPU, per shape
  jobs: number;
  own: boolean;  // true if the jobs are of this family, false if of all families
}

// The cost per finished tuning jobs: of the family, or of all families if the family has none.
export function costOf(jobs: Job[], family: string): Cost | null {
  const done = jobs.filter((job) => job.purpose === 'tune' && job.claimed && job.finished && job.shape_count > 0);
  const own = done.filter((job) => job.family === family);
  const used = own.length > 0 ? own : done;
  if (used.length === 0) return null;
  const seconds = used.reduce((sum, job) =>
    sum + (Date.parse(job.finished ?? '') - Date.parse(job.claimed ?? '')) / 1000, 0);
  return {seconds: seconds / used.reduce((sum, job) => sum + job.shape_count, 0), jobs: used.length,
    own: own.length > 0};
}

export const secondsFor = (cost: Cost | null, shapes: number): number | null =>
  (shapes === 0 ? 0 : cost && cost.seconds * shapes);

export function hours(seconds: number | null): string {
  if (seconds === null) return 'not known';
  const value = seconds / 3600;
  return value >= 10 ? count(Math.round(value)) : Number(value.toPrecision(2)).toString();
}

export function costText(cost: Cost | null): string {
  if (!cost) return '\u2013';
  const of = cost.own ? 'this family' : 'other families';
  return `${Number(cost.seconds.toPrecision(3))} s a shape, by ${plural(cost.jobs, 'job')} of ${of}`;
}
