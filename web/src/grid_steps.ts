// Where a key leads within a grid.
export interface GridPlace {
  row: number;
  column: number;
}

// Null: the key is none of the grid's.
export function step(
  at: GridPlace,
  key: string,
  control: boolean,
  size: {rows: number; columns: number},
): GridPlace | null {
  const last = {row: size.rows - 1, column: size.columns - 1};
  switch (key) {
    case 'ArrowLeft':
      return {...at, column: Math.max(0, at.column - 1)};
    case 'ArrowRight':
      return {...at, column: Math.min(last.column, at.column + 1)};
    case 'ArrowUp':
      return {...at, row: Math.max(0, at.row - 1)};
    case 'ArrowDown':
      return {...at, row: Math.min(last.row, at.row + 1)};
    case 'Home':
      return control ? {row: 0, column: 0} : {...at, column: 0};
    case 'End':
      return control ? last : {...at, column: last.column};
    default:
      return null;
  }
}
