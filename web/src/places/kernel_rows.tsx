// The rows of one family, and how a build gets them.
import {useState} from 'preact/hooks';
import type {Column, Family, Index, Row, Rows} from '../answers';
import {urls} from '../api';
import {CopyLine} from '../components/buttons';
import {Check, Controls, Select, TextFilter} from '../components/controls';
import {DataTable, kPage, offsetOf, PageLinks, type Columns} from '../components/data_table';
import {Empty, Unknown, ViewHead, With} from '../components/view';
import {useContext} from '../context';
import {kExported} from '../exported/mode';
import {columnsOf, hasTwoKernels, isNumeric, isShown, keyOf, kShapeRoles, shapeText, shortValue, toggled} from '../family';
import {cellText, count, error, micros, percent, plural, targetName, targetParts} from '../format';
import {useFamilies, useIndex, withProducts} from '../known';
import {columnName, columnNames, filtersOf, go, hrefOf, type Filters, type Values} from '../location';
import {nearest} from '../nearest';
import {useResource} from '../resource';
import {nearestShapes, winnersIn} from './kernel_lines';

const kView = 'kernels';
// `hide`: columns whose visibility differs from the default.
const kOwn = {family: '', scope: '', measured: '', contains: '', hide: '', sort: '', page: ''};

type Paged = Filters<typeof kOwn>;

interface Chosen {
  filters: Filters;
  family: Family;
  target: string;  // '': all devices
}

interface Listed extends Chosen {
  rows: Row[];  // of this page
}

const shapeColumns = (family: Family | undefined) => (family ? columnsOf(family, ...kShapeRoles) : []);

// The values of the shape's columns, by their own names.
const shapeOf = ({filters, family}: Chosen): Values =>
  Object.fromEntries(shapeColumns(family).map(({name}) => [name, filters.values[columnName(name)] ?? '']));

// The filters that rows and the downloaded table share.
const tableQuery = (of: Chosen): Values =>
  ({...targetParts(of.target), measured: of.filters.values['measured'] ?? '', ...shapeOf(of)});
const rowQuery = (of: Chosen): Values => ({...tableQuery(of), contains: of.filters.values['contains'] ?? ''});

function valueOf(column: Column, row: Row) {
  const value = row[column.name];
  if (typeof value !== 'number') return column.type === 'kernel' ? cellText(value) : shortValue(cellText(value));
  if (column.type === 'error') return error(value);
  return column.type === 'number' ? micros(value) : cellText(value);
}

// How well a served row is known, in words.
function standingOf(row: Row): string {
  if (row['baseline'] === true) return 'only the default measured';
  return row['standing'] === 'unmeasured' ? 'without a time' : cellText(row['standing']);
}

// The values that all these rows share, without the axes of the shape: the page says them once, without columns.
function sharedBy(family: Family, rows: Row[]): Values {
  const [first] = rows, {x, y} = family.heat_map;
  if (first === undefined || rows.length < 2) return {};
  const shared = shapeColumns(family).filter(({name}) =>
    name !== x && !y.includes(name) && rows.every((row) => row[name] === first[name]));
  return Object.fromEntries(shared.map(({name}) => [name, shortValue(cellText(first[name]))]));
}

// The values that say which columns have only one value, and which columns the reader chose.
const shownBy = (of: Listed): Values => ({...shapeOf(of), ...sharedBy(of.family, of.rows), target: of.target,
  hide: of.filters.values['hide'] ?? ''});

const isType = ({role, type}: Column): boolean => role === 'tag' || (role === 'shape' && (type === 'enum' || type === 'flag'));

const columnsFor = (of: Listed): Columns<Row> => (is) => {
  const shown = of.family.columns.filter((column) => isShown(of.family, shownBy(of), column.name));
  const types = hasTwoKernels(of.family) ? shown.filter(isType) : [];  // one column for all of them
  return [
    is.text('Why', (row) => <a href={hrefOf('shape', {family: of.family.name, ...keyOf(of.family, row)})}>why</a>),
    ...shown.flatMap((column) => {
      if (types.includes(column) && types.length > 1) {
        return column !== types[0] ? [] : is.wide(types.map(({name}) => name).join(', '),
          (row: Row) => types.map((one) => valueOf(one, row)).filter((value) => value !== cellText('')).join(', '));
      }
      const make = isNumeric(column) ? is.number : column.type === 'kernel' ? is.kernel : is.text;
      return make(column.name, (row: Row) => valueOf(column, row), {id: column.name});
    }),
    is.text('Evidence', (row) => <span class={`standing ${row['standing']}`}>{standingOf(row)}</span>),
  ];
};

function FilterBar({filters, family, families}: Chosen & {families: Family[]}) {
  return (
    <Controls>
      <Select of={filters} name="family" label="Family" value={family.name}
        options={families.map((family) => family.name)}
        onChange={(name) => go(hrefOf(kView, {family: name, scope: filters.values['scope'],
          ...columnNames(shapeOf({filters, target: '', family: families.find((family) => family.name === name)!}))}))} />
      {shapeColumns(family).map((column) => {
        const bound = {of: filters, name: columnName(column.name), label: column.name};
        return column.values ? <Select key={column.name} {...bound} all options={column.values} />
          : <TextFilter key={column.name} {...bound} numeric={isNumeric(column)} placeholder="any" />;
      })}
      <TextFilter of={filters} name="contains" label="Row contains" placeholder="part of a kernel's name" />
      <Check label="with a time" checked={filters.values['measured'] === 'only'}
        onChange={(on) => filters.set({measured: on ? 'only' : ''})} />
      <Check label="all devices" checked={filters.values['scope'] === 'all'}
        onChange={(on) => filters.set({scope: on ? 'all' : ''})} />
    </Controls>
  );
}

function ColumnChooser(of: Listed) {
  const hidden = of.family.columns.filter(({name}) => !isShown(of.family, shownBy(of), name)).length;
  const hide = (name: string) => (now: Values) => ({hide: toggled(of.family, now['hide'] ?? '', name)});
  return (
    <details class="chooser">
      <summary>{hidden > 0 ? `More columns (${hidden})` : 'Columns'}</summary>
      <div class="checks">
        {of.family.columns.map(({name}) =>
          <Check key={name} label={name} checked={isShown(of.family, shownBy(of), name)}
            onChange={() => of.filters.set(hide(name), 'replace')} />)}
      </div>
    </details>
  );
}

function Download(of: Chosen) {
  const {file, env, name} = of.family;
  const href = urls.table(name, tableQuery(of));
  return (
    <section class="download">
      <h2>For a build</h2>
      <p>
        <a class="button" href={href} download={file}>Download CSV</a>
        {kExported ? ' The file has all rows of the device, without the other filters.'
          : of.filters.values['contains'] ? ' The file ignores the filter "row contains".' : ''}
      </p>
      <CopyLine label="fetch the table" text={`curl -fsS --compressed '${location.origin}${href}' -o /opt/tuned/${file}`} />
      {env && <CopyLine label="tell AITER" text={`export ${env}=/opt/tuned/${file}`} />}
    </section>
  );
}

const kKernels = 20;

function KernelTable({rows: {rows}, family}: {rows: Rows; family: Family}) {
  const all = winnersIn(family, rows), axis = family.heat_map.x;
  return (
    <>
      <DataTable caption="Kernels that win" rows={all.slice(0, kKernels)} columns={(is) => [
        is.kernel('Kernel', ({kernel}) => kernel),
        is.number('Rows', (line) => count(line.rows)),
        is.number('Share', (line) => percent(line.rows / rows.length, 1)),
        is.number(`${axis} from`, ({from}) => count(from)),
        is.number('to', ({to}) => count(to)),
        is.number('Median, us', ({us}) => micros(us)),
      ]} />
      {all.length > kKernels && <p class="legend">and {count(all.length - kKernels)} more</p>}
    </>
  );
}

// The kernels of all rows with the filters, not only of this page. Asks for them when the reader opens the list.
function Winners(of: Chosen) {
  const [open, setOpen] = useState(false);
  const rows = useResource<Rows>(open ? urls.allRows(of.family.name, rowQuery(of)) : null);
  if (!of.family.columns.some(({type}) => type === 'kernel')) return null;
  return (
    <details class="chooser" onToggle={({currentTarget}) => setOpen(currentTarget.open)}>
      <summary>Kernels that win</summary>
      {open && <With of={rows} what="the kernels">{(rows) => <KernelTable rows={rows} family={of.family} />}</With>}
    </details>
  );
}

// The shapes on this device, or on all devices, that are nearest to the filters' shape.
function Nearest(of: Chosen) {
  const wanted = Object.fromEntries(Object.entries(shapeOf(of)).filter(([, value]) => value !== ''));
  const isAsked = Object.keys(wanted).length > 0, none = Object.fromEntries(Object.keys(wanted).map((name) => [name, '']));
  const rows = useResource<Rows>(isAsked ? urls.allRows(of.family.name, {...rowQuery(of), ...none}) : null).data?.rows ?? [];
  const near = nearestShapes(wanted, rows);
  return near.length > 0 && (
    <p>
      Nearest: {near.map((shape, i) => <>{i > 0 && '; '}<a key={i} href={of.filters.href(columnNames(shape))}>
        {shapeText(of.family, shape)}</a></>)}
    </p>
  );
}

// Names the devices that have rows, if this device has none.
function NoRows({index, ...of}: Chosen & {index: Index | undefined}) {
  const targets = index?.families.find(({family}) => family === of.family.name)?.targets ?? [];
  const all = {family: of.family.name, scope: of.filters.values['scope']};
  if (of.target === '' || targets.some((one) => targetName(one) === of.target)) {
    return (
      <Empty>
        <p><strong>No row has these filters.</strong> <a href={hrefOf(kView, all)}>All rows of {of.family.name}</a></p>
        <Nearest {...of} />
      </Empty>
    );
  }
  return (
    <Empty>
      <p><strong>{withProducts(of.target)} has no row of this family.</strong>
        {targets.length > 0 ? ' Devices with rows:' : ' No other device has one.'}</p>
      <ul class="choices">
        {targets.map((one) =>
          <li key={targetName(one)}>
            <a href={hrefOf(kView, {...all, device: targetName(one)})}>{withProducts(one)}, {plural(one.rows, 'row')}</a>
          </li>)}
      </ul>
    </Empty>
  );
}

function Table({rows, index, ...of}: Chosen & {rows: Rows; index: Index | undefined}) {
  if (rows.family !== of.family.name) return null;
  if (rows.total === 0) return <NoRows {...of} index={index} />;
  const {filters, family} = of, listed = {...of, rows: rows.rows};
  const shared = Object.entries(sharedBy(family, rows.rows)).filter(([name, value]) =>
    value !== '–' && !isShown(family, shownBy(listed), name));
  return (
    <>
      <p class="answer">
        <strong>{plural(rows.total, 'row')}</strong> on {of.target ? withProducts(of.target) : 'all devices'}, revision {rows.revision}
        {rows.pin && !kExported &&
          <> (<a href={urls.table(family.name, {...tableQuery(of), revision: rows.pin})} title="its bytes never change">
            pinned table
          </a>)</>}.
      </p>
      <Winners {...of} />
      {shared.length > 0 && <p class="legend">All rows of this page: {shared.map((value) => value.join(' ')).join(', ')}</p>}
      <ColumnChooser {...listed} />
      <DataTable caption={`Rows of ${family.name}`} columns={columnsFor(listed)} rows={rows.rows}
        sort={filters.values['sort']} onSort={(sort) => filters.set({sort})} />
      <PageLinks caption="Pages of the table" filters={filters as Paged} of={rows.total} shown={rows.rows.length} />
      <Download {...of} />
    </>
  );
}

function FilteredRows({families, ...of}: Chosen & {families: Family[]}) {
  const {sort, page = ''} = of.filters.values;
  const rows =
    useResource<Rows>(urls.rows(of.family.name, {...rowQuery(of), sort, after: offsetOf({page}), limit: kPage}));
  const index = useIndex().data;
  return (
    <>
      <FilterBar {...of} families={families} />
      <With of={rows} what="the rows">{(rows) => <Table {...of} rows={rows} index={index} />}</With>
    </>
  );
}

export function FamilyRows({name}: {name: string}) {
  const families = useFamilies(), context = useContext();
  const all = families.data?.families ?? [], family = all.find((family) => family.name === name);
  const filters =
    filtersOf<Values>(kView, {...kOwn, ...Object.fromEntries(shapeColumns(family).map((column) => [columnName(column.name), '']))});
  const target = filters.values['scope'] === 'all' ? '' : context?.target;
  const known = target || filters.values['scope'] === 'all';
  return (
    <>
      <ViewHead title={name} filters={family && filters}>{family?.title}</ViewHead>
      <With of={families} what="the families">
        {() => !family ? (
          <Unknown what="family" name={name} choices={nearest(name, all.map((family) => family.name))
            .map((text) => ({text, href: hrefOf(kView, {family: text})}))} />
        ) : known && <FilteredRows filters={filters} family={family} families={all} target={target ?? ''} />}
      </With>
    </>
  );
}
