// The filters of the view that is shown: read from the address, written back to it.
import {go, hrefOf, place} from './location';
import {changed, parse, type Parsed, type Values} from './query';

export type {Values} from './query';

export interface Filters<T extends Values> extends Parsed<T> {
  defaults: T;
  href(changes: Partial<T>): string;
  set(changes: Partial<T>, how?: 'push' | 'replace'): void;
}

// Defaults are empty: then an empty filter need not stand in the address.
export function filtersOf<T extends Values>(view: string, defaults: T): Filters<T> {
  const parsed = parse(defaults, place.value.query);
  const href = (changes: Partial<T>) => hrefOf(view, changed(defaults, {...parsed.values, ...changes}));
  return {...parsed, defaults, href, set: (changes, how = 'push') => go(href(changes), how)};
}
