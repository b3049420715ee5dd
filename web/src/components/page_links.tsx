// The pages of a list, of whichever table: their number is in the address.
import type {Filters} from '../filters';
import {count} from '../format';

export const kPage = 50;  // twice as many take a filter's change beyond a tenth of a second

// From 1, whatever somebody wrote into the address.
export function pageOf(filters: {values: {page: string}}): number {
  return Math.max(1, Math.floor(Number(filters.values.page)) || 1);
}

interface PagesProps {
  caption: string;
  page: number;  // from 1
  of: number;  // in the whole list
  shown: number;
  to: (page: number) => string;
}

export function Pages({caption, page, of, shown, to}: PagesProps) {
  const from = (page - 1) * kPage;
  if (of <= kPage && page === 1) return null;
  return (
    <nav class="pager" aria-label={caption}>
      {page > 2 && <a class="button" href={to(1)}>First</a>}
      {page > 1 && <a class="button" href={to(page - 1)}>Previous</a>}
      <span>{count(from + Math.min(1, shown))} to {count(from + shown)} of {count(of)}</span>
      {from + shown < of && <a class="button" href={to(page + 1)}>Next</a>}
    </nav>
  );
}

interface Props {
  caption: string;
  filters: Filters<{page: string} & Record<string, string>>;
  of: number;
  shown: number;
}

// Of a list that the server sorts and cuts.
export const PageLinks = ({filters, ...list}: Props) => <Pages {...list} page={pageOf(filters)} to={(page) => filters.href({page: page > 1 ? String(page) : ''})} />;
