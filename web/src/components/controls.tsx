// Filters: a label and what one chooses with. Their state is the address's.
import {useEffect, useId, useRef, useState} from 'preact/hooks';

export interface Option {
  value: string;
  text: string;
}

interface SelectProps {
  label: string;
  value: string;
  options: Option[];
  onChange: (value: string) => void;
}

export function Select({label, value, options, onChange}: SelectProps) {
  const id = useId();
  // A value that the address names and that does not exist is shown, not silently another.
  const known = options.some((option) => option.value === value);
  return (
    <div class="control">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {!known && <option value={value}>{value} (unknown)</option>}
        {options.map((option) => <option key={option.value} value={option.value}>{option.text}</option>)}
      </select>
    </div>
  );
}

interface TextProps {
  label: string;
  value: string;
  placeholder?: string;
  numeric?: boolean;
  list?: string;  // the id of a datalist
  onChange: (value: string, how: 'push' | 'replace') => void;
}

const kPause = 250;  // ms of no typing

// Typing replaces the address, so that "back" leaves the whole word.
export function TextFilter({label, value, placeholder, numeric, list, onChange}: TextProps) {
  const id = useId();
  const [draft, setDraft] = useState(value);
  const first = useRef(true);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setDraft(value), [value]);
  const change = (text: string) => {
    setDraft(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      onChange(text.trim(), first.current ? 'push' : 'replace');
      first.current = false;
    }, kPause);
  };
  return (
    <div class={numeric ? 'control narrow' : 'control'}>
      <label for={id}>{label}</label>
      <input
        id={id}
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
