// The scatter plot of a model's times: M against TFLOPS, both logarithmic. A dot's area is its time above the roofline.
// The layer of the dot in the focus is drawn in full: its dots joined, its roofline, and the shortest time of all.
import type uPlot from 'uplot';
import type {Color, Pen, Place} from '../components/plot_pen';
import {logarithmic, rangeOf} from '../components/plot_scale';
import type {Drawing} from '../components/uplot';
import {count, micros, percent} from '../format';
import type {MapLayer, ModelMap} from '../model_map';
import {nameOf, stateText} from './map_words';
import {aboveText, linesOf, tflopsText, type Timed} from './roofline_dots';

const kLeast = 2.5, kMost = 18;  // radius in pixels
const kFew = 25;  // with more values of M, dots are smaller, so that neighbours do not hide each other
const kReach = 6;  // pixels from a dot's edge at which the pointer still finds it
const kTick = 64;  // pixels between two ticks, at least
const kColors: Color[] = ['series-1', 'series-2', 'series-3'];

const familiesOf = (map: ModelMap): string[] => [...new Set(map.layers.map(({family}) => family))];
const colorOf = (families: string[], family: string): Color => kColors[families.indexOf(family)] ?? 'series-3';
export const legendOf = (map: ModelMap) =>
  familiesOf(map).map((family, _, all) => ({family, color: colorOf(all, family)}));

const placeOf = ({m, tflops}: Timed): Place => [m, tflops];

const axis = (label: string, base: number, size: number): uPlot.Axis => ({
  label, size, filter: (_, ticks) => ticks, values: (_, ticks) => ticks.map((tick) => tick.toLocaleString('en')),
  splits: ({width}, _, from, to) => logarithmic([from, to], width / kTick, base).ticks,
});

const textOf = (map: ModelMap, it: Timed): string[] => [
  `${nameOf(map, it.layer)}, M ${count(it.m)}`,
  `${tflopsText(it)} TFLOPS${it.share === null ? '' : `, ${percent(it.share)} of the roofline`}`,
  `${micros(it.us)} us${it.above === null ? '' : `: ${aboveText(it)}`}`, stateText(map, it.layer, it.i),
];

// `timed`: the first one is in the focus until the pointer or a key moves it.
export function drawingOf(map: ModelMap, timed: Timed[], hrefOf: (it: Timed) => string): Drawing {
  const most = Math.max(Number.MIN_VALUE, ...timed.map(({above}) => above ?? 0)), families = familiesOf(map);
  const largest = kMost * Math.sqrt(Math.min(1, kFew / map.m.length));
  const radius = ({above}: Timed) => Math.max(kLeast, Math.sqrt(Math.max(0, above ?? 0) / most) * largest);
  const shortest = Math.min(...timed.map(({us}) => us));
  const lines = new Map(map.layers.map((layer) => [layer, linesOf(map, layer, shortest)]));
  const places = [...timed.map(placeOf), ...[...lines.values()].flatMap(({roof}) => roof)];
  const [low, high] = rangeOf(places.map(([, y]) => y), true);
  const paintFocus = (pen: Pen, layer: MapLayer) => {
    const {roof, floor} = lines.get(layer)!, end = roof.at(-1);
    pen.line(timed.filter((it) => it.layer === layer).map(placeOf).sort(([a], [b]) => a - b), 'muted');
    pen.line(roof, 'text', {width: 1.5});
    if (end) pen.text(`roofline of ${nameOf(map, layer)}`, end, 'text', 'right', 8);
    pen.line(floor, 'muted', {dash: 4});
    if (floor[0]) pen.text(`shortest time here: ${micros(shortest)} us`, floor[0], 'muted', 'left', -16);
  };
  return {
    scales: {
      x: {time: false, distr: 3, log: 2, range: rangeOf(places.map(([x]) => x), true)},
      y: {distr: 3, log: 10, range: [low, high * 1.5]},  // room for the roofline's name
    },
    axes: [axis('M (log)', 2, 28), axis('TFLOPS (log)', 10, 56)],
    height: 440,
    zoom: {x: true, y: true, uni: 50},
    stops: timed.map((it) => ({place: placeOf(it), text: textOf(map, it), href: hrefOf(it)})),
    distance: (across, down, i) => {
      const away = Math.hypot(across, down) - radius(timed[i]!);
      return away < kReach ? away : Infinity;
    },
    paint: (pen, at) => {
      const focus = (timed[at] ?? timed[0])?.layer;
      for (const {roof} of lines.values()) pen.line(roof, 'muted', {alpha: 0.4});
      // The largest dot is the first, so that it does not hide a smaller one.
      for (const it of timed) {
        pen.dot(placeOf(it), radius(it), colorOf(families, it.layer.family), it.layer === focus ? 0.7 : 0.35);
      }
      if (focus) paintFocus(pen, focus);
    },
  };
}
