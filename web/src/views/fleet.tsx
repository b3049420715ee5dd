// Who works, on what, and what went wrong. Asked anew every few seconds.
import {useState} from 'preact/hooks';
import {retryJob, urls, type Agent, type Job} from '../api';
import {Select} from '../components/controls';
import {DataTable, type TableColumn} from '../components/data_table';
import {KeyDialog} from '../components/key_dialog';
import {Empty, UnknownFilters, With} from '../components/states';
import {ViewHead} from '../components/view_head';
import {filtersOf} from '../filters';
import {age, count, moment, plural, span, targetName} from '../format';
import {key} from '../key';
import {problemOf} from '../problem';
import {now, refresh, useResource} from '../resource';
import {isSilent, progressOf, reasonText, secondsLeft} from './fleet_rows';

const kView = 'fleet';
const kEvery = 5_000;
const kStates = ['queued', 'running', 'done', 'parked'];

function Agents({agents}: {agents: Agent[]}) {
  if (agents.length === 0) {
    return <Empty><p>No agent has reported yet.</p><pre>tunehub-agent run --hub {location.origin}</pre></Empty>;
  }
  const columns: TableColumn<Agent>[] = [
    {id: 'agent', title: 'Agent', cell: (it) => it.agent},
    {id: 'target', title: 'Target', cell: targetName},
    {id: 'seen', title: 'Last seen', cell: (it) => <span class={isSilent(it, now.value) ? 'time warn' : 'time'}>{age(it.last_seen, now.value)}{isSilent(it, now.value) && ' (silent)'}</span>},
    {id: 'job', title: 'Job', numeric: true, cell: (it) => it.job ?? '\u2013'},
    {id: 'doing', title: 'Doing', wide: true, cell: (it) => it.doing ?? '\u2013'},
    {id: 'host', title: 'Host', wide: true, cell: (it) => it.host ?? '\u2013'},
    {id: 'version', title: 'Version', cell: (it) => it.version ?? '\u2013'},
  ];
  return <DataTable caption="Agents" hideCaption columns={columns} rows={agents} keyOf={(it) => it.agent} />;
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

function Retry({job, again}: {job: Job; again: () => void}) {
  const [asking, setAsking] = useState(false);
  const [said, setSaid] = useState('');
  const retry = async () => {
    if (!key.value) return setAsking(true);
    try {
      await retryJob(job.id);
      again();
    } catch (error) {
      setSaid(problemOf(error).detail);
    }
  };
  return (
    <>
      <button type="button" onClick={() => void retry()}>Try again</button>
      {said && <span role="status" class="bad"> {said}</span>}
      {asking && <KeyDialog onClose={() => setAsking(false)} />}
    </>
  );
}

function Jobs({jobs, again}: {jobs: Job[]; again: () => void}) {
  if (jobs.length === 0) return <Empty><p>No job has these filters.</p></Empty>;
  const columns: TableColumn<Job>[] = [
    {id: 'id', title: 'Job', numeric: true, cell: (it) => it.id},
    {id: 'state', title: 'State', cell: (it) => <span class={`job ${it.state}`}>{it.state}</span>},
    {id: 'family', title: 'Family', cell: (it) => it.family},
    {id: 'target', title: 'Target', cell: targetName},
    {id: 'progress', title: 'Progress', cell: (it) => <Progress job={it} />},
    {id: 'agent', title: 'Agent', wide: true, cell: (it) => it.agent ?? '\u2013'},
    {id: 'created', title: 'Created (UTC)', cell: (it) => <span class="time">{moment(it.created)}</span>},
    {id: 'reasons', title: 'Failures', wide: true, cell: (it) => it.reasons.map(reasonText).join('; ') || '\u2013'},
    {id: 'retry', title: 'Action', cell: (it) => (it.state === 'parked' ? <Retry job={it} again={again} /> : '\u2013')},
  ];
  return <DataTable caption="Jobs" hideCaption columns={columns} rows={jobs} keyOf={(it) => it.id} />;
}

export function FleetView() {
  const filters = filtersOf(kView, {state: '', gfx: ''});
  const {state, gfx} = filters.values;
  const agents = useResource<{agents: Agent[]}>(urls.agents(), kEvery);
  const asked = state === '' || kStates.includes(state);
  const path = asked ? urls.jobs({state, gfx, limit: 200}) : null;
  const jobs = useResource<{jobs: Job[]}>(path, kEvery);
  const architectures = [...new Set(agents.data?.agents.map((it) => it.gfx) ?? [])].sort();
  return (
    <>
      <ViewHead title="Fleet">Agents and the work they have. Read anew every {kEvery / 1000} seconds.</ViewHead>
      <UnknownFilters names={filters.unknown} known={Object.keys(filters.defaults)} href={filters.href({})} />
      <section>
        <h2>Agents</h2>
        <With of={agents} what="the agents">{(it) => <Agents agents={it.agents} />}</With>
      </section>
      <section>
        <h2>Jobs</h2>
        <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
          <Select label="State" value={state} options={[{value: '', text: 'all'}, ...kStates.map((it) => ({value: it, text: it}))]} onChange={(it) => filters.set({state: it})} />
          <Select label="Target" value={gfx} options={[{value: '', text: 'all'}, ...architectures.map((it) => ({value: it, text: it}))]} onChange={(it) => filters.set({gfx: it})} />
        </form>
        {asked ? (
          <With of={jobs} what="the jobs">{(it) => <Jobs jobs={it.jobs} again={() => void refresh(path ?? '')} />}</With>
        ) : (
          <p class="notice" role="alert">There is no state "{state}". The states are: {kStates.join(', ')}.</p>
        )}
      </section>
    </>
  );
}
