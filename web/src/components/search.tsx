// The search box. The key "/" moves the focus to it, unless the focus is in a text field.
import {useEffect, useRef, useState} from 'preact/hooks';
import type {Family, Hits, Index} from '../answers';
import {urls} from '../api';
import {plural, targetName} from '../format';
import {shapeText} from '../family';
import {useFamilies} from '../known';
import {columnNames, go, hrefOf} from '../location';
import {originOf} from '../places/runs_rows';
import {said, useResource} from '../resource';

interface Item {
  group: string;
  text: string;
  note: string;
  href: string;
}

// Places for all typed words come first.
function itemsOf({places = [], layers = [], models, products, families, shapes, kernels, runs, revisions}: Hits):
    Item[] {
  const item = (group: string, text: string, note: string, href: string): Item => ({group, text, note, href});
  return [
    ...places.map(({title, view, query}) => item('Pages', title, '', hrefOf(view, query))),
    ...products.map(({product, gfx, cu_num}) => {
      const target = targetName({gfx, cu_num});
      return item('Products', product, target, hrefOf('model', {device: product}));
    }),
    ...models.map((model) => item('Models', model, '', hrefOf('model', {model}))),
    ...layers.map(({layer, models}) =>
      item('Layers', layer, models.join(', '), hrefOf('model', {model: models[0], tab: 'map', layer}))),
    ...families.map(({family, title}) => item('Families', family, title, hrefOf('kernels', {family}))),
    ...shapes.map(({family, shape, rows}) =>
      item('Shapes', `${family}: ${shapeText(undefined, shape)}`, plural(rows, 'row'),
        hrefOf('kernels', {family, scope: 'all', ...columnNames(shape)}))),
    ...kernels.map(({family, kernel, rows}) =>
      item('Kernels', kernel, `${family}, ${plural(rows, 'row')}`, hrefOf('kernels', {family, scope: 'all', contains: kernel}))),
    ...runs.map((run) => item('Runs', `run ${run.id}`, originOf(run), hrefOf('changes', {run: run.id}))),
    ...revisions.map((revision) =>
      item('Revisions', `revision ${revision}`, 'changes since then', hrefOf('changes', {from: revision}))),
  ];
}

// The server knows no help, so the page answers these words.
const kHelp = ['help', 'start', 'how to start', 'getting started', 'install', 'agent', 'import', 'docs'];
const helpFor = (typed: string): Item[] =>
  (typed.length > 1 && kHelp.some((word) => word.startsWith(typed.toLowerCase()))
    ? [{group: 'Help', text: 'How to start', note: 'the first commands', href: hrefOf('start')}] : []);

// No row has the typed shape ("1281x5121", "16 1281 5121"): the families with these columns list their nearest shapes.
const kMostFamilies = 4;
function nearItems(typed: string, {shapes}: Hits): Item[] {
  const numbers = typed.split(/[\s,x*]+/i), names = ['M', 'N', 'K'].slice(-numbers.length);
  if (shapes.length > 0 || numbers.length < 2 || numbers.length > 3 || !numbers.every((it) => /^\d+$/.test(it))) return [];
  const shape = Object.fromEntries(names.map((name, i) => [name, numbers[i]]));
  const rows = new Map(said<Index>(urls.index())?.families.map((its) => [its.family, its.rows]));
  return (said<{families: Family[]}>(urls.families())?.families ?? [])
    .filter(({name, columns}) => rows.get(name) && names.every((one) => columns.some((column) => column.name === one)))
    .sort((a, b) => rows.get(b.name)! - rows.get(a.name)!).slice(0, kMostFamilies)
    .map(({name}) => ({group: 'Near', text: `${name}: nearest to ${shapeText(undefined, shape as Record<string, string>)}`,
      note: 'no row has this shape', href: hrefOf('kernels', {family: name, scope: 'all', ...shape})}));
}

const kPause = 120;

function useTyped(text: string): string {
  const [typed, setTyped] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text.trim()), kPause);
    return () => clearTimeout(timer);
  }, [text]);
  return typed;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));
}

function useSlash(input: {current: HTMLInputElement | null}) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

export function Search() {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const [entered, setEntered] = useState(false);  // the user pressed Enter before the answer came
  const typed = useTyped(text);
  const hits = useResource<Hits>(open && typed !== '' ? urls.search(typed) : null);
  const answered = hits.data !== undefined && !hits.settling && typed === text.trim();
  useFamilies(open);
  const items = hits.data && typed !== '' ? [...helpFor(typed), ...itemsOf(hits.data), ...nearItems(typed, hits.data)] : [];
  const write = (value: string) => {
    setText(value);
    setOpen(value !== '');
    setAt(-1);
    setEntered(false);
  };
  const choose = (item: Item | undefined) => {
    if (!item) return;
    write('');
    go(item.href);
  };
  useSlash(input);
  useEffect(() => {
    if (entered && answered) choose(items[0]);
  }, [entered, answered]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      setOpen(false);
      input.current?.blur();
    } else if (event.key === 'Enter') {
      if (answered) choose(items[Math.max(0, at)]);
      else setEntered(true);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const by = event.key === 'ArrowDown' ? 1 : -1;
      setAt((now) => (items.length + Math.max(now, by > 0 ? -1 : 0) + by) % Math.max(1, items.length));
    }
  };
  const shown = open && typed !== '' && hits.data !== undefined;
  return (
    <div class="search" role="search">
      <input ref={input} type="text" role="combobox"
        aria-label="Search models, GPUs, layers, kernels, shapes, runs and revisions" aria-expanded={shown}
        aria-controls="search-hits" aria-activedescendant={shown && at >= 0 ? `hit-${at}` : undefined}
        aria-autocomplete="list" autocomplete="off" spellcheck={false}
        placeholder="Search model, GPU, kernel, 1280x5120, run 3" value={text}
        onInput={(event) => write(event.currentTarget.value)} onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)} onKeyDown={onKeyDown} />
      <kbd aria-hidden="true">/</kbd>
      <div id="search-hits" class="hits" role="listbox" aria-label="Search results"
        hidden={!shown || items.length === 0}>
        {items.map((item, i) =>
          <a key={item.href + item.text} id={`hit-${i}`} role="option" aria-selected={i === at} tabIndex={-1}
            href={item.href} onMouseDown={(event) => event.preventDefault()} onClick={() => write('')}>
            <span class="group">{item.group}</span>
            <span class="text">{item.text}</span>
            <span class="note">{item.note}</span>
          </a>)}
      </div>
      {shown && items.length === 0 && <p class="hits none" role="status">Nothing is called "{typed}".</p>}
    </div>
  );
}
