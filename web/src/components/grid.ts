// Moves in a grid by the keyboard, and the line of a sparkline. Pure functions.
export interface GridPlace {
  row: number;
  column: number;
}

const kLeap = 4;  // rows; with it six keys reach each cell of a grid of sixty rows

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

// The next row, in a circle, whose name begins with the letters. The first letter leaves the row, later ones may keep it.
function rowOf(names: string[], from: number, typed: string): number | undefined {
  const start = from + (typed.length > 1 ? 0 : 1);
  return names.map((_, i) => (start + i) % names.length).find((row) => plain(names[row] ?? '').startsWith(typed));
}

// Arrows, Home, End, Page Up and Page Down move. Letters go to a row by its name, a digit to that column.
// `typed`: the letters before this key. Null: the grid ignores this key.
export function step(at: GridPlace, key: string, control: boolean, {names, columns}: {names: string[]; columns: number},
    typed = ''): GridPlace | null {
  const last = {row: names.length - 1, column: columns - 1};
  const down = (rows: number) => ({...at, row: Math.max(0, Math.min(last.row, at.row + rows))});
  const across = (cells: number) => ({...at, column: Math.max(0, Math.min(last.column, at.column + cells))});
  const moves: Record<string, GridPlace> = {
    ArrowLeft: across(-1), ArrowRight: across(1), ArrowUp: down(-1), ArrowDown: down(1), PageUp: down(-kLeap),
    PageDown: down(kLeap), Home: {row: control ? 0 : at.row, column: 0},
    End: {row: control ? last.row : at.row, column: last.column},
  };
  if (moves[key]) return moves[key];
  if (control || !/^[a-z0-9]$/i.test(key)) return null;
  const row = (typed ? rowOf(names, at.row, plain(typed + key)) : undefined) ??
    (/\d/.test(key) ? undefined : rowOf(names, at.row, plain(key)));
  if (row !== undefined) return {...at, row};
  return Number(key) >= 1 && Number(key) <= columns ? {...at, column: Number(key) - 1} : null;
}

export const kSparkWidth = 132, kSparkHeight = 33;

const kEdge = 2;
const kLeast = 10;  // the line's height covers at least this range of values, so that noise looks flat

// The points of a sparkline's polyline, without unknown values. Undefined for fewer than two points and for a level
// line.
export function lineOf(values: (number | null)[] | undefined): string | undefined {
  const known = (values ?? []).flatMap((value, i) => (value === null ? [] : [{value, i}]));
  if (known.length < 2 || !values) return undefined;
  const low = Math.min(...known.map((known) => known.value)), high = Math.max(...known.map((known) => known.value));
  if (high === low) return undefined;
  const range = Math.max(high - low, kLeast), floor = (low + high - range) / 2;
  const x = (i: number) => kEdge + (i * (kSparkWidth - 2 * kEdge)) / (values.length - 1);
  const y = (value: number) => kSparkHeight - kEdge - ((value - floor) * (kSparkHeight - 2 * kEdge)) / range;
  return known.map(({value, i}) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
}
