// A map's cells in words. Pure functions.
import {shortValue, textsOf} from '../family';
import {count, micros, percent} from '../format';
import {gap, isTuned, mOf, rangesOf, shareOf, stateOf, type MapLayer, type MapState, type ModelMap} from '../model_map';

const textOf = (columns: [string, string | number][]): string =>
  columns.map(([name, value]) => `${name} ${shortValue(String(value))}`).join(', ');
export const shapeOf = ({columns}: MapLayer): string => textOf(Object.entries(columns));

// Names in a model can repeat, for example of dense layers and shared experts. Such a name gets the columns that differ:
// "gate_up (N 512)".
export function nameOf({layers}: ModelMap, {layer, family, columns}: MapLayer): string {
  const alike = layers.filter((it) => it.layer === layer && it.family === family);
  const differing = Object.entries(columns).filter(([name, value]) => alike.some((it) => it.columns[name] !== value));
  return layer + (differing.length > 0 ? ` (${textOf(differing)})` : '');
}

const kStates: Record<MapState, (m: string) => string> = {
  exact: () => 'tuned for this M',
  gl0: (m) => `padded to M ${m}`,
  gl1: (m) => `padded to M ${m}`,
  tier: (m) => `rounded up to M ${m}`,
  nearest: (m) => `uses the nearest row, M ${m}`,
  baseline: () => 'only the default was measured',
  unmeasured: () => 'has a row without a time',
  missing: () => 'missing: the default kernel runs',
};

export const stateText = (map: ModelMap, layer: MapLayer, i: number): string =>
  kStates[stateOf(map, layer, i)](count(layer.row_m[i] ?? mOf(map, layer, i)));

// "58 × 12.10 us"
export const timesText = (layer: MapLayer, i: number): string => {
  const above = gap(layer, i);
  return above === null ? '' : `${layer.count} \u00d7 ${micros(above / layer.count)} us`;
};

// A cell as a screen reader says it.
export function spoken(map: ModelMap, layer: MapLayer, i: number): string {
  const us = layer.us[i] ?? null, share = shareOf(layer, i), demand = layer.demand[i] ?? 0;
  return [
    `${nameOf(map, layer)}, M ${count(mOf(map, layer, i))}`,
    us !== null && `${micros(us)} us`,
    share !== null && `${percent(share)} of the roofline`,
    stateText(map, layer, i),
    layer.slower[i] === 1 && 'slower than a week ago',
    demand > 0 && `${count(demand)} misses`,
  ].filter(Boolean).join(', ');
}

// The query of the page of the shape that answers, or of the shape that is missing.
export const shapeQuery = (map: ModelMap, layer: MapLayer, i: number, parts: {gfx: string; cu_num: string}) =>
  ({family: layer.family, ...parts, [layer.m_column]: String(layer.row_m[i] ?? mOf(map, layer, i)), ...textsOf(layer.columns)});

const kBuckets = [16, 64, 256, 1024, 4096, Infinity];

interface Bucket {
  text: string;
  from: number;
  to: number;
}

export const isIn = ({from, to}: Bucket, m: number): boolean => m >= from && m <= to;

// The ranges of M in tables.
export const bucketsOf = ({m}: ModelMap): Bucket[] =>
  kBuckets.flatMap((to, i) => {
    const from = (kBuckets[i - 1] ?? 0) + 1, last = Math.min(to, m.at(-1) ?? 0);
    const bucket = {text: `M ${count(from)}\u2013${count(last)}`, from, to};
    return m.some((its) => isIn(bucket, its)) ? [bucket] : [];
  });

const tunedAt = (map: ModelMap, layer: MapLayer): number[] =>
  layer.at.flatMap((_, i) => (isTuned(stateOf(map, layer, i)) ? [mOf(map, layer, i)] : []));

// The roofline over the time, both summed over the cells. Null: no cell has both.
export function meanShare(layer: MapLayer, some: number[] = layer.at.map((_, i) => i)): number | null {
  const known = some.filter((i) => shareOf(layer, i) !== null);
  const sum = (of: (number | null)[]) => known.reduce((total, i) => total + (of[i] ?? 0), 0);
  return known.length > 0 ? sum(layer.roofline_us) / sum(layer.us) : null;
}

// "38 %, 3 of 16 missing"
export function bucketText(map: ModelMap, layer: MapLayer, bucket: Bucket): string {
  const cells = layer.at.flatMap((_, i) => (isIn(bucket, mOf(map, layer, i)) ? [i] : []));
  const untuned = cells.filter((i) => !isTuned(stateOf(map, layer, i)));
  const share = meanShare(layer, cells);
  return [
    share !== null && percent(share),
    untuned.length > 0 && `${count(untuned.length)} of ${count(cells.length)} not tuned`,
  ].filter(Boolean).join(', ');
}

export interface Compared {
  layer: MapLayer;
  here: number[];  // M that are tuned
  there: number[];
  shares: [number | null, number | null];
  all: number[];  // M of the layer
}

// The layers of two maps side by side.
export const compare = (here: ModelMap, there: ModelMap): Compared[] => here.layers.map((layer) => {
  const other = there.layers.find((it) => it.layer === layer.layer && it.family === layer.family &&
    shapeOf(it) === shapeOf(layer));
  return {
    layer,
    here: tunedAt(here, layer),
    there: other ? tunedAt(there, other) : [],
    shares: [meanShare(layer), other ? meanShare(other) : null],
    all: layer.at.map((_, i) => mOf(here, layer, i)),
  };
});

const lacks = (a: number[], b: number[]): number[] => a.filter((m) => !b.includes(m));
export const onlyHere = ({here, there}: Compared): number[] => lacks(here, there);
export const onlyThere = ({here, there}: Compared): number[] => lacks(there, here);
export const rangeText = ({all}: Compared, some: number[]): string => rangesOf(all, some, 6) || '\u2013';
