// A chart with its heading, one sentence with its numbers, and the table it was drawn from.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import {isDark} from '../theme';
import type {Drawing} from './drawing';

interface Props {
  title: string;
  summary: string;
  drawing: Drawing;
  table: ComponentChildren;
}

export function Chart({title, summary, drawing, table}: Props) {
  const box = useRef<HTMLDivElement>(null);
  const dark = isDark();
  useEffect(() => {
    let gone = false;
    let destroy = () => {};
    // The charting library is half of the script: views without a chart do without it.
    void import('./drawing').then(({draw}) => {
      if (!gone && box.current) destroy = draw(box.current, drawing);
    });
    return () => {
      gone = true;
      destroy();
    };
  }, [drawing, dark]);
  return (
    <figure class="chart">
      <figcaption>
        <h2>{title}</h2>
        <p>{summary}</p>
      </figcaption>
      <div class="plot" ref={box} aria-hidden="true" />
      <details>
        <summary>The numbers as a table</summary>
        {table}
      </details>
    </figure>
  );
}
