// Caches the server's answers by address. They stay when the server stops answering, because old data with its age is
// better than an error.
import {signal, type Signal} from '@preact/signals';
import {useEffect, useRef} from 'preact/hooks';
import {get, isThere, type Answer} from './api';
import {kExported} from './exported/mode';
import {problemOf, type Problem} from './problem';

export interface Resource<T> {
  data?: T;
  next: Answer<T>['next'];
  at: number;  // time of the answer in ms; 0: no answer yet
  problem?: Problem;  // the last request's problem
  stale: boolean;
  loading: boolean;  // true until the first answer
  settling?: boolean;  // the data is an earlier query's, and this query's answer has not come yet
}

const kFresh = 10_000;  // ms; the page does not request a younger answer again
const kBeat = 2_000;  // ms between checks of the server; a hidden tab sends none
const kTick = 5_000;  // ms between renders of ages
const kKept = 60;  // addresses whose answers the page keeps

const known = new Map<string, Signal<Resource<unknown>>>();
const kNothing: Resource<unknown> = {next: {}, at: 0, stale: false, loading: true};

export const now = signal(Date.now());

// The time at which the server stopped answering; 0 while it answers.
export const goneSince = signal(0);

// Checks the server, once for the whole page. So the page notices a lost server even if no view sends requests. When
// the server answers again, all views refresh.
async function beat(): Promise<void> {
  if (document.hidden) return;
  const there = await isThere();
  if (there === (goneSince.value === 0)) return;
  goneSince.value = there ? 0 : Date.now();
  now.value = Date.now();
  if (there) refreshAll();
}
// Starts the timers. The import of this file does not start them.
export function keepWatch(): void {
  setInterval(() => {
    now.value = Date.now();
  }, kTick);
  if (!kExported) setInterval(() => void beat(), kBeat);
}

function entry(path: string): Signal<Resource<unknown>> {
  let resource = known.get(path);
  if (!resource) {
    resource = signal(kNothing);
    known.set(path, resource);
    const oldest = known.keys().next().value;
    if (known.size > kKept && oldest !== undefined) known.delete(oldest);
  }
  return resource;
}

// The last answer for an address, without a request. A component that reads it renders again with the next answer.
export const said = <T,>(path: string) => entry(path).value.data as T | undefined;

const running = new Map<string, Promise<void>>();
let asker = 0;  // counts changes of this tab's API key, to drop answers to requests with an earlier key

async function fetchInto(path: string, resource: Signal<Resource<unknown>>): Promise<void> {
  const by = asker;
  try {
    const {data, stale, next} = await get<unknown>(path);
    if (by !== asker) return;
    resource.value = {data, stale, next, at: Date.now(), loading: false};
    goneSince.value = 0;
  } catch (error) {
    if (by !== asker) return;
    const problem = problemOf(error);
    const kept = problem.kind === 'refused' ? {...kNothing} : resource.value;  // the key may be revoked
    resource.value = {...kept, problem, loading: false};
    if (problem.kind !== 'gone') goneSince.value = 0;
    else if (goneSince.value === 0) goneSince.value = Date.now();
  }
}

export function refresh(path: string): Promise<void> {
  const busy = running.get(path);
  if (busy) return busy;
  const resource = entry(path);
  if (resource.value.data === undefined && !resource.value.loading) resource.value = {...resource.value, loading: true};
  const done = fetchInto(path, resource).finally(() => {
    if (running.get(path) === done) running.delete(path);
  });
  running.set(path, done);
  return done;
}

// Call this after a write, because any answer may have changed.
export function refreshAll(): void {
  for (const resource of known.values()) resource.value = {...resource.value, at: 0};
  epoch.value += 1;
}
const epoch = signal(0);

// Call this after a change of the key: the page then shows no answer that it got with the former key.
export function forgetAll(): void {
  asker += 1;
  running.clear();
  for (const resource of known.values()) resource.value = kNothing;
  epoch.value += 1;
}

// The answer for a component. `path` null: no request. While a new address loads, the last answer stays, so that a
// filter does not blank the view.
export function useResource<T>(path: string | null, everyMs = 0): Resource<T> {
  const last = useRef({by: asker, said: kNothing});
  const resource = path === null ? null : entry(path);
  const generation = epoch.value;
  useEffect(() => {
    if (path === null) return;
    if (Date.now() - entry(path).peek().at > kFresh) void refresh(path);
    if (everyMs === 0) return;
    const timer = setInterval(() => !document.hidden && goneSince.peek() === 0 && void refresh(path), everyMs);
    return () => clearInterval(timer);
  }, [path, everyMs, generation]);
  const current = resource?.value ?? {...kNothing, loading: false};
  if (current.data !== undefined || last.current.by !== asker) last.current = {by: asker, said: current};
  const {said} = last.current;
  const isOld = current.data === undefined && current.loading && said.data !== undefined;
  return (isOld ? {...said, settling: true} : current) as Resource<T>;
}
