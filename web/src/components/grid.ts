// A grid's pure functions: moves by the keyboard, and a cell's sparkline.
interface GridPlace {
  row: number;
  column: number;
}

// Null: the grid ignores this key.
export function step(at: GridPlace, key: string, control: boolean,
    size: {rows: number; columns: number}): GridPlace | null {
  const last = {row: size.rows - 1, column: size.columns - 1};
  const places: Record<string, GridPlace> = {
    ArrowLeft: {...at, column: Math.max(0, at.column - 1)},
    ArrowRight: {...at, column: Math.min(last.column, at.column + 1)},
    ArrowUp: {...at, row: Math.max(0, at.row - 1)},
    ArrowDown: {...at, row: Math.min(last.row, at.row + 1)},
    Home: {row: control ? 0 : at.row, column: 0},
    End: {row: control ? last.row : at.row, column: last.column},
  };
  return places[key] ?? null;
}

export const kSparkWidth = 44, kSparkHeight = 11;

const kEdge = 1.5;
const kLeast = 10;  // the sparkline's height covers at least this range of values, so that noise looks flat

// The points of a sparkline's polyline, without unknown values. Undefined for fewer than two points and for a level
// line, because many level lines would hide the lines that move.
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
