// The server's interface: the only file that calls fetch. Addresses, and what is answered to them.
import {key} from './key';
import {ProblemError} from './problem';
import {print} from './query';

export interface Target {
  gfx: string;
  cu_num: number;
}
export interface TargetRows extends Target {
  rows: number;
  unmeasured: number;
}
export interface Index {
  revision: number;
  families: {family: string; rows: number; revision: number; targets: TargetRows[]}[];
}
export interface Targets {
  targets: (Target & {products?: string[]; peak_tflops?: Record<string, number>})[];
}
export interface Column {
  name: string;
  role: 'target' | 'shape' | 'tag' | 'config' | 'objective' | 'error' | 'derived';
  type: string;
  values?: string[];
  missing?: unknown;
  identity?: string;  // 'unnamed': an id that builds renumber
}
export interface Family {
  name: string;
  title: string;
  file: string;
  env: string;
  columns: Column[];
  heat_map: {x: string; y: string[]};
}
export interface Revision {
  revision: number;
  created: string;
  kind: string;
  cause: string;
  families: {family: string; changed: number}[];
}
export interface Demand extends Target {
  family: string;
  shape: Record<string, string>;
  count: number;
  first_seen: string;
  last_seen: string;
}
export type Cell = string | number | boolean | null;
export type Row = Record<string, Cell>;
export interface Rows {
  family: string;
  revision: number;
  total: number;
  rows: Row[];
}
export interface Measurement {
  id: number;
  run: number;
  provider: string;
  us: number | null;
  error: number | null;
  standing: 'measured' | 'unmeasured' | 'declared' | 'quarantined';
  reason: string | null;
  competes: boolean;
  won: string | null;
  candidate: Record<string, string>;
  evidence?: Record<string, unknown>;
  line: string;
}
export interface Shape {
  family: string;
  key: string;
  measurements: Measurement[];
  history: {provider: string; measurement: number; from_revision: number; to_revision: number | null}[];
}
export interface Run {
  id: number;
  started: string;
  finished: string | null;
  received: string;
  provider: string | null;
  source: string | null;
  error_limit: number | null;
  active: boolean;
  reverted: string | null;
  provenance: Record<string, string | number | (string | number)[]>;
}
export interface Issue {
  row: number;
  column: string;
  code: string;
  detail: string;
}
export interface Receipt {
  family?: string;
  source?: string;
  revision?: number;
  rows?: number;
  accepted?: number;
  won?: number;
  kept?: number;
  changed?: number;
  quarantined_count?: number;
  rejected_count?: number;
  unmeasured_count?: number;
  quarantined?: Issue[] | number;
  rejected?: Issue[] | number;
  unmeasured?: Issue[] | number;
  files?: (Receipt & {file: string; status: string})[];
}
export interface RunDetail extends Run {
  batches: {id: number; kind: string; received: string; receipt: Receipt}[];
}
export interface Agent extends Target {
  agent: string;
  host: string | null;
  version: string | null;
  doing: string | null;
  first_seen: string;
  last_seen: string;
  job: number | null;
}
export interface Job {
  id: number;
  family: string;
  gfx: string;
  cu_num: number | null;
  shape_count: number;
  state: 'queued' | 'running' | 'done' | 'parked';
  priority: number;
  weight: number;
  campaign: string | null;
  agent: string | null;
  lease: {epoch: number; expires: string; seconds: number} | null;
  tries: number;
  progress: {done?: number; total?: number; [name: string]: unknown} | null;
  run: number | null;
  reasons: (string | {reason?: string; agent?: string; at?: string})[];
  created: string;
  claimed: string | null;
  finished: string | null;
}
export interface Hits {
  families: {family: string; title: string}[];
  models: string[];
  kernels: {family: string; kernel: string; rows: number}[];
  shapes: {family: string; shape: Record<string, string>; rows: number}[];
}

export interface CoverageCounts {
  shapes: number;
  exact: number;
  padded: number;
  unmeasured: number;
  missing: number;
  demand: number;
}
export interface FamilyCoverage {
  family: string;
  revision: number;
  columns: string[];
  m: string;
  buckets: {from: number; to: number}[];
  pairs: Record<string, Cell>[];
  cells: (CoverageCounts & {bucket: number; pair: number})[];
  headline: {covered: number; exact: number; weighted_by: 'demand' | 'buckets'; covered_by_buckets: number};
  totals: CoverageCounts;
}
export interface Coverage extends Target {
  families: FamilyCoverage[];
}
export interface Spread {
  keys: number;
  geometric_mean?: number;
  median?: number;
  above_2x?: number;
  worst?: number;
  histogram?: {log2_from: number; log2_to: number; keys: number}[];
}
export interface SpeedupSummary {
  keys: number;
  without_default: number;
  without_heuristic: number;
  tuned_over_default: Spread;
  heuristic_over_default: Spread;
  tuned_over_heuristic: Spread;
}
export type SpeedupPart = SpeedupSummary & {name: string};
export interface Speedups extends SpeedupSummary {
  revision: number;
  tuned_alone: number;
  by: Record<'family' | 'target' | 'model' | 'campaign', SpeedupPart[]> & {
    m_bucket: (SpeedupSummary & {m_from: number; m_to: number})[];
  };
}
export interface ComparedKey {
  target: string;
  shape: Record<string, string>;
  change: string;
  base_us?: number;
  head_us?: number;
  base_kernel?: string;
  head_kernel?: string;
  speedup?: number;
}
export interface Comparison {
  base: {environment: Record<string, string>; keys: number};
  head: {environment: Record<string, string>; keys: number};
  same_versions: boolean;
  limits: Record<string, number>;
  compared: number;
  counts: Record<string, number>;
  geometric_mean_speedup?: number;
  listed: number;
  shapes: ComparedKey[];
}
export interface Lookup {
  cu_num: number | null;
  step: string;
  row: Row | null;
  fallback: {reason: string; kernelName?: string; splitK?: string} | null;
  tried: {step: string; m?: number; found: boolean; detail?: string}[];
  other_cu_num: boolean;
  wanted: {exact: Record<string, string>; to_tune: Record<string, string>} | null;
}

type Query = Record<string, string | number | undefined>;

function address(path: string, query: Query): string {
  const text = print(query);
  return path + (text ? `?${text}` : '');
}

const part = encodeURIComponent;
export const urls = {
  index: () => '/tuned',
  table: (family: string, query: Query) => address(`/tuned/${part(family)}`, query),
  families: () => '/families',
  targets: () => '/targets',
  revisions: (query: Query) => address('/revisions', query),
  demand: (query: Query) => address('/demand', query),
  rows: (family: string, query: Query) => address(`/rows/${part(family)}`, query),
  shape: (family: string, query: Query) => address(`/shapes/${part(family)}`, query),
  runs: (query: Query) => address('/runs', query),
  run: (id: string) => `/runs/${part(id)}`,
  agents: () => '/agents?limit=500',
  jobs: (query: Query) => address('/jobs', query),
  search: (q: string) => address('/search', {q, limit: 6}),
  models: () => '/models',
  coverage: (query: Query) => address('/coverage', query),
  speedups: (query: Query) => address('/speedups', query),
  compare: (query: Query) => address('/compare', query),
  lookup: (family: string, query: Query) => address(`/lookup/${part(family)}`, query),
  openapi: () => '/openapi.json',
};

export interface Answer<T> {
  data: T;
  stale: boolean;  // the server's database is gone: its last snapshot
  next: Record<string, string>;  // where the page behind this one begins; empty: there is none
}

function nextOf(link: string | null): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(/\?([^>]*)>; *rel="next"/.exec(link ?? '')?.[1]));
}

async function call(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  if (key.value) headers.set('Authorization', `Bearer ${key.value}`);
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

export async function get<T>(path: string, signal?: AbortSignal): Promise<Answer<T>> {
  const response = await call(path, {signal});
  const json = response.headers.get('Content-Type')?.startsWith('application/json');
  return {
    data: (json ? await response.json() : await response.text()) as T,
    stale: response.headers.has('Warning'),
    next: nextOf(response.headers.get('Link')),
  };
}

async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await call(path, {
    method: 'POST',
    headers: {'Content-Type': 'application/json'},
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return (await response.json()) as T;
}

export interface Plan {
  target: {gfx: string; cu_num?: number};
  family?: string;
}
export const planJobs = ({target, family}: Plan) =>
  post<{jobs?: unknown[]; [name: string]: unknown}>('/jobs/plan', {...target, family, from: ['demand']});
export const revertRun = (id: number) =>
  post<{reverted: number; changed: number; revision: number | null}>(`/runs/${id}/revert`, undefined);
export const retryJob = (id: number) => post<Job>(`/jobs/${id}/retry`, undefined);
