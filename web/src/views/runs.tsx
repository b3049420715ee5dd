// Where the measurements came from, what became of their rows, and taking a run back.
import {useState} from 'preact/hooks';
import {revertRun, urls, type Issue, type Receipt, type Run, type RunDetail} from '../api';
import {DataTable, type TableColumn} from '../components/data_table';
import {Dialog} from '../components/dialog';
import {KeyDialog} from '../components/key_dialog';
import {Empty, UnknownFilters, With} from '../components/states';
import {ViewHead} from '../components/view_head';
import {filtersOf} from '../filters';
import {count, moment, plural} from '../format';
import {key} from '../key';
import {hrefOf} from '../location';
import {problemOf} from '../problem';
import {refreshAll, useResource} from '../resource';
import {countsOf, originOf, partsOf} from './runs_rows';

const kView = 'runs';
const kPage = 50;

function RunState({run}: {run: Run}) {
  if (run.reverted) return <span class="bad">reverted</span>;
  return run.active ? <span class="good">active</span> : <span class="faint">superseded</span>;
}

function List({runs, next}: {runs: Run[]; next: string}) {
  if (runs.length === 0) return <Empty><p>No run is recorded yet.</p></Empty>;
  const columns: TableColumn<Run>[] = [
    {id: 'id', title: 'Run', numeric: true, cell: (it) => <a href={hrefOf(kView, {run: it.id})}>{it.id}</a>},
    {id: 'state', title: 'State', cell: (it) => <RunState run={it} />},
    {id: 'origin', title: 'From', wide: true, cell: originOf},
    {id: 'provider', title: 'Provider', cell: (it) => it.provider ?? '\u2013'},
    {id: 'started', title: 'Started (UTC)', cell: (it) => <span class="time">{moment(it.started)}</span>},
    {id: 'received', title: 'Received (UTC)', cell: (it) => <span class="time">{moment(it.received)}</span>},
  ];
  const before = next ? (new URLSearchParams(next.split('?')[1]).get('before') ?? '') : '';
  return (
    <>
      <DataTable caption="Runs" hideCaption columns={columns} rows={runs} keyOf={(it) => it.id} />
      {before && <nav class="pager" aria-label="Pages of runs"><a class="button" href={hrefOf(kView)}>Newest</a><a class="button" href={hrefOf(kView, {before})}>Older</a></nav>}
    </>
  );
}

function Provenance({run}: {run: Run}) {
  const rows: [string, string][] = [
    ['Started', moment(run.started)],
    ['Finished', moment(run.finished)],
    ['Received', moment(run.received)],
    ['Provider', run.provider ?? 'by target'],
    ['Error limit', run.error_limit === null ? "the family's" : String(run.error_limit)],
    ...Object.entries(run.provenance).map(([name, value]): [string, string] => [name, Array.isArray(value) ? value.join(' ') : String(value)]),
  ];
  if (run.source) rows.unshift(['Source', run.source]);
  return (
    <section>
      <h2>Provenance</h2>
      <dl class="facts">{rows.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}=`}>{value}</dd>])}</dl>
    </section>
  );
}

function Issues({title, issues}: {title: string; issues: (Issue & {file: string})[]}) {
  if (issues.length === 0) return null;
  const columns: TableColumn<Issue & {file: string}>[] = [
    {id: 'file', title: 'In', wide: true, cell: (it) => it.file},
    {id: 'row', title: 'Line', numeric: true, cell: (it) => it.row},
    {id: 'column', title: 'Column', cell: (it) => it.column || '\u2013'},
    {id: 'code', title: 'Reason', cell: (it) => it.code},
    {id: 'detail', title: 'Detail', wide: true, cell: (it) => it.detail},
  ];
  return (
    <section>
      <h3>{title}</h3>
      <DataTable caption={title} hideCaption columns={columns} rows={issues} keyOf={(it) => `${it.file} ${it.row} ${it.column} ${it.code}`} />
    </section>
  );
}

function Batch({batch}: {batch: RunDetail['batches'][number]}) {
  const parts = partsOf(batch.receipt);
  const columns: TableColumn<Receipt & {name: string}>[] = [
    {id: 'name', title: 'Table', wide: true, cell: (it) => it.name},
    {id: 'family', title: 'Family', cell: (it) => it.family ?? '\u2013'},
    ...countsOf.map((counted) => ({
      id: counted.name,
      title: counted.title,
      numeric: true,
      cell: (it: Receipt) => { const value = counted.of(it); return value === undefined ? '\u2013' : count(value); },
    })),
  ];
  return (
    <section>
      <h2>Receipt of batch {batch.id}</h2>
      <p class="lead">
        {batch.kind}, {moment(batch.received)} UTC
        {batch.receipt.revision !== undefined && `, made revision ${batch.receipt.revision}`}
      </p>
      <DataTable caption={`Receipt of batch ${batch.id}`} hideCaption columns={columns} rows={parts} keyOf={(it) => it.name} />
      {(['quarantined', 'rejected', 'unmeasured'] as const).map((kind) => {
        const issues = parts.flatMap((part) => { const list = part[kind]; return Array.isArray(list) ? list.map((it) => ({...it, file: part.name})) : []; });
        return <Issues key={kind} title={`${kind[0]?.toUpperCase()}${kind.slice(1)} rows (${count(issues.length)})`} issues={issues} />;
      })}
    </section>
  );
}

function Revert({run}: {run: Run}) {
  const [asked, setAsked] = useState<'' | 'key' | 'sure'>('');
  const [said, setSaid] = useState<{text: string; bad: boolean}>();
  const revert = async () => {
    setAsked('');
    try {
      const done = await revertRun(run.id);
      setSaid({text: `Run ${run.id} is reverted: ${plural(done.changed, 'key')} changed.`, bad: false});
      refreshAll();
    } catch (error) {
      setSaid({text: problemOf(error).detail, bad: true});
    }
  };
  if (run.reverted) return <p class="notice">This run was reverted {moment(run.reverted)} UTC.</p>;
  return (
    <p>
      <button type="button" class="danger" onClick={() => setAsked(key.value ? 'sure' : 'key')}>Revert this run</button>
      {said && <span role="status" class={said.bad ? 'bad' : 'good'}> {said.text}</span>}
      {asked === 'key' && <KeyDialog onClose={() => setAsked(key.value ? 'sure' : '')} />}
      {asked === 'sure' && (
        <Dialog title={`Revert run ${run.id}?`} onClose={() => setAsked('')}>
          <p>Its measurements stop competing and what they had replaced comes back, as one new revision. The run stays on record; it cannot be taken up again.</p>
          <div class="buttons">
            <button type="button" class="danger" onClick={() => void revert()}>Revert run {run.id}</button>
            <button type="button" onClick={() => setAsked('')}>Cancel</button>
          </div>
        </Dialog>
      )}
    </p>
  );
}

function Detail({id}: {id: string}) {
  const run = useResource<RunDetail>(urls.run(id));
  return (
    <>
      <ViewHead title={`Run ${id}`}><a href={hrefOf(kView)}>All runs</a></ViewHead>
      <With of={run} what="the runs">
        {(it) => (
          <>
            <p class="lead"><RunState run={it} /> from {originOf(it)}</p>
            <Provenance run={it} />
            {it.batches.map((batch) => <Batch key={batch.id} batch={batch} />)}
            {it.batches.length === 0 && <Empty><p>No rows have arrived for this run.</p></Empty>}
            <Revert run={it} />
          </>
        )}
      </With>
    </>
  );
}

export function RunsView() {
  const filters = filtersOf(kView, {run: '', before: ''});
  const {run, before} = filters.values;
  const runs = useResource<{runs: Run[]}>(run === '' ? urls.runs({before, limit: kPage}) : null);
  if (run !== '') return <Detail id={run} />;
  return (
    <>
      <ViewHead title="Runs">Every measurement belongs to a run, and a run can be taken back.</ViewHead>
      <UnknownFilters names={filters.unknown} known={Object.keys(filters.defaults)} href={filters.href({})} />
      <With of={runs} what="the runs">{(it) => <List runs={it.runs} next={runs.next} />}</With>
    </>
  );
}
