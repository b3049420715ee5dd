// A comparison's summary. Pure functions.
import type {Comparison} from '../answers';
import {cellText, percent, plural} from '../format';

// The server's names, in the server's order: the most urgent first.
export const kChanges = ['slower', 'unstable', 'same_kernel', 'removed', 'new', 'skipped', 'below_floor', 'faster', 'same'];

export const changeText = (change: string): string => change.replace('_', ' ');

export interface Group {
  name: string;
  change: string;  // '': all
  range: string;
  mean: string;
  count: number;
}

// A speed-up as a change of time: twice as fast is -50 %.
function timeText(speedup: number | undefined): string {
  if (!speedup) return cellText('');
  const change = 1 / speedup - 1;
  return (change > 0 ? '+' : '') + percent(change, 1);
}

// The server's counts cover all shape keys; the page lists only some.
export function groupsOf({counts, speedups, compared}: Comparison): Group[] {
  const seen = kChanges.filter((change) => /^(slow|fast)er$/.test(change) || counts[change]);
  return [...seen, ''].map((change) => {
    const of = speedups[change || 'all'];
    return {
      name: changeText(change) || 'all with both times',
      change,
      range: of ? `${timeText(of.greatest)} to ${timeText(of.least)}` : timeText(undefined),
      mean: timeText(of?.geometric_mean),
      count: change ? (counts[change] ?? 0) : compared,
    };
  });
}

// "run 2, host node2, rocm 7.0: 1,200 keys".
export function sideText({environment: {runs, ...said}, keys}: Comparison['base']): string {
  const facts = [`run ${runs}`, ...Object.entries(said).map(([name, value]) => `${name} ${value}`)];
  return `${facts.join(', ')}: ${plural(keys, 'key')}`;
}

// How the environments differ. If they are the same, a slower time may be noise.
export function environmentsText({repetition, differing}: Comparison): string {
  if (repetition) return 'one: base and head have the same facts';
  return differing.length > 0 ? `two: these facts differ: ${differing.join(', ')}` : 'unknown: neither side has facts';
}
