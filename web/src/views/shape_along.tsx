// A key's time among its neighbours.
import type {Family, Rows, Shape} from '../answers';
import {Chart} from '../components/plot';
import {DataTable} from '../components/data_table';
import {columnsOf, keyOf} from '../family';
import {hrefOf, type Values} from '../location';
import {micros} from '../format';
import {alongAxis, kernelsOf, pointsAt, sentenceOf} from './shape_story';

// The same operation at other sizes along the family's axis, as it is tuned now, and what else was
// measured at this one.
export function Along({family, rows, shape, here: key}: {family: Family; rows: Rows; shape: Shape; here: Values}) {
  const axis = family.heat_map.x;
  const time = columnsOf(family, 'objective')[0]?.name;
  if (!time) return null;
  const at = Number(key[axis]);
  const tuned = alongAxis(rows.rows, axis, time);
  const points = pointsAt(tuned, at, shape.measurements);
  if (tuned.length < 2) return null;
  return (
    <Chart
      title={`Time over ${axis}`}
      summary={sentenceOf(tuned, axis, at)}
      drawing={{
        kind: 'lines',
        x: points.map((it) => it.x),
        xLabel: `${axis} (log)`,
        yLabel: 'us (log)',
        xLog: true,
        yLog: true,
        marks: [at],
        series: [
          {label: 'tuned', values: points.map((it) => it.tuned), color: 1},
          ...(points.length > tuned.length ? [{label: 'measured for this key', values: points.map((it) => it.measured), color: 2 as const, dots: true}] : []),
        ],
      }}
      table={
        <DataTable
          caption={`Tuned times over ${axis}`}
          titled
          columns={(is) => [
            is.number(axis, (it) => <a href={hrefOf('shape', {family: family.name, ...keyOf(family, it.row)})}>{it.x}</a>),
            is.number('us', (it) => micros(it.us)),
            is.kernel('Kernel', (it) => kernelsOf(family, it.row)),
          ]}
          rows={tuned}
        />
      }
    />
  );
}
