// What of the address is of one table: its page, sort and filter, under its name, so that several tables
// of a view have each their own.
import {hrefOf, place} from '../location';
import {slugOf} from './table_rows';

interface Own {
  page: string;
  sort: string;
  find: string;
}

export interface TableState {
  slug: string;
  page: number;  // from 1
  sort: string;
  find: string;
  href: (changes: Partial<Own>) => string;  // with another sort or filter one is at the first page again
}

export function stateOf(caption: string): TableState {
  const slug = slugOf(caption);
  const query = Object.fromEntries(new URLSearchParams(place.value.query));
  const of = (name: keyof Own): string => query[`${name}-${slug}`] ?? '';
  const named = (changes: Partial<Own>) => Object.fromEntries(Object.entries(changes).map(([name, value]) => [`${name}-${slug}`, value]));
  return {
    slug,
    page: Math.max(1, Math.floor(Number(of('page'))) || 1),
    sort: of('sort'),
    find: of('find'),
    href: (changes) => hrefOf(place.value.view, {...query, ...named({page: '', ...changes})}),
  };
}
