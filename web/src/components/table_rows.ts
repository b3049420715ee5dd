// Sorts and filters the rows of a table whose rows are all on the page. Pure functions.
import type {ComponentChildren, VNode} from 'preact';

export type Value = string | number | null | undefined;

export interface Sorting {
  by: string;  // a column's id
  falling: boolean;
}

// "-us" sorts by us, descending.
export function sortingOf(text: string): Sorting {
  const falling = text.startsWith('-');
  return {by: falling ? text.slice(1) : text, falling};
}

// The first click sorts numbers in descending and texts in ascending order; the next click reverses the order.
export function nextSort(now: Sorting, id: string, numeric: boolean): string {
  const falls = now.by === id ? !now.falling : numeric;
  return falls ? `-${id}` : id;
}

export const slugOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/-$/, '');

// A cell's text, without the text that its components would render.
export function textOf(cell: ComponentChildren): string {
  if (Array.isArray(cell)) return cell.map(textOf).join(' ');
  if (cell === null || cell === undefined || typeof cell === 'boolean') return '';
  if (typeof cell === 'object') return textOf((cell as VNode<{children?: ComponentChildren}>).props?.children);
  return String(cell);
}

// "+1,234.50 us" is 1234.5; a text without a number is NaN.
export const numberIn = (text: string): number => parseFloat(text.replace(/[,+]/g, '').replace('\u2212', '-'));

// Numbers in a text count as numbers: "M 16" comes before "M 128".
const padded = (text: string): string => text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, '0'));

function keyOf(value: Value, numeric: boolean): string | number {
  if (typeof value === 'number') return value;
  const text = value ?? '';
  return numeric ? numberIn(text) : padded(text);
}

// Empty cells, dashes and NaN come last in either order.
const isNone = (key: string | number): boolean => key === '' || key === '\u2013' || Number.isNaN(key);

export function sorted<T>(rows: T[], of: (row: T) => Value, numeric: boolean, falling: boolean): T[] {
  const all = rows.map((row) => ({row, key: keyOf(of(row), numeric)}));
  const [some, none] = [all.filter((entry) => !isNone(entry.key)), all.filter((entry) => isNone(entry.key))];
  const sign = falling ? -1 : 1;
  some.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : 0));
  return [...some, ...none].map((entry) => entry.row);
}

// The rows whose text contains every word. `texts` has each row's text in lower case.
export function found<T>(rows: T[], texts: string[], words: string): T[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((_, i) => wanted.every((word) => texts[i]?.includes(word)));
}

const kLeast = 12;  // letters; Folded does not shorten a shorter part

// Words, each with the separators after it.
const wordsOf = (name: string): string[] => name.match(/[^_\s]*[_\s]*/g)?.filter(Boolean) ?? [];

function shared(lists: string[][]): number {
  const [one = []] = lists;
  const most = Math.min(...lists.map((list) => list.length)) - 1;  // at least one word of each name stays unfolded
  let n = 0;
  while (n < most && lists.every((list) => list[n] === one[n])) ++n;
  return n;
}

const lengthOf = (words: string[]): number => words.reduce((sum, word) => sum + word.length, 0);

// For each name: how many letters at its start and its end all names with the same first word share.
export function foldsOf(names: string[]): Map<string, {head: number; tail: number}> {
  const groups = new Map<string, string[][]>();
  for (const name of new Set(names)) {
    const words = wordsOf(name);
    const first = words[0] ?? '';
    groups.set(first, [...(groups.get(first) ?? []), words]);
  }
  const folds = new Map<string, {head: number; tail: number}>();
  for (const all of groups.values()) {
    if (all.length < 2) continue;
    const front = shared(all);
    const back = shared(all.map((words) => words.slice(front).reverse()));
    for (const words of all) {
      const [head, tail] = [lengthOf(words.slice(0, front)), lengthOf(back > 0 ? words.slice(-back) : [])];
      if (head >= kLeast || tail >= kLeast) folds.set(words.join(''),
        {head: head >= kLeast ? head : 0, tail: tail >= kLeast ? tail : 0});
    }
  }
  return folds;
}
