// One shape key: its measurements, the winner with the reason, and the earlier winners.
import type {Family, Lookup, Measurement, Rows, Run, Shape} from '../answers';
import {urls} from '../api';
import {CopyLine} from '../components/buttons';
import {DataTable} from '../components/data_table';
import {Chart} from '../components/plot';
import {Empty, Unknown, ViewHead, With} from '../components/view';
import {columnsOf, keyColumns, keyOf, shapeText} from '../family';
import {cellText, micros, percent, targetName, times} from '../format';
import {useFamilies, withProducts} from '../known';
import {filtersOf, hrefOf, type Values} from '../location';
import {useResource} from '../resource';
import {originOf} from './runs_rows';
import {Forest} from './shape_forest';
import {againOf, alongAxis, because, byTime, candidateText, defaultOf, foundText, intervalText, isWorthTuning,
  kernelsOf, pointsAt, remarkOf, resultOf, rooflineText, scaleOf, secondOf, sentenceOf, slowestOf, spreadOf}
  from './shape_story';

const kView = 'shape';
export const kAxisRows = 1000;
const kRuns = 100;

function RunLink({run, runs}: {run: number | undefined; runs: Run[]}) {
  if (!run) return <>{cellText(run)}</>;
  const known = runs.find((one) => one.id === run);
  return <><a href={hrefOf('runs', {run})}>{run}</a>{known && <small>{originOf(known)}</small>}</>;
}

function Interval({of}: {of: Measurement}) {
  const text = intervalText(of);
  return text ? <span class="interval"> ({text})</span> : null;
}

interface RivalProps {
  title: string;
  measurement: Measurement | undefined;
  winner: Measurement;
  none: string;
}

function Rival({title, measurement, winner, none}: RivalProps) {
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {measurement ? (
          <>
            <span class="figure">{micros(measurement.us)}</span> us<Interval of={measurement} />
            {measurement.us && winner.us ? `, ${times(measurement.us / winner.us)} the winner's` : ''};
            run <a href={hrefOf('runs', {run: measurement.run})}>{measurement.run}</a>
            <small>{candidateText(measurement)}</small>
          </>
        ) : none}
      </dd>
    </>
  );
}

function Rivals({shape, winner}: {shape: Shape; winner: Measurement}) {
  return (
    <dl class="facts rivals">
      <Rival title="Second" measurement={secondOf(shape.measurements, winner)} winner={winner}
        none="nothing else competes" />
      {!winner.baseline &&
        <Rival title="Default" measurement={defaultOf(shape.measurements, winner)} winner={winner}
          none="not measured: what tuning brought is not known" />}
    </dl>
  );
}

function Winner({shape, winner}: {shape: Shape; winner: Measurement}) {
  const roofline = slowestOf(shape.rooflines);
  const kernels = Object.entries(winner.candidate).filter(([, value]) => value.length > 24);
  const rest = Object.entries(winner.candidate).filter(([, value]) => value.length <= 24 && value !== '');
  return (
    <section class="winner">
      <h2>Why this row won</h2>
      <p class="because">{because(shape.measurements, winner)}</p>
      <Forest measurements={shape.measurements} winner={winner} />
      <dl class="facts">
        <dt>Time</dt>
        <dd class="figure">{micros(winner.us)} <small>us<Interval of={winner} /></small></dd>
        {roofline && <><dt>Share of the roofline</dt><dd>{rooflineText(roofline, winner.us)}</dd></>}
        <dt>Error ratio</dt>
        <dd>{winner.error === null ? 'not given' : percent(winner.error, 2)}</dd>
        {rest.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}=`}>{value}</dd>])}
        <dt>Run</dt>
        <dd><a href={hrefOf('runs', {run: winner.run})}>{winner.run}</a></dd>
      </dl>
      <Rivals shape={shape} winner={winner} />
      {kernels.map(([name, value]) => <p key={name} class="kernel"><span>{name}</span> <code>{value}</code></p>)}
    </section>
  );
}

const kWidth = 180, kHeight = 18, kEdge = 5;

// A measurement's samples as dots, and its time as a larger dot. All rows of a shape key share one scale.
function Spread({of, scale}: {of: Measurement; scale: [number, number] | null}) {
  const {samples, text} = spreadOf(of);
  if (!scale || !of.us) return null;  // a logarithmic scale has no 0
  const [low, high] = scale.map(Math.log) as [number, number];
  const x = (us: number) =>
    (high > low ? kEdge + ((Math.log(us) - low) / (high - low)) * (kWidth - 2 * kEdge) : kWidth / 2);
  return (
    <svg class={of.won ? 'dots won' : of.is_default ? 'dots default' : 'dots'} width={kWidth} height={kHeight}
      viewBox={`0 0 ${kWidth} ${kHeight}`} role="img" aria-label={text}>
      <line x1={kEdge} x2={kWidth - kEdge} y1={kHeight / 2} y2={kHeight / 2} />
      {samples.map((us, i) => <circle key={i} class="sample" cx={x(us)} cy={kHeight / 2} r="2.5" />)}
      <circle cx={x(of.us)} cy={kHeight / 2} r="4" />
    </svg>
  );
}

function Verdict({measurement}: {measurement: Measurement}) {
  if (measurement.won) return <strong class="good">won</strong>;
  return <span class={measurement.reverted ? 'bad' : 'faint'}>{resultOf(measurement)}</span>;
}

function Measurements({shape, runs}: {shape: Shape; runs: Run[]}) {
  const roofline = slowestOf(shape.rooflines);
  const scale = scaleOf(shape.measurements);
  const best = shape.measurements.find((measurement) => measurement.won)?.us ?? null;
  const sampled = shape.measurements.some(intervalText);
  return (
    <section>
      <h2>Every measurement</h2>
      <DataTable caption="Every measurement of this key" columns={(is) => [
        is.text('Result', (measurement) => <Verdict measurement={measurement} />, {by: resultOf}),
        is.number('us', (measurement) => micros(measurement.us)),
        ...(sampled ? [is.text('Interval', intervalText)] : []),
        is.text('Spread', (measurement) => <Spread of={measurement} scale={scale} />),
        is.number('To the winner', (measurement) => times(best && measurement.us ? measurement.us / best : null)),
        ...(roofline
          ? [is.number('Of the roofline', (measurement) =>
            percent(measurement.us ? roofline.us / measurement.us : null))] : []),
        is.number('Error', (measurement) => percent(measurement.error, 2)),
        is.text('Standing', (measurement) =>
          <span class={`standing ${measurement.standing}`}>
            {measurement.standing}{remarkOf(measurement) && <small>{remarkOf(measurement)}</small>}
          </span>),
        is.text('Provider', (measurement) => measurement.provider),
        is.text('Run', (measurement) =>
          <RunLink run={measurement.run} runs={runs} />, {by: (measurement) => measurement.run}),
        is.kernel('Candidate', candidateText),
      ]} rows={byTime(shape.measurements)} rowClass={(measurement) => (measurement.won ? 'won' : undefined)} />
    </section>
  );
}

function History({shape, runs}: {shape: Shape; runs: Run[]}) {
  const held =
    shape.history.map((held) => ({...held, by: shape.measurements.find((one) => one.id === held.measurement)}));
  return (
    <section>
      <h2>History over revisions</h2>
      <DataTable caption="What held this key over revisions" columns={(is) => [
        is.number('From revision', (held) => held.from_revision),
        is.number('To revision', (held) => held.to_revision ?? 'now'),
        is.number('us', (held) => micros(held.by?.us)),
        ...(held.some(({by}) => intervalText(by)) ? [is.text('Interval', (held) => intervalText(held.by))] : []),
        is.text('Run', (held) => <RunLink run={held.by?.run} runs={runs} />, {by: (held) => held.by?.run}),
        is.kernel('Held by', (held) => cellText(held.by && candidateText(held.by))),
      ]} rows={held} />
    </section>
  );
}

// The tuned times along the family's axis, and this shape key's other measurements.
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
        x: points.map((point) => point.x),
        xLabel: `${axis} (log)`,
        yLabel: 'us (log)',
        xLog: true,
        yLog: true,
        marks: [at],
        series: [
          {label: 'tuned', values: points.map((point) => point.tuned), color: 1},
          ...(points.length > tuned.length
            ? [{label: 'measured for this key', values: points.map((point) => point.measured), color: 2 as const,
              dots: true}] : []),
        ],
      }}
      table={
        <DataTable caption={`Tuned times over ${axis}`} titled columns={(is) => [
          is.number(axis, (point) =>
            <a href={hrefOf('shape', {family: family.name, ...keyOf(family, point.row)})}>{point.x}</a>),
          is.number('us', (point) => micros(point.us)),
          is.kernel('Kernel', (point) => kernelsOf(family, point.row)),
        ]} rows={tuned} />
      }
    />
  );
}

// Shows nothing unless the run names a tuner that can repeat the measurement.
function Again({family, at, winner, run}: {family: Family; at: Values; winner: Measurement; run: Run | undefined}) {
  const command = run && againOf(family.name, at, winner, run);
  if (!command) return null;
  const address = location.origin + urls.table(family.name, {...at, provider: winner.provider});
  return (
    <section>
      <h2>Measure it again</h2>
      <CopyLine label="fetch its row" text={`curl -fsS --compressed '${address}' -o row.csv`} />
      <CopyLine label="measure it" text={command} />
      {run.provenance['arguments'] &&
        <p class="lead">Its run was made with <code>{String(run.provenance['arguments'])}</code>.</p>}
    </section>
  );
}

// The row or kernel that AITER would use for the shape.
function Found({family, at}: {family: Family; at: Values}) {
  const shape =
    Object.fromEntries(columnsOf(family, 'engine', 'device', 'shape')
      .map((column) => [column.name, at[column.name] ?? '']));
  // If a family's files name a device, the shape key has no gfx, which GET /lookup needs.
  const lookup =
    useResource<Lookup>(at['gfx']
      ? urls.lookup(family.name, {gfx: at['gfx'], cu_num: at['cu_num'] === '0' ? '' : at['cu_num'], ...shape}) : null);
  const found = lookup.data;
  if (!found) return null;
  const row = found.row && keyOf(family, found.row);
  return (
    <section>
      <h2>What a lookup finds</h2>
      <p>{foundText(found)}</p>
      {row && found.step !== 'exact' &&
        <p><a href={hrefOf(kView, {family: family.name, ...row})}>{shapeText(family, row)}</a></p>}
      {isWorthTuning(found) && found.wanted &&
        <p class="lead">Worth tuning: {shapeText(family, found.wanted.to_tune)}.</p>}
    </section>
  );
}

// The filters that find the neighbours: the shape key without the axis.
function neighbours(family: Family, values: Values): Values {
  return Object.fromEntries(keyColumns(family)
    .map((column) => [column.name, column.name === family.heat_map.x ? '' : (values[column.name] ?? '')]));
}

// The family and the shape key in the address.
export function useKey() {
  const families = useFamilies();
  const all = families.data?.families ?? [];
  const asked = filtersOf(kView, {family: ''}).values.family;
  const family = all.find((family) => family.name === asked);
  const names = family ? keyColumns(family).map((column) => column.name) : [];
  const filters = filtersOf<Values>(kView, {family: '', ...Object.fromEntries(names.map((name) => [name, '']))});
  const key: Values = Object.fromEntries(names.map((name) => [name, filters.values[name] ?? '']));
  const target = targetName({gfx: key['gfx'] ?? '', cu_num: Number(key['cu_num'] ?? 0)});
  const title = family ? `${family.name}, ${shapeText(family, key)}` : 'Shape';
  return {families, all, asked, family, filters: family && filters, key, target, title};
}

export function ShapeView() {
  const {families, all, asked, family, filters, key, target, title} = useKey();
  const shape = useResource<Shape>(family ? urls.shape(family.name, {...key, allow_empty: 1}) : null);
  const rows =
    useResource<Rows>(family ? urls.rows(family.name, {...neighbours(family, key), limit: kAxisRows}) : null);
  const runs = useResource<{runs: Run[]}>(urls.runs({limit: kRuns})).data?.runs ?? [];
  const others = family && hrefOf('results',
    {family: family.name, target, ...neighbours(family, {...key, gfx: '', cu_num: ''})});
  const winner = shape.data?.measurements.find((measurement) => measurement.won);
  return (
    <>
      <ViewHead filters={filters} title={title}>
        {family ? (
          <>
            {target && <>On <strong>{withProducts(target)}</strong>. </>}
            <a href={others}>Rows of the same operation</a>
          </>
        ) : 'One shape key: all its measurements, and why its served row won.'}
      </ViewHead>
      <With of={families} what="the families">
        {() => family ? null : asked ? (
          <Unknown what="family" name={asked}
            choices={all.map((family) => ({text: family.name, href: hrefOf('results', {family: family.name})}))} />
        ) : (
          <Empty><p>No shape is named. <a href={hrefOf('results')}>Choose a row of the results.</a></p></Empty>
        )}
      </With>
      {family &&
        <With of={shape} what="the measurements">
          {(shape) =>
            <>
              {shape.measurements.length === 0 ? (
                <Empty><p><strong>Nothing was ever measured for this key.</strong></p></Empty>
              ) : winner ? <Winner shape={shape} winner={winner} />
                : <Empty><p>No measurement holds this key: none may be served.</p></Empty>}
              {rows.data && <Along family={family} rows={rows.data} shape={shape} here={key} />}
              <Found family={family} at={key} />
              {shape.measurements.length > 0 && <Measurements shape={shape} runs={runs} />}
              {winner &&
                <Again family={family} at={key} winner={winner} run={runs.find((one) => one.id === winner.run)} />}
              {shape.history.length > 0 && <History shape={shape} runs={runs} />}
            </>}
        </With>}
    </>
  );
}
