// GPU hours that tuning will take, from jobs that are done. Pure functions.
import type {Job} from './answers';
import {count, plural} from './format';

const kLeast = 10;  // shapes; the pace of fewer says nothing about the next ones

export interface Cost {
  seconds: number;  // of one GPU, per shape
  jobs: number;
  shapes: number;
  own: boolean;  // true: the jobs are of the asked family; false: of all families
}

// The pace of finished tune jobs on this architecture: of the family if they have enough shapes, else of all families.
// Null: not known yet.
export function costOf(jobs: Job[], gfx: string, family = ''): Cost | null {
  const done = jobs.filter((job) => job.purpose === 'tune' && job.gfx === gfx && job.claimed && job.finished);
  const shapesOf = (some: Job[]) => some.reduce((sum, job) => sum + job.shape_count, 0);
  const ofFamily = done.filter((job) => job.family === family);
  const own = shapesOf(ofFamily) >= kLeast, used = own ? ofFamily : done, shapes = shapesOf(used);
  if (shapes < kLeast) return null;
  const seconds = used.reduce((sum, job) =>
    sum + (Date.parse(job.finished ?? '') - Date.parse(job.claimed ?? '')) / 1000, 0);
  return {seconds: seconds / shapes, jobs: used.length, shapes, own};
}

export const secondsFor = (cost: Cost | null, shapes: number): number | null =>
  (shapes === 0 ? 0 : cost && cost.seconds * shapes);

export function hours(seconds: number | null): string {
  if (seconds === null) return 'not known yet';
  const value = seconds / 3600;
  return value >= 10 ? count(Math.round(value)) : Number(value.toPrecision(2)).toString();
}

// The only times that anybody measured, of 24 shapes (tests/bench/results/h200): the usual search and an exhaustive one.
const kH200 = {usual: 11.9 / 24, exhaustive: 26.5 / 24};

// A range to plan with before a job has finished. Names what it is of, because AITER's scripts on AMD are other programs.
export function guessText(shapes: number): string {
  const [least, most] = [kH200.usual, kH200.exhaustive].map((seconds) => hours(seconds * shapes));
  return `Too few tune jobs have finished to say. For scale: ${least} to ${most} GPU hours for ${plural(shapes, 'shape')} at ` +
    "the 0.5 (usual search) to 1.1 s a shape of tunehub's own kernels on an H200. AITER's scripts on AMD may take longer.";
}

// "2.1 s a shape, from 3 finished jobs with 40 shapes"
export function costText(cost: Cost | null): string {
  if (!cost) return `tune jobs with ${kLeast} shapes must finish on this architecture first`;
  return `${Number(cost.seconds.toPrecision(3))} s a shape, from ${plural(cost.jobs, 'finished job')} with ` +
    plural(cost.shapes, 'shape');
}
