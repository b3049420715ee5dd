// A family's coverage as the rows of a heat table. Pure functions.
import type {CoverageCounts, FamilyCoverage} from '../answers';
import type {HeatCell} from '../components/heat_table';

export function bucketText(bucket: {from: number; to: number}): string {
  return bucket.from === bucket.to ? String(bucket.from) : `${bucket.from}\u2013${bucket.to}`;
}

export function toneOf(counts: CoverageCounts): string {
  const covered = counts.exact + counts.padded;
  if (covered === 0) return 'missing';
  if (covered < counts.shapes) return 'level-1';
  return counts.padded > 0 ? 'level-2' : 'level-4';
}

export function cellText(counts: CoverageCounts): string {
  const found = counts.padded > 0 ? `${counts.exact}+${counts.padded}` : String(counts.exact);
  return `${found}/${counts.shapes}`;
}

export function labelOf(counts: CoverageCounts, where: string): string {
  const parts = [`${counts.exact} exact`, `${counts.padded} padded`];
  if (counts.baseline > 0) parts.push(`${counts.baseline} baseline only`);
  if (counts.unmeasured > 0) parts.push(`${counts.unmeasured} unmeasured`);
  return `${where}: ${parts.join(', ')}, ${counts.missing} missing of ${counts.shapes}`;
}

// One row per pair and one cell per bucket; null if the model needs no shape there.
export function heatRows(of: FamilyCoverage, hrefOf: (key: Record<string, string>) => string) {
  return of.pairs.map((pair, p) => {
    const cells: (HeatCell | null)[] = of.buckets.map(() => null);
    const name = of.columns.map((column) => String(pair[column] ?? '')).join(' \u00d7 ');
    for (const cell of of.cells) {
      const bucket = of.buckets[cell.bucket];
      if (cell.pair !== p || !bucket) continue;
      const key: Record<string, string> = {[of.m]: String(bucket.to)};
      for (const column of of.columns) key[column] = String(pair[column] ?? '');
      cells[cell.bucket] = {
        text: cellText(cell),
        label: labelOf(cell, `${of.m} ${bucketText(bucket)}, ${name}`),
        tone: toneOf(cell),
        href: hrefOf(key),
      };
    }
    const layer = pair['layer'];
    return {title: layer ? `${String(layer)}  ${name}` : name, name, cells};
  });
}

// Sorted by misses, then by work: the product of the shape's numbers. The largest come first.
export function worstFirst<T extends Record<string, string>>(rows: T[], shape: string[]): T[] {
  const work = (row: T) => shape.reduce((product, name) => product * (Number(row[name]) || 1), 1);
  return [...rows].sort((a, b) => Number(b['demand']) - Number(a['demand']) || work(b) - work(a));
}
