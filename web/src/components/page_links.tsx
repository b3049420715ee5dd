// The pages of a list that the server sorts and cuts: their number is in the address.
import type {Filters} from '../filters';
import {count} from '../format';
import {kPage} from './data_table';

// From 1, whatever somebody wrote into the address.
export function pageOf(filters: {values: {page: string}}): number {
  return Math.max(1, Math.floor(Number(filters.values.page)) || 1);
}

interface Props {
  caption: string;
  filters: Filters<{page: string} & Record<string, string>>;
  of: number;  // in the whole list
  shown: number;
}

export function PageLinks({caption, filters, of, shown}: Props) {
  const page = pageOf(filters);
  const from = (page - 1) * kPage;
  if (of <= kPage && page === 1) return null;
  const to = (other: number) => filters.href({page: other > 1 ? String(other) : ''});
  return (
    <nav class="pager" aria-label={caption}>
      {page > 1 && <a class="button" href={to(page - 1)}>Previous</a>}
      <span>{count(from + Math.min(1, shown))} to {count(from + shown)} of {count(of)}</span>
      {from + shown < of && <a class="button" href={to(page + 1)}>Next</a>}
    </nav>
  );
}
