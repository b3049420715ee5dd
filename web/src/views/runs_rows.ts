// A run's receipts as rows. All of it is pure.
import type {Issue, Receipt, Run} from '../answers';

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

type Counted = {title: string; of: (receipt: Receipt) => number | undefined};

// What is wrong with rows.
export const kTroubles = [
  {kind: 'rejected', title: 'Rejected'},
  {kind: 'quarantined', title: 'Quarantined'},
  {kind: 'unmeasured', title: 'Unmeasured'},
] as const;
type Trouble = (typeof kTroubles)[number]['kind'];

export const countsOf: Counted[] = [
  {title: 'Rows', of: (it) => it.rows},
  {title: 'Accepted', of: (it) => it.accepted},
  {title: 'Won', of: (it) => it.won},
  ...kTroubles.map(({kind, title}): Counted => ({title, of: (it) => numberOf(it[`${kind}_count`], it[kind])})),
];

export type RowIssue = Issue & {file: string};

export function issuesOf(parts: (Receipt & {name: string})[], kind: Trouble): RowIssue[] {
  return parts.flatMap((part) => {
    const list = part[kind];
    return Array.isArray(list) ? list.map((it) => ({...it, file: part.name})) : [];
  });
}
