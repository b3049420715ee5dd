// A figure over time: a line that keeps its value until the next point, its interval, a dashed level to compare with,
// and an upright line for each event.
import {moment} from '../format';
import {DataTable} from './data_table';
import {rangeOf, type Range} from './plot_scale';
import {dayText, isKnown, kDayMs, stepsOf, stopsOf, type Mark, type Point} from './time_stops';
import {Plot, type Drawing, type PlotProps} from './uplot';

interface Course {
  unit: string;
  format: (value: number) => string;
  points: Point[];
  level?: {value: number; text: string} | null;
  marks: Mark[];
  from: number;  // ms; the first time shown
  range?: Range;
}

const kColors: Record<string, 'series-1' | 'series-2'> = {revert: 'series-2', toolchain: 'series-1'};
const kRoom = 0.015;  // right of the last point, as a share of the width
const kSteps = [1, 2, 7, 14, 28, 56, 91, 182].map((days) => days * kDayMs);  // between two ticks
const kKinds = {import: 'import', revert: 'revert', toolchain: 'new ROCm, AITER or other tool'};

function drawingOf({unit, format, points, level, marks, from, range}: Course): Drawing {
  const values = points.flatMap(({value, low, high}) => [value, low, high]);
  const y = range ?? rangeOf([...values, level?.value].filter(isKnown)), last = points.at(-1)?.at ?? from;
  const x: Range = [from, last + (last - from || 1) * kRoom];
  const lows = stepsOf(points, ({low}) => low), highs = stepsOf(points, ({high}) => high);
  const text = ({value}: Point) => (isKnown(value) ? `${format(value)} ${unit.toLowerCase()}` : 'unknown');
  return {
    scales: {x: {range: x}, y: {range: y}},
    stops: stopsOf(points, marks, text, y[0]),
    axes: [
      {size: 28, grid: {show: false}, incrs: kSteps, values: (_, splits) => splits.map(dayText)},
      {label: unit, labelSize: 24, values: (_, splits) => splits.map((value) => format(value))},
    ],
    zoom: {x: true, y: false}, height: 260,
    distance: Math.abs,
    paint: (pen) => {
      lows.forEach((low, i) => pen.line([...low, ...[...highs[i]!].reverse()], 'won', {fill: true}));
      for (const {at, kind} of marks) {
        pen.line([[at, y[0]], [at, y[1]]], kColors[kind] ?? 'muted', {alpha: 0.6});
      }
      if (level) {
        pen.line(x.map((at) => [at, level.value]), 'muted', {dash: 5});
        pen.text(level.text, [x[0], level.value], 'muted', 'left', 5);
      }
      for (const piece of stepsOf(points, ({value}) => value)) pen.line(piece, 'series-1', {width: 2});
      for (const {at, value} of points) if (isKnown(value)) pen.dot([at, value], 2.5, 'series-1');
    },
  };
}

function Table({caption, unit, format, points}: Course & {caption: string}) {
  const text = (value: number | null | undefined) => (isKnown(value) ? format(value) : '\u2013');
  const timeOf = ({at}: Point) => moment(new Date(at).toISOString());
  return (
    <DataTable caption={caption} columns={(is) => [
      is.time('When (UTC)', (point) => (point.href ? <a href={point.href}>{timeOf(point)}</a> : timeOf(point))),
      is.number(unit, ({value}) => text(value)),
      ...(points.some(({low}) => isKnown(low))
        ? [is.number('From', ({low}) => text(low)), is.number('To', ({high}) => text(high))] : []),
    ]} rows={[...points].reverse()} />
  );
}

export function TimePlot({title, summary, ...of}: Pick<PlotProps, 'title' | 'summary'> & Course) {
  const kinds = Object.entries(kKinds).filter(([kind]) => of.marks.some((mark) => mark.kind === kind));
  return <Plot title={title} summary={summary} of={drawingOf(of)} version={JSON.stringify(of)}
    legend={kinds.map(([kind, text]) => <span key={kind}><i class={`upright ${kind}`} />{text}</span>)}
    table={<Table caption={title} {...of} />} />;
}
