// A table for people: numbers to the right, what is long cut by the page and not by the table, and no
// more rows in the page than one can scroll. Its sort, filter and page are in the address, by its name.
import type {ComponentChildren} from 'preact';
import {useMemo} from 'preact/hooks';
import {count} from '../format';
import {go, hrefOf, place} from '../location';
import {TextFilter} from './controls';
import {foldsOf, found, nextSort, slugOf, sorted, sortingOf, textOf, type Sorting, type Value} from './table_rows';

interface Kind<T> {
  class?: string;
  id?: string;  // in the address; of what the server can sort by, where it sorts
  by?: (row: T) => Value;  // what it is sorted by and found by, where that is not what the cell says
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
  name: column('name'),  // of a family, a target, a host: may break where the screen is narrow
  wide: column('wide'),  // long texts: may break anywhere
  kernel: column('wide kernel'),  // names that are compared letter by letter
};
type Maker<T> = (...args: Parameters<typeof kMakers.text<T>>) => TableColumn<T>;
export type Columns<T> = (is: Record<keyof typeof kMakers, Maker<T>>) => TableColumn<T>[];

interface Props<T> {
  caption: string;
  columns: Columns<T>;
  rows: T[];
  keyOf?: (row: T) => string | number;  // where rows hold something: a button and what it was told
  sort?: string;  // as the rows come: a column's id, behind a '-' the greatest first
  onSort?: (sort: string) => void;  // the server sorts and cuts
  fixed?: boolean;  // the order says something, or there is nothing to sort
  titled?: boolean;  // the caption is seen, since no heading says the same
  rowClass?: (row: T) => string | undefined;
}

interface HeadProps {
  title: string;
  numeric?: boolean;
  id: string | undefined;  // none: it cannot be sorted by
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

const nameIn = (cell: ComponentChildren) => (Array.isArray(cell) ? cell : [cell]);  // and what stands below it
const isKernel = (column: Kind<never>): boolean => column.class === 'wide kernel';
const valueOf = <T,>({by, cell}: TableColumn<T>) => by ?? ((row: T) => textOf(cell(row)));

// Long names in a list, folded by what they have in common: what differs stands out. The whole name stays
// in the page, for copying, for who listens, and for a pointer or the focus on its row.
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

// The pages of a list, of whichever table: their number is in the address.
export const kPage = 50;  // twice as many take a filter's change beyond a tenth of a second

// From 1, whatever somebody wrote into the address.
const pageIn = (text: string): number => Math.max(1, Math.floor(Number(text)) || 1);

// Where the page of a list begins that the server cuts; none: at its top.
export const offsetOf = ({page}: {page: string}): number | undefined => (pageIn(page) - 1) * kPage || undefined;

interface PagesProps {
  caption: string;
  page: number;
  of: number;  // in the whole list
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
  before: string;  // where this page begins; '': at the newest
  older: string | undefined;
  children?: ComponentChildren;
}

// Of a list that is read from its newest row backwards: each way where there is one.
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

// Of a list that the server sorts and cuts.
export const PageLinks = ({filters, ...list}: LinksProps) =>
  <Pages {...list} page={pageIn(filters.values.page)} to={(page) => filters.href({page})} />;

// What of the address is of one table: its page, sort and filter, under its name, so that several tables of a view have
// each their own.
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
    // With another sort or filter one is at the first page again.
    href: (changes: Own) => hrefOf(place.value.view, {...query, ...named({page: '', ...changes})}),
  };
}

// The rows that are left of a filter, in the order that is asked for.
function useRows<T>(rows: T[], columns: TableColumn<T>[], find: string, by: TableColumn<T> | undefined,
    falling: boolean): T[] {
  const asked = find !== '';
  const textOfRow = (row: T) => columns.map((column) => valueOf(column)(row) ?? '').join(' ').toLowerCase();
  const texts = useMemo(() => (asked ? rows.map(textOfRow) : []), [rows, asked]);
  const left = useMemo(() => (asked ? found(rows, texts, find) : rows), [rows, texts, find]);
  return useMemo(() => (by ? sorted(left, valueOf(by), by.class === 'number', falling) : left),
    [left, by?.title, falling]);
}

// Of a table that is longer than a page.
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
  // Names are told apart by their difference.
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
