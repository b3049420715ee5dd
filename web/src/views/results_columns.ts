// Which columns of a table are shown. The address holds those that are shown unlike usually, so that
// nothing stands there at first.
import type {Family} from '../answers';
import type {Values} from '../location';
import {targetParts} from '../format';

// Whether a filter gives it one value, which every row then has.
function isFixed(values: Values, name: string): boolean {
  const parts: Record<string, string> = targetParts(values['target'] ?? '');
  return Boolean(values[name] || parts[name]);
}

// What is derived from the others, what a filter says already, and ids that builds renumber, are left out
// at first: the table is wide.
function usually(family: Family, values: Values, name: string): boolean {
  const column = family.columns.find((it) => it.name === name);
  return column !== undefined && column.role !== 'derived' && column.identity !== 'unnamed' && !isFixed(values, name);
}

export function isShown(family: Family, values: Values, name: string): boolean {
  return usually(family, values, name) !== (values['hide'] ?? '').split(',').includes(name);
}

export function toggled(family: Family, choice: string, name: string): string {
  const names = choice.split(',').filter((it) => it !== '' && family.columns.some((column) => column.name === it));
  return (names.includes(name) ? names.filter((it) => it !== name) : [...names, name]).join(',');
}
