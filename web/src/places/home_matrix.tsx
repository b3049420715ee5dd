// Home's matrix of models and products: a link, a number and a colour a cell. It is one tab stop; keys move within it
// (the grid pattern of W3C's ARIA practices).
import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import type {Overview} from '../answers';
import {step} from '../components/grid';
import {hideTip, Tip, tipOf} from '../components/tip';
import {count, percent, plural} from '../format';
import {kUsualEngine} from '../known';
import {hrefOf, type Filters} from '../location';
import {changeOf, courseOf, linesOf, monthNote, ordered, placesOf, signed, whyEmpty, type Place, type ProductColumn} from './home_cells';

// `engine` and `device` are the context's.
export type HomeFilters = Filters<{worst: string; others: string; engine: string; device: string}>;

// The same model, device, engine and settings as the cell's number.
export const hrefOfPlace = ({model, column}: Omit<Place, 'cell'>, {tp, engine}: Overview, tab: string): string =>
  hrefOf('model', {model: model.model, device: column.device, tp, engine, stored: 'config', against: '', tab});

interface Shown {
  share: number | null;  // null: empty
  moved: string;  // points since a month ago; a model's are left out if there are none
  title: string;
  lines: string[];
  href: string;
}

interface Row {
  name: string;
  head: ComponentChildren;
  cells: Shown[];
}

function rowsOf(of: Overview, columns: ProductColumn[], filters: HomeFilters): Row[] {
  const worst = columns.find(({name}) => name === filters.values.worst);
  const mean = columns.map((column): Shown => {
    const places = placesOf(of, [column]), course = courseOf(places);
    const change = course.month === null ? null : changeOf({covered: course.same ?? 0, month: course.month});
    return {share: course.now, moved: change !== null ? signed(change) : '',
      title: `All models on ${column.name}`, href: filters.href({worst: column.name}),
      lines: [`mean of ${plural(places.length, 'model')}`, monthNote(course, places.length, of),
        'opens the models, the lowest coverage first']};
  });
  const models = ordered(of.models, columns, worst).map((model): Row => ({
    name: model.title,
    head: <>{model.title}<small>{model.refused ? `does not start at TP ${of.tp}` : model.scheme}</small></>,
    cells: columns.map((column) => {
      const cell = model.cells[column.place] ?? null, change = cell && changeOf(cell);
      return {share: cell && cell.covered, moved: change ? signed(change) : '', title: `${model.title} on ${column.name}`,
        lines: cell ? linesOf({model, column, cell}, of) : [whyEmpty(model, column, of)],
        href: hrefOfPlace({model, column}, of, 'map')};
    }),
  }));
  return [{name: 'All models', head: 'All models', cells: mean}, ...models];
}

function Share({of: {share, moved, title, lines, href}, stop, onFocus}: {of: Shown; stop: boolean; onFocus: () => void}) {
  const text = share === null ? '\u2013' : percent(share), tip = tipOf(title, lines);
  return (
    <td class={share === null ? 'none' : 'share'} style={{'--share': share ?? 0}}>
      <a href={href} tabIndex={stop ? 0 : -1} aria-label={`${title}: ${share === null ? 'none' : [text, moved].filter(Boolean).join(' ')}, ${lines.join(', ')}`}
        {...tip} onFocus={(event) => { onFocus(); tip.onFocus(event); }}>
        {text}{moved && <> <small>{moved}</small></>}
      </a>
    </td>
  );
}

const kPause = 700;  // ms between letters of one name

// Moves the focus at once, because keys may come faster than renders.
function useKeys(names: string[], columns: number) {
  const typed = useRef({text: '', at: 0});
  return (event: KeyboardEvent) => {
    const from = (event.target as Element).closest('td'), table = from?.closest('table');
    if (event.key === 'Escape') hideTip();
    if (!from || !table || event.altKey || event.metaKey) return;
    const at = {row: (from.parentElement as HTMLTableRowElement).rowIndex - 1, column: from.cellIndex - 1};
    const before = event.timeStamp - typed.current.at < kPause ? typed.current.text : '';
    const next = step(at, event.key, event.ctrlKey, {names, columns}, before);
    if (!next) return;
    event.preventDefault();
    if (event.key.length === 1) typed.current = {text: before + event.key, at: event.timeStamp};
    table.rows[next.row + 1]?.cells[next.column + 1]?.querySelector('a')?.focus();
  };
}

export function Matrix({of, columns, filters}: {of: Overview; columns: ProductColumn[]; filters: HomeFilters}) {
  const [at, setAt] = useState({row: 0, column: 0});
  const rows = rowsOf(of, columns, filters), {worst} = filters.values;
  const onKeyDown = useKeys(rows.map(({name}) => name), columns.length);
  useEffect(() => {
    addEventListener('scroll', hideTip, {capture: true, passive: true});
    return () => {
      removeEventListener('scroll', hideTip, {capture: true});
      hideTip();
    };
  }, []);
  const here = {row: Math.min(at.row, rows.length - 1), column: Math.min(at.column, columns.length - 1)};
  return (
    <div class="scroll matrix-box" role="group" aria-label="Coverage by model and device">
      <table class="matrix" role="grid" aria-readonly="true" onKeyDown={onKeyDown}>
        <caption class="hidden">
          Coverage by model and device. Arrow keys move, letters go to a model, digits to a device, Enter opens.
        </caption>
        <thead>
          <tr>
            <th scope="col">Model</th>
            {columns.map(({name, products, device, target}) =>
              <th scope="col" key={target} aria-sort={name === worst ? 'ascending' : undefined}>
                {products.length < 2 ? name : products.map((one, i) => <>
                  {i > 0 && ' / '}
                  <a key={one} href={filters.href({device: one})} aria-current={one === device ? 'true' : undefined}
                    title={`Open cells as ${one}`}>{one}</a>
                </>)}
                {name !== target && <small>{target}</small>}
                <small><a href={filters.href({worst: name === worst ? '' : name})}
                  tabIndex={-1}>{name === worst ? 'by name' : 'lowest first'}</a></small>
              </th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, r) =>
            <tr key={row.name}>
              <th scope="row">{row.head}</th>
              {row.cells.map((cell, c) =>
                <Share key={columns[c]?.target} of={cell} stop={r === here.row && c === here.column}
                  onFocus={() => setAt({row: r, column: c})} />)}
            </tr>)}
        </tbody>
      </table>
      <Tip />
    </div>
  );
}

export const MatrixLegend = ({of: {engine, month_days}}: {of: Overview}) => (
  <p class="legend">
    <span>
      %: share of a model's GEMM and MoE shapes that find a tuned row. Each doubling of the batch size counts
      the same: neither time nor traffic weighs. Layers that read no table of AITER do not count.
    </span>
    <span>0 % <i class="scale" /> 100 %</span>
    <span>{'\u2013'}: reads no tuned table in this format, or does not start</span>
    {engine === kUsualEngine && <span>+3: points since {count(month_days)} days ago</span>}
  </p>
);
