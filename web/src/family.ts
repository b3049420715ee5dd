// A family's columns by their roles.
import type {Cell, Column, Family, Row, ShapeCells} from './answers';
import {targetParts} from './format';
import type {Values} from './location';

export function columnsOf(family: Family, ...roles: Column['role'][]): Column[] {
  return family.columns.filter((column) => roles.includes(column.role));
}

// Roles of a shape's columns. Some files are specific to an engine and a device, so these two belong to the shape.
export const kShapeRoles = ['engine', 'device', 'shape', 'tag'] as const;

export const keyColumns = (family: Family): Column[] => columnsOf(family, 'target', ...kShapeRoles);

const kNumeric = ['integer', 'number', 'error', 'flag'];
export const isNumeric = (column: Column): boolean => kNumeric.includes(column.type);

function text(value: Cell | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return String(value);
}

// A row's shape key as query parameters of /shapes, without empty cells.
export function keyOf(family: Family, row: Row): Record<string, string> {
  const key: Record<string, string> = {};
  for (const column of keyColumns(family)) {
    const value = text(row[column.name]);
    if (value !== '') key[column.name] = value;
  }
  return key;
}

// "M 16, N 1280, K 5120"; enum values without the name of their type.
// As parameters of a request.
export const textsOf = (cells: ShapeCells): Record<string, string> =>
  Object.fromEntries(Object.entries(cells).map(([name, value]) => [name, String(value)]));

export function shapeText(family: Family | undefined, shape: Record<string, Cell>): string {
  const names = family ? columnsOf(family, ...kShapeRoles).map((column) => column.name) : Object.keys(shape);
  return names
    .filter((name) => shape[name] !== undefined && shape[name] !== '')
    .map((name) => `${name} ${shortValue(text(shape[name]))}`)
    .join(', ');
}

// "ActivationType.Silu" -> "Silu", "torch.bfloat16" -> "bfloat16".
export function shortValue(value: string): string {
  return /^[A-Za-z]\w*\.[A-Za-z]\w*$/.test(value) ? value.slice(value.indexOf('.') + 1) : value;
}

// True if a filter gives every row the same value of the column.
function isFixed(values: Values, name: string): boolean {
  const parts: Record<string, string> = targetParts(values['target'] ?? '');
  return Boolean(values[name] || parts[name]);
}

// A row of MoE has two kernels, each with columns of its own: more than a window has room for.
export const hasTwoKernels = (family: Family): boolean => family.columns.filter(({type}) => type === 'kernel').length > 1;

// The table has many columns. By default it hides derived columns, columns that a filter fixes, and ids that differ
// between builds. If rows have two kernels: also the kernels' parameters and errors.
function usually(family: Family, values: Values, name: string): boolean {
  const column = family.columns.find((column) => column.name === name);
  if (column && column.type !== 'kernel' && ['config', 'error'].includes(column.role) && hasTwoKernels(family)) return false;
  return column !== undefined && column.role !== 'derived' && column.identity !== 'unnamed' && !isFixed(values, name);
}

// The address lists only columns whose visibility differs from the default.
export function isShown(family: Family, values: Values, name: string): boolean {
  return usually(family, values, name) !== (values['hide'] ?? '').split(',').includes(name);
}

export function toggled(family: Family, choice: string, name: string): string {
  const names =
    choice.split(',').filter((hidden) => hidden !== '' && family.columns.some((column) => column.name === hidden));
  return (names.includes(name) ? names.filter((hidden) => hidden !== name) : [...names, name]).join(',');
}
