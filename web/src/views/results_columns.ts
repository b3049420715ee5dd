// Which columns of a table are shown. The address holds those that are shown unlike usually, so that
// nothing stands there at first.
import type {Family} from '../answers';

// What is derived from the others, and ids that builds renumber, are left out at first: the table is wide.
function usually(family: Family, name: string): boolean {
  const column = family.columns.find((it) => it.name === name);
  return column !== undefined && column.role !== 'derived' && column.identity !== 'unnamed';
}

export function isShown(family: Family, choice: string, name: string): boolean {
  return usually(family, name) !== choice.split(',').includes(name);
}

export function toggled(family: Family, choice: string, name: string): string {
  const names = choice.split(',').filter((it) => it !== '' && family.columns.some((column) => column.name === it));
  return (names.includes(name) ? names.filter((it) => it !== name) : [...names, name]).join(',');
}
