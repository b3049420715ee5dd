// Where one gives the API key that writes need.
import {key} from '../key';
import {forgetAll} from '../resource';
import {Dialog} from './dialog';

export function KeyDialog({onClose}: {onClose: () => void}) {
  const save = (value: string) => {
    key.value = value.trim();
    forgetAll();
    onClose();
  };
  return (
    <Dialog title="API key" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save(String(new FormData(event.currentTarget).get('key')));
        }}
      >
        <p>
          Planning jobs, reverting runs and the audit need a key of scope <code>admin</code>
          {' '}(<code>tunehub-server key create --scope admin</code>). It is kept until this tab is closed.
        </p>
        <div class="control">
          <label for="api-key">Key</label>
          <input id="api-key" name="key" type="password" autocomplete="off" placeholder="thub_..." defaultValue={key.value} />
        </div>
        <div class="buttons">
          <button type="submit" class="primary">Keep</button>
          <button type="button" onClick={() => save('')}>Forget</button>
          <button type="button" onClick={onClose}>Cancel</button>
        </div>
      </form>
    </Dialog>
  );
}
