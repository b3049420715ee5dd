// Runs: their provenance and receipts, the choice of runs to compare, and reverts.
import {useEffect, useState} from 'preact/hooks';
import type {Run, RunDetail} from '../answers';
import {revertRun, urls} from '../api';
import {Action} from '../components/buttons';
import {BackLinks, DataTable} from '../components/data_table';
import {Empty, Facts, ViewHead, With} from '../components/view';
import {kExported} from '../exported/mode';
import {cellText, count, moment, plural} from '../format';
import {filtersOf, hrefOf, type Filters} from '../location';
import {problemOf} from '../problem';
import {refreshAll, useResource} from '../resource';
import {countsOf, fromText, issuesOf, kTroubles, originOf, partsOf, productOf, revertText, sidesOf, stateOf,
  toolchainOf, type RowIssue} from './runs_rows';

const kView = 'runs';
const kAsked = 200;  // runs per page; sorts and filters apply only to these runs
const kTones = {reverted: 'bad', active: 'good', superseded: 'faint'};

type RunFilters = Filters<{run: string; before: string; chosen: string}>;

function RunState({run}: {run: Run}) {
  const state = stateOf(run);
  return <span class={kTones[state]}>{state}</span>;
}

function rowsOf(run: Run) {
  if (run.repeats === null) return count(run.rows);
  const again = `${count(run.rows - run.stored)} as in run ${run.repeats} or before`;
  return `${count(run.rows)}: ${count(run.stored)} new, ${again}`;
}

function Provenance({run}: {run: Run}) {
  const rows: [string, string][] = [
    ['Started', moment(run.started)],
    ['Finished', moment(run.finished)],
    ['Received', moment(run.received)],
    ['Owner', run.owner],
    ['Provider', run.provider ?? 'by target'],
    ['Error limit', run.error_limit === null ? "the family's" : String(run.error_limit)],
    ...Object.entries(run.provenance)
      .map(([name, value]): [string, string] => [name, Array.isArray(value) ? value.join(' ') : String(value)]),
  ];
  if (run.source) rows.unshift(['Source', run.source], ['Rows', rowsOf(run)]);
  return (
    <section>
      <h2>Provenance</h2>
      <Facts of={rows} />
    </section>
  );
}

// The caption contains the batch's number to be unique, because the address names the table's sort, filter and page
// after the caption.
function Issues({title, batch, issues}: {title: string; batch: number; issues: RowIssue[]}) {
  if (issues.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <DataTable caption={`${title} of batch ${batch}`} columns={(is) => [
        is.wide('In', (issue) => issue.file),
        is.number('Line', (issue) => issue.row),
        is.text('Column', (issue) => cellText(issue.column)),
        is.text('Reason', (issue) => issue.code),
        is.wide('Detail', (issue) => issue.detail),
      ]} rows={issues} />
    </section>
  );
}

// The receipt of a revert has no row counts.
function Reverted({batch}: {batch: RunDetail['batches'][number]}) {
  const {changed, revision} = batch.receipt;
  return (
    <section>
      <h2>Receipt of batch {batch.id}</h2>
      <p>
        The run was taken back {moment(batch.received)} UTC
        {changed !== undefined && <>: {plural(changed, 'key')} got another row, or none</>}
        {revision ? `, as revision ${revision}` : ''}. Its measurements no longer compete.
      </p>
    </section>
  );
}

function Batch({batch}: {batch: RunDetail['batches'][number]}) {
  if (batch.kind === 'revert') return <Reverted batch={batch} />;
  const parts = partsOf(batch.receipt);
  const countText = (value: number | undefined) => (value === undefined ? cellText(value) : count(value));
  return (
    <section>
      <h2>Receipt of batch {batch.id}</h2>
      <p class="lead">
        {batch.kind}, {moment(batch.received)} UTC
        {batch.receipt.revision !== undefined && `, made revision ${batch.receipt.revision}`}
      </p>
      <DataTable caption={`Receipt of batch ${batch.id}`} columns={(is) => [
        is.wide('Table', (part) => part.name),
        is.name('Family', (part) => cellText(part.family)),
        ...countsOf.map(({title, of}) => is.number(title, (part) => countText(of(part)))),
      ]} rows={parts} />
      {kTroubles.map(({kind, title}) => {
        const issues = issuesOf(parts, kind);
        return <Issues key={kind} title={`${title} rows (${count(issues.length)})`} batch={batch.id} issues={issues} />;
      })}
    </section>
  );
}

// Requests the revert's effect when the dialog opens.
function Preview({run}: {run: Run}) {
  const [text, setText] = useState('Counting what it would change\u2026');
  useEffect(() => {
    revertRun(run.id, true).then(revertText, (error) => problemOf(error).detail).then(setText);
  }, []);
  return <p role="status"><strong>{text}</strong></p>;
}

function Revert({run}: {run: Run}) {
  if (run.reverted) return <p class="notice">This run was reverted {moment(run.reverted)} UTC.</p>;
  const revert = async () => {
    const done = await revertRun(run.id);
    refreshAll();
    return `Run ${run.id} is reverted: ${plural(done.changed, 'key')} changed.`;
  };
  return (
    <p>
      <Action
        label="Revert this run"
        act={revert}
        sure={<>
          <Preview run={run} /><p>Its measurements stop competing, as one new revision. It cannot be taken up again.</p>
        </>}
      />
    </p>
  );
}

function Detail({id}: {id: string}) {
  const run = useResource<RunDetail>(urls.run(id));
  return (
    <>
      <ViewHead title={`Run ${id}`}><a href={hrefOf(kView)}>All runs</a></ViewHead>
      <With of={run} what="the runs">
        {(run) =>
          <>
            <p class="lead"><RunState run={run} /> from {originOf(run)}</p>
            <Provenance run={run} />
            {run.batches.map((batch) => <Batch key={batch.id} batch={batch} />)}
            {run.batches.length === 0 && <Empty><p>No rows have arrived for this run.</p></Empty>}
            <Revert run={run} />
          </>}
      </With>
    </>
  );
}

// The address contains the chosen runs. With two or more it links to Compare.
function Chosen({filters}: {filters: RunFilters}) {
  const sides = sidesOf(chosenIn(filters));
  return (
    <p class="buttons" role="status">
      {sides ? <a class="button primary" href={hrefOf('compare', sides)}>Compare run {sides.base} with {sides.head}</a>
        : <span class="faint">Choose two runs or more to compare them.</span>}
      {filters.values.chosen !== '' &&
        <a class="button" href={filters.href({chosen: '', before: filters.values.before})}>Choose none</a>}
    </p>
  );
}

const chosenIn = ({values}: RunFilters): number[] => values.chosen.split(',').map(Number).filter((id) => id > 0);

function choose(filters: RunFilters, id: number, on: boolean) {
  const {chosen, before} = filters.values;
  const ids = chosen.split(',').filter((one) => one !== '' && one !== String(id));
  filters.set({chosen: [...ids, ...(on ? [id] : [])].join(','), before}, 'replace');
}

const familiesText = ({families = []}: Run): string =>
  (families.length > 3 ? `${count(families.length)} families` : families.join(', '));

function RunList({runs, next, filters}: {runs: Run[]; next: Record<string, string>; filters: RunFilters}) {
  if (runs.length === 0) return <Empty><p>No run is recorded yet.</p></Empty>;
  const chosen = chosenIn(filters);
  return (
    <>
      {!kExported && <Chosen filters={filters} />}
      <DataTable caption="Runs" columns={(is) => [
        ...(kExported ? []
          : [is.text('Compare', (run: Run) =>
            <input type="checkbox" aria-label={`Compare run ${run.id}`} checked={chosen.includes(run.id)}
              onChange={(event) => choose(filters, run.id, event.currentTarget.checked)} />)]),
        is.number('Run', (run) => <a href={hrefOf(kView, {run: run.id})}>{run.id}</a>),
        is.text('State', (run) => <RunState run={run} />, {by: stateOf}),
        is.number('Rows', (run) => count(run.rows)),
        is.number('Won', (run) => count(run.won ?? 0)),
        is.number('Quarantined', (run) =>
          <span class={run.quarantined ? 'warn' : 'faint'}>{count(run.quarantined ?? 0)}</span>),
        is.name('Family', (run) => <span title={run.families?.join(', ')}>{cellText(familiesText(run))}</span>),
        is.wide('From', (run) => cellText(fromText(run))),
        is.text('Product', (run) => cellText(productOf(run))),
        is.wide('Toolchain', (run) => cellText(toolchainOf(run))),
        is.time('Received (UTC)', (run) => moment(run.received)),
      ]} rows={runs} keyOf={(run) => run.id} />
      <BackLinks view={kView} caption="Pages of runs" before={filters.values.before} older={next['before']}>
        <span>{count(runs.length)} runs are listed, sorted and filtered here.</span>
      </BackLinks>
    </>
  );
}

export function RunsView() {
  const filters = filtersOf(kView, {run: '', before: '', chosen: ''});
  const {run, before} = filters.values;
  const runs = useResource<{runs: Run[]}>(run === '' ? urls.runs({before, counts: 1, limit: kAsked}) : null);
  if (run !== '') return <Detail id={run} />;
  return (
    <>
      <ViewHead title="Runs" filters={filters}>
        Every measurement belongs to a run, and a run can be taken back.
      </ViewHead>
      <With of={runs} what="the runs">{(list) => <RunList runs={list.runs} next={runs.next} filters={filters} />}</With>
    </>
  );
}
