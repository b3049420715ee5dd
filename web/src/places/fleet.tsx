// Devices with what they do, the queue, and jobs, refreshed every few seconds.
import type {Agent, Drift, Job, Queue, QueueOfTarget} from '../answers';
import {retryJob, urls} from '../api';
import {Action, CopyLine} from '../components/buttons';
import {Controls, Select} from '../components/controls';
import {DataTable} from '../components/data_table';
import {Figures, Spark, type Figure} from '../components/figures';
import {Empty, ViewHead, With} from '../components/view';
import {age, cellText, count, moment, plural, span} from '../format';
import {withProducts} from '../known';
import {filtersOf} from '../location';
import {now, refresh, useResource} from '../resource';
import {kStartAgent} from './home_steps';
import {Missed, useMissed} from './missed';
import {devicesOf, driftCourse, driftNote, driftPercent, driftText, isSilent, progressOf, reasonText, secondsLeft,
  type DeviceLine} from './fleet_rows';

const kView = 'fleet';
const kEvery = 5_000;
const kStates = ['queued', 'running', 'done', 'parked'];

function LastSeen({of}: {of: Agent}) {
  const silent = isSilent(of, now.value);
  return <span class={silent ? 'time warn' : 'time'}>{age(of.last_seen, now.value)}{silent && ' (silent)'}</span>;
}

function Doing({of: {agent, job}}: {of: DeviceLine}) {
  if (!agent) return <span class="faint">no agent</span>;
  return job ? <>job {job.id}, {job.family} <Progress job={job} /></> : <>{cellText(agent.doing)}</>;
}

function Devices({of}: {of: DeviceLine[]}) {
  if (of.length === 0) {
    return (
      <Empty>
        <p>No agent has reported yet. On a GPU host with AITER, start one:</p>
        <CopyLine label="Start an agent" text={kStartAgent()} />
      </Empty>
    );
  }
  return (
    <DataTable caption="Devices" columns={(is) => [
      is.wide('Device', ({name, agent}) => [name,
        <small key="of">{agent && [withProducts(agent), agent.version && `agent ${agent.version}`].filter(Boolean).join(', ')}</small>]),
      is.wide('Doing', (line) => <Doing of={line} />, {by: ({agent}) => agent?.doing}),
      is.text('Last seen', ({agent}) => (agent ? <LastSeen of={agent} /> : cellText('')), {by: ({agent}) => agent?.last_seen}),
      is.number('Drift', ({drift}) => (drift ? <>{driftText(drift)}<small>{driftNote(drift)}</small></> : cellText('')),
        {by: ({drift}) => drift && driftPercent(drift)}),
      is.text('By day', ({drift}) => drift && <Spark of={driftCourse(drift)} />, {by: () => ''}),
    ]} rows={of} keyOf={({name}) => name} />
  );
}

function Progress({job}: {job: Job}) {
  const {done, total} = progressOf(job);
  if (job.state === 'queued') return <span class="faint">waiting</span>;
  const left = secondsLeft(job, now.value);
  return (
    <span class="progress">
      <progress value={done} max={total} aria-label={`Job ${job.id}`} />
      <span>{count(done)} of {plural(total, 'shape')}{left !== null && `, about ${span(left)} left`}</span>
    </span>
  );
}

function Jobs({jobs, none, again}: {jobs: Job[]; none: string; again: () => Promise<void>}) {
  if (jobs.length === 0) return <Empty><p>{none}</p></Empty>;
  const retry = async (job: Job) => {
    await retryJob(job.id);
    await again();
    return 'queued again';
  };
  return (
    <DataTable caption="Jobs" columns={(is) => [
      is.number('Job', (job) => job.id),
      is.text('State', (job) => <span class={`job ${job.state}`}>{job.state}</span>),
      is.name('Family', (job) => job.family),
      is.name('Device', withProducts),
      is.name('Progress', (job) => <><Progress job={job} />{job.agent && <small>{job.agent}</small>}</>,
        {by: (job) => progressOf(job).done / progressOf(job).total}),
      is.time('Created (UTC)', (job) => moment(job.created)),
      is.wide('Failures', (job) => <>
        {cellText(job.reasons.map(reasonText).join('; '))} {job.state === 'parked' && <Action label="Try again" act={() => retry(job)} />}
      </>),
    ]} rows={jobs} keyOf={(job) => job.id} />
  );
}

// When the queue will be empty, in words.
function emptyAt({shapes, seconds_to_empty: seconds}: QueueOfTarget): string {
  if (shapes === 0) return 'empty';
  if (seconds === null) return 'not known yet: no job ended within 24 hours';
  return `${moment(new Date(now.value + seconds * 1000).toISOString())}, in ${span(seconds)}`;
}

// Each target's queue with its expected end.
function QueueState({queue}: {queue: Queue}) {
  if (queue.targets.length === 0) return <Empty><p>No job is open, and none ended in the last 24 hours.</p></Empty>;
  return (
    <>
      <DataTable caption="What waits, by device" titled columns={(is) => [
        is.name('Device', withProducts),
        is.text('Empty at (UTC)', emptyAt),
        is.number('Shapes left', (target) => count(target.shapes)),
        is.number('Queued', (target) => count(target.queued)),
        is.number('Running', (target) => count(target.running)),
        is.number('Parked', (target) => count(target.parked)),
        is.number('Done in 24 h', (target) =>
          `${plural(target.done.jobs, 'job')}, ${plural(target.done.shapes, 'shape')}`),
      ]} rows={queue.targets} />
      <p class="legend">
        Empty: when the shapes left will be done, at the pace of those done in the last 24 hours, from the claim of the
        first of them. Parked jobs wait for an admin and do not count.
      </p>
    </>
  );
}

// The answers in large type: what devices do, what waits, when that ends, and the largest drift. None without a value.
function figuresOf(devices: DeviceLine[], queue: Queue | undefined): Figure[] {
  const agents = devices.flatMap(({agent}) => agent ?? []);
  const silent = agents.filter((agent) => isSilent(agent, now.value));
  const work = agents.filter((agent) => agent.job !== null && !silent.includes(agent)).length;
  const drifts = devices.flatMap(({drift}) => drift ?? []);
  const most = drifts.sort((a, b) => Math.abs(driftPercent(b)) - Math.abs(driftPercent(a)))[0];
  const open = queue?.open_by_hour ?? [], mostOpen = Math.max(0, ...open);
  const waiting = queue?.targets.filter(({shapes}) => shapes > 0) ?? [];
  const ends = waiting.map(({seconds_to_empty: seconds}) => seconds ?? Infinity), last = Math.max(0, ...ends);
  return [
    ...(agents.length > 0 ? [{name: 'Devices', value: count(agents.length),
      note: `${count(work)} working, ${count(agents.length - work - silent.length)} idle, ${count(silent.length)} silent`}] : []),
    ...(mostOpen > 0 ? [{name: 'Open jobs', value: count(open.at(-1) ?? 0),
      note: <>{count(open[0] ?? 0)} a day ago, {count(mostOpen)} at most since<Spark of={open} /></>}] : []),
    ...(waiting.length > 0 ? [{name: 'Queue empty', value: last < Infinity ? `in ${span(last)}` : 'not known yet',
      note: last === Infinity ? 'no job ended within 24 hours' : plural(waiting.reduce((sum, {shapes}) => sum + shapes, 0), 'shape waits', 'shapes wait')}] : []),
    ...(most ? [{name: 'Largest drift', value: driftText(most), note: `${most.device}, ${driftNote(most)}`}] : []),
  ];
}

export function FleetPlace() {
  const filters = filtersOf(kView, {state: '', gfx: ''});
  const {state, gfx} = filters.values;
  const agents = useResource<{agents: Agent[]}>(urls.agents(), kEvery);
  const running = useResource<{jobs: Job[]}>(urls.jobs({state: 'running', limit: 500}), kEvery);
  const asked = state === '' || kStates.includes(state);
  const path = asked ? urls.jobs({state, gfx, limit: 500}) : null;
  const jobs = useResource<{jobs: Job[]}>(path, kEvery);
  const drifts = useResource<{drift: Drift[]}>(urls.drift()), drift = drifts.data?.drift ?? [];
  const queue = useResource<Queue>(urls.queue(), kEvery);
  const missed = useMissed();
  const architectures = [...new Set(agents.data?.agents.map((agent) => agent.gfx) ?? [])].sort();
  const head = (
    <ViewHead title="Fleet" filters={filters}>
      Devices that tune, and the work that waits. Refreshed every {kEvery / 1000} seconds.
    </ViewHead>
  );
  // All parts appear at once, so that none moves another.
  if ([agents, running, drifts, queue, missed, ...(path ? [jobs] : [])].some((it) => it.loading && it.data === undefined)) {
    return <>{head}<p class="state" role="status">Loading the fleet&hellip;</p></>;
  }
  return (
    <>
      {head}
      <With of={agents} what="the agents">
        {(list) => {
          const devices = devicesOf(list.agents, running.data?.jobs ?? [], drift);
          return (
            <>
              <Figures of={figuresOf(devices, queue.data)} />
              <section>
                <h2>Devices</h2>
                <Devices of={devices} />
                {drift.length > 0 &&
                  <p class="legend">Drift: how much longer the same default kernels take than at first on the device.</p>}
              </section>
            </>
          );
        }}
      </With>
      <section>
        <h2>Queue</h2>
        <With of={queue} what="the queue">{(queue) => <QueueState queue={queue} />}</With>
      </section>
      <Missed of={missed} />
      <section>
        <h2>Jobs</h2>
        <Controls>
          <Select of={filters} name="state" label="State" options={kStates} all />
          <Select of={filters} name="gfx" label="Architecture" options={architectures} all />
        </Controls>
        {asked ? (
          <With of={jobs} what="the jobs">{(list) => <Jobs jobs={list.jobs} again={() => refresh(path ?? '')}
            none={state || gfx ? 'No job has these filters.' : 'Nobody has planned a job yet.'} />}</With>
        ) : (
          <p class="notice" role="alert">There is no state "{state}". The states are: {kStates.join(', ')}.</p>
        )}
      </section>
    </>
  );
}
