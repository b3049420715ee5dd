// A table for people: numbers to the right, what is long cut by the page and not by the table, and no
// more rows in the page than one can scroll.
import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
import {count} from '../format';

export interface TableColumn<T> {
  id: string;
  title: ComponentChildren;
  numeric?: boolean;
  wide?: boolean;  // long texts: may break anywhere
  kernel?: boolean;  // names that are compared letter by letter
  cell: (row: T) => ComponentChildren;
  sort?: (row: T) => number | string | null;  // null sorts last
}

export interface Sort {
  by: string;
  down: boolean;
}

interface Props<T> {
  caption: string;
  columns: TableColumn<T>[];
  rows: T[];
  keyOf: (row: T) => string | number;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  hideCaption?: boolean;
  rowClass?: (row: T) => string | undefined;
}

const kPage = 100;

export function sorted<T>(rows: T[], columns: TableColumn<T>[], sort: Sort | undefined): T[] {
  const value = columns.find((column) => column.id === sort?.by)?.sort;
  if (!sort || !value) return rows;
  const sign = sort.down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const left = value(a), right = value(b);
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    if (left === right) return 0;
    return (left < right ? -1 : 1) * sign;
  });
}

function Head<T>({column, sort, onSort}: {column: TableColumn<T>; sort?: Sort; onSort?: (sort: Sort) => void}) {
  const mark = sort?.by === column.id ? (sort.down ? 'descending' : 'ascending') : undefined;
  const kind = column.numeric ? 'number' : undefined;
  if (!column.sort || !onSort) return <th scope="col" class={kind}>{column.title}</th>;
  const next = {by: column.id, down: mark ? mark === 'ascending' : Boolean(column.numeric)};
  return (
    <th scope="col" class={kind} aria-sort={mark}>
      <button type="button" class="sort" onClick={() => onSort(next)}>{column.title}</button>
    </th>
  );
}

export function DataTable<T>({caption, columns, rows, keyOf, sort, onSort, hideCaption, rowClass}: Props<T>) {
  const [page, setPage] = useState(0);
  const pages = Math.max(1, Math.ceil(rows.length / kPage));
  const at = Math.min(page, pages - 1);
  const shown = sorted(rows, columns, sort).slice(at * kPage, (at + 1) * kPage);
  return (
    <>
      <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
        <table class="data">
          <caption class={hideCaption ? 'hidden' : undefined}>{caption}</caption>
          <thead>
            <tr>{columns.map((column) => <Head key={column.id} column={column} sort={sort} onSort={onSort} />)}</tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={keyOf(row)} class={rowClass?.(row)}>
                {columns.map((column) => (
                  <td key={column.id} class={column.numeric ? 'number' : column.kernel ? 'wide kernel' : column.wide ? 'wide' : undefined}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && (
        <nav class="pager" aria-label={`Pages: ${caption}`}>
          <button type="button" disabled={at === 0} onClick={() => setPage(at - 1)}>Previous</button>
          <span>
            {count(at * kPage + 1)} to {count(at * kPage + shown.length)} of {count(rows.length)}
          </span>
          <button type="button" disabled={at === pages - 1} onClick={() => setPage(at + 1)}>Next</button>
        </nav>
      )}
    </>
  );
}
