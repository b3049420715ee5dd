// A view's heading, which is also the page's title; and what of its address nobody understands.
import type {ComponentChildren} from 'preact';
import {useEffect} from 'preact/hooks';
import type {Filters} from '../filters';

interface Props {
  title: string;
  filters?: Filters;
  children?: ComponentChildren;
}

export function ViewHead({title, filters, children}: Props) {
  useEffect(() => {
    document.title = `${title} \u00b7 tunehub`;
  }, [title]);
  return (
    <>
      <div class="view-head">
        <h1>{title}</h1>
        {children && <p class="lead">{children}</p>}
      </div>
      {filters && filters.unknown.length > 0 && (
        <p class="notice" role="alert">
          This view has no filter {filters.unknown.map((name) => `"${name}"`).join(', ')}.
          {filters.names.length > 0 && ` Its filters are: ${filters.names.join(', ')}.`} <a href={filters.href({})}>Leave it out</a>
        </p>
      )}
    </>
  );
}
