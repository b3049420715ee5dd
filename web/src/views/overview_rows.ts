// The overview's table, from what the server says of tables and targets.
import type {Change, Index, Planned, Targets} from '../answers';
import {targetName} from '../format';

export interface Pair {
  family: string;
  target: string;
  tuned: number;
  baselines: number;
  unmeasured: number;
  revision: number;  // the last that changed these rows; 0: none
  changed: string;  // when
  query: Record<string, string>;  // of the table
  file: string;
}

export interface TargetGroup {
  target: string;
  products: string[];
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

// By target, those with the most tuned keys first; within, families in their order.
export function pairsOf(index: Index, targets: Targets['targets']): TargetGroup[] {
  const groups = new Map<string, TargetGroup>();
  for (const family of index.families) {
    for (const rows of family.targets) {
      const target = targetName(rows);
      const known = targets.find((it) => targetName(it) === target);
      const group = groups.get(target) ?? {target, products: known?.products ?? [], pairs: []};
      groups.set(target, group);
      const query: Record<string, string> = rows.cu_num > 0 ? {gfx: rows.gfx, cu_num: String(rows.cu_num)} : {gfx: rows.gfx};
      group.pairs.push({
        family: family.family,
        target,
        tuned: rows.rows - rows.unmeasured - rows.baselines,
        baselines: rows.baselines,
        unmeasured: rows.unmeasured,
        revision: rows.revision ?? 0,
        changed: rows.changed ?? '',
        query,
        file: `${family.family}-${target.replace(':', '-')}.csv`,
      });
    }
  }
  const size = (group: TargetGroup) => group.pairs.reduce((sum, it) => sum + it.tuned, 0);
  return [...groups.values()].sort((a, b) => size(b) - size(a));
}
