// A view's heading, which is also the page's title.
import type {ComponentChildren} from 'preact';
import {useEffect} from 'preact/hooks';

export function ViewHead({title, children}: {title: string; children?: ComponentChildren}) {
  useEffect(() => {
    document.title = `${title} \u00b7 tunehub`;
  }, [title]);
  return (
    <div class="view-head">
      <h1>{title}</h1>
      {children && <p class="lead">{children}</p>}
    </div>
  );
}
