// The coverage, tuned rows and speed-ups of a model, a target or a family over time, with events.
import type {Trend, TrendEvent} from '../answers';
import {urls} from '../api';
import {Chart} from '../components/plot';
import {Controls, Select} from '../components/controls';
import {DataTable, type Columns} from '../components/data_table';
import {Empty, ViewHead, With} from '../components/view';
import {kExported} from '../exported/mode';
import {filtersOf, hrefOf} from '../location';
import {cellText, count, moment, percent, plural, targetParts, times} from '../format';
import {useChoices, withProducts} from '../known';
import {now, useResource} from '../resource';
import {ageText, dayText, drawn, kDayMs, kDaySteps, marksOf, overText, rowsOf, sentenceOf, shapesText, topOf,
  type TrendRow} from './trend_rows';

const kUsualDays = 90;
const kDays =
  ['30', '90', '366'].map((days) => ({value: days === String(kUsualDays) ? '' : days, text: `${days} days`}));

// A family has no coverage, a model no count of tuned shape keys.
const columnsFor = (trend: Trend): Columns<TrendRow> => (is) => [
  is.time('When (UTC)', (row) => moment(new Date(row.at).toISOString())),
  is.text('Point', (row) => row.what),
  is.number('Revision', (row) => count(row.revision)),
  ...(trend.now.shapes === undefined ? [] : [
    is.number('Covered', (row) => <strong>{percent(row.covered, 1)}</strong>),
    is.number('Shapes found', shapesText),
    is.number('Unmeasured', (row) => count(row.unmeasured ?? 0)),
    is.number('Missing', (row) => count(row.missing ?? 0)),
  ]),
  ...(trend.now.tuned === undefined ? [] : [
    is.number('Tuned keys', (row) => count(row.tuned ?? 0)),
    is.number('Over default', overText),
    is.number('Median age', ageText),
  ]),
];

function Events({of, most}: {of: TrendEvent[]; most: number}) {
  if (of.length === 0) return null;
  return (
    <section>
      <h2>What happened</h2>
      <DataTable caption="Imports, reverts and toolchains" columns={(is) => [
        is.time('When (UTC)', (event) => moment(event.at)),
        is.text('Kind', (event) => event.kind),
        is.wide('What', (event) => event.text),
        is.number('Revision', (event) => cellText(event.revision)),
        is.text('Run',
          (event) => (event.run ? <a href={hrefOf('runs', {run: event.run})}>{event.run}</a> : cellText(''))),
      ]} rows={[...of].reverse()} />
      <p class="legend">
        An upright line of the chart is one of these; the newest {count(most)} of a kind are listed. Toolchain: the
        first run of this gfx that said another version.
      </p>
    </section>
  );
}

function Course({of, rows, name, what}: {of: Trend; rows: TrendRow[]; name: string;
    what: 'covered' | 'tuned' | 'speedup'}) {
  const at = now.peek();
  const shown = drawn(rows, of.days, at);
  const first = shown[0]?.at ?? at;
  const titles = {covered: `Work that finds a tuned row: ${name}`, tuned: `Tuned keys: ${name}`,
    speedup: `Tuned over default: ${name}`};
  const values = shown.map((row) => (what === 'covered' ? (row.covered ?? 0) * 100 : (row[what] ?? null)));
  const summary = what === 'speedup' ? `${overText(of.now)} now, by keys whose default was measured too.`
    : sentenceOf(rows, of.days, what === 'covered');
  return (
    <Chart
      title={titles[what]}
      summary={summary}
      drawing={{
        kind: 'lines',
        x: shown.map((row) => row.at),
        xLabel: 'day',
        yLabel: {covered: '%', tuned: 'keys', speedup: '\u00d7'}[what],
        xText: dayText,
        xSteps: kDaySteps,
        xRange: [first === at ? at - kDayMs : first, at],
        ...(what === 'covered' && {yRange: [0, topOf(values)]}),
        marks: marksOf(of.events),
        series: [{label: what, values, color: what === 'speedup' ? 2 : 1, steps: true}],
      }}
      table={
        <DataTable
          caption={titles[what]}
          titled
          columns={(is) => [is.time('When (UTC)', (row) => moment(new Date(row.at).toISOString())),
            is.number(what,
              (row) => (what === 'covered' ? percent(row.covered, 1)
                : what === 'tuned' ? count(row.tuned ?? 0) : times(row.speedup)))]}
          rows={rows}
        />
      }
    />
  );
}

function Answer({of, name}: {of: Trend; name: string}) {
  const rows = rowsOf(of, now.value);
  const filled = of.points.filter((point) => point.filled_in).length;
  if (of.points.length === 0 && !of.now.shapes && !of.now.tuned) return <Empty>
    <p>Nothing is known of {name}: it has no rows, and nothing asks it.</p>
  </Empty>;
  return (
    <>
      <p class="lead">
        {plural(of.points.length, 'point')}
        {of.points.length === 0 && ': the first is made after an import, a revert, or at the end of a day'}.
      </p>
      {of.now.shapes !== undefined && <Course of={of} rows={rows} name={name} what="covered" />}
      {of.now.shapes === undefined && <Course of={of} rows={rows} name={name} what="tuned" />}
      {rows.some((row) => row.speedup) &&
        <Course of={of} rows={rows.filter((row) => row.speedup)} name={name} what="speedup" />}
      <section>
        <h2>Point by point</h2>
        <DataTable caption="Points" columns={columnsFor(of)} rows={[...rows].reverse()} />
        <p class="legend">
          A point is made after each import and revert, and of the last revision of each day; until the next one all
          stays as it is. The first may be of before these days.
          {of.left_out > 0 && ` Older points left out: ${count(of.left_out)}.`}
          {filled > 0 &&
            ` Filled in (${count(filled)}): made afterwards from the history, by the models and families of then.`}
        </p>
        <details class="formula">
          <summary>How these are computed</summary>
          <p>
            Covered is as in the overview, but each model is split over the largest of 8, 4, 2 and 1 GPUs that it can
            be.
            Over default: the geometric mean over tuned keys whose default was measured too, as of the family's last
            revision. Median age: since when half of the tuned rows are served as they are.
          </p>
        </details>
      </section>
      <Events of={of.events} most={of.most_events} />
    </>
  );
}

export function TrendsView() {
  const filters = filtersOf('trends', {target: '', model: '', family: '', days: ''});
  const {model, family, days} = filters.values;
  const {index, names, families, ...choices} = useChoices();
  const targets = choices.targets.filter(({value}) => targetParts(value).cu_num !== '');
  const target = filters.values.target || targets[0]?.value || '';
  const trend =
    useResource<Trend>(target
      ? urls.trends({...targetParts(target), model, family: model ? '' : family, days: kExported ? '' : days}) : null);
  const name = `${model || family || 'all models'} on ${withProducts(target)}`;
  return (
    <>
      <ViewHead title="Trends" filters={filters}>
        Whether a model, a GPU or a family is served better than it was.
      </ViewHead>
      <Controls>
        <Select of={filters} name="target" label="Target" value={target} options={targets} />
        <Select of={filters} name="model" label="Model" all options={names}
          onChange={(name) => filters.set({model: name, family: ''})} />
        <Select of={filters} name="family" label="or family" all options={families}
          onChange={(name) => filters.set({family: name, model: ''})} />
        {kExported || <Select of={filters} name="days" label="Days" options={kDays} />}
      </Controls>
      {target !== '' && <With of={trend} what="the course">{(trend) => <Answer of={trend} name={name} />}</With>}
      {index.data && targets.length === 0 && <Empty><p>The registry is empty: nothing has a course yet.</p></Empty>}
    </>
  );
}
