// Buttons that do more than open a view, and their dialogs.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {lookAtKey} from '../api';
import {kExported} from '../exported/mode';
import {key} from '../kept';
import {problemOf} from '../problem';
import {forgetAll, refreshAll} from '../resource';

interface Sure {
  text: ComponentChildren;
  button: string;  // '': there is nothing to do
}

interface ActionProps {
  label: string;
  act: () => Promise<ComponentChildren>;  // returns the message of success
  sure?: ComponentChildren;  // the confirmation's text, if the action needs one
  look?: () => Promise<Sure>;  // asks the server for the confirmation
  off?: boolean;
}

// A button that sends a write. It asks for an API key if there is none, and shows the result. An export has no writes.
export function Action({label, act, sure, look, off}: ActionProps) {
  if (kExported) return null;
  const [state, setState] = useState<'' | 'key' | 'sure' | 'busy'>('');
  const [said, setSaid] = useState<{text: ComponentChildren; bad: boolean}>({text: '', bad: false});
  const [found, setFound] = useState<Sure>({text: '', button: ''});
  const attempt = async (work: () => Promise<void>, then: 'sure' | '') => {
    setState('busy');
    setSaid({text: '', bad: false});
    try {
      await work();
      setState(then);
    } catch (error) {
      setSaid({text: problemOf(error).detail, bad: true});
      setState('');
    }
  };
  const run = () => attempt(async () => setSaid({text: await act(), bad: false}), '');
  const proceed = () => {
    if (look) void attempt(async () => setFound(await look()), 'sure');
    else if (sure) setState('sure');
    else void run();
  };
  const {text, button} = look ? found : {text: sure, button: label};
  const begin = () => {
    if (!key.value) setState('key');
    else proceed();
  };
  const kind = sure ? 'danger' : undefined;
  return (
    <>
      <button type="button" class={kind} disabled={off || state === 'busy'} onClick={begin}>{label}</button>
      {said.text && <span role="status" class={said.bad ? 'bad' : 'good'}> {said.text}</span>}
      {state === 'key' &&
        <KeyDialog admin onClose={() => setState((now) => (now === 'key' ? '' : now))} onKept={proceed} />}
      {state === 'sure' &&
        <Dialog title={`${label}?`} onClose={() => setState((now) => (now === 'sure' ? '' : now))}>
          {text}
          <div class="buttons">
            {button && <button type="button" class={kind} onClick={() => void run()}>{button}</button>}
            <button type="button" onClick={() => setState('')}>Cancel</button>
          </div>
        </Dialog>}
    </>
  );
}

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Dialog({title, onClose, children}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}

interface KeyProps {
  onClose: () => void;
  onKept?: () => void;  // called instead of onClose once the page has stored a sufficient key
  admin?: boolean;  // the action needs a key of scope admin
}

// Asks for the API key that writes need. The page stores the key once the server accepts it.
export function KeyDialog({onClose, onKept, admin}: KeyProps) {
  const [said, setSaid] = useState('');
  const [busy, setBusy] = useState(false);
  const keep = (value: string) => {
    const before = key.value;
    key.value = value;
    // Answers to requests without a key stay; this drops answers to requests with another key.
    if (before) forgetAll();
    else refreshAll();
  };
  const attempt = async (value: string) => {
    setBusy(true);
    setSaid('');
    try {
      const its = await lookAtKey(value);
      if (admin && !its.admin) {
        setSaid('This key lacks the scope admin.');
      } else {
        keep(value);
        (onKept ?? onClose)();
      }
    } catch (error) {
      setSaid(`Not saved: ${problemOf(error).detail}.`);
    }
    setBusy(false);
  };
  return (
    <Dialog title="API key" onClose={onClose}>
      <form onSubmit={(event) => {
        event.preventDefault();
        void attempt(String(new FormData(event.currentTarget).get('key')).trim());
      }}>
        <p>
          Planning jobs, reverting runs and the audit need a key of scope <code>admin</code>
          {' '}(<code>tunehub-server key create --scope admin</code>). It is kept until this tab is closed.
        </p>
        <div class="control">
          <label for="api-key">Key</label>
          <input id="api-key" name="key" type="password" autocomplete="off" placeholder="thub_..."
            defaultValue={key.value} required />
        </div>
        {said && <p class="bad" role="alert">{said}</p>}
        <div class="buttons">
          <button type="submit" class="primary" disabled={busy}>{onKept ? 'Save and continue' : 'Save'}</button>
          {key.value && <button type="button" onClick={() => { keep(''); onClose(); }}>Remove</button>}
          <button type="button" onClick={onClose}>Cancel</button>
        </div>
      </form>
    </Dialog>
  );
}

// A shell command and a button that copies it.
export function CopyLine({label, text}: {label: string; text: string}) {
  const [done, setDone] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone('Copied');
    } catch {
      setDone('Select the line and copy it');  // without https the browser has no clipboard
    }
  };
  return (
    <div class="copy-line">
      <code role="group" aria-label={label} tabIndex={0}>{text}</code>
      <button type="button" onClick={() => void copy()} aria-label={`Copy: ${label}`}>Copy</button>
      <span role="status">{done}</span>
    </div>
  );
}
