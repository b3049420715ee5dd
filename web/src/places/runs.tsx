// The list of runs, and the choice of runs to compare.
import type {Run} from '../answers';
import {urls} from '../api';
import {DataTable} from '../components/data_table';
import {Empty, ViewHead, With} from '../components/view';
import {cellText, count, moment} from '../format';
import {hrefOf} from '../location';
import {useResource} from '../resource';
import type {ChangesFilters} from './changes';
import {fromText, productOf, replacedBy, sidesOf, stateOf, toolchainOf} from './runs_rows';

const kAsked = 200;  // runs per page; sorts and filters apply only to these runs
const kTones = {reverted: 'bad', active: 'good', replaced: 'faint'};

export function RunState({run, all = []}: {run: Run; all?: Run[]}) {
  const state = stateOf(run), by = replacedBy(run, all), again = by?.repeats ? by.rows - by.stored : 0;
  return <>
    <span class={kTones[state]}>{state}{state === 'replaced' && ` by ${by ? `run ${by.id}` : 'a newer import'}`}</span>
    {by && again > 0 && <small>which repeats {count(again)} rows</small>}
  </>;
}

const chosenIn = ({values}: ChangesFilters): number[] => values.chosen.split(',').map(Number).filter((id) => id > 0);

// The address contains the chosen runs.
function choose(filters: ChangesFilters, id: number, on: boolean) {
  const ids = chosenIn(filters).filter((one) => one !== id);
  filters.set({chosen: [...ids, ...(on ? [id] : [])].join(','), before: filters.values.before}, 'replace');
}

function Chosen({filters}: {filters: ChangesFilters}) {
  const sides = sidesOf(chosenIn(filters));
  return (
    <p class="buttons" role="status">
      {sides ? <a class="button primary" href={hrefOf('changes', {from: `run:${sides.base}`, to: `run:${sides.head}`})}>
        Compare run {sides.base} with {sides.head}
      </a> : <span class="faint">Choose two runs or more to compare them.</span>}
    </p>
  );
}

const familiesText = ({families = []}: Run): string =>
  (families.length > 3 ? `${count(families.length)} families` : families.join(', '));

function Runs({runs, older, filters}: {runs: Run[]; older: string | undefined; filters: ChangesFilters}) {
  if (runs.length === 0) return <Empty><p>No run is recorded yet. An import or an agent makes the first.</p></Empty>;
  const {chosen, before} = filters.values;
  return (
    <>
      <Chosen filters={filters} />
      <DataTable caption="Runs" columns={(is) => [
        is.text('Compare', (run) =>
          <input type="checkbox" aria-label={`Compare run ${run.id}`} checked={chosenIn(filters).includes(run.id)}
            onChange={(event) => choose(filters, run.id, event.currentTarget.checked)} />),
        is.number('Run', (run) => <a href={hrefOf('changes', {run: run.id})}>{run.id}</a>),
        is.name('State', (run) => <RunState run={run} all={runs} />, {by: stateOf}),
        is.number('Rows', (run) => [count(run.rows), run.repeats !== null && <small>{count(run.stored)} new</small>],
          {by: ({rows}) => rows}),
        is.number('Won on arrival', (run) => count(run.won ?? 0)),
        is.number('Quarantined', (run) =>
          <span class={run.quarantined ? 'warn' : 'faint'}>{count(run.quarantined ?? 0)}</span>),
        is.name('Family', (run) => <span title={run.families?.join(', ')}>{cellText(familiesText(run))}</span>),
        is.wide('From', (run) => cellText(fromText(run))),
        is.text('Product', (run) => cellText(productOf(run))),
        is.wide('Toolchain', (run) => cellText(toolchainOf(run))),
        is.time('Received (UTC)', (run) => moment(run.received)),
      ]} rows={runs} keyOf={(run) => run.id} />
      <p class="legend">
        <span>Active: its rows compete to be served.</span>
        <span>Replaced: a newer import of the same source took its place. Rows that it repeats stay stored and compete.</span>
        <span>Won on arrival: shapes for which a row of the run was the best when it arrived.</span>
      </p>
      {(before || older) &&
        <nav class="pager" aria-label="Pages of runs">
          {before && <a class="button" href={filters.href({chosen})}>Newest</a>}
          <span>{count(runs.length)} runs are listed, sorted and filtered here.</span>
          {older && <a class="button" href={filters.href({chosen, before: older})}>Older</a>}
        </nav>}
    </>
  );
}

export function RunList({filters}: {filters: ChangesFilters}) {
  const runs = useResource<{runs: Run[]}>(urls.runs({after: filters.values.before, counts: 1, limit: kAsked}));
  return (
    <>
      <ViewHead title="Runs" filters={filters}>
        Every measurement belongs to a run, and a run can be reverted. <a href={hrefOf('changes')}>Changes</a>
      </ViewHead>
      <With of={runs} what="the runs">
        {(list) => <Runs runs={list.runs} older={runs.next['after']} filters={filters} />}
      </With>
    </>
  );
}
