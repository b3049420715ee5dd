// One shape key: the served row and how sure it is, its neighbours, every measurement, and the earlier winners.
import type {Family, Lookup, Measurement, Rows, Run, Shape} from '../answers';
import {urls} from '../api';
import {Action, CopyLine} from '../components/buttons';
import {DataTable} from '../components/data_table';
import {Empty, Unknown, ViewHead, With} from '../components/view';
import {useContext} from '../context';
import {columnsOf, keyColumns, keyOf, shapeText} from '../family';
import {cellText, micros, percent, targetName, times} from '../format';
import {useFamilies, withProducts} from '../known';
import {columnName, columnNames, filtersOf, hrefOf, place, type Values} from '../location';
import {nearest} from '../nearest';
import {useResource} from '../resource';
import {planOne} from './missed';
import {originOf} from './runs_rows';
import {Curve} from './shape_curve';
import {Forest} from './shape_forest';
import {againOf, because, byTime, candidateText, defaultOf, foundText, intervalText, isWorthTuning, kernelsOf, nearOf,
  rooflineOf, standingText} from './shape_story';

const kView = 'shape';
const kRuns = 100;

function RunLink({run, runs = []}: {run: number | undefined; runs?: Run[]}) {
  if (!run) return <>{cellText(run)}</>;
  const known = runs.find((one) => one.id === run);
  return <><a href={hrefOf('changes', {run})}>{run}</a>{known && <small>{originOf(known)}</small>}</>;
}

const bracketed = (text: string) => text && ` (${text})`;

type Roofline = ReturnType<typeof rooflineOf>;

function Winner({shape, winner, roofline}: {shape: Shape; winner: Measurement; roofline: Roofline}) {
  const [verdict, reason] = because(shape.measurements, winner);
  const usual = winner.baseline ? undefined : defaultOf(shape.measurements, winner);
  const gain = usual?.us && winner.us ? ` takes ${times(usual.us / winner.us)} as long` : '';
  return (
    <section class="winner">
      <h2>Served row</h2>
      <p class="answer">
        <strong>{micros(winner.us)} us</strong>{bracketed(intervalText(winner))}
        {roofline && winner.us && <>, {percent(roofline.us / winner.us)} of the roofline of {roofline.product}</>}
      </p>
      <p class="because"><strong>{verdict}</strong>: {reason}.</p>
      <Forest measurements={shape.measurements} winner={winner} />
      <dl class="facts">
        {Object.entries(winner.candidate).filter(([, value]) => value !== '').map(([name, value]) =>
          [<dt key={name}>{name}</dt>, <dd key={`${name}=`}>{value.length > 24 ? <code>{value}</code> : value}</dd>])}
        {roofline && <><dt>Roofline</dt><dd>{micros(roofline.us)} us, by {roofline.bound}</dd></>}
        <dt>Default</dt>
        <dd>
          {winner.baseline ? 'is served' : !usual ? 'not measured, so the speed-up is not known'
            : <>{micros(usual.us)} us{bracketed(intervalText(usual))}{gain}, run <RunLink run={usual.run} /></>}
        </dd>
        <dt>Error ratio</dt>
        <dd>{winner.error === null ? 'not given' : percent(winner.error, 2)}</dd>
        <dt>Run</dt>
        <dd><RunLink run={winner.run} /></dd>
      </dl>
    </section>
  );
}

function Measurements({shape, runs, roofline}: {shape: Shape; runs: Run[]; roofline: Roofline}) {
  const best = shape.measurements.find((measurement) => measurement.won)?.us ?? null;
  const sampled = shape.measurements.some(intervalText);
  return (
    <section>
      <h2>Every measurement</h2>
      <DataTable caption="Every measurement of this shape" columns={(is) => [
        is.number('us', (of) => micros(of.us)),
        ...(sampled ? [is.text('Interval', intervalText)] : []),
        is.number('Relative', (of) => times(best && of.us ? of.us / best : null)),
        ...(roofline ? [is.number('Roofline share', (of: Measurement) => percent(of.us ? roofline.us / of.us : null))] : []),
        is.number('Error', (of) => percent(of.error, 2)),
        is.name('Counts as', (of) =>
          <span class={of.won ? 'good' : `standing ${of.standing}`}>
            {standingText(of)}
            {of.is_default && ', the default'}{of.reason && <small>{of.reason}</small>}
          </span>),
        is.text('Provider', (of) => of.provider),
        is.text('Run', (of) => <RunLink run={of.run} runs={runs} />, {by: (of) => of.run}),
        is.kernel('Candidate', candidateText),
      ]} rows={byTime(shape.measurements)} rowClass={(of) => (of.won ? 'won' : undefined)} />
    </section>
  );
}

function History({shape, runs}: {shape: Shape; runs: Run[]}) {
  const held =
    shape.history.map((held) => ({...held, by: shape.measurements.find((one) => one.id === held.measurement)}));
  return (
    <section>
      <h2>Served over revisions</h2>
      <DataTable caption="Rows that were served, by revision" columns={(is) => [
        is.number('From revision', (held) => held.from_revision),
        is.number('To revision', (held) => held.to_revision ?? 'now'),
        is.number('us', (held) => micros(held.by?.us)),
        ...(held.some(({by}) => intervalText(by)) ? [is.text('Interval', (held) => intervalText(held.by))] : []),
        is.text('Run', (held) => <RunLink run={held.by?.run} runs={runs} />, {by: (held) => held.by?.run}),
        is.kernel('Candidate', (held) => cellText(held.by && candidateText(held.by))),
      ]} rows={held} />
    </section>
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

// The rows that lookups of this shape and of near values of the axis find.
function Lookups({family, at}: {family: Family; at: Values}) {
  const axis = family.heat_map.x, here = Number(at[axis]), time = columnsOf(family, 'objective')[0]?.name ?? '';
  const shape = Object.fromEntries(columnsOf(family, 'engine', 'device', 'shape').map(({name}) => [name, at[name] ?? '']));
  // If a family's files name a device, the shape key has no gfx, which GET /lookup needs.
  const path = (m: number) => (!at['gfx'] || !(m > 0) ? null
    : urls.lookup(family.name, {gfx: at['gfx'], cu_num: at['cu_num'] === '0' ? '' : at['cu_num'], ...shape, [axis]: m}));
  const rows = nearOf(here).map((m) => ({m, found: useResource<Lookup>(path(m)).data}))
    .flatMap(({m, found}, i, all) => (found && all.findIndex((one) => one.m === m) === i ? [{m, found}] : []));
  const own = rows.find(({m}) => m === here)?.found;
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>Lookups near this {axis}</h2>
      {own?.wanted && isWorthTuning(own) &&
        <>
          <p>This shape is not tuned. The lookup asks for {shapeText(family, own.wanted.to_tune)}.</p>
          {Number(at['cu_num']) > 0 &&
            <div class="filters">
              <Action label="Plan a job" act={() =>
                planOne(at['gfx']!, Number(at['cu_num']), family.name, {...own.wanted!.to_tune, count: 1})} />
            </div>}
        </>}
      <DataTable caption={`Lookups near this ${axis}`} fixed columns={(is) => [
        is.number(`Lookup of ${axis}`, ({m}) => m),
        is.number(`Finds ${axis}`, ({found: {row}}) => (row
          ? <a href={hrefOf(kView, {family: family.name, ...keyOf(family, row)})}>{cellText(row[axis])}</a>
          : cellText(''))),
        is.number('us', ({found: {row}}) => micros(row && Number(row[time]))),
        is.name('How', ({found}) => foundText(found)),
        is.kernel('Kernel', ({found: {row}}) => (row ? kernelsOf(family, row) : cellText(''))),
      ]} rows={rows} rowClass={({m}) => (m === here ? 'won' : undefined)} />
    </section>
  );
}

// The filters that find the neighbours: the shape key without the axis.
const neighbours = (family: Family, key: Values): Values => ({...key, [family.heat_map.x]: ''});

// The family and the shape key in the address.
export function useKey() {
  const families = useFamilies(), context = useContext();
  const all = families.data?.families ?? [];
  const asked = filtersOf(kView, {family: ''}).values.family;
  const family = all.find((family) => family.name === asked);
  const names = family ? keyColumns(family).map((column) => column.name) : [];
  const filters =
    filtersOf<Values>(kView, {family: '', ...Object.fromEntries(names.map((name) => [columnName(name), '']))});
  const key: Values = Object.fromEntries(names.map((name) => [name, filters.values[columnName(name)] ?? '']));
  const target = targetName({gfx: key['gfx'] ?? '', cu_num: Number(key['cu_num'] ?? 0)});
  const title = family ? `${family.name}, ${shapeText(family, key)}` : 'Shape';
  const others = hrefOf('kernels', {...columnNames(family ? neighbours(family, key) : {}), gfx: '', cu_num: '', family: asked,
    ...(target && target !== context?.target && {device: target})});
  return {families, all, asked, family, filters: family && filters, key, title, lead: family && (
    <>
      {family.title}{target && <> on <strong>{withProducts(target)}</strong></>}.
      {' '}<a href={others}>Rows of the same operation</a>
    </>
  )};
}

// No family in the address, or an unknown one.
export function NoFamily({of: {families, all, asked}}: {of: ReturnType<typeof useKey>}) {
  return (
    <With of={families} what="the families">
      {() => (asked ? (
        <Unknown what="family" name={asked} choices={nearest(asked, all.map((family) => family.name))
          .map((text) => ({text, href: hrefOf('kernels', {family: text})}))} />
      ) : (
        <Empty><p>The address names no shape. <a href={hrefOf('kernels')}>Choose one of the kernels' rows.</a></p></Empty>
      ))}
    </With>
  );
}

export function ShapePlace() {
  const its = useKey(), {family, key} = its, product = new URLSearchParams(place.value.query).get('device');
  const shape = useResource<Shape>(family ? urls.shape(family.name, {...key, allow_empty: 1}) : null);
  const rows =
    useResource<Rows>(family ? urls.allRows(family.name, neighbours(family, key)) : null).data;
  const runs = useResource<{runs: Run[]}>(urls.runs({limit: kRuns})).data?.runs ?? [];
  return (
    <>
      <ViewHead filters={its.filters} title={its.title}>{its.lead}</ViewHead>
      {!family ? <NoFamily of={its} /> : (
        <With of={shape} what="the measurements">
          {(shape) => {
            const winner = shape.measurements.find((measurement) => measurement.won);
            const run = runs.find((one) => one.id === winner?.run), roofline = rooflineOf(shape.rooflines, product);
            return (
              <>
                {winner ? <Winner shape={shape} winner={winner} roofline={roofline} /> : (
                  <Empty>
                    <p><strong>{shape.measurements.length === 0 ? 'Nobody has measured this shape.'
                      : 'No row is served: no measurement of this shape may win.'}</strong></p>
                  </Empty>
                )}
                {rows && <Curve family={family} rows={rows} at={Number(key[family.heat_map.x])} />}
                <Lookups family={family} at={key} />
                {shape.measurements.length > 0 && <Measurements shape={shape} runs={runs} roofline={roofline} />}
                {shape.history.length > 0 && <History shape={shape} runs={runs} />}
                {winner && <Again family={family} at={key} winner={winner} run={run} />}
              </>
            );
          }}
        </With>
      )}
    </>
  );
}
