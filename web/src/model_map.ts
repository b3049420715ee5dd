// A model's matrix products on a device, cell by cell: layers by M. Map, Roofline and To tune read the same answer.
import type {ShapeCells} from './answers';
import type {Context} from './context';
import {urls} from './api';
import {useResource} from './resource';

export type MapState = 'exact' | 'gl0' | 'gl1' | 'tier' | 'nearest' | 'baseline' | 'unmeasured' | 'missing';

// One layer in one table. The lists have one item per M; `at` and `state` are indices.
export interface MapLayer {
  layer: string;
  family: string;
  columns: ShapeCells;  // the shape without M
  m_column: string;
  count: number;  // in one forward pass on one GPU
  flops: number;  // per token, of one GPU
  at: number[];  // ascending
  state: number[];
  row_m: (number | null)[];  // M of the row that answers
  us: (number | null)[];  // null: missing or unmeasured
  roofline_us: (number | null)[];  // at row_m, as us; null: unknown
  default_us: (number | null)[];
  slower: (0 | 1)[];  // than a week ago, beyond noise
  demand: number[];
}

export interface ModelMap {
  revision: number;
  model: string;
  product: string | null;  // whose roofline it is
  m: number[];  // ascending
  states: MapState[];
  layers: MapLayer[];
  unread: {layer: string; stored: string; why: string}[];
  findings: {detail: string; refused: boolean}[];
  coverage: {covered: number; shapes: number; missing: number} | null;  // null: the server judges no single engine
}

// The parameters of a model on a target.
export const questionOf = ({values: {model, tp, engine, stored}, parts}: Context) =>
  ({model, tp, ...parts, engine: engine === 'vllm' ? '' : engine, dtype: stored === 'config' ? '' : stored});

// `more`: `own` asks for the rows that one product's own runs measured; null: no request.
export const useModelMap = (of: Context, more: Record<string, string> | null = {}) =>
  useResource<ModelMap>(more && of.target ? urls.map({...questionOf(of), product: of.product, ...more}) : null);

export const mOf = (map: ModelMap, layer: MapLayer, i: number): number => map.m[layer.at[i] ?? 0] ?? 0;
export const stateOf = (map: ModelMap, layer: MapLayer, i: number): MapState => map.states[layer.state[i] ?? 0] ?? 'missing';
export const isTuned = (state: MapState): boolean => !['baseline', 'unmeasured', 'missing'].includes(state);

// The share of the roofline: above 1 if the measurement read its inputs from a cache. Null: the time or the roofline
// is unknown.
export function shareOf({us, roofline_us}: MapLayer, i: number): number | null {
  const [time, roof] = [us[i] ?? null, roofline_us[i] ?? null];
  return time === null || roof === null ? null : roof / time;
}

// The time above the roofline in one forward pass, in us. Null: the time or the roofline is unknown.
export function gap({count, us, roofline_us}: MapLayer, i: number): number | null {
  const [time, roof] = [us[i] ?? null, roofline_us[i] ?? null];
  return time === null || roof === null ? null : count * (time - roof);
}

export interface Worst {
  layer: MapLayer;
  i: number;  // index in the layer's lists
  m: number;
  gap: number;
}

// True if the cell's time was measured at its own M, not at the M to which the lookup pads.
export const isOwn = (map: ModelMap, layer: MapLayer, i: number): boolean => layer.row_m[i] === mOf(map, layer, i);

// The measured cell with the most time above the roofline. `m`: only this M, also if it is padded.
export const worstOf = (map: ModelMap, m?: number): Worst | undefined =>
  map.layers.flatMap((layer) => layer.at.flatMap((_, i) => {
    const its = mOf(map, layer, i), above = gap(layer, i);
    return above === null || (m === undefined ? !isOwn(map, layer, i) : its !== m) ? [] : [{layer, i, m: its, gap: above}];
  })).sort((a, b) => b.gap - a.gap)[0];

// One product, whichever table serves it. A model's dense and shared experts can have layers of one name.
export const productOf = ({layer, count, flops}: MapLayer): string => `${layer} ${count} ${flops}`;

// Ranges of M as a text: "1–32, 48, 64–256". Values of `some` that are adjacent in `all` are one range. `all`: ascending.
export function rangesOf(all: number[], some: number[], most = Infinity): string {
  const chosen = new Set(some);
  const ranges: number[][] = [];
  all.forEach((m, i) => {
    if (!chosen.has(m)) return;
    if (i > 0 && chosen.has(all[i - 1] ?? 0)) ranges.at(-1)?.push(m);
    else ranges.push([m]);
  });
  const texts = ranges.map((range) => (range.length > 1 ? `${range[0]}\u2013${range.at(-1)}` : String(range[0])));
  return texts.length <= most ? texts.join(', ') : `${texts.slice(0, most - 1).join(', ')} and ${texts.length - most + 1} more`;
}
