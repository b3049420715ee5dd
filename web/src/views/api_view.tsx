// The interface as /openapi.json describes it.
import {urls} from '../api';
import {DataTable} from '../components/data_table';
import {TextFilter} from '../components/controls';
import {Empty, UnknownFilters, With} from '../components/states';
import {ViewHead} from '../components/view_head';
import {filtersOf} from '../filters';
import {useResource} from '../resource';
import {operationsOf, typeText, type Document, type Operation} from './api_operations';

const kView = 'api';

function Parameters({operation}: {operation: Operation}) {
  if (operation.parameters.length === 0) return null;
  return (
    <DataTable
      caption="Parameters"
      columns={[
        {id: 'name', title: 'Name', cell: (it) => <code>{it.name}</code>},
        {id: 'in', title: 'In', cell: (it) => it.in + (it.required ? ', required' : '')},
        {id: 'type', title: 'Type', wide: true, cell: (it) => typeText(it.schema)},
        {id: 'description', title: 'Meaning', wide: true, cell: (it) => it.description ?? ''},
      ]}
      rows={operation.parameters}
      keyOf={(it) => `${it.in} ${it.name}`}
    />
  );
}

function OperationItem({operation, open}: {operation: Operation; open: boolean}) {
  return (
    <details class="operation" open={open}>
      <summary>
        <span class={`method ${operation.method}`}>{operation.method.toUpperCase()}</span>
        <code>{operation.path}</code>
        <span class="what">{operation.summary}</span>
        {operation.needsKey && <span class="needs">key</span>}
      </summary>
      {operation.description && <p>{operation.description}</p>}
      <Parameters operation={operation} />
      <DataTable
        caption="Answers"
        columns={[
          {id: 'status', title: 'Status', cell: (it) => it.status},
          {id: 'description', title: 'Meaning', wide: true, cell: (it) => it.description},
        ]}
        rows={operation.responses}
        keyOf={(it) => it.status}
      />
    </details>
  );
}

export function ApiView() {
  const filters = filtersOf(kView, {find: ''});
  const {find} = filters.values;
  const document = useResource<Document>(urls.openapi());
  return (
    <>
      <ViewHead title="API">
        Everything that the server answers, from <a href={urls.openapi()}>/openapi.json</a>.
      </ViewHead>
      <UnknownFilters names={filters.unknown} known={Object.keys(filters.defaults)} href={filters.href({})} />
      <With of={document} what="the description">
        {(it) => {
          const groups = operationsOf(it, find);
          return (
            <>
              <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
                <TextFilter label="Find" value={find} placeholder="path or word" onChange={(value, how) => filters.set({find: value}, how)} />
              </form>
              {groups.length === 0 && <Empty><p>No operation has "{find}".</p></Empty>}
              {groups.map((group) => (
                <section key={group.tag}>
                  <h2>{group.tag}</h2>
                  <p class="lead">{group.description}</p>
                  {group.operations.map((operation) => (
                    <OperationItem key={`${operation.method} ${operation.path}`} operation={operation} open={find !== '' && groups.length === 1 && group.operations.length === 1} />
                  ))}
                </section>
              ))}
            </>
          );
        }}
      </With>
    </>
  );
}
