// A button that writes: it asks for the key that writing needs, and says what came of it.
import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
import {key} from '../key';
import {problemOf} from '../problem';
import {KeyDialog} from './key_dialog';
import {Dialog} from './dialog';

interface Props {
  label: string;
  act: () => Promise<string>;  // what is said when it is done
  sure?: ComponentChildren;  // what must be known before it is done
}

export function Action({label, act, sure}: Props) {
  const [state, setState] = useState<'' | 'key' | 'sure' | 'busy'>('');
  const [said, setSaid] = useState({text: '', bad: false});
  const run = async () => {
    setState('busy');
    try {
      setSaid({text: await act(), bad: false});
    } catch (error) {
      setSaid({text: problemOf(error).detail, bad: true});
    }
    setState('');
  };
  const proceed = () => {
    if (sure) setState('sure');
    else void run();
  };
  const begin = () => {
    if (!key.value) setState('key');
    else proceed();
  };
  const kind = sure ? 'danger' : undefined;
  return (
    <>
      <button type="button" class={kind} disabled={state === 'busy'} onClick={begin}>{label}</button>
      {said.text && <span role="status" class={said.bad ? 'bad' : 'good'}> {said.text}</span>}
      {state === 'key' && <KeyDialog admin onClose={() => setState((it) => (it === 'key' ? '' : it))} onKept={proceed} />}
      {state === 'sure' && (
        <Dialog title={`${label}?`} onClose={() => setState((it) => (it === 'sure' ? '' : it))}>
          {sure}
          <div class="buttons">
            <button type="button" class={kind} onClick={() => void run()}>{label}</button>
            <button type="button" onClick={() => setState('')}>Cancel</button>
          </div>
        </Dialog>
      )}
    </>
  );
}
