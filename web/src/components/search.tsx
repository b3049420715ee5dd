// The search box. The key "/" moves the focus to it, unless the focus is in a text field.
import {useEffect, useRef, useState} from 'preact/hooks';
import type {Family, Hits, Index} from '../answers';
import {urls} from '../api';
import {plural, targetName} from '../format';
import {shapeText} from '../family';
import {useFamilies} from '../known';
import {columnNames, go, hrefOf, place} from '../location';
import {originOf} from '../places/runs_rows';
import {said, useResource} from '../resource';

interface Item {
  group: string;
  text: string;
  note: string;
  href?: string;
  type?: string;  // instead of a link: what the box then searches for
  several?: boolean;  // the first of many equals: Enter marks it, and opens it when it is marked
}

const item = (group: string, text: string, note: string, href?: string, more?: Partial<Item>): Item => ({group, text, note, href, ...more});

// One layer: the models that have it, this page's model first. Several: each with the number of its models.
function layerItems(layers: {layer: string; models: string[]}[], typed: string): Item[] {
  const here = new URLSearchParams(place.value.query).get('model') ?? '';
  return layers.flatMap(({layer, models}) => {
    if (layers.length > 1 && layer !== typed) return [item('Layer', layer, `of ${plural(models.length, 'model')}`, undefined, {type: layer})];
    const has = models.includes(here), list = has ? [here, ...models.filter((it) => it !== here)] : models;
    const first = has ? "this page's model" : `${plural(models.length, 'model has', 'models have')} this layer: choose one`;
    return list.map((model, i) => item('Layer', `${layer} of ${model}`, i === 0 && models.length > 1 ? first : '',
      hrefOf('model', {model, tab: 'map', layer}), {several: !has && models.length > 1}));
  });
}

// Places for all typed words come first.
const itemsOf = ({places = [], layers = [], models, products, families, shapes, kernels, runs, revisions}: Hits, typed: string): Item[] => [
  ...places.filter(({query}) => !query['layer'] || layers.length === 0).map(({title, view, query}) =>
    item(query['layer'] ? 'Layer' : query['model'] ? 'Model' : 'Page', title, '', hrefOf(view, query))),
  ...products.map(({product, gfx, cu_num}) => item('GPU', product, targetName({gfx, cu_num}), hrefOf('model', {device: product}))),
  ...models.map((model) => item('Model', model, '', hrefOf('model', {model}))),
  ...layerItems(layers, typed),
  ...families.map(({family, title}) => item('Family', family, title, hrefOf('kernels', {family}))),
  ...shapes.map(({family, shape, rows}) => item('Shape', `${family}: ${shapeText(undefined, shape)}`, plural(rows, 'row'),
    hrefOf('kernels', {family, scope: 'all', ...columnNames(shape)}))),
  ...kernels.map(({family, kernel, rows}) => item('Kernel', kernel, `${family}, ${plural(rows, 'row')}`,
    hrefOf('kernels', {family, scope: 'all', contains: kernel}))),
  ...runs.map((run) => item('Run', `run ${run.id}`, originOf(run), hrefOf('changes', {run: run.id}))),
  ...revisions.map((revision) => item('Revision', `revision ${revision}`, 'changes since then', hrefOf('changes', {from: revision}))),
];

// The server knows no help, so the page answers these words.
const kHelp = ['help', 'start', 'how to start', 'getting started', 'install', 'agent', 'import', 'docs'];
const helpFor = (typed: string): Item[] =>
  (typed.length > 1 && kHelp.some((word) => word.startsWith(typed.toLowerCase()))
    ? [item('Help', 'How to start', 'the first commands', hrefOf('start'))] : []);

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
    .map(({name}) => item('Nearest', `${name}: nearest to ${shapeText(undefined, shape as Record<string, string>)}`,
      'no row has this shape', hrefOf('kernels', {family: name, scope: 'all', ...shape})));
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
  const items = hits.data && typed !== '' ? [...helpFor(typed), ...itemsOf(hits.data, typed), ...nearItems(typed, hits.data)] : [];
  const write = (value: string) => {
    setText(value);
    setOpen(value !== '');
    setAt(-1);
    setEntered(false);
  };
  const choose = (item: Item | undefined) => {
    if (!item) return;
    if (item.several && at < 0) return setAt(0);
    write(item.type ?? '');
    if (item.href) go(item.href);
  };
  useSlash(input);
  useEffect(() => document.getElementById(`hit-${at}`)?.scrollIntoView({block: 'nearest'}), [at]);
  useEffect(() => {
    if (!entered || !answered) return;
    setEntered(false);
    choose(items[0]);
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
          <a key={`${item.href} ${item.text}`} id={`hit-${i}`} role="option" aria-selected={i === at} tabIndex={-1}
            href={item.href} onMouseDown={(event) => event.preventDefault()} onClick={() => write(item.type ?? '')}>
            <span class="group">{item.group}</span>
            <span class="text">{item.text}</span>
            <span class="note">{item.note}</span>
          </a>)}
      </div>
      {shown && items.length === 0 && <p class="hits none" role="status">Nothing is called "{typed}".</p>}
    </div>
  );
}
