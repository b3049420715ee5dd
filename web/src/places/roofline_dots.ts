// The measured times of a model's map as rates below the roofline. Pure functions.
import type {Place} from '../components/plot_pen';
import {count, micros, percent, times} from '../format';
import {gap, isOwn, mOf, shareOf, type MapLayer, type ModelMap} from '../model_map';

export interface Timed {
  layer: MapLayer;
  i: number;  // index in the layer's lists
  m: number;
  us: number;
  tflops: number;
  share: number | null;  // of the roofline; null: unknown
  above: number | null;  // us above the roofline in one forward pass
}

// The rate of one of the layer's products on M tokens, in TFLOPS.
export const tflopsOf = ({flops, count}: MapLayer, m: number, us: number): number => (flops / count) * m / us / 1e6;

export const tflopsText = ({tflops}: Timed): string => Number(tflops.toPrecision(3)).toLocaleString('en');

// The cells measured at their own M, those with the most time above the roofline first.
export const timedOf = (map: ModelMap): Timed[] =>
  map.layers.flatMap((layer) => layer.us.flatMap((us, i) => {
    const m = mOf(map, layer, i);
    return us === null || layer.flops <= 0 || !isOwn(map, layer, i) ? [] : [{layer, i, m, us, tflops: tflopsOf(layer, m, us),
      share: shareOf(layer, i), above: gap(layer, i)}];
  })).sort((a, b) => (b.above ?? -Infinity) - (a.above ?? -Infinity));

// A layer's roofline, and the rates that the shortest time of all would have, as far as they are below the roofline.
export function linesOf(map: ModelMap, layer: MapLayer, shortest: number): {roof: Place[]; floor: Place[]} {
  const cells = layer.roofline_us.flatMap((us, i) => (us === null ? [] : [{us, m: mOf(map, layer, i)}]));
  return {
    roof: cells.map(({us, m}) => [m, tflopsOf(layer, m, us)]),
    floor: cells.filter(({us}) => us <= shortest).map(({m}) => [m, tflopsOf(layer, m, shortest)]),
  };
}

export interface Summary {
  worst: Timed | undefined;
  share: number | null;  // the mean share of the roofline, weighted by the layers' flops per token
  above: number | null;  // the share of the time that is above the roofline
}

export function summaryOf(timed: Timed[]): Summary {
  const known = timed.filter(({above}) => above !== null);
  const sum = (of: (it: Timed) => number) => known.reduce((total, it) => total + of(it), 0);
  const flops = sum(({layer}) => layer.flops), time = sum(({layer, us}) => layer.count * us);
  return {
    worst: known[0],
    share: flops > 0 ? sum(({layer, share}) => layer.flops * (share ?? 0)) / flops : null,
    above: time > 0 ? sum(({above}) => above ?? 0) / time : null,
  };
}

// "62 % of the roofline on average; 31 % of the total time is above the roofline"
export const meanText = ({share, above}: Summary): string =>
  `${percent(share)} of the roofline on average; ${percent(above)} of the total time is above the roofline`;

// "58 \u00d7 12.10 us above it, 1.62\u00d7 the roofline's time"
export const aboveText = ({layer, share, above}: Timed): string =>
  `${count(layer.count)} \u00d7 ${micros((above ?? 0) / layer.count)} us above it, ` +
  `${times(share && 1 / share)} the roofline's time`;
