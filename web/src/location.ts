// The address is the state: which view, and its filters. Nothing else remembers what is shown.
import {signal} from '@preact/signals';
import {isView, placeOf, type Place} from './paths';
import {print} from './query';

export {hrefOf, pathOf, placeOf} from './paths';

export const place = signal<Place>(placeOf(location.pathname, location.search));

// The address's TP, for links to views that have one.
export function carriedTp(): string | undefined {
  return new URLSearchParams(place.value.query).get('tp') ?? undefined;
}

// What of an address says where in a list one is.
export const kPlaces = ['before', 'page'];
// Page, sort and filter of the tables that a view holds whole, before a table's name.
const kTablePrefixes = ['page-', 'sort-', 'find-'];
export const isOfTable = (name: string): boolean => kTablePrefixes.some((prefix) => name.startsWith(prefix));

const pick = (query: string, which: (name: string) => boolean) => Object.fromEntries([...new URLSearchParams(query)].filter(([name]) => which(name)));

// How tables are sorted and filtered outlives another filter of the view; which page one was at does not.
export const sortsOf = (query: string) => pick(query, (name) => isOfTable(name) && !name.startsWith('page-'));

const placesOf = (query: string): string => print(pick(query, (name) => kPlaces.includes(name)));

// A table begins at its top on another page, too.
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

// Plain links within the page; all others are the browser's.
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
