// A run's receipts as rows. All of it is pure.
import type {Receipt, Run} from '../api';

export function originOf(run: Run): string {
  const {host, gpu, gfx, tuner, campaign} = run.provenance;
  const known = [run.source && `import of ${run.source}`, host, gpu ?? gfx, tuner, campaign].filter(Boolean).map(String);
  return known.length > 0 ? known.join(', ') : 'unknown provenance';
}

// One row per file of an import; one for any other batch.
export function partsOf(receipt: Receipt): (Receipt & {name: string})[] {
  if (receipt.files) return receipt.files.map((file) => ({...file, name: file.file}));
  return [{...receipt, name: receipt.family ?? 'rows'}];
}

function numberOf(value: unknown, list: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof list === 'number') return list;
  return Array.isArray(list) ? list.length : undefined;
}

export const countsOf: {name: string; title: string; of: (receipt: Receipt) => number | undefined}[] = [
  {name: 'rows', title: 'Rows', of: (it) => it.rows},
  {name: 'accepted', title: 'Accepted', of: (it) => it.accepted},
  {name: 'won', title: 'Won', of: (it) => it.won},
  {name: 'unmeasured', title: 'Unmeasured', of: (it) => numberOf(it.unmeasured_count, it.unmeasured)},
  {name: 'quarantined', title: 'Quarantined', of: (it) => numberOf(it.quarantined_count, it.quarantined)},
  {name: 'rejected', title: 'Rejected', of: (it) => numberOf(it.rejected_count, it.rejected)},
];
