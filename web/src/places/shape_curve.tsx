// The tuned times along a family's axis as a small line, with a table of the same data.
import type {Family, Rows} from '../answers';
import {DataTable} from '../components/data_table';
import {logarithmic, rangeOf} from '../components/plot_scale';
import {useWidth} from '../components/width';
import {columnsOf, keyOf} from '../family';
import {count, micros} from '../format';
import {go, hrefOf} from '../location';
import {alongAxis, kernelsOf, sentenceOf, type Point} from './shape_story';

const kHeight = 220, kLeft = 56, kRight = 12, kTop = 8, kBottom = 24, kLabel = 60, kRow = 32;  // pixels
const kDots = 120;  // with more points, a dot appears only under the pointer

export function Curve({family, rows, at}: {family: Family; rows: Rows; at: number}) {
  const {box, width} = useWidth();
  const axis = family.heat_map.x, time = columnsOf(family, 'objective')[0]?.name;
  const points = time ? alongAxis(rows.rows, axis, time) : [];
  if (points.length < 2) return null;
  const right = width - kRight, floor = kHeight - kBottom;
  const x = logarithmic([points[0]!.x, points.at(-1)!.x], Math.max(2, Math.floor((right - kLeft) / kLabel)));
  const y = logarithmic(rangeOf(points.map(({us}) => us), true), Math.floor((floor - kTop) / kRow));
  const across = (value: number) => Number((kLeft + x.at(value) * (right - kLeft)).toFixed(1));
  const down = (value: number) => Number((floor - y.at(value) * (floor - kTop)).toFixed(1));
  const href = ({row}: Point) => hrefOf('shape', {family: family.name, ...keyOf(family, row)});
  return (
    <figure class="chart">
      <figcaption><h2>Time over {axis}</h2><p>{sentenceOf(points, axis)}</p></figcaption>
      <div class="plot curve" ref={box} aria-hidden="true">
        <svg width={width} height={kHeight} viewBox={`0 0 ${width} ${kHeight}`}>
          {x.ticks.map((tick) => <text x={across(tick)} y={kHeight - 6} text-anchor="middle">{count(tick)}</text>)}
          {y.ticks.map((tick) =>
            <>
              <path class="grid" d={`M${kLeft} ${down(tick)}H${right}`} />
              <text x={kLeft - 8} y={down(tick) + 4} text-anchor="end">{count(tick)}</text>
            </>)}
          {at >= points[0]!.x && at <= points.at(-1)!.x &&
            <path class="mark" d={`M${across(at)} ${kTop}V${floor}`} />}
          <g class={points.length > kDots ? 'series-1 dense' : 'series-1'}>
            <path d={`M${points.map((point) => `${across(point.x)} ${down(point.us)}`).join('L')}`} />
            {points.map((point) =>
              <circle cx={across(point.x)} cy={down(point.us)} class={point.x === at ? 'here' : undefined} r={point.x === at ? 5 : 3}
                onClick={() => go(href(point))}>
                <title>{axis} {point.x}: {micros(point.us)} us</title>
              </circle>)}
          </g>
        </svg>
        <p class="legend">us (log) over {axis} (log). Dashed: this shape. A dot opens its shape.</p>
      </div>
      <details>
        <summary>The numbers as a table</summary>
        <DataTable caption={`Tuned times over ${axis}`} titled columns={(is) => [
          is.number(axis, (point) => <a href={href(point)}>{point.x}</a>),
          is.number('us', (point) => micros(point.us)),
          is.kernel('Kernel', (point) => kernelsOf(family, point.row)),
        ]} rows={points} />
      </details>
    </figure>
  );
}
