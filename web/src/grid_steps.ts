// Where a key leads within a grid.
interface GridPlace {
  row: number;
  column: number;
}

// Null: the key is none of the grid's.
export function step(at: GridPlace, key: string, control: boolean, size: {rows: number; columns: number}): GridPlace | null {
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
