// One key: every candidate that was measured, which one won and why, and what held the key before.
import {urls, type Family, type Lookup, type Measurement, type Row, type Rows, type Shape} from '../api';
import {Chart} from '../components/chart';
import {DataTable, type TableColumn} from '../components/data_table';
import {Empty, Unknown, UnknownFilters, With} from '../components/states';
import {ViewHead} from '../components/view_head';
import {columnsOf, keyColumns, keyOf, shapeText} from '../family';
import {filtersOf, type Values} from '../filters';
import {cellText, micros, percent, targetName, times} from '../format';
import {hrefOf} from '../location';
import {useResource} from '../resource';
import {alongAxis, because, byTime, foundText, sentenceOf} from './shape_story';

const kView = 'shape';
const kAxisRows = 1000;

function candidateText(measurement: Measurement): string {
  return Object.entries(measurement.candidate)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function Winner({shape, winner}: {shape: Shape; winner: Measurement}) {
  const kernels = Object.entries(winner.candidate).filter(([, value]) => value.length > 24);
  const rest = Object.entries(winner.candidate).filter(([, value]) => value.length <= 24 && value !== '');
  return (
    <section class="winner">
      <h2>Why this row won</h2>
      <p class="because">{because(shape.measurements, winner)}</p>
      <dl class="facts">
        <dt>Time</dt>
        <dd class="figure">{micros(winner.us)} <small>us</small></dd>
        <dt>Error ratio</dt>
        <dd>{winner.error === null ? 'not given' : percent(winner.error, 2)}</dd>
        {rest.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}=`}>{value}</dd>])}
        <dt>Run</dt>
        <dd><a href={hrefOf('runs', {run: winner.run})}>{winner.run}</a></dd>
      </dl>
      {kernels.map(([name, value]) => <p key={name} class="kernel"><span>{name}</span> <code>{value}</code></p>)}
    </section>
  );
}

function Measurements({shape}: {shape: Shape}) {
  const best = shape.measurements.find((it) => it.won)?.us ?? null;
  const columns: TableColumn<Measurement>[] = [
    {id: 'won', title: 'Result', cell: (it) => <Verdict measurement={it} />},
    {id: 'us', title: 'us', numeric: true, cell: (it) => micros(it.us)},
    {id: 'ratio', title: 'To the winner', numeric: true, cell: (it) => times(best && it.us ? it.us / best : null)},
    {id: 'error', title: 'Error', numeric: true, cell: (it) => (it.error === null ? '\u2013' : percent(it.error, 2))},
    {id: 'standing', title: 'Standing', cell: (it) => <span class={`standing ${it.standing}`}>{it.standing}{it.reason && <small>{it.reason}</small>}</span>},
    {id: 'provider', title: 'Provider', cell: (it) => it.provider},
    {id: 'run', title: 'Run', numeric: true, cell: (it) => <a href={hrefOf('runs', {run: it.run})}>{it.run}</a>},
    {id: 'candidate', title: 'Candidate', wide: true, cell: candidateText},
  ];
  return (
    <section>
      <h2>Every measurement</h2>
      <DataTable
        caption="Every measurement of this key"
        hideCaption
        columns={columns}
        rows={byTime(shape.measurements)}
        keyOf={(it) => it.id}
        rowClass={(it) => (it.won ? 'won' : undefined)}
      />
    </section>
  );
}

function Verdict({measurement}: {measurement: Measurement}) {
  if (measurement.won) return <strong class="good">won</strong>;
  return <span class="faint">{measurement.competes ? 'kept' : 'superseded'}</span>;
}

function History({shape}: {shape: Shape}) {
  const of = (id: number) => shape.measurements.find((it) => it.id === id);
  const columns: TableColumn<Shape['history'][number]>[] = [
    {id: 'from', title: 'From revision', numeric: true, cell: (it) => it.from_revision},
    {id: 'to', title: 'To revision', numeric: true, cell: (it) => it.to_revision ?? 'now'},
    {id: 'us', title: 'us', numeric: true, cell: (it) => micros(of(it.measurement)?.us)},
    {id: 'run', title: 'Run', numeric: true, cell: (it) => { const run = of(it.measurement)?.run; return run ? <a href={hrefOf('runs', {run})}>{run}</a> : '\u2013'; }},
    {id: 'candidate', title: 'Held by', wide: true, cell: (it) => { const held = of(it.measurement); return held ? candidateText(held) : '\u2013'; }},
  ];
  return (
    <section>
      <h2>History over revisions</h2>
      <DataTable caption="What held this key over revisions" hideCaption columns={columns} rows={shape.history} keyOf={(it) => `${it.provider} ${it.from_revision}`} />
    </section>
  );
}

// What AITER would run for the shape: with a row of its own, or without one.
function Found({family, at}: {family: Family; at: Values}) {
  const shape = Object.fromEntries(columnsOf(family, 'shape').map((it) => [it.name, at[it.name] ?? '']));
  const lookup = useResource<Lookup>(urls.lookup(family.name, {gfx: at['gfx'], cu_num: at['cu_num'] === '0' ? '' : at['cu_num'], ...shape}));
  const found = lookup.data;
  if (!found) return null;
  const row = found.row && keyOf(family, found.row);
  return (
    <section>
      <h2>What a lookup finds</h2>
      <p>{foundText(found)}</p>
      {row && found.step !== 'exact' && <p><a href={hrefOf(kView, {family: family.name, ...row})}>{shapeText(family, row)}</a></p>}
      {found.wanted && <p class="lead">Worth tuning: {shapeText(family, found.wanted.to_tune)}.</p>}
    </section>
  );
}

// The same operation at other sizes along the family's axis, as it is tuned now.
function Along({family, rows, here: key}: {family: Family; rows: Rows; here: Values}) {
  const axis = family.heat_map.x;
  const time = columnsOf(family, 'objective')[0]?.name;
  if (!time) return null;
  const points = alongAxis(rows.rows, axis, time);
  if (points.length < 2) return null;
  const at = Number(key[axis]);
  const columns: TableColumn<Row>[] = [
    {id: axis, title: axis, numeric: true, cell: (row) => <a href={hrefOf(kView, {family: family.name, ...keyOf(family, row)})}>{cellText(row[axis])}</a>},
    {id: 'us', title: 'us', numeric: true, cell: (row) => micros(Number(row[time]))},
  ];
  return (
    <Chart
      title={`Time over ${axis}`}
      summary={sentenceOf(points, axis, at)}
      drawing={{
        kind: 'lines',
        x: points.map((it) => it.x),
        xLabel: `${axis} (log)`,
        yLabel: 'us (log)',
        xLog: true,
        yLog: true,
        mark: at,
        series: [{label: 'tuned, us', values: points.map((it) => it.us), color: 1}],
      }}
      table={<DataTable caption={`Tuned times over ${axis}`} columns={columns} rows={points.map((it) => it.row)} keyOf={(row) => cellText(row[axis])} />}
    />
  );
}

// Without the axis, with the target: the neighbours.
function neighbours(family: Family, values: Values): Values {
  return Object.fromEntries(keyColumns(family).map((it) => [it.name, it.name === family.heat_map.x ? '' : (values[it.name] ?? '')]));
}

export function ShapeView() {
  const families = useResource<{families: Family[]}>(urls.families());
  const all = families.data?.families ?? [];
  const asked = filtersOf(kView, {family: ''}).values.family;
  const family = all.find((it) => it.name === asked);
  const names = family ? keyColumns(family).map((it) => it.name) : [];
  const filters = filtersOf<Values>(kView, {family: '', ...Object.fromEntries(names.map((name) => [name, '']))});
  const key: Values = Object.fromEntries(names.map((name) => [name, filters.values[name] ?? '']));
  const shape = useResource<Shape>(family ? urls.shape(family.name, {...key, allow_empty: 1}) : null);
  const rows = useResource<Rows>(family ? urls.rows(family.name, {...neighbours(family, key), limit: kAxisRows}) : null);
  const target = targetName({gfx: key['gfx'] ?? '', cu_num: Number(key['cu_num'] ?? 0)});
  const winner = shape.data?.measurements.find((it) => it.won);
  return (
    <>
      <ViewHead title={family ? `${family.name}, ${shapeText(family, key)}` : 'Shape'}>
        {family ? <>On <strong>{target}</strong>. <a href={hrefOf('results', {family: family.name, target, ...neighbours(family, {...key, gfx: '', cu_num: ''})})}>Rows of the same operation</a></> : 'One key: every measurement of it, and why its row won.'}
      </ViewHead>
      <With of={families} what="the families">
        {() => family ? <UnknownFilters names={filters.unknown} known={Object.keys(filters.defaults)} href={filters.href({})} /> : asked ? (
          <Unknown what="family" name={asked} choices={all.map((it) => ({text: it.name, href: hrefOf('results', {family: it.name})}))} />
        ) : (
          <Empty><p>No shape is named. <a href={hrefOf('results')}>Choose a row of the results.</a></p></Empty>
        )}
      </With>
      {family && (
        <With of={shape} what="the measurements">
          {(it) => (
            <>
              {it.measurements.length === 0 ? (
                <Empty><p><strong>Nothing was ever measured for this key.</strong></p></Empty>
              ) : winner ? <Winner shape={it} winner={winner} /> : <Empty><p>No measurement holds this key: none may be served.</p></Empty>}
              <Found family={family} at={key} />
              {it.measurements.length > 0 && <Measurements shape={it} />}
              {rows.data && <Along family={family} rows={rows.data} here={key} />}
              {it.history.length > 0 && <History shape={it} />}
            </>
          )}
        </With>
      )}
    </>
  );
}
