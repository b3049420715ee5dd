// The audit. It needs an admin's key; without a key the page sends no request.
import {useState} from 'preact/hooks';
import type {AuditRow} from '../answers';
import {urls} from '../api';
import {BackLinks, DataTable} from '../components/data_table';
import {KeyDialog} from '../components/buttons';
import {Empty, ViewHead, With} from '../components/view';
import {filtersOf} from '../location';
import {cellText, moment} from '../format';
import {key} from '../kept';
import {useResource} from '../resource';
import {writerOf} from '../places/runs_rows';

const kView = 'audit';
const kAsked = 500;

function Ask() {
  const [open, setOpen] = useState(false);
  return (
    <Empty>
      <p><strong>The audit needs a key of scope <code>admin</code>.</strong></p>
      <p><button type="button" class="primary" onClick={() => setOpen(true)}>Enter a key</button></p>
      {open && <KeyDialog admin onClose={() => setOpen(false)} />}
    </Empty>
  );
}

function List({rows}: {rows: AuditRow[]}) {
  if (rows.length === 0) return <Empty><p>No older entries.</p></Empty>;
  return (
    <DataTable caption="Audit" columns={(is) => [
      is.time('At (UTC)', (row) => moment(row.at)),
      is.text('By', writerOf),
      is.text('Action', (row) => row.action),
      is.wide('Details', (row) => row.detail),
      is.wide('Request', (row) => cellText(row.request)),
    ]} rows={rows} />
  );
}

export function AuditView() {
  const filters = filtersOf(kView, {before: ''});
  const {before} = filters.values;
  const rows = useResource<{audit: AuditRow[]}>(key.value ? urls.audit({after: before, limit: kAsked}) : null);
  return (
    <>
      <ViewHead title="Audit" filters={filters}>All writes, each with its API key and its request.</ViewHead>
      {key.value
        ? <With of={rows} what="the audit">
          {(list) =>
            <>
              <List rows={list.audit} />
              <BackLinks view={kView} caption="Pages of the audit" before={before} older={rows.next['after']} />
            </>}
        </With> : <Ask />}
    </>
  );
}
