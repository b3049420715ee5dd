// Filters: a label and what one chooses with. Their state is the address's.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import type {Filters} from '../location';

export function Controls({children}: {children: ComponentChildren}) {
  return <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>{children}</form>;
}

// No id is a bare name: a form has its controls as members, and "contains" and "target" are taken.
const idOf = (name: string) => `filter-${name}`;

interface Props {
  of: Pick<Filters, 'values' | 'set'>;
  name: string;  // in the address
  label: string;
}

interface Option {
  value: string;
  text: string;
}

interface SelectProps extends Props {
  options: (string | Option)[];
  value?: string;  // what is shown while the address says nothing
  all?: boolean;  // there is a choice of no filter
  onChange?: (value: string) => void;
}

export function Select({of, name, label, options, value, all, onChange}: SelectProps) {
  const now = value ?? of.values[name] ?? '';
  const choices = options.map((option) => (typeof option === 'string' ? {value: option, text: option} : option));
  if (all) choices.unshift({value: '', text: 'all'});
  // A value that the address names and that does not exist is shown, not silently another.
  if (!choices.some((choice) => choice.value === now)) choices.unshift({value: now, text: now && `${now} (unknown)`});
  return (
    <div class="control">
      <label for={idOf(name)}>{label}</label>
      <select id={idOf(name)} value={now}
        onChange={({currentTarget: box}) => (onChange ? onChange(box.value) : of.set({[name]: box.value}))}>
        {choices.map((choice) => <option key={choice.value} value={choice.value}>{choice.text}</option>)}
      </select>
    </div>
  );
}

interface TextProps extends Props {
  placeholder?: string;
  numeric?: boolean;
  list?: string;  // the id of a datalist
  id?: string;  // where the view has the same filter twice
  atHand?: boolean;  // the page has what is filtered, and asks nobody
}

const kPause = 100, kPauseAtHand = 40;  // ms of no typing

// Typing replaces the address, so that "back" leaves the whole word.
export function TextFilter({of, name, label, placeholder, numeric, list, id = name, atHand}: TextProps) {
  const value = of.values[name] ?? '';
  const [draft, setDraft] = useState(value);
  const first = useRef(true);
  const sent = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // The address as somebody else has set it; what was typed here is in the box already, and more.
  useEffect(() => {
    if (value !== sent.current) setDraft(value);
    sent.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (text: string) => {
    setDraft(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = text.trim();
      of.set({[name]: sent.current}, first.current ? 'push' : 'replace');
      first.current = false;
    }, atHand ? kPauseAtHand : kPause);
  };
  return (
    <div class={numeric ? 'control narrow' : 'control'}>
      <label for={idOf(id)}>{label}</label>
      <input
        id={idOf(id)}
        type="text"
        inputMode={numeric ? 'numeric' : undefined}
        autocomplete="off"
        spellcheck={false}
        value={draft}
        placeholder={placeholder}
        list={list}
        onInput={(event) => change(event.currentTarget.value)}
        onBlur={() => {
          first.current = true;
        }}
      />
    </div>
  );
}

interface CheckProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function Check({label, checked, onChange}: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
