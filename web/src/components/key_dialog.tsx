// Where one gives the API key that writes need. It is tried before it is kept.
import {useState} from 'preact/hooks';
import {lookAtKey} from '../api';
import {key} from '../key';
import {problemOf} from '../problem';
import {forgetAll, refreshAll} from '../resource';
import {Dialog} from './dialog';

interface Props {
  onClose: () => void;
  onKept?: () => void;  // in place of onClose, with a key that may do it
  admin?: boolean;  // what is to be done asks for that scope
}

export function KeyDialog({onClose, onKept, admin}: Props) {
  const [said, setSaid] = useState('');
  const [busy, setBusy] = useState(false);
  const keep = (value: string) => {
    const before = key.value;
    key.value = value;
    // What was said to nobody in particular stays; what was said to another key does not.
    if (before) forgetAll();
    else refreshAll();
  };
  const attempt = async (value: string) => {
    setBusy(true);
    setSaid('');
    try {
      const its = await lookAtKey(value);
      if (admin && !its.admin) throw Object.assign(new Error(), {scope: true});
      keep(value);
      (onKept ?? onClose)();
    } catch (error) {
      const scope = (error as {scope?: boolean}).scope;
      setSaid(scope ? 'This key is good, but not of scope admin, which is needed here.' : `Not kept: ${problemOf(error).detail}.`);
    }
    setBusy(false);
  };
  return (
    <Dialog title="API key" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(String(new FormData(event.currentTarget).get('key')).trim());
        }}
      >
        <p>
          Planning jobs, reverting runs and the audit need a key of scope <code>admin</code>
          {' '}(<code>tunehub-server key create --scope admin</code>). It is kept until this tab is closed.
        </p>
        <div class="control">
          <label for="api-key">Key</label>
          <input id="api-key" name="key" type="password" autocomplete="off" placeholder="thub_..." defaultValue={key.value} required />
        </div>
        {said && <p class="bad" role="alert">{said}</p>}
        <div class="buttons">
          <button type="submit" class="primary" disabled={busy}>{onKept ? 'Keep and go on' : 'Keep'}</button>
          {key.value && <button type="button" onClick={() => { keep(''); onClose(); }}>Forget</button>}
          <button type="button" onClick={onClose}>Cancel</button>
        </div>
      </form>
    </Dialog>
  );
}
