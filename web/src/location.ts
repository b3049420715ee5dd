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
export const kPlaces = ['after', 'before', 'page', 'trail'];
export const kPagePrefix = 'page-';  // of the tables that a view holds whole

function placesOf(query: string): string {
  return print(Object.fromEntries([...new URLSearchParams(query)].filter(([name]) => kPlaces.includes(name) || name.startsWith(kPagePrefix))));
}

export function go(href: string, how: 'push' | 'replace' = 'push'): void {
  if (href === location.pathname + location.search) return;
  if (how === 'push') history.pushState(null, '', href);
  else history.replaceState(null, '', href);
  const before = place.value.view, places = placesOf(place.value.query);
  place.value = placeOf(location.pathname, location.search);
  // Another page of a list begins at its top, too.
  if (place.value.view !== before || placesOf(place.value.query) !== places) scrollTo(0, 0);
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
