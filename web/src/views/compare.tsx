// What became slower, and what faster, between two runs or two environments.
import {urls, type Comparison, type ComparedKey, type Index, type Run} from '../api';
import {Select, TextFilter} from '../components/controls';
import {DataTable, type Sort, type TableColumn} from '../components/data_table';
import {Empty, UnknownFilters, With} from '../components/states';
import {ViewHead} from '../components/view_head';
import {shapeText} from '../family';
import {filtersOf, type Filters} from '../filters';
import {count, micros, percent, targetParts, times} from '../format';
import {useResource} from '../resource';
import {changeText, groupsOf, kChanges} from './compare_rows';
import {targetsOf} from './overview_rows';
import {originOf} from './runs_rows';

const kView = 'compare';
const kDefaults = {base: '', head: '', family: '', target: '', ratio: '', slack_us: '', ignore_below_us: '', change: '', sort: ''};
type Own = Filters<typeof kDefaults>;

function FilterBar({filters, index, runs}: {filters: Own; index: Index | undefined; runs: Run[]}) {
  const {values} = filters;
  const all = [{value: '', text: 'all'}];
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <datalist id="runs">{runs.map((it) => <option key={it.id} value={it.id}>{originOf(it)}</option>)}</datalist>
      <TextFilter label="Base" list="runs" value={values.base} placeholder="run 12 or rocm:6.4" onChange={(base, how) => filters.set({base}, how)} />
      <TextFilter label="Head" list="runs" value={values.head} placeholder="run 13 or rocm:7.0" onChange={(head, how) => filters.set({head}, how)} />
      <Select label="Family" value={values.family} options={[...all, ...(index?.families ?? []).map((it) => ({value: it.family, text: it.family}))]} onChange={(family) => filters.set({family})} />
      <Select label="Target" value={values.target} options={[...all, ...(index ? targetsOf(index) : []).map((it) => ({value: it, text: it}))]} onChange={(target) => filters.set({target})} />
      <TextFilter label="Slower above, ratio" numeric value={values.ratio} placeholder="1.005" onChange={(ratio, how) => filters.set({ratio}, how)} />
      <TextFilter label="plus, us" numeric value={values.slack_us} placeholder="0.5" onChange={(slack_us, how) => filters.set({slack_us}, how)} />
      <TextFilter label="Ignore below, us" numeric value={values.ignore_below_us} placeholder="4" onChange={(ignore_below_us, how) => filters.set({ignore_below_us}, how)} />
      <Select label="Show" value={values.change} options={[...all, ...kChanges.map((it) => ({value: it, text: changeText(it)}))]} onChange={(change) => filters.set({change})} />
    </form>
  );
}

function Summary({of}: {of: Comparison}) {
  return (
    <section>
      <h2>Summary</h2>
      <DataTable
        caption="Summary of the comparison"
        hideCaption
        columns={[
          {id: 'name', title: 'Keys', cell: (it) => it.name},
          {id: 'range', title: 'Range', numeric: true, cell: (it) => it.range},
          {id: 'mean', title: 'Mean', numeric: true, cell: (it) => (it.mean === null ? '\u2013' : percent(it.mean, 1))},
          {id: 'count', title: 'Count', numeric: true, cell: (it) => count(it.count)},
        ]}
        rows={groupsOf(of)}
        keyOf={(it) => it.name}
      />
      <p class="lead">
        Changes of time from base to head; less is faster. Geometric mean of the speed-ups: {times(of.geometric_mean_speedup)} over {count(of.compared)} keys that both sides have a time of.
        {of.same_versions && ' Both sides give the same versions.'}
      </p>
    </section>
  );
}

const kColumns: TableColumn<ComparedKey>[] = [
  {id: 'change', title: 'Change', cell: (it) => <span class={`change ${it.change}`}>{changeText(it.change)}</span>, sort: (it) => it.change},
  {id: 'target', title: 'Target', cell: (it) => it.target || '\u2013', sort: (it) => it.target},
  {id: 'shape', title: 'Shape', wide: true, cell: (it) => shapeText(undefined, it.shape)},
  {id: 'base', title: 'Base, us', numeric: true, cell: (it) => micros(it.base_us), sort: (it) => it.base_us ?? null},
  {id: 'head', title: 'Head, us', numeric: true, cell: (it) => micros(it.head_us), sort: (it) => it.head_us ?? null},
  {id: 'speedup', title: 'Speed-up', numeric: true, cell: (it) => times(it.speedup), sort: (it) => it.speedup ?? null},
  {id: 'kernel', title: 'Kernel in head', wide: true, cell: (it) => it.head_kernel ?? '\u2013'},
];

// "speedup" or "-speedup".
function sortOf(text: string): Sort | undefined {
  return text ? {by: text.replace(/^-/, ''), down: text.startsWith('-')} : undefined;
}

export function CompareView() {
  const filters = filtersOf(kView, kDefaults);
  const {values} = filters;
  const index = useResource<Index>(urls.index());
  const runs = useResource<{runs: Run[]}>(urls.runs({limit: 100}));
  const query = {base: values.base, head: values.head, family: values.family, ...targetParts(values.target), ratio: values.ratio, slack_us: values.slack_us, ignore_below_us: values.ignore_below_us};
  const asked = values.base !== '' && values.head !== '';
  const comparison = useResource<Comparison>(asked ? urls.compare(query) : null);
  return (
    <>
      <ViewHead title="Compare">Two runs, or the runs of two environments, key by key.</ViewHead>
      <UnknownFilters names={filters.unknown} known={Object.keys(kDefaults)} href={filters.href({})} />
      <FilterBar filters={filters} index={index.data} runs={runs.data?.runs ?? []} />
      {!asked && <Empty><p>Give a base and a head: run numbers (<code>12</code>, or several: <code>12,13</code>), or environments (<code>rocm:7.0.1,aiter:abc</code>) as the <a href="/ui/runs">runs</a> name them.</p></Empty>}
      {asked && (
        <With of={comparison} what="the comparison">
          {(it) => (
            <>
              <Summary of={it} />
              <section>
                <h2>Keys</h2>
                <p>
                  <a class="button" href={urls.compare({...query, format: 'csv'})} download="compare.csv">Download CSV</a>
                  {it.listed < Object.values(it.counts).reduce((sum, n) => sum + n, 0) && ` The worst ${count(it.listed)} are listed; the CSV has all.`}
                </p>
                <DataTable
                  caption="Compared keys"
                  hideCaption
                  columns={kColumns}
                  rows={it.shapes.filter((key) => values.change === '' || key.change === values.change)}
                  keyOf={(key) => `${key.target} ${JSON.stringify(key.shape)}`}
                  sort={sortOf(values.sort)}
                  onSort={(sort) => filters.set({sort: (sort.down ? '-' : '') + sort.by})}
                />
              </section>
            </>
          )}
        </With>
      )}
    </>
  );
}
