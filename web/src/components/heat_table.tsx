// A heat table is a table: every cell has its number in words that a screen reader says, one stop for
// the tabulator, and arrows within (the grid pattern of W3C's ARIA practices).
import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {go} from '../location';
import {step} from '../grid_steps';

export interface HeatCell {
  text: string;
  label: string;  // the whole truth, for who cannot see the colour
  tone: string;  // a class: "level-3", "missing"
  href?: string;
}

interface Props {
  caption: string;
  corner: string;
  columns: string[];
  rows: {title: ComponentChildren; name: string; cells: (HeatCell | null)[]}[];
}

export function HeatTable({caption, corner, columns, rows}: Props) {
  const [at, setAt] = useState({row: 0, column: 0});
  const table = useRef<HTMLTableElement>(null);
  const moved = useRef(false);
  const here = {row: Math.min(at.row, rows.length - 1), column: Math.min(at.column, columns.length - 1)};
  useEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    table.current?.querySelector<HTMLElement>('td[tabindex="0"]')?.focus();
  }, [at]);
  const open = (cell: HeatCell | null | undefined) => {
    if (cell?.href) go(cell.href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      return open(rows[here.row]?.cells[here.column]);
    }
    const next = step(here, event.key, event.ctrlKey, {rows: rows.length, columns: columns.length});
    if (!next) return;
    event.preventDefault();
    moved.current = true;
    setAt(next);
  };
  return (
    <div class="scroll heat-scroll" role="group" aria-label={caption}>
      <table class="heat" role="grid" ref={table} onKeyDown={onKeyDown} aria-readonly="true">
        <caption class="hidden">{caption}. Arrow keys move, Enter opens a cell.</caption>
        <thead>
          <tr>
            <th scope="col" class="corner">{corner}</th>
            {columns.map((column) => <th scope="col" key={column}>{column}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, r) => (
            <tr key={row.name}>
              <th scope="row">{row.title}</th>
              {columns.map((column, c) => {
                const cell = row.cells[c];
                const current = r === here.row && c === here.column;
                return (
                  <td
                    key={column}
                    tabIndex={current ? 0 : -1}
                    class={cell ? cell.tone : 'unasked'}
                    aria-label={cell ? `${cell.text}, ${cell.label}` : 'not asked for'}
                    onClick={() => open(cell)}
                    onFocus={() => {
                      if (!current) setAt({row: r, column: c});
                    }}
                  >
                    {cell?.text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
