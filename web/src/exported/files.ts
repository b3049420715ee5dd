// Finds an export's file for an address of the server. Pure functions.
import type {Cell, Row, Rows} from '../answers';
import {sortingOf} from '../components/table_rows';

// The address as the export wrote it. Its parameters are sorted, so that one query has one address.
export function addressOf(path: string): string {
  const [name = '', query = ''] = path.split('?');
  const pairs =
    [...new URLSearchParams(query)].map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
  return name + (pairs.length > 0 ? `?${pairs.sort().join('&')}` : '');
}

type Query = Record<string, string | number | undefined>;

// The table file that contains a query's rows. It may contain more rows: each family and target has one file.
export function tableFile(family: string, query: Query): string {
  const target = [query['gfx'], query['cu_num']].filter(Boolean).join('_');  // "gfx942_304", "gfx942", or "" for all
  return `tables/${family}${target && `/${target}`}.csv`;
}

const textOf = (cell: Cell | undefined): string =>
  (cell === null || cell === undefined ? '' : String(cell).toLowerCase());

function passes(row: Row, name: string, value: string): boolean {
  if (name === 'measured') return row['standing'] !== 'unmeasured';
  if (name === 'contains') return Object.values(row).some((cell) => textOf(cell).includes(value.toLowerCase()));
  return textOf(row[name]) === value.toLowerCase();
}

const kPlaces = ['sort', 'after', 'limit'];
const kUsualLimit = 100;

// The server's order: numbers by value, then texts by their letters, then empty cells.
function inOrder(rows: Row[], by: string, falling: boolean): Row[] {
  const keyOf = (row: Row): number | string => {
    const text = String(row[by] ?? '');
    return text === '' || Number.isNaN(Number(text)) ? text : Number(text);
  };
  const less = (a: number | string, b: number | string) => (typeof a === typeof b ? a < b : typeof a === 'number');
  const all = rows.map((row) => ({row, key: keyOf(row)}));
  all.sort(({key: a}, {key: b}) => {
    if (a === '' || b === '') return Number(a === '') - Number(b === '');
    const [first, second] = falling ? [b, a] : [a, b];
    return less(first, second) ? -1 : less(second, first) ? 1 : 0;
  });
  return all.map((entry) => entry.row);
}

// Answers GET /rows/{family} from all rows of the family.
export function rowsOf(family: string, revision: number, all: Row[], query: URLSearchParams): Rows {
  const filters = [...query].filter(([name]) => !kPlaces.includes(name));
  const found = all.filter((row) => filters.every(([name, value]) => passes(row, name, value)));
  const {by, falling} = sortingOf(query.get('sort') ?? '');
  const rows = by ? inOrder(found, by, falling) : found;
  const from = Number(query.get('after') ?? 0);
  return {family, revision, total: rows.length,
    rows: rows.slice(from, from + Number(query.get('limit') ?? kUsualLimit))};
}
