// Compares the times of two runs or two environments.
import type {ComparedKey, Comparison, Run} from '../answers';
import {urls} from '../api';
import {Controls, Select, TextFilter} from '../components/controls';
import {DataTable, kPage, offsetOf, PageLinks, type Columns} from '../components/data_table';
import {Empty, ViewHead, With} from '../components/view';
import {shapeText} from '../family';
import {filtersOf, type Filters} from '../location';
import {cellText, count, micros, targetParts, times} from '../format';
import {familyNames, targetOptions, useIndex} from '../known';
import {useResource} from '../resource';
import {changeText, environmentsText, groupsOf, kChanges, sideText} from './compare_rows';
import {originOf} from './runs_rows';

const kView = 'compare';
const kDefaults = {base: '', head: '', family: '', target: '', ratio: '', slack_us: '', ignore_below_us: '', change: '',
  sort: '', page: ''};

type CompareFilters = Filters<typeof kDefaults>;

function FilterBar({filters, runs}: {filters: Filters; runs: Run[]}) {
  const index = useIndex().data;
  return (
    <Controls>
      <datalist id="runs">{runs.map((run) => <option key={run.id} value={run.id}>{originOf(run)}</option>)}</datalist>
      <TextFilter of={filters} name="base" label="Base" list="runs" placeholder="run 12 or rocm:6.4" />
      <TextFilter of={filters} name="head" label="Head" list="runs" placeholder="run 13 or rocm:7.0" />
      <Select of={filters} name="family" label="Family" all options={familyNames(index)} />
      <Select of={filters} name="target" label="Target" all options={targetOptions(index)} />
      <TextFilter of={filters} name="ratio" label="Slower above, ratio" numeric placeholder="1.005" />
      <TextFilter of={filters} name="slack_us" label="plus, us" numeric placeholder="0.5" />
      <TextFilter of={filters} name="ignore_below_us" label="Ignore below, us" numeric placeholder="4" />
      <Select of={filters} name="change" label="Show" all
        options={kChanges.map((change) => ({value: change, text: changeText(change)}))} />
    </Controls>
  );
}

function Summary({of, filters}: {of: Comparison; filters: CompareFilters}) {
  return (
    <section>
      <h2>Summary</h2>
      <DataTable caption="Summary of the comparison" fixed columns={(is) => [
        is.text('Keys', (group) => <a href={filters.href({change: group.change})}>{group.name}</a>),
        is.number('Count', (group) => count(group.count)),
        is.number('Mean', (group) => group.mean),
        is.number('Range', (group) => group.range),
      ]} rows={groupsOf(of)} />
      <p class="legend">
        Change of time from base to head: less is faster. Means are geometric, over every key; the head
        is {times(of.geometric_mean_speedup)} as fast.
      </p>
      <dl class="facts">
        <dt>Base</dt><dd>{sideText(of.base)}</dd>
        <dt>Head</dt><dd>{sideText(of.head)}</dd>
        <dt>Environments</dt><dd>{environmentsText(of)}</dd>
      </dl>
    </section>
  );
}

const columns: Columns<ComparedKey> = (is) => [
  is.text('Change', (key) => changeText(key.change), {id: 'change'}),
  is.name('Target', (key) => cellText(key.target), {id: 'target'}),
  is.wide('Shape', (key) => shapeText(undefined, key.shape)),
  is.number('Base, us', (key) => micros(key.base_us), {id: 'base'}),
  is.number('Head, us', (key) => micros(key.head_us), {id: 'head'}),
  is.number('Speed-up', (key) => times(key.speedup), {id: 'speedup'}),
  is.kernel('Kernel',
    ({base_kernel: before, head_kernel: now}) => [cellText(now ?? before),
      now && before && now !== before && <small>before: {before}</small>]),
];

function Keys({of, filters, csv}: {of: Comparison; filters: CompareFilters; csv: string}) {
  const {change} = filters.values;
  return (
    <section>
      <h2>Keys: {count(of.matching)} {changeText(change)}</h2>
      <p><a class="button" href={csv} download="compare.csv">Download CSV</a></p>
      <DataTable caption="Compared keys" columns={columns} rows={of.shapes} rowClass={(key) => key.change}
        sort={filters.values.sort} onSort={(sort) => filters.set({sort})} />
      <PageLinks caption="Pages: Compared keys" filters={filters} of={of.matching} shown={of.listed} />
    </section>
  );
}

export function CompareView() {
  const filters = filtersOf(kView, kDefaults);
  const {target, page, ...limits} = filters.values;
  const runs = useResource<{runs: Run[]}>(urls.runs({limit: 100}));
  const query = {...limits, ...targetParts(target)};
  const asked = query.base !== '' && query.head !== '';
  const comparison =
    useResource<Comparison>(asked ? urls.compare({...query, offset: offsetOf({page}), limit: kPage}) : null);
  return (
    <>
      <ViewHead title="Compare" filters={filters}>Two runs, or the runs of two environments, key by key.</ViewHead>
      <FilterBar filters={filters} runs={runs.data?.runs ?? []} />
      {asked ? (
        <With of={comparison} what="the comparison">
          {(comparison) =>
            <>
              <Summary of={comparison} filters={filters} />
              <Keys of={comparison} filters={filters} csv={urls.compare({...query, format: 'csv'})} />
            </>}
        </With>
      ) : (
        <Empty>
          <p>
            Give a base and a head: <a href="/ui/runs">runs</a> (<code>12</code> or <code>12,13</code>), or their
            environments (<code>rocm:7.0.1,aiter:abc</code>).
          </p>
        </Empty>
      )}
    </>
  );
}
