// What tuning is worth, by measurements alone.
import {urls, type Index, type Speedups, type SpeedupSummary, type Spread} from '../api';
import {Chart} from '../components/chart';
import {Select} from '../components/controls';
import {DataTable, type TableColumn} from '../components/data_table';
import {Empty, UnknownFilters, With} from '../components/states';
import {ViewHead} from '../components/view_head';
import {parseCsv, type CsvRecord} from '../csv';
import {filtersOf} from '../filters';
import {count, micros, percent, plural, targetParts, times} from '../format';
import {useResource} from '../resource';
import {targetsOf} from './overview_rows';
import {binText, extremes, kSides, sentenceOf} from './speedups_rows';

const kView = 'speedups';
const kDefaults = {target: '', family: '', model: ''};
const kListed = 10;

function Sides({of}: {of: Speedups}) {
  const columns: TableColumn<(typeof kSides)[number]>[] = [
    {id: 'side', title: 'Comparison', cell: (it) => it.title},
    {id: 'keys', title: 'Keys', numeric: true, cell: (it) => count(it.of(of).keys)},
    {id: 'mean', title: 'Geometric mean', numeric: true, cell: (it) => <strong>{times(it.of(of).geometric_mean)}</strong>},
    {id: 'median', title: 'Median', numeric: true, cell: (it) => times(it.of(of).median)},
    {id: 'above', title: 'Above 2\u00d7', numeric: true, cell: (it) => percent(it.of(of).above_2x)},
    {id: 'worst', title: 'Worst', numeric: true, cell: (it) => times(it.of(of).worst)},
  ];
  return <DataTable caption="Tuned, heuristic and default" hideCaption columns={columns} rows={kSides} keyOf={(it) => it.title} />;
}

function Histogram({spread, target}: {spread: Spread; target: string}) {
  const bins = spread.histogram ?? [];
  return (
    <Chart
      title={`Tuned over default${target ? ` on ${target}` : ''}`}
      summary={sentenceOf(spread)}
      drawing={{
        kind: 'bars',
        x: bins.map((it) => (it.log2_from + it.log2_to) / 2),
        xLabel: 'speed-up (log)',
        yLabel: 'keys',
        xText: (log2) => `${Number((2 ** log2).toPrecision(2))}\u00d7`,
        mark: 0,
        series: [{label: 'keys', values: bins.map((it) => it.keys), color: 1}],
      }}
      table={
        <DataTable
          caption="Keys by speed-up"
          columns={[
            {id: 'bin', title: 'Speed-up', numeric: true, cell: binText},
            {id: 'keys', title: 'Keys', numeric: true, cell: (it) => count(it.keys)},
          ]}
          rows={bins}
          keyOf={(it) => it.log2_from}
        />
      }
    />
  );
}

type Part = SpeedupSummary & {name: string};

function By({title, parts}: {title: string; parts: Part[]}) {
  const columns: TableColumn<Part>[] = [
    {id: 'name', title, cell: (it) => it.name},
    {id: 'keys', title: 'Keys with a default', numeric: true, cell: (it) => count(it.tuned_over_default.keys)},
    {id: 'mean', title: 'Tuned / default', numeric: true, cell: (it) => times(it.tuned_over_default.geometric_mean)},
    {id: 'above', title: 'Above 2\u00d7', numeric: true, cell: (it) => percent(it.tuned_over_default.above_2x)},
    {id: 'heuristic', title: 'Heuristic / default', numeric: true, cell: (it) => times(it.heuristic_over_default.geometric_mean)},
    {id: 'over', title: 'Tuned / heuristic', numeric: true, cell: (it) => times(it.tuned_over_heuristic.geometric_mean)},
  ];
  return (
    <section>
      <h2>By {title}</h2>
      <DataTable caption={`Speed-up by ${title}`} hideCaption columns={columns} rows={parts} keyOf={(it) => it.name} />
    </section>
  );
}

function Extremes({query}: {query: Record<string, string>}) {
  const csv = useResource<string>(urls.speedups({...query, format: 'csv'}));
  const columns: TableColumn<CsvRecord>[] = [
    {id: 'speedup', title: 'Speed-up', numeric: true, cell: (it) => times(Number(it['tuned_over_default']))},
    {id: 'default', title: 'Default, us', numeric: true, cell: (it) => micros(Number(it['default_us']))},
    {id: 'heuristic', title: 'Heuristic, us', numeric: true, cell: (it) => micros(it['heuristic_us'] ? Number(it['heuristic_us']) : null)},
    {id: 'tuned', title: 'Tuned, us', numeric: true, cell: (it) => micros(Number(it['tuned_us']))},
    {id: 'family', title: 'Family', cell: (it) => it['family']},
    {id: 'target', title: 'Target', cell: (it) => it['target']},
    {id: 'shape', title: 'Shape', wide: true, cell: (it) => it['shape']},
  ];
  return (
    <With of={csv} what="the keys">
      {(text) => {
        const {best, worst} = extremes(typeof text === 'string' ? parseCsv(text) : [], kListed);
        return ([['Best', best], ['Worst', worst]] as const).map(([title, rows]) => (
          <section key={title}>
            <h2>{title}</h2>
            <DataTable caption={`${title} speed-ups`} hideCaption columns={columns} rows={rows} keyOf={(it) => `${it['family']} ${it['target']} ${it['shape']} ${it['campaign']}`} />
          </section>
        ));
      }}
    </With>
  );
}

function Answer({of, target, query}: {of: Speedups; target: string; query: Record<string, string>}) {
  const spread = of.tuned_over_default;
  const without = of.without_default + of.tuned_alone;
  const none = without > 0 && (
    <p class="notice">No baseline measured ({count(without)}): {without === 1 ? 'this tuned key has' : 'these tuned keys have'} a winner but no time of what would run without it. {without === 1 ? 'It is' : 'They are'} left out, not guessed.</p>
  );
  if (spread.keys === 0 && of.tuned_over_heuristic.keys === 0) {
    return (
      <>
        {none}
        <Empty>
          <p><strong>No baseline is measured here.</strong> Imported tables hold winners only. Measure both sides of tuned shapes:</p>
          <pre>tunehub-agent bench --before -i untuned.csv --family FAMILY -o before.csv --hub {location.origin}</pre>
        </Empty>
      </>
    );
  }
  return (
    <>
      {none}
      <Sides of={of} />
      {spread.keys > 0 && <Histogram spread={spread} target={target} />}
      <By title="M" parts={of.by.m_bucket.map((it) => ({...it, name: it.m_from === it.m_to ? `${it.m_from}` : `${it.m_from}\u2013${it.m_to}`}))} />
      {(['family', 'target', 'model'] as const).map((name) => of.by[name].length > 1 && <By key={name} title={name} parts={of.by[name]} />)}
      <Extremes query={query} />
    </>
  );
}

export function SpeedupsView() {
  const filters = filtersOf(kView, kDefaults);
  const {target, family, model} = filters.values;
  const index = useResource<Index>(urls.index());
  const models = useResource<{models: {model: string}[]}>(urls.models());
  const query = {...targetParts(target), family, model};
  const speedups = useResource<Speedups>(urls.speedups(query));
  const all = [{value: '', text: 'all'}];
  return (
    <>
      <ViewHead title="Speedups">How many times faster the tuned kernel is than what would run without it. Only keys of which both sides were measured count.</ViewHead>
      <UnknownFilters names={filters.unknown} known={Object.keys(kDefaults)} href={filters.href({})} />
      <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <Select label="Target" value={target} options={[...all, ...(index.data ? targetsOf(index.data) : []).map((it) => ({value: it, text: it}))]} onChange={(it) => filters.set({target: it})} />
        <Select label="Family" value={family} options={[...all, ...(index.data?.families ?? []).map((it) => ({value: it.family, text: it.family}))]} onChange={(it) => filters.set({family: it})} />
        <Select label="Model" value={model} options={[...all, ...(models.data?.models ?? []).map((it) => ({value: it.model, text: it.model}))]} onChange={(it) => filters.set({model: it})} />
      </form>
      <With of={speedups} what="the speed-ups">
        {(it) => (
          <>
            <p class="lead">{plural(it.tuned_over_default.keys, 'key')} with a measured default at revision {it.revision}.</p>
            <Answer of={it} target={target || (it.by.target.length === 1 ? (it.by.target[0]?.name ?? '') : '')} query={query} />
          </>
        )}
      </With>
    </>
  );
}
