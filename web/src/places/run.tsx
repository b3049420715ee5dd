// One run: what it changed, where it came from, its receipts, and what an admin can do with it.
import {useEffect, useState} from 'preact/hooks';
import type {Differences, Reverted, Run, RunDetail} from '../answers';
import {acceptRun, revertRun, urls} from '../api';
import {Action} from '../components/buttons';
import {DataTable, offsetOf} from '../components/data_table';
import {Empty, Facts, ViewHead, With} from '../components/view';
import {cellText, count, moment, plural} from '../format';
import {hrefOf} from '../location';
import {problemOf} from '../problem';
import {refreshAll, useResource} from '../resource';
import type {ChangesFilters} from './changes';
import {FoundChanges} from './changes_found';
import {addedByKind, headlineOf} from './changes_rows';
import {RunState} from './runs';
import {acceptText, countsOf, issuesOf, kTroubles, originOf, partsOf, productOf, revertText, unconfirmedOf}
  from './runs_rows';

function rowsOf(run: Run) {
  if (run.repeats === null) return count(run.rows);
  const again = `${count(run.rows - run.stored)} already in run ${run.repeats} or earlier`;
  return `${count(run.rows)}: ${count(run.stored)} new, ${again}`;
}

const provenanceOf = (run: Run): [string, string][] => [
  ...(run.source ? [['Source', run.source], ['Rows', rowsOf(run)]] as [string, string][] : []),
  ['Started', moment(run.started)],
  ['Finished', moment(run.finished)],
  ['Received', moment(run.received)],
  ['Owner', run.owner],
  ['Provider', run.provider ?? 'by target'],
  ['Error limit', run.error_limit === null ? "the family's" : String(run.error_limit)],
  ...Object.entries(run.provenance)
    .map(([name, value]): [string, string] => [name, Array.isArray(value) ? value.join(' ') : String(value)]),
];

// A caption contains the batch's number to be unique, because the address names the table's sort, filter and page after
// the caption.
function Batch({batch: {id, kind, received, receipt}}: {batch: RunDetail['batches'][number]}) {
  const {changed, revision} = receipt, parts = partsOf(receipt);
  const at = `${moment(received)} UTC`;
  return (
    <section>
      <h2>Receipt of batch {id}</h2>
      {kind === 'revert' ? (
        <p>
          Somebody reverted the run {at}{revision && `, as revision ${revision}`}
          {changed !== undefined && `: ${plural(changed, 'shape')} got another row, or none`}.
          The run's measurements no longer compete.
        </p>
      ) : (
        <>
          <p class="lead">{kind}, {at}{revision !== undefined && `, made revision ${revision}`}</p>
          <DataTable caption={`Receipt of batch ${id}`} columns={(is) => [
            is.wide('Table', (part) => part.name),
            is.name('Family', (part) => cellText(part.family)),
            ...countsOf.map(({title, of}) => is.number(title, (part) => cellText(of(part)?.toLocaleString('en')))),
          ]} rows={parts} />
          {kTroubles.map(({kind, title}) => {
            const issues = issuesOf(parts, kind), name = `${title} rows (${count(issues.length)})`;
            return issues.length > 0 && (
              <section key={kind}>
                <h3>{name}</h3>
                <DataTable caption={`${name} of batch ${id}`} columns={(is) => [
                  is.wide('In', (issue) => issue.file),
                  is.number('Line', (issue) => issue.row),
                  is.text('Column', (issue) => cellText(issue.column)),
                  is.text('Reason', (issue) => issue.code),
                  is.wide('Detail', (issue) => issue.detail),
                ]} rows={issues} />
              </section>
            );
          })}
        </>
      )}
    </section>
  );
}

// Requests a write's effect when the dialog opens.
function Preview({of}: {of: () => Promise<string>}) {
  const [text, setText] = useState('Counting what it would change\u2026');
  useEffect(() => {
    of().catch((error) => problemOf(error).detail).then(setText);
  }, []);
  return <p role="status"><strong>{text}</strong></p>;
}

function Actions({run}: {run: RunDetail}) {
  const runs = useResource<{runs: Run[]}>(urls.runs({after: run.id, limit: 100})).data?.runs ?? [];
  // The newest earlier run of the same source or device, or else the one before.
  const earlier = runs.find((one) => one.source === run.source && productOf(one) === productOf(run)) ?? runs[0];
  const waiting = unconfirmedOf(run);
  const write = async (done: string, answer: Promise<Reverted>) => {
    const {changed} = await answer;
    refreshAll();
    return `Run ${run.id} is ${done}: ${plural(changed, 'shape')} changed.`;
  };
  return (
    <p class="buttons">
      {earlier && <a class="button" href={hrefOf('changes', {from: `run:${earlier.id}`, to: `run:${run.id}`})}>
        Compare with run {earlier.id} before it
      </a>}
      {waiting > 0 && <Action label={`Accept ${plural(waiting, 'unconfirmed row')}`}
        act={() => write('accepted', acceptRun(run.id))} sure={<>
        <Preview of={() => acceptRun(run.id, true).then(acceptText)} />
        <p>These rows are far faster than other owners' rows. The hub serves the best of them from then on.</p>
      </>} />}
      {!run.reverted && <Action label="Revert this run" act={() => write('reverted', revertRun(run.id))} sure={<>
        <Preview of={() => revertRun(run.id, true).then(revertText)} />
        <p>Its measurements stop competing, as one new revision. Nobody can undo a revert.</p>
      </>} />}
    </p>
  );
}

function WhatItChanged({id, filters}: {id: string; filters: ChangesFilters}) {
  const {kind, sort} = filters.values;
  const found = useResource<Differences>(urls.differences({run: id, kind, sort, after: offsetOf(filters.values)}));
  return (
    <section>
      <h2>Changed by this run</h2>
      <With of={found} what="the changes of this run">
        {(of) =>
          <>
            <p class="headline">{headlineOf(of.counts)}</p>
            <FoundChanges filters={filters} of={{...of, rows: of.differences, notes: addedByKind(of)}} />
          </>}
      </With>
    </section>
  );
}

export function RunPage({id, filters}: {id: string; filters: ChangesFilters}) {
  const run = useResource<RunDetail>(urls.run(id));
  return (
    <>
      <ViewHead title={`Run ${id}`} filters={filters}>
        <a href={hrefOf('changes', {list: 'runs'})}>All runs</a>
      </ViewHead>
      <With of={run} what="the runs">
        {(run) =>
          <>
            <p class="lead"><RunState run={run} />. Origin: {originOf(run)}</p>
            {run.reverted && <p class="notice">This run was reverted {moment(run.reverted)} UTC.</p>}
            <Actions run={run} />
            {run.batches.some(({receipt}) => receipt.revision !== undefined) &&
              <WhatItChanged id={id} filters={filters} />}
            <section>
              <h2>Provenance</h2>
              <Facts of={provenanceOf(run)} />
            </section>
            {run.batches.map((batch) => <Batch key={batch.id} batch={batch} />)}
            {run.batches.length === 0 && <Empty><p>No rows have arrived for this run.</p></Empty>}
          </>}
      </With>
    </>
  );
}
