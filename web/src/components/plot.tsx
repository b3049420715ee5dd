// Charts with lines or bars. The style sheet has their colours, also for paper and dark screens. There is no chart
// library, because even the smallest would take a quarter of the script's size limit.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {count} from '../format';
import {linear, logarithmic, rangeOf, type Range, type Scale} from './plot_scale';

interface Series {
  label: string;
  values: (number | null)[];  // null: unknown
  color: 1 | 2 | 3;
  dots?: boolean;  // points without a line
  steps?: boolean;  // a value stays until the next point
}

export interface Drawing {
  kind: 'lines' | 'bars';
  x: number[];
  xLabel: string;
  yLabel: string;
  xLog?: boolean;
  yLog?: boolean;
  series: Series[];
  xRange?: Range;
  xSteps?: number[];  // allowed distances between labels
  yRange?: Range;
  counts?: boolean;  // y is a count, so its labels are whole numbers
  marks?: number[];  // a vertical line at each x
  xText?: (value: number) => string;
}

const kHeight = 280, kLeft = 64, kRight = 16, kTop = 8, kBottom = 44;  // pixels; the last four are margins for labels
const kLabel = 60, kRow = 36;  // pixels per label, with the gap to the next: width, height
const kBar = 0.9;  // the share of its slot's width that a bar fills
const kDot = 4, kPoint = 2.5;

const kCounts = [1, 2, 5];  // steps between labels of counts; larger steps are always whole

const isKnown = (value: number | null): value is number => value !== null;

function scalesOf(of: Drawing, width: number): [Scale, Scale] {
  const values = of.series.flatMap((series) => series.values).filter(isKnown);
  const yRange = of.yRange ?? (of.kind === 'bars' ? [0, Math.max(...values) * 1.05] : rangeOf(values, of.yLog));
  const xRange = of.xRange ?? [Math.min(...of.x), Math.max(...of.x)];
  const most = Math.max(2, Math.floor(width / kLabel));
  const rows = Math.floor((kHeight - kTop - kBottom) / kRow);
  return [
    of.xLog ? logarithmic(xRange, most) : linear(xRange, most, of.xSteps),
    of.yLog ? logarithmic(yRange, rows) : linear(yRange, rows, of.counts || of.kind === 'bars' ? kCounts : undefined),
  ];
}

function Line({places, series}: {places: [number, number][]; series: Series}) {
  const d = places.map(([x, y], i) => (i === 0 ? `M${x} ${y}` : series.steps ? `H${x}V${y}` : `L${x} ${y}`)).join('');
  return (
    <g class={`series-${series.color}`}>
      {series.dots || <path d={d} />}
      {places.map(([x, y]) => <circle cx={x} cy={y} r={series.dots ? kDot : kPoint} />)}
    </g>
  );
}

function Bars({places, series, room, floor}: {places: [number, number][]; series: Series; room: number;
    floor: number}) {
  return (
    <g class={`series-${series.color}`}>
      {places.map(([x, y]) =>
        <rect x={x - (room * kBar) / 2} y={y} width={room * kBar} height={Math.max(0, floor - y)} />)}
    </g>
  );
}

function Plot({of, width}: {of: Drawing; width: number}) {
  const right = Math.max(kLeft + kLabel, width - kRight), floor = kHeight - kBottom;
  const [x, y] = scalesOf(of, right - kLeft);
  const across = (value: number) => Math.round((kLeft + x.at(value) * (right - kLeft)) * 10) / 10;
  const down = (value: number) => Math.round((floor - y.at(value) * (floor - kTop)) * 10) / 10;
  const places = ({values}: Series) =>
    values.flatMap((value, i) => (value === null ? [] : [[across(of.x[i]!), down(value)] as [number, number]]));
  const gaps = of.x.slice(1).map((value, i) => across(value) - across(of.x[i]!));
  return (
    <svg width={width} height={kHeight} viewBox={`0 0 ${width} ${kHeight}`}>
      {x.ticks.map((tick) =>
        <>
          <path class="grid" d={`M${across(tick)} ${kTop}V${floor}`} />
          <text x={across(tick)} y={floor + 16} text-anchor="middle">{(of.xText ?? count)(tick)}</text>
        </>)}
      {y.ticks.map((tick) =>
        <>
          <path class="grid" d={`M${kLeft} ${down(tick)}H${right}`} />
          <text x={kLeft - 8} y={down(tick) + 4} text-anchor="end">{tick.toLocaleString('en')}</text>
        </>)}
      <text x={(kLeft + right) / 2} y={kHeight - 6} text-anchor="middle">{of.xLabel}</text>
      <text transform={`translate(14 ${(kTop + floor) / 2}) rotate(-90)`} text-anchor="middle">{of.yLabel}</text>
      {of.marks?.map((mark) => <path class="mark" d={`M${across(mark)} ${kTop}V${floor}`} />)}
      {of.series.map((series) => (of.kind === 'bars'
        ? <Bars places={places(series)} series={series} room={gaps.length > 0 ? Math.min(...gaps) : kLabel}
          floor={floor} />
        : <Line places={places(series)} series={series} />))}
    </svg>
  );
}

interface Props {
  title: string;
  summary: string;
  drawing: Drawing;
  table: ComponentChildren;
}

const kWidth = 640;  // pixels, until the page is laid out

// The element `box` and its width in pixels.
export function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(kWidth);
  useEffect(() => {
    const observer = new ResizeObserver(() => setWidth(box.current?.clientWidth || kWidth));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return {box, width};
}

// A chart with its heading, a sentence with its numbers, and a table of the same data.
export function Chart({title, summary, drawing, table}: Props) {
  const {box, width} = useWidth();
  return (
    <figure class="chart">
      <figcaption>
        <h2>{title}</h2>
        <p>{summary}</p>
      </figcaption>
      <div class="plot" ref={box} aria-hidden="true">
        <Plot of={drawing} width={width} />
        {drawing.series.length > 1 &&
          <p class="legend">
            {drawing.series.map((series) => <span><i class={`series-${series.color}`} />{series.label}</span>)}
          </p>}
      </div>
      <details>
        <summary>The numbers as a table</summary>
        {table}
      </details>
    </figure>
  );
}
