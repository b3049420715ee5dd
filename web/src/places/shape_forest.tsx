// The candidates that compete for a shape key as a forest plot: a line for each, with its time and its interval.
import {useState} from 'preact/hooks';
import type {Measurement} from '../answers';
import {logarithmic} from '../components/plot_scale';
import {useWidth} from '../components/width';
import {micros} from '../format';
import {forestOf, type ForestLine} from './shape_forest_lines';

const kRow = 36, kMark = 24, kBottom = 24, kEdge = 8;  // pixels; kMark: from a row's top to its mark
const kLetter = 6.8, kLabel = 60;  // pixels; the width of a letter, of an axis label with its gap

interface LineProps {
  of: ForestLine;
  top: number;
  width: number;
  across: (us: number) => number;
  isStop: boolean;  // the Tab key stops here
}

function Line({of, top, width, across, isStop}: LineProps) {
  const y = top + kMark, [low, high] = of.interval ?? [], most = Math.floor((width - 2 * kEdge) / kLetter);
  return (
    <g class={of.class} tabindex={isStop ? 0 : -1} role="img" aria-label={of.spoken}>
      <title>{of.spoken}</title>
      <rect class="room" x="0" y={top} width={width} height={kRow} />
      <text x={kEdge} y={top + 14}>{of.label.length > most ? `${of.label.slice(0, most)}\u2026` : of.label}</text>
      {low && high ? <path d={`M${across(low)} ${y}H${across(high)}`} /> : <path class="mark" d={`M0 ${y}H${width}`} />}
      <circle class={of.hollow ? 'hollow' : undefined} cx={across(of.us)} cy={y} r="4" />
    </g>
  );
}

// Without a second candidate, there is nothing to compare.
export function Forest({measurements, winner}: {measurements: Measurement[]; winner: Measurement}) {
  const {box, width} = useWidth();
  const [at, setAt] = useState(0);
  const {lines, more, range} = forestOf(measurements, winner);
  if (lines.length < 2) return null;
  const scale = logarithmic(range, Math.max(2, Math.floor(width / kLabel)));
  const across = (us: number) => Math.round((kEdge + scale.at(us) * (width - 2 * kEdge)) * 10) / 10;
  const floor = lines.length * kRow + 4, [low, high] = lines[0]?.interval ?? [], last = lines.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const to = {ArrowUp: Math.max(0, at - 1), ArrowDown: Math.min(last, at + 1), Home: 0, End: last}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setAt(to);
    box.current?.querySelectorAll<SVGElement>('g')[to]?.focus();
  };
  return (
    <div class="plot forest" ref={box}>
      <svg width={width} height={floor + kBottom} viewBox={`0 0 ${width} ${floor + kBottom}`} role="group"
        aria-label="Times of the candidates that compete. Arrow keys move." onKeyDown={onKeyDown}>
        {low && high && <rect class="band" x={across(low)} y="0" width={across(high) - across(low)} height={floor} />}
        {scale.ticks.map((tick) =>
          <>
            <path class="grid" d={`M${across(tick)} 0V${floor}`} />
            <text x={across(tick)} y={floor + 16} text-anchor="middle">{micros(tick)}</text>
          </>)}
        {lines.map((line, i) =>
          <Line of={line} top={i * kRow} width={width} across={across} isStop={i === Math.min(at, last)} />)}
      </svg>
      <p class="legend">
        us (log). Shaded: the interval of the served row. Hollow: no samples, so the time counts as &plusmn;5 %.
        {more > 0 && ` ${more} more ${more === 1 ? 'candidate is' : 'candidates are'} in the table below.`}
      </p>
    </div>
  );
}
