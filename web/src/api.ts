// The server's HTTP interface. Only this file calls fetch and knows the addresses. An export's page uses
// exported/api.ts instead.
import type {Accepted, Job, OwnKey, Planned, Reverted, Row, Rows} from './answers';
import {key} from './kept';
import {ProblemError} from './problem';
import {print} from './query';

type Query = Record<string, string | number | undefined>;

function address(path: string, query: Query): string {
  const text = print(query);
  return path + (text ? `?${text}` : '');
}

const part = encodeURIComponent;
const kMostRows = 1000;  // on a page of the server
export const urls = {
  index: () => '/tuned',
  table: (family: string, query: Query) => address(`/tuned/${part(family)}`, query),
  families: () => '/families',
  demand: (query: Query) => address('/demand', query),
  rows: (family: string, query: Query) => address(`/rows/${part(family)}`, query),
  // `*`: the page joins the answer's pages.
  allRows: (family: string, query: Query) => address(`*/rows/${part(family)}`, {...query, limit: kMostRows}),
  shape: (family: string, query: Query) => address(`/shapes/${part(family)}`, query),
  runs: (query: Query) => address('/runs', query),
  run: (id: string) => `/runs/${part(id)}`,
  revisions: (query: Query) => address('/revisions', query),
  audit: (query: Query) => address('/audit', query),
  agents: () => '/agents?limit=500',
  drift: () => '/agents?drift=1&limit=1',
  queue: () => '/queue',
  data: () => '/readyz?data=1',
  jobs: (query: Query) => address('/jobs', query),
  search: (q: string) => address('/search', {q, limit: 6}),
  overview: (query: Query) => address('/overview', query),
  trends: (query: Query) => address('/trends', query),
  map: (query: Query) => address('/map', query),
  modelTime: (query: Query) => address('/model-time', query),
  models: () => '/models',
  speedups: (query: Query) => address('/speedups', query),
  compare: (query: Query) => address('/compare', query),
  // resource.ts caches an answer under one string. For a request with a body the string is address, zero byte, body.
  differences: ({lock, ...query}: Query) => address('/differences', query) + (lock ? `\0${lock}` : ''),
  lookup: (family: string, query: Query) => address(`/lookup/${part(family)}`, query),
  verdict: (query: Query) => address('/verdict', query),
  builds: () => '/builds?limit=500',
  signingKeys: () => '/signing-keys',
  openapi: () => '/openapi.json',
};

export interface Answer<T> {
  data: T;
  stale: boolean;  // true if the server cannot reach its database and answers from its last snapshot
  next: Record<string, string>;  // query parameters of the next page; empty on the last page
}

function nextOf(link: string | null): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(/\?([^>]*)>; *rel="next"/.exec(link ?? '')?.[1]));
}

async function call(path: string, init: RequestInit, secret = key.value): Promise<Response> {
  const headers = new Headers(init.headers);
  if (secret) headers.set('Authorization', `Bearer ${secret}`);
  const response = await fetch(path, {...init, headers});
  if (response.ok) return response;
  const body = (await response.json().catch(() => ({}))) as {code?: string; detail?: string};
  throw new ProblemError({
    kind: response.status === 401 || response.status === 403 ? 'refused' : 'failed',
    status: response.status,
    code: body.code ?? String(response.status),
    detail: body.detail ?? `${path} answered ${response.status}`,
  });
}

async function getAll(path: string): Promise<Answer<Rows>> {
  const rows: Row[] = [];
  for (let after = ''; ;) {
    const answer = await get<Rows>(path + after);
    rows.push(...answer.data.rows);
    if (!answer.next['after']) return {...answer, data: {...answer.data, rows}};
    after = `&after=${answer.next['after']}`;
  }
}

export async function get<T>(path: string): Promise<Answer<T>> {
  if (path.startsWith('*')) return (await getAll(path.slice(1))) as Answer<T>;
  const [url = '', body] = path.split('\0');
  const response = await call(url, {body, method: body && 'POST'});
  const json = response.headers.get('Content-Type')?.startsWith('application/json');
  return {
    data: (json ? await response.json() : await response.text()) as T,
    stale: response.headers.has('Warning'),
    next: nextOf(response.headers.get('Link')),
  };
}

// The SHA-256 of the bytes at an address as hex (RFC 9530); '' if the server does not say it.
export async function digestOf(path: string): Promise<string> {
  const header = (await call(path, {method: 'HEAD'})).headers.get('Repr-Digest');
  const base64 = /sha-256=:([^:]+):/.exec(header ?? '')?.[1] ?? '';
  return [...atob(base64)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await call(path, {
    method: 'POST',
    headers: {'Content-Type': 'application/json'},
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}

// Plans a job for one shape, unless the shape is tuned or already in a job.
export const planShape = (gfx: string, cu_num: number, family: string, shape: Record<string, string | number>) =>
  post<Planned>('/jobs/plan', {gfx, cu_num, family, from: [{shapes: [shape]}]});
export interface ModelPlan {
  gfx: string;
  cu_num: number;
  family: string;
  purpose: 'tune' | 'verify';
  model: string;
  tp: number;
  max_m: number;
}

// Plans jobs for a model's shapes. With `dry_run` the server only answers which jobs it would make.
export const planModel = ({gfx, cu_num, family, purpose, ...asked}: ModelPlan, dryRun: boolean) =>
  post<Planned>(`/jobs/plan${dryRun ? '?dry_run=1' : ''}`, {gfx, cu_num, family, purpose, from: [asked]});
export const revertRun = (id: number, dry = false) =>
  post<Reverted>(`/runs/${id}/revert${dry ? '?dry_run=1' : ''}`, undefined);
export const acceptRun = (run: number, dry = false) =>
  post<Accepted>(`/rows/accept${dry ? '?dry_run=1' : ''}`, {run});
export const retryJob = (id: number) => post<Job>(`/jobs/${id}/retry`, undefined);

// The scope of an API key that the page has not stored yet.
export const lookAtKey = async (secret: string): Promise<OwnKey> =>
  (await (await call('/keys/self', {}, secret)).json()) as OwnKey;

const kAnswersWithin = 900;  // ms; with kBeat of resource.ts the page notices a lost server within 3 s

// True if the server answers, with any status.
export const isThere = (): Promise<boolean> =>
  fetch('/healthz', {cache: 'no-store', signal: AbortSignal.timeout(kAnswersWithin)}).then(() => true, () => false);
