// The rows of one table, and how a build gets them.
import {urls, type Family, type Index, type Row, type Rows} from '../api';
import {Check, Select, TextFilter} from '../components/controls';
import {CopyLine} from '../components/copy_line';
import {DataTable, type TableColumn} from '../components/data_table';
import {Empty, Unknown, UnknownFilters, With} from '../components/states';
import {ViewHead} from '../components/view_head';
import {columnsOf, isNumeric, keyOf} from '../family';
import {filtersOf, type Filters, type Values} from '../filters';
import {cellText, count, micros, targetName, targetParts} from '../format';
import {go, hrefOf} from '../location';
import {useResource, type Resource} from '../resource';
import {isShown, toggled} from './results_columns';

const kView = 'results';
const kPage = 100;
// `hide`: columns that are not shown; `after`, `page`: the place in the table.
const kOwn = {family: '', target: '', measured: '', contains: '', hide: '', after: '', page: ''};

function shapeDefaults(family: Family | undefined): Values {
  const names = family ? columnsOf(family, 'shape', 'tag').map((column) => column.name) : [];
  return Object.fromEntries(names.map((name) => [name, '']));
}

// What the rows and the table have in common.
function tableQuery(filters: Filters<Values>, family: Family): Values {
  const {gfx, cu_num} = targetParts(filters.values['target'] ?? '');
  const query: Values = {gfx, cu_num, measured: filters.values['measured'] ?? ''};
  for (const name of Object.keys(shapeDefaults(family))) query[name] = filters.values[name] ?? '';
  return query;
}

function valueOf(column: string, row: Row, numeric: boolean) {
  const value = row[column];
  return numeric && typeof value === 'number' && !Number.isInteger(value) ? micros(value) : cellText(value);
}

function columnsFor(family: Family, hide: string): TableColumn<Row>[] {
  const columns: TableColumn<Row>[] = family.columns
    .filter((column) => isShown(family, hide, column.name))
    .map((column) => ({
      id: column.name,
      title: column.name,
      numeric: isNumeric(column),
      kernel: column.type === 'kernel',
      cell: (row) => valueOf(column.name, row, isNumeric(column)),
    }));
  return [
    {
      id: 'why',
      title: 'Row',
      cell: (row) => <a href={hrefOf('shape', {family: family.name, ...keyOf(family, row)})}>why</a>,
    },
    ...columns,
    {id: 'standing', title: 'Standing', cell: (row) => <span class={`standing ${row['standing']}`}>{cellText(row['standing'])}</span>},
  ];
}

function FilterBar({filters, family, families, index}: {
  filters: Filters<Values>;
  family: Family;
  families: Family[];
  index: Index | undefined;
}) {
  const {values} = filters;
  const first = {after: '', page: ''};
  const targets = index?.families.find((it) => it.family === family.name)?.targets ?? [];
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <Select
        label="Family"
        value={family.name}
        options={families.map((it) => ({value: it.name, text: it.name}))}
        onChange={(name) => go(hrefOf(kView, {family: name, target: values['target']}))}
      />
      <Select
        label="Target"
        value={values['target'] ?? ''}
        options={[{value: '', text: 'all'}, ...targets.map((it) => ({value: targetName(it), text: `${targetName(it)} (${count(it.rows)})`}))]}
        onChange={(target) => filters.set({...first, target})}
      />
      {columnsOf(family, 'shape', 'tag').map((column) =>
        column.values ? (
          <Select
            key={column.name}
            label={column.name}
            value={values[column.name] ?? ''}
            options={[{value: '', text: 'all'}, ...column.values.map((value) => ({value, text: value}))]}
            onChange={(value) => filters.set({...first, [column.name]: value})}
          />
        ) : (
          <TextFilter
            key={column.name}
            label={column.name}
            numeric={isNumeric(column)}
            value={values[column.name] ?? ''}
            placeholder="any"
            onChange={(value, how) => filters.set({...first, [column.name]: value}, how)}
          />
        ),
      )}
      <TextFilter
        label="Row contains"
        value={values['contains'] ?? ''}
        placeholder="part of a kernel's name"
        onChange={(contains, how) => filters.set({...first, contains}, how)}
      />
      <Check
        label="measured only"
        checked={values['measured'] === 'only'}
        onChange={(on) => filters.set({...first, measured: on ? 'only' : ''})}
      />
    </form>
  );
}

function ColumnChooser({filters, family}: {filters: Filters<Values>; family: Family}) {
  const hide = filters.values['hide'] ?? '';
  return (
    <details class="chooser">
      <summary>Columns</summary>
      <div class="checks">
        {family.columns.map((column) => (
          <Check
            key={column.name}
            label={column.name}
            checked={isShown(family, hide, column.name)}
            onChange={() => filters.set({hide: toggled(family, hide, column.name)}, 'replace')}
          />
        ))}
      </div>
    </details>
  );
}

function Download({filters, family}: {filters: Filters<Values>; family: Family}) {
  const href = urls.table(family.name, tableQuery(filters, family));
  const file = family.file;
  const url = location.origin + href;
  return (
    <section class="download">
      <h2>For a build</h2>
      <p>
        <a class="button" href={href} download={file}>Download CSV</a>
        {filters.values['contains'] ? ' The table has every row of these filters: "row contains" is for looking only.' : ''}
      </p>
      <CopyLine label="fetch the table" text={`curl -fsS --compressed '${url}' -o /opt/tuned/${file}`} />
      {family.env && <CopyLine label="tell AITER" text={`export ${family.env}=/opt/tuned/${file}`} />}
    </section>
  );
}

function Pager({filters, rows, next}: {filters: Filters<Values>; rows: Rows; next: string}) {
  const page = Number(filters.values['page'] || '1');
  const after = next ? (new URLSearchParams(next.split('?')[1]).get('after') ?? '') : '';
  if (page === 1 && after === '') return null;
  const from = (page - 1) * kPage;
  return (
    <nav class="pager" aria-label="Pages of the table">
      <a class="button" href={filters.href({after: '', page: ''})} aria-disabled={page === 1}>First</a>
      <span>{count(from + 1)} to {count(from + rows.rows.length)} of {count(rows.total)}</span>
      {after !== '' && <a class="button" href={filters.href({after, page: String(page + 1)})}>Next</a>}
    </nav>
  );
}

function Table({filters, family, rows}: {filters: Filters<Values>; family: Family; rows: Resource<Rows>}) {
  return (
    <With of={rows} what="the rows">
      {(it) =>
        it.family !== family.name ? null : it.total === 0 ? (
          <Empty>
            <p><strong>No row has these filters.</strong> <a href={hrefOf(kView, {family: family.name})}>All rows of {family.name}</a></p>
          </Empty>
        ) : (
          <>
            <p class="lead">{count(it.total)} rows of revision {it.revision}. "Why" leads to every measurement behind a row.</p>
            <DataTable
              caption={`Rows of ${family.name}`}
              hideCaption
              columns={columnsFor(family, filters.values['hide'] ?? '')}
              rows={it.rows}
              keyOf={(row) => JSON.stringify(keyOf(family, row))}
            />
            <Pager filters={filters} rows={it} next={rows.next} />
          </>
        )
      }
    </With>
  );
}

export function ResultsView() {
  const families = useResource<{families: Family[]}>(urls.families());
  const index = useResource<Index>(urls.index());
  const all = families.data?.families ?? [];
  const asked = filtersOf(kView, kOwn).values.family;
  const busiest = index.data?.families.reduce((a, b) => (b.rows > a.rows ? b : a)).family;
  const family = all.find((it) => it.name === (asked || busiest || ''));
  const filters = filtersOf<Values>(kView, {...kOwn, ...shapeDefaults(family)});
  const query = family && {...tableQuery(filters, family), contains: filters.values['contains'], after: filters.values['after'], limit: kPage};
  const rows = useResource<Rows>(family && query ? urls.rows(family.name, query) : null);
  return (
    <>
      <ViewHead title="Results">{family ? `${family.title}: the rows that builds get.` : 'The rows that builds get.'}</ViewHead>
      <With of={families} what="the families">
        {() =>
          family ? (
            <>
              <UnknownFilters
                names={filters.unknown}
                known={Object.keys(filters.defaults).filter((name) => name !== 'after' && name !== 'page')}
                href={filters.href({})}
              />
              <FilterBar filters={filters} family={family} families={all} index={index.data} />
              <Download filters={filters} family={family} />
              <section>
                <h2>Rows</h2>
                <ColumnChooser filters={filters} family={family} />
                <Table filters={filters} family={family} rows={rows} />
              </section>
            </>
          ) : asked ? (
            <Unknown what="family" name={asked} choices={all.map((it) => ({text: it.name, href: hrefOf(kView, {family: it.name})}))} />
          ) : null
        }
      </With>
    </>
  );
}
