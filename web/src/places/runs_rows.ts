// A run's receipts as rows, and the texts about runs and writers. Pure functions.
import type {Accepted, AuditRow, Issue, Receipt, Reverted, Run, RunDetail} from '../answers';
import {count, plural} from '../format';

export function originOf(run: Run): string {
  const {host, gpu, gfx, tuner, campaign} = run.provenance;
  const known =
    [run.source && `import of ${run.source}`, host, gpu ?? gfx, tuner, campaign].filter(Boolean).map(String);
  return known.length > 0 ? known.join(', ') : 'unknown provenance';
}

// A run's origin, without the device, which has its own column in the list.
export function fromText({source, provenance: {host, tuner, campaign}}: Run): string {
  return [source && `import of ${source}`, host, tuner, campaign].filter(Boolean).join(', ');
}

export const productOf = ({provenance: {product, gpu, gfx}}: Run): string => String(product ?? gpu ?? gfx ?? '');

// "rocm 7.0, aiter 0.1.14": versions that may influence a time.
const kToolchain = ['rocm', 'aiter', 'triton', 'pytorch', 'engine', 'compiler', 'driver'];
export const toolchainOf = ({provenance}: Run): string =>
  kToolchain.filter((name) => provenance[name]).map((name) => `${name} ${provenance[name]}`).join(', ');

// A later import of the same source replaces a run.
export const stateOf = (run: Run): 'reverted' | 'active' | 'replaced' =>
  (run.reverted ? 'reverted' : run.active ? 'active' : 'replaced');

// The next import of the run's source that nobody reverted. `all`: the newest first.
export const replacedBy = (run: Run, all: Run[]): Run | undefined => (stateOf(run) !== 'replaced' ? undefined
  : all.findLast(({id, source, reverted}) => id > run.id && source === run.source && !reverted));

// The two sides of a comparison: the newest run, and all other runs before it.
export function sidesOf(chosen: number[]): {base: string; head: string} | null {
  const rising = [...chosen].sort((a, b) => a - b);
  return rising.length < 2 ? null : {base: rising.slice(0, -1).join(','), head: String(rising[rising.length - 1])};
}

const shapesOf = ({families}: Reverted): string =>
  families.map(({family, changed, emptied}) =>
    `${family} ${count(changed)}${emptied > 0 ? `, of which ${count(emptied)} would have no row` : ''}`).join('; ');

// The effect of a revert or of an acceptance, from its dry run.
export const revertText = (of: Reverted): string =>
  (of.changed === 0 ? 'No shape would get another row.'
    : `${plural(of.changed, 'shape')} would get the earlier row: ${shapesOf(of)}.`);
export const acceptText = (of: Accepted): string =>
  (of.changed === 0 ? `${plural(of.accepted, 'row')} would compete; no shape would get another row.`
    : `${plural(of.accepted, 'row')} would compete. ${plural(of.changed, 'shape')} would get one: ${shapesOf(of)}.`);

// One row per file of an import, or one row for any other batch.
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

export const kTroubles = [
  {kind: 'rejected', title: 'Rejected'},
  {kind: 'quarantined', title: 'Quarantined'},
  {kind: 'unmeasured', title: 'Unmeasured'},
  {kind: 'unconfirmed', title: 'Unconfirmed'},
] as const;
type Trouble = (typeof kTroubles)[number]['kind'];

export const countsOf: Counted[] = [
  {title: 'Rows', of: (receipt) => receipt.rows},
  {title: 'Accepted', of: (receipt) => receipt.accepted},
  {title: 'Won on arrival', of: (receipt) => receipt.won},
  ...kTroubles.map(({kind, title}): Counted => ({title,
    of: (receipt) => numberOf(receipt[`${kind}_count`], receipt[kind])})),
];

// The number of rows that wait for a confirmation; 0 for an accepted or reverted run.
export const unconfirmedOf = ({confirmed, reverted, batches}: RunDetail): number =>
  (confirmed || reverted ? 0
    : batches.flatMap(({receipt}) => partsOf(receipt)).reduce((sum, part) => sum + (part.unconfirmed_count ?? 0), 0));

type RowIssue = Issue & {file: string};

export function issuesOf(parts: (Receipt & {name: string})[], kind: Trouble): RowIssue[] {
  return parts.flatMap((part) => {
    const list = part[kind];
    return Array.isArray(list) ? list.map((issue) => ({...issue, file: part.name})) : [];
  });
}

// Without a key, a command on the server's host made the write. With a key but without an owner, a restore has revoked
// the key.
export function writerOf({owner, key}: AuditRow): string {
  if (key === null) return 'the server';
  return owner === null ? `key ${key}` : `${owner}, key ${key}`;
}
