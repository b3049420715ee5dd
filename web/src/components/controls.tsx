// Filters: labelled controls. Their state is in the page's address.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import type {Filters} from '../location';

export function Controls({children}: {children: ComponentChildren}) {
  return <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>{children}</form>;
}

// A control's id becomes a property of its form. Ids "contains" and "target" would hide the form's own properties.
const idOf = (name: string) => `filter-${name}`;

interface Props {
  of: Pick<Filters, 'values' | 'set'>;
  name: string;  // the filter's name in the address
  label: string;
  off?: boolean;  // shown, but disabled
}

interface Option {
  value: string;
  text: string;
}

interface SelectProps extends Props {
  options: (string | Option)[];
  value?: string;  // shown instead of the address's value
  all?: boolean;  // offers "all", which removes the filter
  onChange?: (value: string) => void;
}

export function Select({of, name, label, off, options, value, all, onChange}: SelectProps) {
  const now = value ?? of.values[name] ?? '';
  const choices = options.map((option) => (typeof option === 'string' ? {value: option, text: option} : option));
  if (all) choices.unshift({value: '', text: 'all'});
  // If the address has an unknown value, the box shows that value instead of its first choice.
  if (!choices.some((choice) => choice.value === now)) choices.unshift({value: now, text: now && `${now} (unknown)`});
  return (
    <div class="control">
      <label for={idOf(name)}>{label}</label>
      <select id={idOf(name)} value={now} disabled={off}
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
  id?: string;  // needed if the view has two filters of this name
  atHand?: boolean;  // the page has all rows and sends no request
}

const kPause = 100, kPauseAtHand = 40;  // ms without typing before the filter changes

// Only the first letter adds an address to the history; later ones replace it, so "back" removes the whole word.
export function TextFilter({of, name, label, off, placeholder, numeric, list, id = name, atHand}: TextProps) {
  const value = of.values[name] ?? '';
  const [draft, setDraft] = useState(value);
  const first = useRef(true);
  const sent = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // Takes over a value that a link or "back" set. Ignores a value that this box itself sent, because the user may have
  // typed more since.
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
        disabled={off}
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
