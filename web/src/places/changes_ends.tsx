// The two ends of a comparison: their controls, and a lock file that readers drop or choose.
import {signal} from '@preact/signals';
import type {ComponentChildren} from 'preact';
import type {PastRevision, Run} from '../answers';
import {urls} from '../api';
import {Select, TextFilter} from '../components/controls';
import {moment} from '../format';
import type {Filters, Values} from '../location';
import {now, useResource} from '../resource';
import {addressOf, endOf, kEndForms, kUsualEnds, type EndKind} from './changes_rows';
import {originOf} from './runs_rows';

// The lock file is too long for the address, so it lasts only until the page closes.
const kNone = {name: '', text: '', trouble: ''};
export const lock = signal(kNone);

const kMostBytes = 1 << 20;  // the server refuses more

function hasTables(text: string): boolean {
  try {
    return Array.isArray((JSON.parse(text) as {tables?: unknown} | null)?.tables);
  } catch {
    return false;
  }
}

async function take(file: File | null | undefined, onTaken?: () => void) {
  if (!file) return;
  const {name} = file, text = file.size > kMostBytes ? '' : await file.text();
  const is = hasTables(text);
  const trouble = `"${name}" is not a lock file. Take the tunehub.lock that "tunehub-agent pull --lock" wrote.`;
  lock.value = is ? {name, text, trouble: ''} : {...kNone, trouble};
  if (is) onTaken?.();
}

export function LockArea({onTaken, children}: {onTaken?: () => void; children: ComponentChildren}) {
  return (
    <div onDragOver={(event) => event.preventDefault()} onDrop={(event) => {
      event.preventDefault();
      void take(event.dataTransfer?.files[0], onTaken);
    }}>
      {children}
    </div>
  );
}

export function LockControl({label, onTaken}: {label: string; onTaken?: () => void}) {
  const {name, trouble} = lock.value;
  return (
    <div class="control">
      {name ? <span>{name}</span> : <label for="lock">{label}, dropped anywhere here</label>}
      {name ? <button type="button" onClick={() => (lock.value = kNone)}>Leave out the lock file</button>
        : <input id="lock" type="file" onChange={({currentTarget: input}) => void take(input.files?.[0], onTaken)} />}
      {trouble && <p class="bad" role="alert">{trouble}</p>}
    </div>
  );
}

const kMonth = 30 * 86_400_000;

interface EndProps {
  filters: Pick<Filters, 'values' | 'set'>;
  name: 'from' | 'to';
  label: string;
}

function EndControl({filters, name, label}: EndProps) {
  const end = endOf(filters.values[name] || kUsualEnds[name]), {title, hint} = kEndForms[end.kind];
  const first: Partial<Record<string, string>> =
    {ago: '7', date: new Date(now.value - kMonth).toISOString().slice(0, 10), facts: 'rocm:'};
  const starts = Object.keys(kEndForms).map((kind) => ({kind: kind as EndKind, value: first[kind] ?? ''}));
  const set = (text: string, how?: 'push' | 'replace') =>
    filters.set({[name]: text === kUsualEnds[name] ? '' : text, kind: '', sort: ''}, how);
  const bound = {values: {[name]: end.value}, set: (to: Values, how?: 'push' | 'replace') =>
    set(addressOf({...end, value: to[name] ?? ''}), how)};
  return (
    <>
      <Select of={filters} name={name} label={label} value={addressOf(end)} onChange={set}
        options={starts.map((of) =>
          ({value: addressOf(of.kind === end.kind ? end : of), text: kEndForms[of.kind].title}))} />
      {end.kind !== 'now' &&
        <TextFilter key={end.kind} of={bound} name={name} id={`${name}-value`} label={`${label}: ${title}`}
          numeric={end.kind === 'ago'} placeholder={hint} list={{run: 'runs', revision: 'revisions'}[end.kind as string]} />}
    </>
  );
}

export function Ends({filters, onLock}: {filters: EndProps['filters']; onLock: () => void}) {
  const runs = useResource<{runs: Run[]}>(urls.runs({limit: 100})).data?.runs ?? [];
  const revisions = useResource<{revisions: PastRevision[]}>(urls.revisions({limit: 100})).data?.revisions ?? [];
  return (
    <>
      <datalist id="revisions">
        {revisions.map((it) => <option key={it.pin} value={it.revision}>{moment(it.created)}, {it.cause}</option>)}
      </datalist>
      <datalist id="runs">{runs.map((run) => <option key={run.id} value={run.id}>{originOf(run)}</option>)}</datalist>
      {lock.value.name === '' && <EndControl filters={filters} name="from" label="From" />}
      <LockControl label="or from a lock file" onTaken={onLock} />
      <EndControl filters={filters} name="to" label="To" />
    </>
  );
}
