// uPlot behind two kinds of drawing, in the colours of the page's style sheet.
import uPlot, {type Axis, type Plugin, type Series as PlotSeries} from 'uplot';
import {count} from '../format';

interface Series {
  label: string;
  values: (number | null)[];
  color: 1 | 2 | 3;
  dots?: boolean;  // points without a line
}

export interface Drawing {
  kind: 'lines' | 'bars';
  x: number[];
  xLabel: string;
  yLabel: string;
  xLog?: boolean;
  yLog?: boolean;
  series: Series[];
  xRange?: [number, number];
  xSteps?: number[];  // between its labels
  counts?: boolean;  // y counts things: no half of one has a label
  mark?: number;  // an upright line at this x
  xText?: (value: number) => string;
}

const kHeight = 280;
const kCounts = [0, 1, 2, 3, 4, 5, 6].flatMap((tens) => [1, 2, 5].map((it) => it * 10 ** tens));
const kLabel = 60;  // the width of a label with what parts it from the next
const kFont = '12px system-ui, sans-serif';

// What light-dark() means now: canvas knows no such function.
function color(box: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  box.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

// As many labels as there is room for, from the first on.
function thinned(splits: (number | null)[], width: number): (number | null)[] {
  const named = splits.filter((it) => it !== null);
  const every = Math.ceil((named.length * kLabel) / width);
  return splits.map((it) => (it !== null && named.indexOf(it) % every === 0 ? it : null));
}

function axis(box: HTMLElement, label: string, text?: (value: number) => string): Axis {
  const line = color(box, '--line');
  return {
    label,
    font: kFont,
    labelFont: kFont,
    labelSize: 20,
    stroke: color(box, '--muted'),
    grid: {stroke: line, width: 1},
    ticks: {stroke: line, width: 1},
    ...(text ? {values: (plot: uPlot, splits: number[]) => thinned(splits, plot.width).map((it) => (it === null ? '' : text(it)))} : {}),
  };
}

function seriesOf(box: HTMLElement, {kind, series}: Drawing): PlotSeries[] {
  return series.map(({label, color: name, dots}) => {
    const stroke = color(box, `--series-${name}`);
    const look: PlotSeries = {label, stroke, width: 2, points: {size: 5, fill: stroke}, spanGaps: true};
    if (dots) return {...look, width: 0, paths: () => null, points: {show: true, size: 8, fill: stroke}};
    if (kind === 'bars') return {...look, width: 0, fill: stroke, paths: uPlot.paths.bars?.({size: [0.9, 200]}), points: {show: false}};
    return look;
  });
}

function markAt(box: HTMLElement, x: number): Plugin {
  return {
    hooks: {
      draw: (plot) => {
        const left = Math.round(plot.valToPos(x, 'x', true));
        plot.ctx.save();
        plot.ctx.strokeStyle = color(box, '--muted');
        plot.ctx.setLineDash([4, 4]);
        plot.ctx.beginPath();
        plot.ctx.moveTo(left, plot.bbox.top);
        plot.ctx.lineTo(left, plot.bbox.top + plot.bbox.height);
        plot.ctx.stroke();
        plot.ctx.restore();
      },
    },
  };
}

// Draws into the box; the answer takes it away again.
export function draw(box: HTMLElement, drawing: Drawing): () => void {
  const width = () => Math.max(240, box.clientWidth);
  const plot = new uPlot(
    {
      width: width(),
      height: kHeight,
      legend: {show: drawing.series.length > 1, live: false},
      cursor: {show: false},
      scales: {
        x: {time: false, distr: drawing.xLog ? 3 : 1, log: 2, ...(drawing.xRange && {range: drawing.xRange})},
        y: {distr: drawing.yLog ? 3 : 1, ...(drawing.kind === 'bars' ? {range: (_, __, max) => [0, max * 1.05]} : {})},
      },
      axes: [{...axis(box, drawing.xLabel, drawing.xText ?? count), ...(drawing.xSteps && {incrs: drawing.xSteps})}, {...axis(box, drawing.yLabel), ...((drawing.counts || drawing.kind === 'bars') && {incrs: kCounts})}],
      series: [{}, ...seriesOf(box, drawing)],
      plugins: drawing.mark === undefined ? [] : [markAt(box, drawing.mark)],
    },
    [drawing.x, ...drawing.series.map((it) => it.values)],
    box,
  );
  const observer = new ResizeObserver(() => plot.setSize({width: width(), height: kHeight}));
  observer.observe(box);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}
