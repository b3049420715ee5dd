// A heat map as an accessible table. Cells have labels for screen readers. The Tab key stops at the table once, and
// arrow keys move between cells (the grid pattern of W3C's ARIA practices).
import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
import {go} from '../location';
import {kSparkHeight, kSparkWidth, step} from './grid';

export interface HeatCell {
  text: string;
  note?: string;  // smaller text below; the label contains it in words
  label: string;  // the whole cell in words, for screen readers
  line?: string;  // points of a sparkline below; the label contains them in words
  tone: string;  // a class: "level-3", "missing"
  href?: string;
}

interface Props {
  caption: string;
  corner: string;
  columns: string[];
  heads?: ComponentChildren[];  // shown instead of the columns' names
  rows: {title: ComponentChildren; name: string; cells: (HeatCell | null)[]}[];
  empty?: string;  // the label of a place without a cell
  filled?: boolean;  // stretches the table to the page's width; for a table with few columns
}

export const Spark = ({points}: {points: string | undefined}) => points && (
  <svg class="course" width={kSparkWidth} height={kSparkHeight} viewBox={`0 0 ${kSparkWidth} ${kSparkHeight}`}
    aria-hidden="true"><polyline points={points} /></svg>
);

export function HeatTable({caption, corner, columns, heads, rows, empty = 'not asked for', filled}: Props) {
  const [at, setAt] = useState({row: 0, column: 0});
  const here = {row: Math.min(at.row, rows.length - 1), column: Math.min(at.column, columns.length - 1)};
  const open = (cell: HeatCell | null | undefined) => {
    if (cell?.href) go(cell.href);
  };
  // Starts at the focused cell, not at the state, because keys may come faster than renders.
  const onKeyDown = (event: KeyboardEvent) => {
    const focused = (event.target as HTMLElement).closest('td');
    const table = focused?.closest('table');
    if (!focused || !table) return;
    const from = {row: (focused.parentElement as HTMLTableRowElement).rowIndex - 1, column: focused.cellIndex - 1};
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      return open(rows[from.row]?.cells[from.column]);
    }
    const next = step(from, event.key, event.ctrlKey, {rows: rows.length, columns: columns.length});
    if (!next) return;
    event.preventDefault();
    table.rows[next.row + 1]?.cells[next.column + 1]?.focus();
  };
  return (
    <div class="scroll heat-scroll" role="group" aria-label={caption}>
      <table class={filled ? 'heat filled' : 'heat'} role="grid" onKeyDown={onKeyDown} aria-readonly="true">
        <caption class="hidden">{caption}. Arrow keys move, Enter opens a cell.</caption>
        <thead>
          <tr>
            <th scope="col" class="corner">{corner}</th>
            {columns.map((column, c) => <th scope="col" key={column}>{heads?.[c] ?? column}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, r) =>
            <tr key={row.name}>
              <th scope="row">{row.title}</th>
              {columns.map((column, c) => {
                const cell = row.cells[c];
                const current = r === here.row && c === here.column;
                return (
                  <td key={column} tabIndex={current ? 0 : -1} class={cell ? cell.tone : 'unasked'}
                    aria-label={cell ? `${[cell.text, cell.note].filter(Boolean).join(' ')}, ${cell.label}` : empty}
                    onClick={() => open(cell)} onFocus={() => setAt({row: r, column: c})}>
                    {cell?.text}{cell?.note && <> <small>{cell.note}</small></>}
                    {cell?.line && <Spark points={cell.line} />}
                  </td>
                );
              })}
            </tr>)}
        </tbody>
      </table>
    </div>
  );
}
