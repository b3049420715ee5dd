// Converts a view and its filters to an address and back. An export's page uses exported/paths.ts instead.
import {print} from './query';

export interface Place {
  view: string;  // '' is the overview
  query: string;  // as in the address, without '?'
}

const kFolder = '/ui/';

export function placeOf(path: string, search: string): Place {
  const view = path.startsWith(kFolder) ? path.slice(kFolder.length) : '';
  return {view: decodeURIComponent(view), query: search.replace(/^\?/, '')};
}

export const pathOf = (view: string): string => (view === '' ? '/' : kFolder + encodeURIComponent(view));

export function hrefOf(view: string, values: Record<string, string | number | undefined> = {}): string {
  const query = print(values);
  return pathOf(view) + (query ? `?${query}` : '');
}

export const docOf = (page: string): string => `/docs/${page}`;

// True if a path is a view's.
export const isView = (path: string): boolean => path === '/' || path.startsWith(kFolder);
