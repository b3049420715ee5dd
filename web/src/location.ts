// The page's state is in its address: the view and its filters.
import {signal} from '@preact/signals';
import {hrefOf as addressOf, isView, placeOf, type Place} from './paths';
import {changed, parse, print, type Values} from './query';

export {docOf, pathOf} from './paths';
export type {Values} from './query';

export const kContextNames = ['model', 'device', 'tp', 'engine', 'stored', 'against'] as const;
export type ContextName = (typeof kContextNames)[number];
const isOfContext = (name: string): boolean => (kContextNames as readonly string[]).includes(name);

const pick = (query: string, which: (name: string) => boolean) =>
  Object.fromEntries([...new URLSearchParams(query)].filter(([name]) => which(name)));

export const place = signal<Place>(placeOf(location.pathname, location.search));

// A shape key's column in the address. Columns such as "device" get another name than the context's.
export const columnName = (name: string): string => (isOfContext(name) ? `key-${name}` : name);
export const columnNames = <T,>(key: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(key).map(([name, value]) => [columnName(name), value]));

// A link to a view. It keeps the context of the page, unless `values` has other values. A shape's page reads no
// context, so all its values are columns.
export const hrefOf = (view: string, values: Record<string, string | number | undefined> = {}): string => {
  const named = view === 'shape' ? columnNames(values) : values;
  return addressOf(view, {...pick(place.value.query, isOfContext), ...named});
};

// Names in the address for a position in a list. A changed filter gives another list, which begins at its top.
const kPlaces: Values = {before: '', page: ''};
// Prefixes of the names for page, sort and filter of one table of a view. The table's name follows.
const kTablePrefixes = ['page-', 'sort-', 'find-'];
const isOfTable = (name: string): boolean => kTablePrefixes.some((prefix) => name.startsWith(prefix));

// Changes the context and keeps the view with its filters and tables.
export function setContext(values: Partial<Record<ContextName, string>>, how: 'push' | 'replace' = 'push'): void {
  const {view, query} = place.peek();
  const keeps = (name: string) => how === 'replace' || !Object.hasOwn(kPlaces, name);  // a default is no change
  go(addressOf(view, {...pick(query, keeps), ...values}), how);
}

// A change of a view's filter keeps the sorts and filters of the view's tables, but not their pages.
const sortsOf = (query: string) => pick(query, (name) => isOfTable(name) && !name.startsWith('page-'));

const placesOf = (query: string): string => print(pick(query, (name) => Object.hasOwn(kPlaces, name)));

// If a table now shows another page, scrolls to the top of that table.
function showTable(before: string, after: string) {
  const pages = (query: string) => pick(query, (name) => name.startsWith('page-'));
  const [was, is] = [pages(before), pages(after)];
  const turned = Object.keys({...was, ...is}).find((name) => was[name] !== is[name]);
  const table = turned && document.getElementById(turned.replace('page', 'table'));
  if (table && table.getBoundingClientRect().top < 0) table.scrollIntoView();
}

export function go(href: string, how: 'push' | 'replace' = 'push'): void {
  if (href === location.pathname + location.search) return;
  if (how === 'push') history.pushState(null, '', href);
  else history.replaceState(null, '', href);
  const {view, query} = place.value;
  place.value = placeOf(location.pathname, location.search);
  if (place.value.view !== view || placesOf(place.value.query) !== placesOf(query)) scrollTo(0, 0);
  else showTable(query, place.value.query);
}

function linkOf(event: MouseEvent): HTMLAnchorElement | null {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return null;
  return isView(link.pathname) && !link.hash ? link : null;
}

// Handles plain links within the page. The browser handles all other links.
export function followLinks(): void {
  addEventListener('popstate', () => {
    place.value = placeOf(location.pathname, location.search);
  });
  document.addEventListener('click', (event) => {
    const link = linkOf(event);
    if (!link) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}

type Change<T> = Partial<T> | ((now: T) => Partial<T>);

// The filters of a view. This reads them from the address and writes them to it.
export interface Filters<T extends Values = Values> {
  values: T;
  unknown: string[];  // names in the address that are not filters of this view
  names: string[];  // filters that users set
  href(changes: Partial<T>): string;
  set(changes: Change<T>, how?: 'push' | 'replace'): void;
}

// Defaults are empty, so that the address needs no empty filters.
export function filtersOf<T extends Values>(view: string, defaults: T): Filters<T> {
  const href = (values: T, changes: Partial<T>) =>
    hrefOf(view, {...changed(defaults, {...values, ...kPlaces, ...changes}), ...sortsOf(place.peek().query)});
  const {values, unknown} = parse(defaults, place.value.query);
  return {
    values,
    unknown: unknown.filter((name) => !isOfTable(name) && !isOfContext(name)),
    names: Object.keys(defaults).filter((name) => !(name in kPlaces)),
    href: (changes) => href(values, changes),
    // Reads the address again, because another filter may have changed since the last render.
    set: (changes, how = 'push') => {
      const now = parse(defaults, place.peek().query).values;
      go(href(now, typeof changes === 'function' ? changes(now) : changes), how);
    },
  };
}
