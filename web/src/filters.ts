// The filters of the view that is shown: read from the address, written back to it.
import {go, hrefOf, isOfTable, kPlaces as kNames, place, sortsOf} from './location';
import {changed, parse, type Values} from './query';

export type {Values} from './query';

type Change<T> = Partial<T> | ((now: T) => Partial<T>);

export interface Filters<T extends Values = Values> {
  values: T;
  unknown: string[];  // names in the address that are no filter here
  names: string[];  // those that people choose
  href(changes: Partial<T>): string;
  set(changes: Change<T>, how?: 'push' | 'replace'): void;
}

// Where in a list one is: another filter makes another list, and one begins at its top.
const kPlaces: Values = Object.fromEntries(kNames.map((name) => [name, '']));

// Defaults are empty: then an empty filter need not stand in the address.
export function filtersOf<T extends Values>(view: string, defaults: T): Filters<T> {
  const href = (values: T, changes: Partial<T>) => hrefOf(view, {...changed(defaults, {...values, ...kPlaces, ...changes}), ...sortsOf(place.peek().query)});
  const {values, unknown} = parse(defaults, place.value.query);
  return {
    values,
    unknown: unknown.filter((name) => !isOfTable(name)),
    names: Object.keys(defaults).filter((name) => !(name in kPlaces)),
    href: (changes) => href(values, changes),
    // From the address as it is now: since the last drawing another filter may have been set.
    set: (changes, how = 'push') => {
      const now = parse(defaults, place.peek().query).values;
      go(href(now, typeof changes === 'function' ? changes(now) : changes), how);
    },
  };
}
