// The shapes of a model that are not tuned, by table and layer, the worst first. Pure functions.
import {isTuned, mOf, productOf, rangesOf, stateOf, type MapLayer, type ModelMap} from '../model_map';
import {nameOf, shapeOf} from './map_words';

// The untuned shapes of one matrix product in one table. Layers with the same product share the shapes.
export interface TuneRow {
  layers: string[];
  products: string[];  // the layers' names with counts
  family: string;
  shape: string;  // without M
  ranges: string;  // of M
  open: number;
  missing: number;
  misses: number;
  us: number;  // mean time a pass in untuned M; tuned M count as 0; NaN: neither times nor the roofline are known
  missed_us: number;  // least time of a pass, weighted by misses and summed over the untuned M
  first: MapLayer;
  cells: number[];  // the untuned ones, as indices in the lists of `first`
  other: boolean;  // an earlier, worse row has the same layers, for another table
}

// The mean over ranges of M, from one power of two to the next. So a fine grid of M counts as much as a coarse one.
function meanOf(all: {m: number; value: number}[]): number {
  const ranges = new Map<number, number[]>();
  for (const {m, value} of all) {
    const range = Math.ceil(Math.log2(m));
    ranges.set(range, [...(ranges.get(range) ?? []), value]);
  }
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return mean([...ranges.values()].map(mean));
}

function rowOf(map: ModelMap, layers: MapLayer[]): TuneRow | null {
  const [first] = layers;
  if (!first) return null;
  const open = first.at.flatMap((_, i) => (isTuned(stateOf(map, first, i)) ? [] : [i]));
  const passes = layers.reduce((total, {count}) => total + count, 0);
  // Without a time, the roofline is the least time.
  const least = (i: number) => passes * (first.us[i] ?? first.roofline_us[i] ?? 0);
  const sum = (of: (i: number) => number) => open.reduce((total, i) => total + of(i), 0);
  const misses = (i: number) => first.demand[i] ?? 0;
  const ms = (some: number[]) => some.map((i) => mOf(map, first, i));
  return {
    layers: layers.map((layer) => nameOf(map, layer)),
    products: layers.map(productOf),
    family: first.family,
    shape: shapeOf(first),
    ranges: rangesOf(ms(first.at.map((_, i) => i)), ms(open), 6),
    open: open.length,
    missing: open.filter((i) => stateOf(map, first, i) === 'missing').length,
    misses: sum(misses),
    us: open.every((i) => least(i) === 0) ? NaN : meanOf(first.at.map((_, i) => ({m: mOf(map, first, i), value: open.includes(i) ? least(i) : 0}))),
    missed_us: sum((i) => misses(i) * least(i)),
    first,
    cells: open,
    other: false,
  };
}

// Rows with misses come first, by time weighted by misses. The other rows follow, by time. The two times are never
// added, because their weights differ.
export function tuneRows(map: ModelMap): TuneRow[] {
  const groups = new Map<string, MapLayer[]>();
  for (const layer of map.layers) {
    const key = `${layer.family} ${shapeOf(layer)}`;
    groups.set(key, [...(groups.get(key) ?? []), layer]);
  }
  const rows = [...groups.values()].flatMap((layers) => rowOf(map, layers) ?? []).filter(({open}) => open > 0)
    .sort((a, b) => b.missed_us - a.missed_us || (b.us || 0) - (a.us || 0) || b.first.flops - a.first.flops);
  const seen = new Set<string>();
  return rows.map((row) => {
    const other = row.products.every((name) => seen.has(name));
    for (const name of row.products) seen.add(name);
    return {...row, other};
  });
}
