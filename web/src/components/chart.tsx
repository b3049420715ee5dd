// A chart with its heading, one sentence with its numbers, and the table it was drawn from.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {Plot, type Drawing} from './plot';

interface Props {
  title: string;
  summary: string;
  drawing: Drawing;
  table: ComponentChildren;
}

const kWidth = 640;  // until the page is laid out, pixels

export function Chart({title, summary, drawing, table}: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(kWidth);
  useEffect(() => {
    const observer = new ResizeObserver(() => setWidth(box.current?.clientWidth || kWidth));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return (
    <figure class="chart">
      <figcaption>
        <h2>{title}</h2>
        <p>{summary}</p>
      </figcaption>
      <div class="plot" ref={box} aria-hidden="true">
        <Plot of={drawing} width={width} />
        {drawing.series.length > 1 && <p class="legend">{drawing.series.map((it) => <span><i class={`series-${it.color}`} />{it.label}</span>)}</p>}
      </div>
      <details>
        <summary>The numbers as a table</summary>
        {table}
      </details>
    </figure>
  );
}
