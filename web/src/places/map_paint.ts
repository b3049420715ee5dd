// Paints a map's cells on a canvas, in the colours of the style sheet.
import {isTuned, shareOf, stateOf, type MapLayer, type ModelMap} from '../model_map';
import {edgesOf, type Layout} from './map_layout';

const kNames = ['share-0', 'share-2', 'surface', 'raised', 'strong-line', 'muted', 'series-2'] as const;
type Colours = Record<(typeof kNames)[number], string>;

// The present values of the style sheet's colours. Canvas does not know custom properties.
function coloursOf(host: HTMLElement): Colours {
  const before = host.style.color;
  const colours = kNames.map((name) => {
    host.style.color = `var(--${name})`;
    return [name, getComputedStyle(host).color];
  });
  host.style.color = before;
  return Object.fromEntries(colours) as Colours;
}

// A pattern of 6 x 6 pixels.
function patternOf(ground: string, ink: string, draw: (tile: CanvasRenderingContext2D) => void): CanvasPattern | string {
  const tile = Object.assign(document.createElement('canvas'), {width: 6, height: 6}).getContext('2d');
  if (!tile) return ground;
  tile.fillStyle = ground;
  tile.fillRect(0, 0, 6, 6);
  tile.fillStyle = tile.strokeStyle = ink;
  draw(tile);
  return tile.createPattern(tile.canvas, 'repeat') ?? ground;
}

// The colours of 0 to 100 %, as plain colours: the canvas parses a mix at each use.
function sharesOf(colours: Colours): string[] {
  const strip = Object.assign(document.createElement('canvas'), {width: 101, height: 1}).getContext('2d');
  if (!strip) return [];
  for (let i = 0; i <= 100; ++i) {
    strip.fillStyle = `color-mix(in oklab, ${colours['share-2']} ${i}%, ${colours['share-0']})`;
    strip.fillRect(i, 0, 1, 1);
  }
  const {data} = strip.getImageData(0, 0, 101, 1);
  return Array.from({length: 101}, (_, i) => `rgb(${data.slice(4 * i, 4 * i + 3).join()})`);
}

// Parallel lines from lower left to upper right.
function hatch(tile: CanvasRenderingContext2D) {
  tile.beginPath();
  for (const x of [-6, 0, 6]) {
    tile.moveTo(x - 1, 7);
    tile.lineTo(x + 7, -1);
  }
  tile.stroke();
}

const dot = (tile: CanvasRenderingContext2D) => tile.fillRect(2, 2, 2, 2);

// One outline around each run of slower cells, because an outline around each narrow cell would hide its colour.
function outlineSlower(to: CanvasRenderingContext2D, {slower}: MapLayer, box: (i: number) => number[],
    top: number, height: number) {
  slower.forEach((is, i) => {
    if (!is || slower[i - 1]) return;
    let last = i;
    while (slower[last + 1]) ++last;
    const from = box(i)[0] ?? 0, end = box(last)[1] ?? 0;
    to.strokeRect(from + 1, top + 1, end - from - 2, height - 2);
  });
}

const pixels = (canvas: HTMLCanvasElement): number => Math.round(canvas.clientWidth * (devicePixelRatio || 1));
export const isStale = (canvas: HTMLCanvasElement): boolean => canvas.width !== pixels(canvas);

export function paint(canvas: HTMLCanvasElement, map: ModelMap, layers: MapLayer[], layout: Layout): void {
  const to = canvas.getContext('2d');
  if (!to) return;
  const dense = devicePixelRatio || 1, width = canvas.clientWidth, {top} = layout, height = top.at(-1) ?? 0;
  canvas.width = pixels(canvas);
  canvas.height = Math.round(height * dense);
  to.scale(dense, dense);
  const colours = coloursOf(canvas);
  const missing = patternOf(colours.surface, colours['strong-line'], hatch);
  const untuned = patternOf(colours.raised, colours.muted, dot);
  const shares = sharesOf(colours);
  const x = (share: number) => Math.round(share * width * dense) / dense;
  layers.forEach((layer, row) => {
    const y = top[row] ?? 0, tall = (top[row + 1] ?? 0) - y - 1;
    const box = (i: number): number[] => edgesOf(layout, layer, i).map(x);
    layer.at.forEach((_, i) => {
      const state = stateOf(map, layer, i), share = shareOf(layer, i), [from = 0, end = 0] = box(i);
      to.fillStyle = state === 'missing' ? missing
        : !isTuned(state) ? untuned
        : share === null ? colours.raised
        : shares[Math.round(100 * Math.min(1, share))] ?? colours.raised;
      to.fillRect(from, y, end - from - (end - from >= 8 ? 1 : 0), tall);
    });
    to.strokeStyle = colours['series-2'];
    to.lineWidth = 2;
    outlineSlower(to, layer, box, y, tall);
  });
}
