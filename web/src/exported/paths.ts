// Addresses of views. An export may be in any folder of any host, and has one page for all views, so the query names
// the view.
import type {Place} from '../paths';
import {print} from '../query';

// "/tunehub/" for "/tunehub/index.html".
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

export function placeOf(_path: string, search: string): Place {
  const query = new URLSearchParams(search);
  const view = query.get('view') ?? '';
  query.delete('view');
  return {view, query: query.toString()};
}

export function hrefOf(view: string, values: Record<string, string | number | undefined> = {}): string {
  const query = print({view, ...values});
  return folderOf(location.pathname) + (query ? `?${query}` : '');
}

export const pathOf = (view: string): string => hrefOf(view);

export const docOf = (page: string): string => `docs/${page || 'index.html'}`;

export const isView = (path: string): boolean => folderOf(path) === path && path === folderOf(location.pathname);
