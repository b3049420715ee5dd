// A comparison's summary. All of it is pure.
import type {Comparison} from '../answers';
import {cellText, percent, plural} from '../format';

// As the server names them, in its order: what should be looked at first.
export const kChanges = ['slower', 'unstable', 'same_kernel', 'removed', 'new', 'skipped', 'ignored', 'faster', 'same'];

export function changeText(change: string): string {
  return change.replace('_', ' ');
}

export interface Group {
  name: string;
  range: string;
  mean: string;
  count: number;
}

function signed(share: number): string {
  return (share > 0 ? '+' : '') + percent(share, 1);
}

// By the change of time: +5 % is slower.
function groupOf(name: string, speedups: number[], count: number): Group {
  const changes = speedups.map((it) => 1 / it - 1);
  if (changes.length === 0) return {name, range: cellText(''), mean: cellText(''), count};
  const mean = changes.reduce((sum, it) => sum + it, 0) / changes.length;
  return {name, range: `${signed(Math.min(...changes))} to ${signed(Math.max(...changes))}`, mean: signed(mean), count};
}

export function groupsOf(of: Comparison): Group[] {
  const speedups = (change?: string) =>
    of.shapes.filter((it) => it.speedup !== undefined && (!change || it.change === change)).map((it) => it.speedup ?? 1);
  return [
    groupOf('regressions', speedups('slower'), of.counts['slower'] ?? 0),
    groupOf('improvements', speedups('faster'), of.counts['faster'] ?? 0),
    groupOf('all with both times', speedups(), of.compared),
  ];
}

// "run 2, host node2, rocm 7.0: 1,200 keys".
export function sideText({environment: {runs, ...said}, keys}: Comparison['base']): string {
  return `${[`run ${runs}`, ...Object.entries(said).map(([name, value]) => `${name} ${value}`)].join(', ')}: ${plural(keys, 'key')}`;
}
