// The expected tables and texts of runs, Fleet, Audit and API, made from the API's answers.
import {expect} from 'vitest';
import type {Asking, Seen, ViewTable} from '../look';
import {age, kDash, kMinus, many, moment, number, said, shape, span} from '../looks';

const kToolchain = ['rocm', 'aiter', 'triton', 'pytorch', 'engine', 'compiler', 'driver'];

const stateOf = (run: any): string => (run.reverted ? 'reverted' : run.active ? 'active' : 'replaced');
function stateIn(run: any, all: any[]): string {
  if (stateOf(run) !== 'replaced') return stateOf(run);
  const by = all.filter((it) => it.id > run.id && it.source === run.source && !it.reverted).sort((a, b) => a.id - b.id)[0];
  return `replaced by ${by ? `run ${by.id}` : 'a newer import'}${by?.repeats && by.rows > by.stored ? `which repeats ${number(by.rows - by.stored)} rows` : ''}`;
}
const imported = (run: any): string => (run.source ? `import of ${run.source}` : '');

export function originOf(run: any): string {
  const {host, gpu, gfx, tuner, campaign} = run.provenance;
  return [imported(run), host, gpu ?? gfx, tuner, campaign].filter(Boolean).join(', ') || 'unknown provenance';
}

export function runRow(run: any, all: any[]): string[] {
  const {host, tuner, campaign, product, gpu, gfx} = run.provenance;
  return [
    '', String(run.id), stateIn(run, all), number(run.rows) + (run.repeats === null ? '' : `${number(run.stored)} new`), number(run.won), number(run.quarantined), said(run.families.length > 3 ? `${number(run.families.length)} families` : run.families.join(', ')),
    said([imported(run), host, tuner, campaign].filter(Boolean).join(', ')), said(product ?? gpu ?? gfx), said(kToolchain.filter((name) => run.provenance[name]).map((name) => `${name} ${run.provenance[name]}`).join(', ')), moment(run.received),
  ];
}

function factsOf(run: any): string[] {
  const again = run.repeats === null ? '' : `: ${number(run.stored)} new, ${number(run.rows - run.stored)} already in run ${run.repeats} or earlier`;
  return [
    ...(run.source ? [run.source, number(run.rows) + again] : []), moment(run.started), moment(run.finished), moment(run.received), run.owner, run.provider ?? 'by target', run.error_limit === null ? "the family's" : String(run.error_limit),
    ...Object.values(run.provenance).map((it) => (Array.isArray(it) ? it.join(' ') : String(it))),
  ];
}

const countOf = (count: unknown, list: unknown): string => (typeof count === 'number' ? number(count) : Array.isArray(list) ? number(list.length) : typeof list === 'number' ? number(list) : kDash);

const kTroubles = ['Rejected', 'Quarantined', 'Unmeasured', 'Unconfirmed'];

function batchOf({id, kind, receipt}: any): [string, string[][]][] {
  if (kind === 'revert') return [];
  const files = receipt.files ?? [{...receipt, file: receipt.family ?? 'rows'}];
  const counts = (it: any) => kTroubles.map((it) => it.toLowerCase()).map((name) => countOf(it[`${name}_count`], it[name]));
  const troubles = kTroubles.flatMap((title): [string, string[][]][] => {
    const issues = files.flatMap((file: any) => (Array.isArray(file[title.toLowerCase()]) ? file[title.toLowerCase()] : []).map((it: any) => [file.file, String(it.row), said(it.column), it.code, it.detail]));
    return issues.length > 0 ? [[`${title} rows (${number(issues.length)}) of batch ${id}`, issues]] : [];
  });
  return [[`Receipt of batch ${id}`, files.map((it: any) => [it.file, said(it.family), ...['rows', 'accepted', 'won'].map((name) => countOf(it[name], undefined)), ...counts(it)])], ...troubles];
}

const revertText = ({received, receipt: {changed, revision}}: any): string =>
  `Somebody reverted the run ${moment(received)} UTC${revision ? `, as revision ${revision}` : ''}${changed === undefined ? '' : `: ${many(changed, 'shape')} got another row, or none`}. The run's measurements no longer compete.`;

export async function runOf({ask}: Asking, id: number): Promise<Seen> {
  const it = await ask(`/runs/${id}`);
  const [sent, reverts] = [it.batches.filter((one: any) => one.kind !== 'revert'), it.batches.filter((one: any) => one.kind === 'revert')];
  return {
    path: `/ui/changes?run=${id}`,
    tables: Object.fromEntries(it.batches.flatMap(batchOf)),
    texts: {
      'main .with > p.lead': [`${stateIn(it, [])}. Origin: ${originOf(it)}`], 'main dl.facts dd': factsOf(it),
      'main section > p.lead': sent.map((one: any) => `${one.kind}, ${moment(one.received)} UTC${one.receipt.revision === undefined ? '' : `, made revision ${one.receipt.revision}`}`),
      'main section > p:not(.lead)': reverts.map(revertText), 'main p.notice': it.reverted ? [`This run was reverted ${moment(it.reverted)} UTC.`] : [],
    },
  };
}

const kSilence = 300_000;

function progressOf(job: any, now: number): string {
  if (job.state === 'queued') return 'waiting';
  const total = Number(job.progress?.total ?? job.shape_count);
  const done = job.state === 'done' ? total : Math.min(total, Number(job.progress?.done ?? 0));
  const left = job.state === 'running' && done > 0 && done < total ? `, about ${span(((now - Date.parse(job.claimed)) / 1000 / done) * (total - done))} left` : '';
  return `${number(done)} of ${many(total, 'shape')}${left}`;
}

// The server's estimate grows with the time since it gave out the first shape. When the page sends its request, the
// estimate may be 60 times as long: one second may have become one minute.
function emptyAt({shapes, seconds_to_empty: seconds}: any, now: number): unknown {
  if (shapes === 0) return 'empty';
  if (seconds === null) return 'not known yet: no job ended within 24 hours';
  const text = (of: number) => `${moment(now + of * 1000)}, in ${span(of)}`;
  return {
    asymmetricMatch: (shown: unknown) => Array.from({length: 6000}, (_, i) => text(seconds * (1 + i / 100))).includes(String(shown)),
    toString: () => text(seconds), toAsymmetricMatcher: () => `${text(seconds)}, or later`,
  };
}

const percent = (ratio: number): string => `${ratio < 1 ? kMinus : '+'}${Math.abs((ratio - 1) * 100).toFixed(1)} %`;

function driftNote({since, days}: any): string {
  const {day, keys} = days.at(-1), over = Math.round((Date.parse(day) - Date.parse(since)) / 86_400_000);
  return `${over < 1 ? 'within a day' : `over ${many(over, 'day')}`}, by ${many(keys, 'shape')}`;
}
const drifted = (it: any): string => (it ? percent(it.days.at(-1).ratio) + driftNote(it) : kDash);

// One line a device: agents that work first, then by name; last the devices that have a drift and no agent.
function devicesOf(agents: any[], jobs: any[], drift: any[], {now, product}: Asking): string[][] {
  const isOf = (agent: any, one: any) => agent.host && one.device.startsWith(`${agent.host} `) && one.device.endsWith(` ${agent.agent.slice(agent.agent.indexOf('/') + 1)}`);
  const doing = (it: any) => {
    const job = jobs.find(({id, state}) => id === it.job && state === 'running');
    return job ? `job ${job.id}, ${job.family} ${progressOf(job, now)}` : said(it.doing);
  };
  const rows = [...agents].sort((a, b) => Number(!a.job) - Number(!b.job) || (a.agent < b.agent ? -1 : 1)).map((it) => [
    `${it.agent}${product(it)}${it.version ? `, agent ${it.version}` : ''}`, doing(it), age(it.last_seen, now) + (now - Date.parse(it.last_seen) > kSilence ? ' (silent)' : ''), drifted(drift.find((one) => isOf(it, one))), '',
  ]);
  return [...rows, ...drift.filter((one) => !agents.some((it) => isOf(it, one))).map((one) => [one.device, 'no agent', kDash, drifted(one), ''])];
}

// The figures in large type that have a value. The end of the queue moves with the clock.
function fleetFigures(agents: any[], drift: any[], {open_by_hour: open, targets}: any, now: number): unknown[] {
  const silent = agents.filter((it) => now - Date.parse(it.last_seen) > kSilence), work = agents.filter((it) => it.job !== null && !silent.includes(it)).length;
  const most = [...drift].sort((a, b) => Math.abs(b.days.at(-1).ratio - 1) - Math.abs(a.days.at(-1).ratio - 1))[0];
  return [
    agents.length > 0 && `${number(agents.length)}${number(work)} working, ${number(agents.length - work - silent.length)} idle, ${number(silent.length)} silent`,
    Math.max(0, ...open) > 0 && `${number(open.at(-1))}${number(open[0])} a day ago, ${number(Math.max(...open))} at most since`,
    targets.some((it: any) => it.shapes > 0) && expect.any(String), most && `${percent(most.days.at(-1).ratio)}${most.device}, ${driftNote(most)}`,
  ].filter(Boolean);
}

async function missed({ask, families, product, now}: Asking): Promise<Record<string, string[][]>> {
  const {demand} = await ask('/demand?tuned=no&limit=10');
  const rows = demand.map((it: any) => {
    const job = it.job ? `job ${it.job.id}, ${it.job.state}` : it.gfx && it.cu_num ? 'Plan a job' : 'its device is not known';
    return [number(it.count), it.gfx ? product(it) : 'any', it.family, shape(families.find(({name}) => name === it.family), it.shape), age(it.last_seen, now), job];
  });
  return rows.length > 0 ? {'Missed most and not tuned': rows} : {};
}

async function fleet(it: Asking): Promise<Seen[]> {
  const {agents} = await it.ask('/agents?limit=500'), {jobs} = await it.ask('/jobs?limit=500'), queue = await it.ask('/queue');
  const {drift} = await it.ask('/agents?drift=1&limit=1');
  const failures = (job: any) => job.reasons.map((one: any) => [one.reason, one.agent && `on ${one.agent}`].filter(Boolean).join(' ')).join('; ');
  const row = (job: any) => [String(job.id), job.state, job.family, it.product(job), progressOf(job, it.now) + (job.agent ?? ''), moment(job.created), `${said(failures(job))} ${job.state === 'parked' ? 'Try again' : ''}`];
  const waits = queue.targets.map((one: any) => [
    it.product(one), emptyAt(one, it.now), ...['shapes', 'queued', 'running', 'parked'].map((name) => number(one[name])), `${many(one.done.jobs, 'job')}, ${many(one.done.shapes, 'shape')}`,
  ]);
  const devices = devicesOf(agents, jobs, drift, it);
  const tables: Seen['tables'] = {...(devices.length > 0 && {Devices: devices}), ...(waits.length > 0 && {'What waits, by device': waits}), ...await missed(it)};
  const texts = {'.answers dd': fleetFigures(agents, drift, queue, it.now)};
  const listed = (of: any[]): Seen['tables'] => (of.length > 0 ? {...tables, Jobs: of.map(row)} : tables);
  const state = it.random.pick(['queued', 'running', 'done', 'parked']);
  return [{path: '/ui/fleet', tables: listed(jobs), texts}, {path: `/ui/fleet?state=${state}`, tables: listed(jobs.filter((job: any) => job.state === state)), texts}];
}

async function audit({ask}: Asking): Promise<Seen[]> {
  const {audit: all} = await ask('/audit?limit=500');
  const writer = ({owner, key}: any) => (key === null ? 'the server' : owner === null ? `key ${key}` : `${owner}, key ${key}`);
  return [{path: '/ui/audit', tables: {Audit: all.map((it: any) => [moment(it.at), writer(it), it.action, it.detail, said(it.request)])}}];
}

async function operations({ask}: Asking): Promise<Seen[]> {
  const {tags, paths} = await ask('/openapi.json');
  const all = Object.entries<any>(paths).flatMap(([path, methods]) => Object.entries<any>(methods).map(([method, it]) => ({path, method, tag: it.tags[0]})));
  const listed = tags.flatMap(({name}: any) => all.filter((it) => it.tag === name));
  return [{path: '/ui/api', texts: {'main details.operation summary .method': listed.map((it: any) => it.method.toUpperCase()), 'main details.operation summary code': listed.map((it: any) => it.path)}}];
}

async function start({of: {hub}}: Asking): Promise<Seen[]> {
  const list = ['deploy/package', 'tar -xzf tunehub-agent-*.tar.gz && install -m 0755 tunehub-agent-*/tunehub-agent /usr/local/bin/'];
  const commands = (gpu: string) => [...list, `tunehub-agent explain vllm.log --gfx ${gpu} --hub ${hub.url}`, expect.stringMatching(/^export TUNEHUB_KEY=\$\(tunehub-server key create --scope admin/),
    `tunehub-agent import aiter/configs --hub ${hub.url}`, expect.stringMatching(/^\(umask 077; tunehub-server key create --scope claim.* >agent\.key\)$/), `export TUNEHUB_KEY=$(cat agent.key) tunehub-agent run --tuner aiter --hub ${hub.url}`];
  return ['MI300X', 'MI355X', 'gfx942:80'].map((device) => ({path: `/ui/start?device=${device}`, texts: {'.copy-line code': commands(device === 'gfx942:80' ? 'MI308X' : device)}}));
}

export const kWorkViews: ViewTable = {fleet, start, audit, api: operations};
