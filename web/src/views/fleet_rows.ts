// The states of jobs and agents at a given time. Pure functions.
import type {Agent, Drift, Job} from '../answers';
import {plural} from '../format';

const kSilence = 5 * 60_000;  // ms; an agent sends a heartbeat at least once a minute

export const isSilent = (agent: Agent, now: number): boolean => now - Date.parse(agent.last_seen) > kSilence;

interface AgentGroup {
  host: string;
  of: Agent;  // any agent of the group: all have the same target
  agents: number;
  working: number;
  silent: number;
  doing: string;
}

// Agents by host and target; groups with the most working agents come first.
export function groupsOf(agents: Agent[], now: number): AgentGroup[] {
  const groups = new Map<string, AgentGroup & {what: Set<string>}>();
  for (const agent of agents) {
    const name = JSON.stringify([agent.host, agent.gfx, agent.cu_num]);
    const group = groups.get(name) ??
      {host: agent.host ?? '', of: agent, agents: 0, working: 0, silent: 0, doing: '', what: new Set()};
    groups.set(name, group);
    group.agents += 1;
    if (isSilent(agent, now)) group.silent += 1;
    else if (agent.job !== null) group.working += 1;
    if (agent.doing) group.what.add(agent.doing);
  }
  return [...groups.values()].map(({what, ...group}) => ({...group, doing: [...what].join(', ')}))
    .sort((a, b) => b.working - a.working || (a.host < b.host ? -1 : 1));
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

// "+0.4 % over 12 days"
export function driftText({since, days}: Drift): string {
  const {day, ratio} = days.at(-1)!, over = daysBetween(since, day);
  const change = `${ratio < 1 ? '\u2212' : '+'}${Math.abs((ratio - 1) * 100).toFixed(1)} %`;
  return `${change} ${over < 1 ? 'within a day' : `over ${plural(over, 'day')}`}`;
}

// The drift in tenths of a percent, one value for each day since the device's first. Null: a day without times.
export function driftCourse({since, days}: Drift): (number | null)[] {
  const known = new Map(days.map(({day, ratio}) => [daysBetween(since, day), (ratio - 1) * 1000]));
  const last = daysBetween(since, days.at(-1)!.day);
  return Array.from({length: last + 1}, (_, i) => known.get(i) ?? (i === 0 ? 0 : null));
}
