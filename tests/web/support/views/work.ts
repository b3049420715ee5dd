// The expected tables and texts of Runs, Fleet, Audit and API, made from the API's answers.
import type {Asking, Seen, ViewTable} from '../look';
import {age, grouped, kDash, kMinus, many, moment, number, said, span} from '../looks';

const kToolchain = ['rocm', 'aiter', 'triton', 'pytorch', 'engine', 'compiler', 'driver'];

const stateOf = (run: any): string => (run.reverted ? 'reverted' : run.active ? 'active' : 'superseded');
const imported = (run: any): string => (run.source ? `import of ${run.source}` : '');

export function originOf(run: any): string {
  const {host, gpu, gfx, tuner, campaign} = run.provenance;
  return [imported(run), host, gpu ?? gfx, tuner, campaign].filter(Boolean).join(', ') || 'unknown provenance';
}

function runRow(run: any): string[] {
  const {host, tuner, campaign, product, gpu, gfx} = run.provenance;
  return [
    '', String(run.id), stateOf(run), number(run.rows), number(run.won), number(run.quarantined), said(run.families.length > 3 ? `${number(run.families.length)} families` : run.families.join(', ')),
    said([imported(run), host, tuner, campaign].filter(Boolean).join(', ')), said(product ?? gpu ?? gfx), said(kToolchain.filter((name) => run.provenance[name]).map((name) => `${name} ${run.provenance[name]}`).join(', ')), moment(run.received),
  ];
}

function factsOf(run: any): string[] {
  const again = run.repeats === null ? '' : `: ${number(run.stored)} new, ${number(run.rows - run.stored)} as in run ${run.repeats} or before`;
  return [
    ...(run.source ? [run.source, number(run.rows) + again] : []), moment(run.started), moment(run.finished), moment(run.received), run.owner, run.provider ?? 'by target', run.error_limit === null ? "the family's" : String(run.error_limit),
    ...Object.values(run.provenance).map((it) => (Array.isArray(it) ? it.join(' ') : String(it))),
  ];
}

const countOf = (count: unknown, list: unknown): string => (typeof count === 'number' ? number(count) : Array.isArray(list) ? number(list.length) : typeof list === 'number' ? number(list) : kDash);

const kTroubles = ['Rejected', 'Quarantined', 'Unmeasured'];

function batchOf({id, kind, receipt}: any): [string, string[][]][] {
  if (kind === 'revert') return [];
  const files = receipt.files ?? [{...receipt, file: receipt.family ?? 'rows'}];
  const counts = (it: any) => ['rejected', 'quarantined', 'unmeasured'].map((name) => countOf(it[`${name}_count`], it[name]));
  const troubles = kTroubles.flatMap((title): [string, string[][]][] => {
    const issues = files.flatMap((file: any) => (Array.isArray(file[title.toLowerCase()]) ? file[title.toLowerCase()] : []).map((it: any) => [file.file, String(it.row), said(it.column), it.code, it.detail]));
    return issues.length > 0 ? [[`${title} rows (${number(issues.length)}) of batch ${id}`, issues]] : [];
  });
  return [[`Receipt of batch ${id}`, files.map((it: any) => [it.file, said(it.family), ...['rows', 'accepted', 'won'].map((name) => countOf(it[name], undefined)), ...counts(it)])], ...troubles];
}

const revertText = ({received, receipt: {changed, revision}}: any): string =>
  `The run was taken back ${moment(received)} UTC${changed === undefined ? '' : `: ${many(changed, 'key')} got another row, or none`}${revision ? `, as revision ${revision}` : ''}. Its measurements no longer compete.`;

export async function run({ask}: Asking, id: number): Promise<Seen> {
  const it = await ask(`/runs/${id}`);
  const [sent, reverts] = [it.batches.filter((one: any) => one.kind !== 'revert'), it.batches.filter((one: any) => one.kind === 'revert')];
  return {
    path: `/ui/runs?run=${id}`,
    tables: Object.fromEntries(it.batches.flatMap(batchOf)),
    texts: {
      'main .with > p.lead': [`${stateOf(it)} from ${originOf(it)}`], 'main dl.facts dd': factsOf(it),
      'main section > p.lead': sent.map((one: any) => `${one.kind}, ${moment(one.received)} UTC${one.receipt.revision === undefined ? '' : `, made revision ${one.receipt.revision}`}`),
      'main section > p:not(.lead)': reverts.map(revertText), 'main p.notice': it.reverted ? [`This run was reverted ${moment(it.reverted)} UTC.`] : [],
    },
  };
}

async function runs(it: Asking): Promise<Seen[]> {
  const all = (await it.ask('/runs?counts=1&limit=200')).runs;
  const reverted = all.find((one: any) => one.reverted), tree = all.filter((one: any) => one.source);
  const opened = [reverted, ...tree, it.random.pick(all)];
  return [{path: '/ui/runs', tables: {Runs: all.map(runRow)}}, ...await Promise.all([...new Set<number>(opened.map((one) => one.id))].map((id) => run(it, id)))];
}

const kSilence = 300_000;

function hostsOf(agents: any[], {now, product}: Asking): string[][] {
  const isSilent = (it: any) => now - Date.parse(it.last_seen) > kSilence;
  const groups = grouped(agents, (it) => JSON.stringify([it.host, it.gfx, it.cu_num])).map(([, all]) => ({
    host: all[0].host ?? '', of: all[0], agents: all.length, working: all.filter((it) => !isSilent(it) && it.job !== null).length, silent: all.filter(isSilent).length, doing: [...new Set(all.map((it) => it.doing).filter(Boolean))].join(', '),
  }));
  groups.sort((a, b) => b.working - a.working || (a.host < b.host ? -1 : Number(a.host > b.host)));
  return groups.map((it) => [said(it.host), product(it.of), number(it.agents), number(it.working), number(it.silent), said(it.doing)]);
}

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
  if (seconds === null) return 'not known: nothing was done within a day';
  const text = (of: number) => `${moment(now + of * 1000)}, in ${span(of)}`;
  return {
    asymmetricMatch: (shown: unknown) => Array.from({length: 6000}, (_, i) => text(seconds * (1 + i / 100))).includes(String(shown)),
    toString: () => text(seconds), toAsymmetricMatcher: () => `${text(seconds)}, or later`,
  };
}

function driftRow({device, since, days}: any): string[] {
  const percent = (ratio: number) => `${ratio < 1 ? kMinus : '+'}${Math.abs((ratio - 1) * 100).toFixed(1)} %`;
  const last = days.at(-1), over = Math.round((Date.parse(last.day) - Date.parse(since)) / 86_400_000);
  return [device, `${percent(last.ratio)} ${over < 1 ? 'within a day' : `over ${many(over, 'day')}`}`, '', number(last.keys), last.day];
}

async function fleet(it: Asking): Promise<Seen[]> {
  const {agents} = await it.ask('/agents?limit=500'), {jobs} = await it.ask('/jobs?limit=500'), queue = await it.ask('/queue');
  const {drift} = await it.ask('/agents?drift=1&limit=1');
  const open: number[] = queue.open_by_hour;
  const failures = (job: any) => job.reasons.map((one: any) => [one.reason, one.agent && `on ${one.agent}`].filter(Boolean).join(' ')).join('; ');
  const row = (job: any) => [String(job.id), job.state, job.family, it.product(job), progressOf(job, it.now), said(job.agent), moment(job.created), said(failures(job)), job.state === 'parked' ? 'Try again' : kDash];
  const silent = (one: any) => (it.now - Date.parse(one.last_seen) > kSilence ? ' (silent)' : '');
  const waits = queue.targets.map((one: any) => [
    it.product(one), emptyAt(one, it.now), ...['shapes', 'queued', 'running', 'parked'].map((name) => number(one[name])), `${many(one.done.jobs, 'job')}, ${many(one.done.shapes, 'shape')}`,
  ]);
  const tables: Seen['tables'] = {
    ...(agents.length > 0 && {'Hosts and devices': hostsOf(agents, it), Agents: agents.map((one: any) => [one.agent, it.product(one), age(one.last_seen, it.now) + silent(one), said(one.job), said(one.doing), said(one.host), said(one.version)])}),
    ...(drift.length > 0 && {'Drift of devices': drift.map(driftRow)}),
    ...(waits.length > 0 && {'What waits, by target': waits, 'Jobs that are not done': open.map((count, i) => [String(open.length - 1 - i), number(count)])}),
  };
  const texts = {'main figcaption p': waits.length > 0 ? [`${many(open.at(-1) ?? 0, 'job')} now, ${number(open[0] ?? 0)} a day ago, ${number(Math.max(...open))} at most between.`] : []};
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

export const kWorkViews: ViewTable = {runs, fleet, audit, api: operations};
