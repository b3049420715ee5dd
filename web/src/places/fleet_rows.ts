// The states of jobs and agents at a given time. Pure functions.
import type {Agent, Drift, Job} from '../answers';
import {plural} from '../format';

const kSilence = 5 * 60_000;  // ms; an agent sends a heartbeat at least once a minute

export const isSilent = (agent: Agent, now: number): boolean => now - Date.parse(agent.last_seen) > kSilence;

// A device: its agent and its drift. A device without an agent has only a drift.
export interface DeviceLine {
  name: string;  // the agent's, or the device's in the runs
  agent?: Agent;
  job?: Job;
  drift?: Drift;
}

// An agent "node7/0000:c1:00.0" on host "node7" measures for the device "node7 MI300X 0000:c1:00.0".
const isOf = ({agent, host}: Agent, {device}: Drift): boolean =>
  host !== null && device.startsWith(`${host} `) && device.endsWith(` ${agent.slice(agent.indexOf('/') + 1)}`);

// Devices that work come first, devices without an agent last.
export function devicesOf(agents: Agent[], running: Job[], drift: Drift[]): DeviceLine[] {
  const lines = agents.map((agent): DeviceLine => ({name: agent.agent, agent,
    job: running.find(({id}) => id === agent.job), drift: drift.find((one) => isOf(agent, one))}));
  const rest = drift.filter((one) => !agents.some((agent) => isOf(agent, one)));
  return [...lines.sort((a, b) => Number(!a.agent?.job) - Number(!b.agent?.job) || (a.name < b.name ? -1 : 1)),
    ...rest.map((one) => ({name: one.device, drift: one}))];
}

export function progressOf(job: Job): {done: number; total: number} {
  const total = Number(job.progress?.total ?? job.shape_count);
  const done = job.state === 'done' ? total : Math.min(total, Number(job.progress?.done ?? 0));
  return {done, total};
}

// Estimated from the elapsed time; null if unknown.
export function secondsLeft(job: Job, now: number): number | null {
  const {done, total} = progressOf(job);
  if (job.state !== 'running' || !job.claimed || done === 0 || done >= total) return null;
  return ((now - Date.parse(job.claimed)) / 1000 / done) * (total - done);
}

export function reasonText(reason: Job['reasons'][number]): string {
  if (typeof reason === 'string') return reason;
  return [reason.reason, reason.agent && `on ${reason.agent}`].filter(Boolean).join(' ');
}

const kDay = 86_400_000;  // ms
const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / kDay);

// How much longer the default kernels take than at first, in percent.
export const driftPercent = ({days}: Drift): number => (days.at(-1)!.ratio - 1) * 100;

// "+0.4 %"
export const driftText = (of: Drift): string =>
  `${driftPercent(of) < 0 ? '\u2212' : '+'}${Math.abs(driftPercent(of)).toFixed(1)} %`;

// "over 12 days, by 8 shapes"
export function driftNote({since, days}: Drift): string {
  const {day, keys} = days.at(-1)!, over = daysBetween(since, day);
  return `${over < 1 ? 'within a day' : `over ${plural(over, 'day')}`}, by ${plural(keys, 'shape')}`;
}

// The drift in tenths of a percent, one value for each day since the device's first. Null: a day without times.
export function driftCourse({since, days}: Drift): (number | null)[] {
  const known = new Map(days.map(({day, ratio}) => [daysBetween(since, day), (ratio - 1) * 1000]));
  const last = daysBetween(since, days.at(-1)!.day);
  return Array.from({length: last + 1}, (_, i) => known.get(i) ?? (i === 0 ? 0 : null));
}
