// The overview's table, from what the server says of tables and targets.
import type {Change, Index, Planned} from '../answers';
import {sorted, type Value} from '../components/table_rows';
import {targetName} from '../format';

export interface Pair {
  family: string;
  target: string;
  tuned: number;
  baselines: number;
  unmeasured: number;
  revision: number;  // the last that changed these rows; 0: none
  pin: string;
  changed: string;  // when
}

export interface TargetGroup {
  target: string;
  products: string;  // "MI300X / MI325X"; "": unknown
  pairs: Pair[];
}

// "2", or of neighbours with one cause "2–37".
export function revisionsOf({first, last}: Change): string {
  return first === last ? String(last) : `${first}\u2013${last}`;
}

// What became of planning one shape of a family; a job that it stands in is seen in its row.
export function planText({jobs, families}: Planned, family: string): string {
  if (jobs[0]) return 'planned';
  const of = families[family];
  return of?.unreachable ? 'no lookup on this target asks for it' : of?.tuned ? 'is tuned by now' : 'is planned already';
}

// Each pair a group of its own, in the order of `by`: what is sorted is not grouped.
export function flat(groups: TargetGroup[], by: (pair: Pair) => Value, numeric: boolean, falling: boolean): TargetGroup[] {
  const pairs = groups.flatMap((it) => it.pairs.map((pair) => ({...it, pairs: [pair]})));
  return sorted(pairs, (it) => it.pairs[0] && by(it.pairs[0]), numeric, falling);
}

// By target, those with the most tuned keys first; within, families in their order.
export function pairsOf(index: Index): TargetGroup[] {
  const groups = new Map<string, TargetGroup>();
  for (const family of index.families) {
    for (const rows of family.targets) {
      const target = targetName(rows);
      const group = groups.get(target) ?? {target, products: index.products[target] ?? '', pairs: []};
      groups.set(target, group);
      group.pairs.push({
        family: family.family,
        target,
        tuned: rows.rows - rows.unmeasured - rows.baselines,
        baselines: rows.baselines,
        unmeasured: rows.unmeasured,
        revision: rows.revision ?? 0,
        pin: rows.pin ?? '',
        changed: rows.changed ?? '',
      });
    }
  }
  const size = (group: TargetGroup) => group.pairs.reduce((sum, it) => sum + it.tuned, 0);
  return [...groups.values()].sort((a, b) => size(b) - size(a));
}
