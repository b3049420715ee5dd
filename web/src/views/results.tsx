// The rows of one table, and how a build gets them.
import type {Column, Family, Index, Row, Rows} from '../answers';
import {urls} from '../api';
import {CopyLine} from '../components/buttons';
import {Check, Controls, Select, TextFilter} from '../components/controls';
import {DataTable, kPage, offsetOf, PageLinks, type Columns} from '../components/data_table';
import {Empty, Unknown, ViewHead, With} from '../components/view';
import {kExported} from '../exported/mode';
import {columnsOf, isNumeric, isShown, keyOf, kShapeRoles, toggled} from '../family';
import {cellText, count, error, micros, targetName, targetParts} from '../format';
import {useFamilies, useIndex, withProducts} from '../known';
import {filtersOf, go, hrefOf, type Filters, type Values} from '../location';
import {useResource, type Resource} from '../resource';

const kView = 'results';
// `hide`: columns whose visibility differs from the default.
const kOwn = {family: '', target: '', measured: '', contains: '', hide: '', sort: '', page: ''};

type Paged = Filters<typeof kOwn>;

interface Chosen {
  filters: Filters;
  family: Family;
}

function shapeDefaults(family: Family | undefined): Values {
  const names = family ? columnsOf(family, ...kShapeRoles).map((column) => column.name) : [];
  return Object.fromEntries(names.map((name) => [name, '']));
}

// The filters that rows and the downloaded table share.
function tableQuery(filters: Filters, family: Family): Values {
  const {gfx, cu_num} = targetParts(filters.values['target'] ?? '');
  const query: Values = {gfx, cu_num, measured: filters.values['measured'] ?? ''};
  for (const name of Object.keys(shapeDefaults(family))) query[name] = filters.values[name] ?? '';
  return query;
}

function valueOf(column: Column, row: Row) {
  const value = row[column.name];
  if (typeof value !== 'number') return cellText(value);
  if (column.type === 'error') return error(value);
  return column.type === 'number' ? micros(value) : cellText(value);
}

const columnsFor = (family: Family, values: Values): Columns<Row> => (is) => {
  const shown = family.columns.filter((column) => isShown(family, values, column.name));
  return [
    is.text('Row', (row) => <a href={hrefOf('shape', {family: family.name, ...keyOf(family, row)})}>why</a>),
    ...shown.map((column) => {
      const make = isNumeric(column) ? is.number : column.type === 'kernel' ? is.kernel : is.text;
      return make(column.name, (row: Row) => valueOf(column, row), {id: column.name});
    }),
    is.text('Standing', (row) =>
      <span class={`standing ${row['standing']}`}>
        {cellText(row['standing'])}{row['baseline'] === true && <small>baseline</small>}
      </span>),
  ];
};

function FilterBar({filters, family, families, index}: Chosen & {families: Family[]; index: Index | undefined}) {
  const targets = index?.families.find((one) => one.family === family.name)?.targets ?? [];
  return (
    <Controls>
      <Select of={filters} name="family" label="Family" value={family.name}
        options={families.map((family) => family.name)}
        onChange={(name) => go(hrefOf('results', {family: name, target: filters.values['target']}))} />
      <Select of={filters} name="target" label="Target" all
        options={targets.map((rows) => ({value: targetName(rows),
          text: `${withProducts(rows)}, ${count(rows.rows)}`}))} />
      {columnsOf(family, ...kShapeRoles).map(({name, values, ...column}) =>
        values ? (
          <Select key={name} of={filters} name={name} label={name} all options={values} />
        ) : (
          <TextFilter key={name} of={filters} name={name} label={name} numeric={isNumeric({name, ...column})}
            placeholder="any" />
        ),
      )}
      <TextFilter of={filters} name="contains" label="Row contains" placeholder="part of a kernel's name" />
      <Check label="measured only" checked={filters.values['measured'] === 'only'}
        onChange={(on) => filters.set({measured: on ? 'only' : ''})} />
    </Controls>
  );
}

function ColumnChooser({filters, family}: Chosen) {
  return (
    <details class="chooser">
      <summary>Columns</summary>
      <div class="checks">
        {family.columns.map(({name}) =>
          <Check
            key={name}
            label={name}
            checked={isShown(family, filters.values, name)}
            onChange={() => filters.set((now) => ({...now, hide: toggled(family, now['hide'] ?? '', name)}), 'replace')}
          />)}
      </div>
    </details>
  );
}

function Download({filters, family}: Chosen) {
  const href = urls.table(family.name, tableQuery(filters, family));
  const file = family.file;
  const url = location.origin + href;
  return (
    <section class="download">
      <h2>For a build</h2>
      <p>
        <a class="button" href={href} download={file}>Download CSV</a>
        {kExported ? ' The file has every row of the target, whatever else is filtered.'
          : filters.values['contains']
            ? ' The table has every row of these filters: "row contains" is for looking only.' : ''}
      </p>
      <CopyLine label="fetch the table" text={`curl -fsS --compressed '${url}' -o /opt/tuned/${file}`} />
      {family.env && <CopyLine label="tell AITER" text={`export ${family.env}=/opt/tuned/${file}`} />}
    </section>
  );
}

// The pinned address, for reproducible builds: its bytes never change.
function pinned(filters: Filters, family: Family, {pin}: Rows) {
  if (!pin || kExported) return null;
  return <> (<a href={urls.table(family.name, {...tableQuery(filters, family), revision: pin})}>
    the same bytes for ever
  </a>)</>;
}

function Table({filters, family, rows}: Chosen & {rows: Resource<Rows>}) {
  return (
    <With of={rows} what="the rows">
      {(rows) =>
        rows.family !== family.name ? null : rows.total === 0 ? (
          <Empty>
            <p>
              <strong>No row has these filters.</strong> <a href={hrefOf(kView, {family: family.name})}>
                All rows of {family.name}
              </a>
            </p>
          </Empty>
        ) : (
          <>
            <p class="lead">
              {count(rows.total)} rows of revision {rows.revision}
              {pinned(filters, family, rows)}.{kExported ? '' : ' "Why" leads to every measurement behind a row.'}
            </p>
            <DataTable caption={`Rows of ${family.name}`} columns={columnsFor(family, filters.values)} rows={rows.rows}
              sort={filters.values['sort']} onSort={(sort) => filters.set({sort})} />
            <PageLinks caption="Pages of the table" filters={filters as Paged} of={rows.total}
              shown={rows.rows.length} />
          </>
        )
      }
    </With>
  );
}

export function ResultsView() {
  const families = useFamilies();
  const index = useIndex();
  const all = families.data?.families ?? [];
  const asked = filtersOf(kView, kOwn).values.family;
  const busiest = index.data?.families.reduce((a, b) => (b.rows > a.rows ? b : a)).family;
  const family = all.find((family) => family.name === (asked || busiest || ''));
  const filters = filtersOf<Values>(kView, {...kOwn, ...shapeDefaults(family)});
  const {contains, sort, page = ''} = filters.values;
  const query = family && {...tableQuery(filters, family), contains, sort, offset: offsetOf({page}), limit: kPage};
  const rows = useResource<Rows>(family && query ? urls.rows(family.name, query) : null);
  return (
    <>
      <ViewHead title="Results" filters={family && filters}>
        {family ? `${family.title}: the rows that builds get.` : 'The rows that builds get.'}
      </ViewHead>
      <With of={families} what="the families">
        {() =>
          family ? (
            <>
              <FilterBar filters={filters} family={family} families={all} index={index.data} />
              <Download filters={filters} family={family} />
              <section>
                <h2>Rows</h2>
                <ColumnChooser filters={filters} family={family} />
                <Table filters={filters} family={family} rows={rows} />
              </section>
            </>
          ) : asked ? (
            <Unknown what="family" name={asked}
              choices={all.map((family) => ({text: family.name, href: hrefOf(kView, {family: family.name})}))} />
          ) : null
        }
      </With>
    </>
  );
}
