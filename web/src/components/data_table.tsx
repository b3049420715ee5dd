// A table with right-aligned numbers and at most kPage rows per page. Its sort, filter and page are in the address,
// under the table's name.
import type {ComponentChildren} from 'preact';
import {useMemo} from 'preact/hooks';
import {count} from '../format';
import {go, hrefOf, place} from '../location';
import {TextFilter} from './controls';
import {foldsOf, found, nextSort, slugOf, sorted, sortingOf, textOf, type Sorting, type Value} from './table_rows';

interface Kind<T> {
  class?: string;
  id?: string;  // the sort's name in the address; the server sorts only by columns that have one
  by?: (row: T) => Value;  // the value to sort and filter by; without it, the cell's text
}

interface TableColumn<T> extends Kind<T> {
  title: string;
  cell: (row: T) => ComponentChildren;
}

const column = (kind?: string) =>
  <T,>(title: string, cell: (row: T) => ComponentChildren, more?: Kind<T>): TableColumn<T> =>
    ({title, cell, class: kind, ...more});
const kMakers = {
  text: column(),
  number: column('number'),
  time: column('time'),
  name: column('name'),  // families, targets, hosts: may break between words on a narrow screen
  wide: column('wide'),  // long texts: may break at any letter
  kernel: column('wide kernel'),  // kernel names, which users compare letter by letter
};
type Maker<T> = (...args: Parameters<typeof kMakers.text<T>>) => TableColumn<T>;
export type Columns<T> = (is: Record<keyof typeof kMakers, Maker<T>>) => TableColumn<T>[];

interface Props<T> {
  caption: string;
  columns: Columns<T>;
  rows: T[];
  keyOf?: (row: T) => string | number;  // needed if rows have state, for example a button's result
  sort?: string;  // the server's order: a column's id, '-' for descending
  onSort?: (sort: string) => void;  // set if the server sorts and sends one page at a time
  fixed?: boolean;  // users cannot sort it, because the order has a meaning
  titled?: boolean;  // shows the caption; needed if no heading says the same
  rowClass?: (row: T) => string | undefined;
}

interface HeadProps {
  title: string;
  numeric?: boolean;
  id: string | undefined;  // undefined: users cannot sort by this column
  now: Sorting;
  onSort: (sort: string) => void;
}

export function Head({title, numeric = false, id, now, onSort}: HeadProps) {
  const mark = id === undefined || now.by !== id ? undefined : now.falling ? 'descending' : 'ascending';
  return (
    <th scope="col" class={numeric ? 'number' : undefined} aria-sort={mark}>
      {id === undefined ? title
        : <button type="button" class="sort" onClick={() => onSort(nextSort(now, id, numeric))}>{title}</button>}
    </th>
  );
}

const nameIn = (cell: ComponentChildren) => (Array.isArray(cell) ? cell : [cell]);  // the name, then the texts below it
const isKernel = (column: Kind<never>): boolean => column.class === 'wide kernel';
const valueOf = <T,>({by, cell}: TableColumn<T>) => by ?? ((row: T) => textOf(cell(row)));

// A long name in a list. The style sheet shortens the parts that it shares with other names. The page still contains
// the whole name for copying and screen readers, and shows it while its row has the pointer or the focus.
function Folded({name, folds}: {name: string; folds: ReturnType<typeof foldsOf>}) {
  const fold = folds.get(name);
  if (!fold) return <>{name}</>;
  const end = name.length - fold.tail;
  return (
    <span class="folded">
      {fold.head > 0 && <span class="same">{name.slice(0, fold.head)}</span>}
      {name.slice(fold.head, end)}
      {fold.tail > 0 && <span class="same">{name.slice(end)}</span>}
    </span>
  );
}

export const kPage = 50;  // rows; with twice as many, a change of the filter takes more than 0.1 s

// Pages count from 1. If the page in the address is not a number, it means page 1.
const pageIn = (text: string): number => Math.max(1, Math.floor(Number(text)) || 1);

// A page's offset for the server; undefined for the first page.
export const offsetOf = ({page}: {page: string}): number | undefined => (pageIn(page) - 1) * kPage || undefined;

interface PagesProps {
  caption: string;
  page: number;
  of: number;  // number of rows of the whole list
  shown: number;
  to: (page: string) => string;
}

function Pages({caption, page, of, shown, to}: PagesProps) {
  const from = (page - 1) * kPage;
  if (of <= kPage && page === 1) return null;
  const link = (other: number, text: string) => <a class="button" href={to(other > 1 ? String(other) : '')}>{text}</a>;
  return (
    <nav class="pager" aria-label={caption}>
      {page > 2 && link(1, 'First')}
      {page > 1 && link(page - 1, 'Previous')}
      <span>{count(from + Math.min(1, shown))} to {count(from + shown)} of {count(of)}</span>
      {from + shown < of && link(page + 1, 'Next')}
    </nav>
  );
}

interface BackProps {
  view: string;
  caption: string;
  before: string;  // the rows of this page are older than this row; '': the newest page
  older: string | undefined;
  children?: ComponentChildren;
}

// Page links of a list that begins with its newest row.
export function BackLinks({view, caption, before, older, children}: BackProps) {
  if (!before && !older) return null;
  return (
    <nav class="pager" aria-label={caption}>
      {before && <a class="button" href={hrefOf(view)}>Newest</a>}
      {children}
      {older && <a class="button" href={hrefOf(view, {before: older})}>Older</a>}
    </nav>
  );
}

interface LinksProps {
  caption: string;
  filters: {values: {page: string}; href(changes: {page: string}): string};
  of: number;
  shown: number;
}

// Links between the pages of a list that the server sorts.
export const PageLinks = ({filters, ...list}: LinksProps) =>
  <Pages {...list} page={pageIn(filters.values.page)} to={(page) => filters.href({page})} />;

// A table's page, sort and filter in the address. A view may have several tables, so each parameter's name ends with
// the table's name.
type Own = Partial<Record<'page' | 'sort' | 'find', string>>;

export function stateOf(caption: string) {
  const slug = slugOf(caption);
  const query = Object.fromEntries(new URLSearchParams(place.value.query));
  const of = (name: keyof Own): string => query[`${name}-${slug}`] ?? '';
  const named = (changes: Own) =>
    Object.fromEntries(Object.entries(changes).map(([name, value]) => [`${name}-${slug}`, value]));
  return {
    slug,
    page: pageIn(of('page')),
    sort: of('sort'),
    find: of('find'),
    // Another sort or filter shows the first page.
    href: (changes: Own) => hrefOf(place.value.view, {...query, ...named({page: '', ...changes})}),
  };
}

// The rows that the filter keeps, sorted.
function useRows<T>(rows: T[], columns: TableColumn<T>[], find: string, by: TableColumn<T> | undefined,
    falling: boolean): T[] {
  const asked = find !== '';
  const textOfRow = (row: T) => columns.map((column) => valueOf(column)(row) ?? '').join(' ').toLowerCase();
  const texts = useMemo(() => (asked ? rows.map(textOfRow) : []), [rows, asked]);
  const left = useMemo(() => (asked ? found(rows, texts, find) : rows), [rows, texts, find]);
  return useMemo(() => (by ? sorted(left, valueOf(by), by.class === 'number', falling) : left),
    [left, by?.title, falling]);
}

// The filter box of a table that has more than one page.
function Find({state, of, left}: {state: ReturnType<typeof stateOf>; of: number; left: number}) {
  if (of <= kPage && state.find === '') return null;
  const filter = {values: {find: state.find},
    set: (changes: object, how?: 'push' | 'replace') => go(state.href(changes), how)};
  return (
    <div class="filters">
      <TextFilter of={filter} name="find" id={state.slug} label="Row contains" atHand />
      {state.find !== '' && <span role="status">{count(left)} of {count(of)}</span>}
    </div>
  );
}

export function DataTable<T>({caption, columns: made, rows, keyOf, sort, onSort, fixed, titled, rowClass}: Props<T>) {
  const state = stateOf(caption);
  const columns = made(kMakers);
  const served = sort !== undefined;
  const now = sortingOf(sort ?? state.sort);
  const first = rows[0];
  const idOf = (column: TableColumn<T>): string | undefined => {
    if (served) return column.id;
    return fixed || rows.length < 2 || first === undefined || valueOf(column)(first) === '' ? undefined
      : (column.id ?? slugOf(column.title));
  };
  const ordered = useRows(rows, columns, state.find,
    served ? undefined : columns.find((column) => idOf(column) === now.by), now.falling);
  const at = Math.min(state.page, Math.max(1, Math.ceil(ordered.length / kPage)));
  const shown = ordered.slice((at - 1) * kPage, at * kPage);
  const names = columns.filter(isKernel).flatMap((column) => shown.map((row) => nameIn(column.cell(row))[0]));
  const folds = foldsOf(names.filter((name) => typeof name === 'string'));
  const cellOf = (column: TableColumn<T>, row: T) => {
    const [name, ...rest] = nameIn(column.cell(row));
    return isKernel(column) && typeof name === 'string' ? <><Folded name={name} folds={folds} />{rest}</>
      : column.cell(row);
  };
  return (
    <>
      {!served && <Find state={state} of={rows.length} left={ordered.length} />}
      <div class="scroll" role="region" id={`table-${state.slug}`} aria-label={caption} tabIndex={0}>
        <table class="data">
          <caption class={titled ? undefined : 'hidden'}>{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) =>
                <Head key={column.title} title={column.title} numeric={column.class === 'number'} id={idOf(column)}
                  now={now} onSort={onSort ?? ((by) => go(state.href({sort: by})))} />)}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, i) =>
              <tr key={keyOf?.(row) ?? i} class={rowClass?.(row)}>
                {columns.map((column) => <td key={column.title} class={column.class}>{cellOf(column, row)}</td>)}
              </tr>)}
          </tbody>
        </table>
      </div>
      {!served &&
        <Pages caption={`Pages: ${caption}`} page={at} of={ordered.length} shown={shown.length}
          to={(page) => state.href({page})} />}
    </>
  );
}
