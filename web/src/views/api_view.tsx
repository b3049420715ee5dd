// The HTTP interface, from /openapi.json.
import {urls} from '../api';
import {Controls, TextFilter} from '../components/controls';
import {DataTable} from '../components/data_table';
import {Empty, ViewHead, With} from '../components/view';
import {filtersOf} from '../location';
import {useResource} from '../resource';
import {operationsOf, typeText, type Document, type Operation} from './api_operations';

const kView = 'api';

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
      {operation.parameters.length > 0 &&
        <DataTable caption="Parameters" fixed titled columns={(is) => [
          is.text('Name', (parameter) => <code>{parameter.name}</code>),
          is.text('In', (parameter) => parameter.in + (parameter.required ? ', required' : '')),
          is.wide('Type', (parameter) => typeText(parameter.schema)),
          is.wide('Meaning', (parameter) => parameter.description),
        ]} rows={operation.parameters} />}
      <DataTable caption="Answers" titled fixed
        columns={(is) => [is.text('Status', (answer) => answer.status),
          is.wide('Meaning', (answer) => answer.description)]} rows={operation.responses} />
    </details>
  );
}

export function ApiView() {
  const filters = filtersOf(kView, {find: ''});
  const {find} = filters.values;
  const document = useResource<Document>(urls.openapi());
  return (
    <>
      <ViewHead title="API" filters={filters}>
        All requests that the server answers, from <a href={urls.openapi()}>/openapi.json</a>.
      </ViewHead>
      <With of={document} what="the description">
        {(document) => {
          const groups = operationsOf(document, find);
          return (
            <>
              <Controls><TextFilter of={filters} name="find" label="Find" placeholder="path or word" /></Controls>
              {groups.length === 0 && <Empty><p>No operation has "{find}".</p></Empty>}
              {groups.map((group) =>
                <section key={group.tag}>
                  <h2>{group.tag}</h2>
                  <p class="lead">{group.description}</p>
                  {group.operations.map((operation) =>
                    <OperationItem key={`${operation.method} ${operation.path}`} operation={operation}
                      open={find !== '' && groups.length === 1 && group.operations.length === 1} />)}
                </section>)}
            </>
          );
        }}
      </With>
    </>
  );
}
