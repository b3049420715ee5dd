// The runs, what became of their rows, and which of them are to be compared.
import type {Run} from '../answers';
import {DataTable} from '../components/data_table';
import {Empty} from '../components/view';
import {kExported} from '../exported/mode';
import {hrefOf, type Filters} from '../location';
import {cellText, count, moment} from '../format';
import {fromText, productOf, sidesOf, stateOf, toolchainOf} from './runs_rows';

const kView = 'runs';
const kTones = {reverted: 'bad', active: 'good', superseded: 'faint'};

export type RunFilters = Filters<{run: string; before: string; chosen: string}>;

export function RunState({run}: {run: Run}) {
  const state = stateOf(run);
  return <span class={kTones[state]}>{state}</span>;
}

// Those that are chosen are in the address: two or more lead to Compare.
function Chosen({filters}: {filters: RunFilters}) {
  const sides = sidesOf(chosenIn(filters));
  return (
    <p class="buttons" role="status">
      {sides ? <a class="button primary" href={hrefOf('compare', sides)}>Compare run {sides.base} with {sides.head}</a> : <span class="faint">Choose two runs or more to compare them.</span>}
      {filters.values.chosen !== '' && <a class="button" href={filters.href({chosen: '', before: filters.values.before})}>Choose none</a>}
    </p>
  );
}

const chosenIn = ({values}: RunFilters): number[] => values.chosen.split(',').map(Number).filter((id) => id > 0);

function choose(filters: RunFilters, id: number, on: boolean) {
  const {chosen, before} = filters.values;
  const ids = chosen.split(',').filter((it) => it !== '' && it !== String(id));
  filters.set({chosen: [...ids, ...(on ? [id] : [])].join(','), before}, 'replace');
}

const familiesText = ({families = []}: Run): string => (families.length > 3 ? `${count(families.length)} families` : families.join(', '));

export function RunList({runs, next, filters}: {runs: Run[]; next: Record<string, string>; filters: RunFilters}) {
  if (runs.length === 0) return <Empty><p>No run is recorded yet.</p></Empty>;
  const before = next['before'];
  const chosen = chosenIn(filters);
  return (
    <>
      {!kExported && <Chosen filters={filters} />}
      <DataTable
        caption="Runs"
        columns={(is) => [
          ...(kExported ? [] : [is.text('Compare', (it: Run) => <input type="checkbox" aria-label={`Compare run ${it.id}`} checked={chosen.includes(it.id)} onChange={(event) => choose(filters, it.id, event.currentTarget.checked)} />)]),
          is.number('Run', (it) => <a href={hrefOf(kView, {run: it.id})}>{it.id}</a>),
          is.text('State', (it) => <RunState run={it} />, {by: stateOf}),
          is.number('Rows', (it) => count(it.rows)),
          is.number('Won', (it) => count(it.won ?? 0)),
          is.number('Quarantined', (it) => <span class={it.quarantined ? 'warn' : 'faint'}>{count(it.quarantined ?? 0)}</span>),
          is.name('Family', (it) => <span title={it.families?.join(', ')}>{cellText(familiesText(it))}</span>),
          is.wide('From', (it) => cellText(fromText(it))),
          is.text('Product', (it) => cellText(productOf(it))),
          is.wide('Toolchain', (it) => cellText(toolchainOf(it))),
          is.time('Received (UTC)', (it) => moment(it.received)),
        ]}
        rows={runs}
        keyOf={(it) => it.id}
      />
      {(before || filters.values.before) && (
        <nav class="pager" aria-label="Pages of runs">
          {filters.values.before && <a class="button" href={hrefOf(kView)}>Newest</a>}
          <span>{count(runs.length)} runs are listed, sorted and filtered here.</span>
          {before && <a class="button" href={hrefOf(kView, {before})}>Older</a>}
        </nav>
      )}
    </>
  );
}
