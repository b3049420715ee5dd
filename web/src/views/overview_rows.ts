// The overview's table, from what the server says of tables, revisions and targets.
import type {Index, Revision, Targets} from '../answers';
import {targetName} from '../format';

export interface Pair {
  family: string;
  target: string;
  tuned: number;
  unmeasured: number;
  revision: number;  // the last that changed the family; 0: none
  changed: string;  // when
  query: Record<string, string>;  // of the table
  file: string;
}

export interface TargetGroup {
  target: string;
  products: string[];
  pairs: Pair[];
}

export interface Change {
  cause: string;
  revisions: string;  // "2", or of neighbours with one cause "2–37"
  latest: string;  // when
  families: Map<string, number>;  // keys that changed
}

// A tuner makes a revision with each shape: neighbours of one cause are one line.
export function changesOf(revisions: Revision[]): Change[] {
  const changes: Change[] = [];
  for (const {revision, cause, created, families} of revisions) {
    let last = changes.at(-1);
    if (last?.cause === cause) last.revisions = `${revision}\u2013${last.revisions.replace(/.*\u2013/, '')}`;
    else changes.push((last = {cause, revisions: String(revision), latest: created, families: new Map()}));
    for (const it of families) last.families.set(it.family, (last.families.get(it.family) ?? 0) + it.changed);
  }
  return changes;
}

// By target, those with the most tuned keys first; within, families in their order.
export function pairsOf(index: Index, revisions: Revision[], targets: Targets['targets']): TargetGroup[] {
  const created = new Map(revisions.map((it) => [it.revision, it.created]));
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
        tuned: rows.rows - rows.unmeasured,
        unmeasured: rows.unmeasured,
        revision: family.revision,
        changed: created.get(family.revision) ?? '',
        query,
        file: `${family.family}-${target.replace(':', '-')}.csv`,
      });
    }
  }
  const size = (group: TargetGroup) => group.pairs.reduce((sum, it) => sum + it.tuned, 0);
  return [...groups.values()].sort((a, b) => size(b) - size(a));
}
