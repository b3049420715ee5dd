// The places of a map's cells: columns by M, rows by layer. Pure functions.
import type {MapLayer, ModelMap} from '../model_map';

export const kLeastWidth = 900;  // px; a narrower page scrolls the map sideways
const kLeastRow = 34;  // px, so that a finger hits a row and two lines of its label fit
const kExtra = 14;  // px per row, which the rows share by their flops

export interface Layout {
  left: number[];  // each column's left edge and the last one's right edge, from 0 to 1
  top: number[];  // each row's top edge and the last one's bottom edge, in px
}

// A column is as wide as the square root of its step on a log scale. So few small M get as much room as many large M.
export function layoutOf(map: ModelMap, layers: MapLayer[]): Layout {
  const sum = (steps: number[]) => steps.reduce((edges, step) => [...edges, (edges.at(-1) ?? 0) + step], [0]);
  const steps = map.m.map((m, i) => Math.sqrt(Math.log2((map.m[i + 1] ?? m + m - (map.m[i - 1] ?? m / 2)) / m)));
  const left = sum(steps), width = left.at(-1) || 1;
  const flops = layers.reduce((total, layer) => total + layer.flops, 0) || 1;
  const extra = kExtra * layers.length;
  return {
    left: left.map((x) => x / width),
    top: sum(layers.map((layer) => Math.round(kLeastRow + extra * layer.flops / flops))),
  };
}

// The index of the interval that contains a value.
const within = (edges: number[], value: number): number =>
  Math.max(0, Math.min(edges.length - 2, edges.findIndex((edge) => edge > value) - 1));

// The layer's index of the M nearest to a column.
export function nearestAt({at}: MapLayer, column: number): number {
  const places = at.map((its, i) => ({i, off: Math.abs(its - column)}));
  return places.reduce((best, it) => (it.off < best.off ? it : best), {i: 0, off: Infinity}).i;
}

export interface Spot {
  row: number;
  i: number;  // index in the layer's lists
}

// A cell's left and right edge, from 0 to 1. A cell reaches to the layer's M before it, because a lookup between two M
// pads up.
export const edgesOf = ({left}: Layout, {at}: MapLayer, i: number): [number, number] =>
  [left[(at[i - 1] ?? -1) + 1] ?? 0, left[(at[i] ?? 0) + 1] ?? 1];

// The cell at a place: x from 0 to 1, y in px. Null: the layer has no cell there.
export function hit({left, top}: Layout, layers: MapLayer[], x: number, y: number): Spot | null {
  const row = within(top, y), column = within(left, x), i = layers[row]?.at.findIndex((its) => its >= column) ?? -1;
  return i < 0 ? null : {row, i};
}

// The cell to which a key moves. Null: the map ignores the key.
export function moved(layers: MapLayer[], {row, i}: Spot, key: string, control: boolean): Spot | null {
  const last = (to: number) => (layers[to]?.at.length ?? 1) - 1;
  const down = (to: number): Spot => {
    const its = Math.max(0, Math.min(layers.length - 1, to)), layer = layers[its];
    return {row: its, i: layer ? nearestAt(layer, layers[row]?.at[i] ?? 0) : 0};
  };
  const ends = {Home: control ? 0 : row, End: control ? layers.length - 1 : row};
  switch (key) {
    case 'ArrowLeft': return {row, i: Math.max(0, i - 1)};
    case 'ArrowRight': return {row, i: Math.min(last(row), i + 1)};
    case 'ArrowUp': return down(row - 1);
    case 'ArrowDown': return down(row + 1);
    case 'Home': return {row: ends.Home, i: 0};
    case 'End': return {row: ends.End, i: last(ends.End)};
    default: return null;
  }
}

// Labels of the axis: powers of two, as many as fit.
export function ticksOf({m}: ModelMap, {left}: Layout): {m: number; at: number}[] {
  const kRoom = 0.028;
  const all = m.flatMap((value, i) => (Number.isInteger(Math.log2(value))
    ? [{m: value, at: ((left[i] ?? 0) + (left[i + 1] ?? 0)) / 2}] : []));
  return all.filter((tick, i) => i === 0 || tick.at - (all[i - 1]?.at ?? 0) >= kRoom);
}

const kRanges = [
  {name: 'decode', to: 256}, {name: 'large batches', to: 2048}, {name: 'prefill', to: Infinity},
];

// Named ranges of M.
export function namedRanges({m}: ModelMap, {left}: Layout): {name: string; from: number; to: number}[] {
  let next = 0;
  return kRanges.flatMap(({name, to}) => {
    const first = next;
    while (next < m.length && (m[next] ?? 0) <= to) ++next;
    return next > first ? [{name, from: left[first] ?? 0, to: left[next] ?? 1}] : [];
  });
}
