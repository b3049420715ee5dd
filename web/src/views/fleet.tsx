// Agents, the queue and jobs, refreshed every few seconds.
import type {Agent, Drift, Job, Queue, QueueOfTarget} from '../answers';
import {retryJob, urls} from '../api';
import {Action} from '../components/buttons';
import {Controls, Select} from '../components/controls';
import {DataTable} from '../components/data_table';
import {lineOf} from '../components/grid';
import {Spark} from '../components/heat_table';
import {Chart} from '../components/plot';
import {Empty, ViewHead, With} from '../components/view';
import {age, cellText, count, moment, plural, span} from '../format';
import {withProducts} from '../known';
import {filtersOf} from '../location';
import {now, refresh, useResource} from '../resource';
import {driftCourse, driftText, groupsOf, isSilent, progressOf, reasonText, secondsLeft} from './fleet_rows';

const kView = 'fleet';
const kEvery = 5_000;
const kStates = ['queued', 'running', 'done', 'parked'];

function Agents({agents}: {agents: Agent[]}) {
  if (agents.length === 0) {
    return <Empty><p>No agent yet.</p><pre>tunehub-agent run --tuner aiter --hub {location.origin}</pre></Empty>;
  }
  return (
    <>
    <DataTable caption="Hosts and devices" titled columns={(is) => [
      is.wide('Host', (group) => cellText(group.host)),
      is.name('Device', (group) => withProducts(group.of)),
      is.number('Agents', (group) => count(group.agents)),
      is.number('Working', (group) => count(group.working)),
      is.number('Silent', (group) => <span class={group.silent > 0 ? 'warn' : 'faint'}>{count(group.silent)}</span>),
      is.wide('Doing', (group) => cellText(group.doing)),
    ]} rows={groupsOf(agents, now.value)} />
    <DataTable caption="Agents" titled columns={(is) => [
      is.name('Agent', (agent) => agent.agent),
      is.name('Target', withProducts),
      is.text('Last seen', (agent) =>
        <span class={isSilent(agent, now.value) ? 'time warn' : 'time'}>
          {age(agent.last_seen, now.value)}{isSilent(agent, now.value) && ' (silent)'}
        </span>, {by: (agent) => agent.last_seen}),
      is.number('Job', (agent) => cellText(agent.job)),
      is.wide('Doing', (agent) => cellText(agent.doing)),
      is.wide('Host', (agent) => cellText(agent.host)),
      is.text('Version', (agent) => cellText(agent.version)),
    ]} rows={agents} />
    </>
  );
}

// How much longer the default kernels of shapes take on a device than at first.
function Drifts({drift}: {drift: Drift[]}) {
  if (drift.length === 0) return null;
  return (
    <section>
      <h2>Drift</h2>
      <p class="lead">Times of the same default kernels, compared with their first times on the device.</p>
      <DataTable caption="Drift of devices" columns={(is) => [
        is.wide('Device', (one) => one.device),
        is.number('Change', driftText),
        is.text('By day', (one) => <Spark points={lineOf(driftCourse(one))} />),
        is.number('Shapes', (one) => count(one.days.at(-1)!.keys)),
        is.time('Last day', (one) => one.days.at(-1)!.day),
      ]} rows={drift} />
    </section>
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

function Jobs({jobs, again}: {jobs: Job[]; again: () => Promise<void>}) {
  if (jobs.length === 0) return <Empty><p>No job has these filters.</p></Empty>;
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
      is.name('Target', withProducts),
      is.name('Progress', (job) => <Progress job={job} />, {by: (job) => progressOf(job).done / progressOf(job).total}),
      is.name('Agent', (job) => cellText(job.agent)),
      is.time('Created (UTC)', (job) => moment(job.created)),
      is.wide('Failures', (job) => cellText(job.reasons.map(reasonText).join('; '))),
      is.text('Action',
        (job) => (job.state === 'parked' ? <Action label="Try again" act={() => retry(job)} /> : cellText(''))),
    ]} rows={jobs} keyOf={(job) => job.id} />
  );
}

// When the queue will be empty, in words.
function emptyAt({shapes, seconds_to_empty: seconds}: QueueOfTarget): string {
  if (shapes === 0) return 'empty';
  if (seconds === null) return 'not known: nothing was done within a day';
  return `${moment(new Date(now.value + seconds * 1000).toISOString())}, in ${span(seconds)}`;
}

function Depth({open}: {open: number[]}) {
  const [first = 0] = open, last = open.at(-1) ?? 0;
  const hours = open.map((jobs, i) => ({jobs, ago: open.length - 1 - i}));
  return (
    <Chart
      title="Jobs that are not done"
      summary={`${plural(last, 'job')} now, ${count(first)} a day ago, ${count(Math.max(...open))} at most between.`}
      drawing={{
        kind: 'lines',
        x: hours.map((hour) => -hour.ago),
        xLabel: 'hours ago',
        yLabel: 'jobs',
        counts: true,
        xText: (value) => String(-value),
        series: [{label: 'not done', values: open, color: 1}],
      }}
      table={
        <DataTable caption="Jobs that are not done" titled
          columns={(is) => [is.number('Hours ago', (hour) => hour.ago), is.number('Jobs', (hour) => count(hour.jobs))]}
          rows={hours} />
      }
    />
  );
}

// Each target's queue with its expected end, and its depth over the last day.
function QueueState({queue}: {queue: Queue}) {
  if (queue.targets.length === 0) return <Empty><p>No job is open, and none ended in the last 24 hours.</p></Empty>;
  return (
    <>
      <DataTable caption="What waits, by target" titled columns={(is) => [
        is.name('Target', withProducts),
        is.text('Empty at (UTC)', emptyAt),
        is.number('Shapes left', (target) => count(target.shapes)),
        is.number('Queued', (target) => count(target.queued)),
        is.number('Running', (target) => count(target.running)),
        is.number('Parked', (target) => count(target.parked)),
        is.number('Done in 24 h', (target) =>
          `${plural(target.done.jobs, 'job')}, ${plural(target.done.shapes, 'shape')}`),
      ]} rows={queue.targets} />
      <p class="legend">
        Empty: shapes left, at the pace of those done within 24 hours, counted from when the first of them was handed
        out. Parked jobs wait for a person and are not in it.
      </p>
      <Depth open={queue.open_by_hour} />
    </>
  );
}

export function FleetView() {
  const filters = filtersOf(kView, {state: '', gfx: ''});
  const {state, gfx} = filters.values;
  const agents = useResource<{agents: Agent[]}>(urls.agents(), kEvery);
  const asked = state === '' || kStates.includes(state);
  const path = asked ? urls.jobs({state, gfx, limit: 500}) : null;
  const jobs = useResource<{jobs: Job[]}>(path, kEvery);
  const drift = useResource<{drift: Drift[]}>(urls.drift()).data?.drift ?? [];
  const queue = useResource<Queue>(urls.queue(), kEvery);
  const architectures = [...new Set(agents.data?.agents.map((agent) => agent.gfx) ?? [])].sort();
  return (
    <>
      <ViewHead title="Fleet" filters={filters}>
        Agents and the work they have. Read anew every {kEvery / 1000} seconds.
      </ViewHead>
      <section>
        <h2>Agents</h2>
        <With of={agents} what="the agents">{(list) => <Agents agents={list.agents} />}</With>
      </section>
      <Drifts drift={drift} />
      <section>
        <h2>Queue</h2>
        <With of={queue} what="the queue">{(queue) => <QueueState queue={queue} />}</With>
      </section>
      <section>
        <h2>Jobs</h2>
        <Controls>
          <Select of={filters} name="state" label="State" options={kStates} all />
          <Select of={filters} name="gfx" label="Target" options={architectures} all />
        </Controls>
        {asked ? (
          <With of={jobs} what="the jobs">{(list) => <Jobs jobs={list.jobs} again={() => refresh(path ?? '')} />}</With>
        ) : (
          <p class="notice" role="alert">There is no state "{state}". The states are: {kStates.join(', ')}.</p>
        )}
      </section>
    </>
  );
}
