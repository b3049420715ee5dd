// The server's answers: the members that the page reads.
interface AnyTarget {
  gfx: string;
  cu_num: number | null;  // null: any number
}
export interface Target extends AnyTarget {
  cu_num: number;
}
interface TargetRows extends Target {
  rows: number;
  unmeasured: number;
  baselines: number;  // rows for which only the default was measured
  revision?: number;  // the last revision that changed these rows
  pin?: string;  // that revision's number and token
  changed?: string;  // when that revision was made
}
export interface Index {
  revision: number;
  families: {family: string; rows: number; revision: number; targets: TargetRows[]}[];
  products: Record<string, string>;  // by target: "MI300X / MI325X"
  unlisted: UnlistedTable[];  // by name
}
export interface UnlistedTable {
  table: string;
  path: string;  // inside aiter/configs
  rows: number;
  competes: boolean;  // true: the table has shape keys, and one row wins each
}
export interface Column {
  name: string;
  role: 'target' | 'engine' | 'device' | 'shape' | 'tag' | 'config' | 'objective' | 'error' | 'derived';
  type: string;
  values?: string[];
  identity?: string;  // 'unnamed': an id that differs between builds
}
export interface Family {
  name: string;
  title: string;
  file: string;
  env: string;
  columns: Column[];
  heat_map: {x: string; y: string[]};
}
export type ShapeCells = Record<string, string | number>;
export interface Demand extends Target {
  family: string;
  shape: ShapeCells;
  count: number;
  last_seen: string;
  to_tune: ShapeCells;  // the shape to tune for this miss: M is padded as a lookup pads it
  job: {id: number; state: Job['state']} | null;
}
export type Cell = string | number | boolean | object | null;
export type Row = Record<string, Cell>;
export interface Rows {
  family: string;
  revision: number;
  pin?: string;  // missing in an export
  total: number;
  rows: Row[];
}
// The time by which the server compares a candidate with others.
export interface Compared {
  us: number;
  low: number | null;  // null: no samples, or an infinite interval
  high: number | null;
  steady: boolean;  // false: the interval is infinite
}
export interface Measurement {
  id: number;
  run: number;
  provider: string;
  us: number | null;
  low: number | null;  // of us; null: no samples, or unsteady clocks
  high: number | null;
  error: number | null;
  standing: 'measured' | 'unmeasured' | 'declared' | 'quarantined' | 'implausible' | 'unfinished' | 'compared' |
    'unconfirmed';
  reason: string | null;
  is_default: boolean;
  reverted: boolean;
  competes: boolean;
  won: string | null;
  baseline: boolean;  // the server serves this row, but it is only the untuned default
  compared_by: Compared | null;  // null: no time, or another row decides for this candidate
  candidate: Record<string, string>;
  evidence?: {samples?: number[]} & Record<string, unknown>;
  line: string;
}
export interface Shape {
  family: string;
  key: string;
  rooflines?: {product: string; us: number; bound: string}[];  // missing in an export
  measurements: Measurement[];
  history: {measurement: number; from_revision: number; to_revision: number | null}[];
}
export interface Run {
  id: number;
  started: string;
  finished: string | null;
  received: string;
  provider: string | null;
  source: string | null;
  owner: string;
  error_limit: number | null;
  active: boolean;
  confirmed: boolean;  // its rows need no confirmation
  rows: number;
  stored: number;  // rows that no earlier import of the same source had
  repeats: number | null;
  reverted: string | null;
  won?: number;  // this and the next two members: only with counts=1
  quarantined?: number;
  families?: string[];
  provenance: Record<string, string | number | (string | number)[]>;
}
export interface AuditRow {
  at: string;
  owner: string | null;
  key: number | null;
  action: string;
  detail: string;
  request: string | null;
}
export interface Issue {
  row: number;
  column: string;
  code: string;
  detail: string;
}
export interface Receipt {
  family?: string;
  revision?: number;
  rows?: number;
  accepted?: number;
  won?: number;
  changed?: number;
  quarantined_count?: number;
  rejected_count?: number;
  unmeasured_count?: number;
  unconfirmed_count?: number;
  quarantined?: Issue[] | number;
  rejected?: Issue[] | number;
  unmeasured?: Issue[] | number;
  unconfirmed?: Issue[] | number;
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
  last_seen: string;
  job: number | null;
}
export interface Drift {
  device: string;
  since: string;  // the day of the device's first time
  days: {day: string; ratio: number; keys: number}[];  // ascending, at least one
}
export interface QueueOfTarget extends AnyTarget {
  queued: number;
  running: number;
  parked: number;
  shapes: number;
  done: {jobs: number; shapes: number};
  seconds_to_empty: number | null;
}
export interface Queue {
  targets: QueueOfTarget[];
  open_by_hour: number[];
}
export interface Job extends AnyTarget {
  id: number;
  family: string;
  purpose: 'tune' | 'verify';
  shape_count: number;
  state: 'queued' | 'running' | 'done' | 'parked';
  agent: string | null;
  progress: {done?: number; total?: number; [name: string]: unknown} | null;
  reasons: (string | {reason?: string; agent?: string; at?: string})[];
  created: string;
  claimed: string | null;
  finished: string | null;
}
export interface Planned {
  jobs: {shapes: number}[];
  families: Record<string, {tuned: number; unreachable: number; queued: number}>;
}
export interface Hits {
  families: {family: string; title: string}[];
  models: string[];
  products: {product: string; gfx: string; cu_num: number}[];
  kernels: {family: string; kernel: string; rows: number}[];
  shapes: {family: string; shape: Record<string, string>; rows: number}[];
  runs: Run[];
  revisions: number[];
  layers?: {layer: string; models: string[]}[];
  places?: {title: string; view: string; query: Record<string, string>}[];  // pages that match all words of the query
}
// The effect of a revert, or of its dry run.
export interface Reverted {
  changed: number;
  families: {family: string; changed: number; emptied: number}[];
}

// The same for accepted rows.
export interface Accepted extends Reverted {
  accepted: number;
}

export interface OverviewCell {
  covered: number;
  shapes: number;
  found: number;
  baseline: number;
  unmeasured: number;
  missing: number;
  covered_by_demand: number | null;
  demand: number;
  slower: number;  // shape keys that became slower
  measured: number;  // shape keys whose default was measured too
  speedup?: number;
  month?: number;  // `covered` month_days ago
  untuned_flops: number;  // per token
  untuned_flops_missed: number;  // sum over layers: untuned flops times the misses of the layer's shapes
}
export interface OverviewTarget extends Target {
  products: string[];
}
export interface Overview {
  revision: number;
  tp: number;
  days: number;
  engine: string;  // only tables that this engine reads count
  month_days: number;
  targets: OverviewTarget[];
  models: {model: string; title: string; scheme: string; refused?: string; cells: (OverviewCell | null)[]}[];
}
export interface TrendPoint {
  at: string;
  revision: number;
  covered: number | null;
  tp: number;
}
export interface TrendEvent {
  at: string;
  kind: 'import' | 'revert' | 'toolchain';
  text: string;
  revision?: number;
  run: number | null;
}
export interface Trend {
  revision: number;
  points: TrendPoint[];
  now: Pick<TrendPoint, 'covered' | 'tp'>;  // no tp if covered is null
  events: TrendEvent[];
}
export interface PhaseTime {
  us: number;  // per token
  low: number | null;
  high: number | null;
}
interface Phases<T> {
  decode: T;
  prefill: T;
}
export interface ModelTime {
  layers: number;
  timed_in: Phases<number>;  // layers whose row has or had a time; no other layer counts
  m: Phases<number>;
  points: ({at: string; revision: number} & Phases<PhaseTime | null>)[];  // null: a layer had no time then
  default: Phases<number | null>;
  events: TrendEvent[];
}
export interface SpeedupPart {
  name: string;
  tuned_over_default: {keys: number; geometric_mean?: number};
}
export interface Speedups {
  by: {family: SpeedupPart[]};
}
export interface ComparedKey {
  target: string;
  shape: ShapeCells;
  change: string;
  base_us?: number;
  head_us?: number;
  base_kernel?: string;
  head_kernel?: string;
}
export interface Comparison {
  base: {environment: Record<string, string>; keys: number};
  head: {environment: Record<string, string>; keys: number};
  repetition: boolean;
  differing: string[];
  limits: Record<string, number>;
  counts: Record<string, number>;
  speedups: Record<string, {geometric_mean: number}>;
  matching: number;
  shapes: ComparedKey[];
}
export interface DifferenceSide {
  us: number | null;
  kernel: string;
}
export interface Difference extends AnyTarget {
  kind: string;
  family: string;
  key: Record<string, string>;
  before: DifferenceSide | null;
  after: DifferenceSide | null;
  lost_us: number | null;
  demand: number;
  revision: number;
  run: number | null;
  history: {us: number | null}[];
}
export interface StateEnd {
  asked: string;
  revision?: number;
  created?: string | null;
  is_first?: boolean;
  tables?: {revision: number; created: string | null}[];
  left_out?: string[];
}
export interface Differences {
  from: StateEnd;
  to: StateEnd;
  limits: Record<string, number>;
  counts: Record<string, number>;
  lost_us: Record<string, number>;
  revision_count: number;
  revisions: {revision: number; cause: string; run: number | null; keys: number}[];
  matching: number;
  differences: Difference[];
}
export interface Lookup {
  step: string;
  row: Row | null;
  wanted: {to_tune: ShapeCells} | null;
}
export interface OwnKey {
  admin: boolean;
}
export interface Build {
  build: string;  // NAME@SHA256
  name: string;
  created: string;
}
export type Concern = 'missing' | 'unmeasured' | 'substituted' | 'left_out' | 'needs_rebuild' | 'borrowed';
type VerdictCounts = Record<Concern | 'rows' | 'asked' | 'baseline' | 'waiting', number>;
export type FamilyVerdict = VerdictCounts & {
  family: string;
  file: string;
  env: string;
  sha256: string | null;
  judged: boolean;
  why: string;
  stored_as: string[];  // if not judged: how a model must be stored to read this table
};
export interface VerdictItem {
  family: string;
  shape?: ShapeCells;
  row?: Row;
  instead_of?: Row;
  in_table?: boolean;
  why: string;
}
export interface PastRevision {
  revision: number;
  pin: string;
  created: string | null;
  cause: string;
}
export interface Verdict extends Target {
  model: string;
  tp: number;
  build: string | null;
  revision: number;
  pin: string;
  created: string | null;
  previous: PastRevision | null;
  week_ago: PastRevision | null;
  notes: {detail: string}[];  // unknown parts of the model's config
  unread: {stored: string}[];  // layers for which the engine reads no table
  verdict: 'safe' | 'not_safe' | 'nobody_checked' | 'nothing_asked';
  sentence: string;
  counts: VerdictCounts;
  families: FamilyVerdict[];
  address: string;
  pinned: string;
  pinned_lacks: number;  // rows that the pinned table lacks, because this table has a substitute for them
  list: {name: Concern; total: number; offset: number; items: VerdictItem[]} | null;
}
