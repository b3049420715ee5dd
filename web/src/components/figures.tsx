// The answers of a page: a few figures in large type, and a sparkline.
import type {ComponentChildren} from 'preact';
import {kSparkHeight, kSparkWidth, lineOf} from './grid';

export interface Figure {
  name: string;
  value: string;
  note?: ComponentChildren;
}

export const Figures = ({of}: {of: Figure[]}) => of.length > 0 && (
  <dl class="answers">
    {of.map(({name, value, note}) => <div key={name}><dt>{name}</dt><dd><strong>{value}</strong>{note}</dd></div>)}
  </dl>
);

// The text beside it says the same in words.
export function Spark({of}: {of: (number | null)[]}) {
  const points = lineOf(of);
  return points ? (
    <svg class="course" viewBox={`0 0 ${kSparkWidth} ${kSparkHeight}`} aria-hidden="true"><polyline points={points} /></svg>
  ) : null;
}
