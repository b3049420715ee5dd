// What all plots have: axes by uPlot, the style sheet's colours, a text at the pointer, arrow keys, zoom, links, and a
// table of the same data.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import uPlot from 'uplot';
import {theme} from '../kept';
import {go} from '../location';
import {Pen, readInk, type Ink, type Place} from './plot_pen';
import type {Range} from './plot_scale';
import {TipBox} from './tip';

// A place that the pointer and the arrow keys find.
export interface Stop {
  place: Place;
  text: string[];
  href?: string | undefined;
}

export interface Drawing {
  scales: Record<'x' | 'y', uPlot.Scale & {range: Range}>;
  axes: uPlot.Axis[];
  zoom: uPlot.Cursor.Drag;
  height: number;  // pixels
  stops: Stop[];  // in the order of the arrow keys
  paint: (pen: Pen, at: number) => void;  // at: the stop in the focus, or -1
  distance: (across: number, down: number, i: number) => number;  // pixels from stop i; the pointer finds the nearest
}

export interface PlotProps {
  title: string;
  summary: ComponentChildren;
  legend?: ComponentChildren;
  table: ComponentChildren;
}

const kDrag = 4;  // pixels; a shorter move of the pointer is a click
const kNames = ['x', 'y'] as const;

function makePlot(box: HTMLElement, ink: Ink, now: {current: {of: Drawing; at: number}}, drawn: () => void): uPlot {
  const {scales, axes, zoom, height} = now.current.of, [first, last] = scales.x.range, grid = {stroke: () => ink.line, width: 1};
  const font = '12px system-ui, sans-serif', common = {font, labelFont: font, labelSize: 20, stroke: () => ink.muted};
  return new uPlot({
    // With a fixed range of x, uPlot would not zoom along x.
    scales: {...scales, x: {...scales.x, range: (_, from, to) => [from ?? first, to ?? last]}},
    width: box.clientWidth, height, legend: {show: false}, ms: 1,
    tzDate: (ms) => uPlot.tzDate(new Date(ms), 'Etc/UTC'),
    axes: axes.map((axis) => ({...common, grid, ticks: {...grid, size: 4}, ...axis})),
    series: [{}, {paths: () => null, points: {show: false}}],  // the pen paints everything
    cursor: {y: false, points: {show: false}, drag: {dist: kDrag, ...zoom}},
    hooks: {draw: [(plot) => {
      plot.ctx.save();
      now.current.of.paint(new Pen(plot, ink), now.current.at);
      plot.ctx.restore();
      drawn();
    }]},
  }, [[first, last], scales.y.range], box);
}

// Paints again for another theme, paper and width. Returns a function that stops this.
function keepUp(box: HTMLElement, plot: uPlot, ink: Ink): () => void {
  const ends = new AbortController(), {signal} = ends;
  const again = (isPaper = false) => {
    readInk(box, ink, isPaper);
    plot.redraw();
  };
  const resized = new ResizeObserver(() => plot.setSize({width: box.clientWidth, height: plot.height}));
  resized.observe(box);
  signal.addEventListener('abort', theme.subscribe(() => again()));
  addEventListener('beforeprint', () => again(true), {signal});
  addEventListener('afterprint', () => again(), {signal});
  for (const query of ['(prefers-color-scheme: dark)', 'print'])
    matchMedia(query).addEventListener('change', () => again(), {signal});
  return () => {
    ends.abort();
    resized.disconnect();
    plot.destroy();
  };
}

export function Plot({title, summary, of, version, legend, table}: PlotProps & {of: Drawing; version: unknown}) {
  const box = useRef<HTMLDivElement>(null), made = useRef<uPlot | null>(null), down = useRef<Place>([0, 0]);
  const [at, setAt] = useState(-1), [, setDrawn] = useState(0);
  const now = useRef({of, at});
  now.current = {of, at};
  useEffect(() => {
    const ink = {} as Ink;
    made.current = makePlot(box.current!, ink, now, () => setDrawn((count) => count + 1));
    return keepUp(box.current!, made.current, ink);
  }, [version]);
  useEffect(() => made.current?.redraw(false), [at]);

  const plot = made.current, stop = of.stops[at], over = plot?.over.getBoundingClientRect();
  const pixels = ({place: [x, y]}: Stop): Place => (plot ? [plot.valToPos(x, 'x'), plot.valToPos(y, 'y')] : [0, 0]);
  const find = ({target, clientX, clientY}: MouseEvent): number => {
    if (!over || !plot?.over.contains(target as Node)) return -1;
    const away = of.stops.map((its, i) => {
      const [x, y] = pixels(its);
      return of.distance(clientX - over.left - x, clientY - over.top - y, i);
    });
    const least = Math.min(...away);
    return least < Infinity ? away.indexOf(least) : -1;
  };
  const onClick = (event: MouseEvent) => {
    if (Math.hypot(event.clientX - down.current[0], event.clientY - down.current[1]) > kDrag) return;
    const found = find(event), href = of.stops[found]?.href;
    // The first touch shows the text, the second one opens the link.
    if (href && (found === at || (event as PointerEvent).pointerType !== 'touch')) go(href);
    setAt(found);
  };
  const showAll = () => plot?.batch(() => kNames.forEach((name) => {
    const [min, max] = of.scales[name].range;
    plot.setScale(name, {min, max});
  }));
  const onKeyDown = (event: KeyboardEvent) => {
    const last = of.stops.length - 1, moves: Record<string, number> =
      {ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last};
    const next = moves[event.key];
    if (next !== undefined) setAt(Math.min(last, Math.max(0, next)));
    else if (event.key === 'Enter' && stop?.href) go(stop.href);
    else if (event.key === 'Escape') showAll();
    else return;
    event.preventDefault();
  };
  const zoomed = plot && kNames.some((name) => {
    const {min, max} = plot.scales[name]!, [from, to] = of.scales[name].range;
    return min !== from || max !== to;
  });
  const hover = (event: PointerEvent, found: number) => event.pointerType === 'mouse' && setAt(found);
  const [left, top] = stop ? pixels(stop) : [0, 0];
  const spot = {left: `${left + (plot?.over.offsetLeft ?? 0)}px`, top: `${top + (plot?.over.offsetTop ?? 0)}px`};
  return (
    <figure class="chart">
      <figcaption><h2>{title}</h2><p>{summary}</p></figcaption>
      <div class="plot" role="application" tabIndex={0} aria-label={`${title}. Arrow keys move, Enter opens.`}
        onKeyDown={onKeyDown} onBlur={() => setAt(-1)} onClick={onClick}
        onPointerDown={({clientX, clientY}) => { down.current = [clientX, clientY]; }}
        onPointerMove={(event) => hover(event, find(event))} onPointerLeave={(event) => hover(event, -1)}>
        <div ref={box} style={{height: `${of.height}px`}} />
        {stop && <i class="spot" style={spot} />}
        {over && stop &&
          <TipBox title={stop.text[0]!} lines={stop.text.slice(1)}
            at={new DOMRect(over.left + left, over.top + top)} />}
        <p class="hidden" role="status">{stop?.text.join(', ')}</p>
        {zoomed && <button type="button" class="all" onClick={showAll}>Show all</button>}
      </div>
      {legend && <p class="legend">{legend}</p>}
      <details><summary>The numbers as a table</summary>{table}</details>
    </figure>
  );
}
