// A table for people: numbers to the right, what is long cut by the page and not by the table, and no
// more rows in the page than one can scroll.
import type {ComponentChildren} from 'preact';
import {count} from '../format';
import {go, hrefOf, kPagePrefix, place} from '../location';

interface Kind {
  class?: string;
  id?: string;  // in the address, of what the server can sort by
}

export interface TableColumn<T> extends Kind {
  title: string;
  cell: (row: T) => ComponentChildren;
}

const column = (kind?: string) => <T,>(title: string, cell: (row: T) => ComponentChildren, more?: Kind): TableColumn<T> => ({title, cell, class: kind, ...more});
const kMakers = {
  text: column(),
  number: column('number'),
  time: column('time'),
  wide: column('wide'),  // long texts: may break anywhere
  kernel: column('wide kernel'),  // names that are compared letter by letter
};
export type Columns<T> = (is: Record<keyof typeof kMakers, (...args: Parameters<typeof kMakers.text<T>>) => TableColumn<T>>) => TableColumn<T>[];

interface Props<T> {
  caption: string;
  columns: Columns<T>;
  rows: T[];
  keyOf?: (row: T) => string | number;  // where rows hold something: a button and what it was told
  sort?: string;  // as the rows come: a column's id, behind a '-' the greatest first
  onSort?: (sort: string) => void;
  titled?: boolean;  // the caption is seen, since no heading says the same
  rowClass?: (row: T) => string | undefined;
}

export const kPage = 50;  // twice as many take a filter's change beyond a tenth of a second

function Head<T>({column: it, sort, onSort}: {column: TableColumn<T>; sort?: string; onSort?: (sort: string) => void}) {
  const {id} = it;
  const falling = `-${id}`;
  const mark = !id ? undefined : sort === id ? 'ascending' : sort === falling ? 'descending' : undefined;
  const next = id && (mark ? mark === 'descending' : it.class !== 'number') ? id : falling;
  return (
    <th scope="col" class={it.class === 'number' ? it.class : undefined} aria-sort={mark}>
      {id && onSort ? <button type="button" class="sort" onClick={() => onSort(next)}>{it.title}</button> : it.title}
    </th>
  );
}

export function DataTable<T>({caption, columns: made, rows, keyOf, sort, onSort, titled, rowClass}: Props<T>) {
  const name = kPagePrefix + caption.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const query = Object.fromEntries(new URLSearchParams(place.value.query));
  const page = Math.max(0, Math.floor(Number(query[name])) - 1 || 0);
  const columns = made(kMakers);
  const last = Math.max(0, Math.ceil(rows.length / kPage) - 1);
  const at = Math.min(page, last);
  const shown = rows.slice(at * kPage, (at + 1) * kPage);
  const turn = (by: number) => go(hrefOf(place.value.view, {...query, [name]: at + by > 0 ? at + by + 1 : ''}));
  return (
    <>
      <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
        <table class="data">
          <caption class={titled ? undefined : 'hidden'}>{caption}</caption>
          <thead>
            <tr>{columns.map((it) => <Head key={it.title} column={it} sort={sort} onSort={onSort} />)}</tr>
          </thead>
          <tbody>
            {shown.map((row, i) => (
              <tr key={keyOf?.(row) ?? i} class={rowClass?.(row)}>
                {columns.map((it) => <td key={it.title} class={it.class}>{it.cell(row)}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {last > 0 && (
        <nav class="pager" aria-label={`Pages: ${caption}`}>
          <button type="button" disabled={at === 0} onClick={() => turn(-1)}>Previous</button>
          <span>
            {count(at * kPage + 1)} to {count(at * kPage + shown.length)} of {count(rows.length)}
          </span>
          <button type="button" disabled={at === last} onClick={() => turn(1)}>Next</button>
        </nav>
      )}
    </>
  );
}
