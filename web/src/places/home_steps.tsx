// How to start: the first commands. For Home of a hub without rows: the next step of each agent, too.
import type {Agent, Job} from '../answers';
import {urls} from '../api';
import {CopyLine} from '../components/buttons';
import {Empty, ViewHead} from '../components/view';
import {age, plural, span} from '../format';
import {withProducts} from '../known';
import {hrefOf} from '../location';
import {now, useResource} from '../resource';
import {isSilent, progressOf, secondsLeft} from './fleet_rows';

const kEvery = 5_000, kMost = 5;

const quoted = (path: string): string => (/^[\w./+@:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

// The option by which a command on the hub's host finds its database. The hub tells it only on that host.
function optionOf(data: string | null | undefined): string {
  if (data === undefined) return '';
  return data === null ? ' --database "$TUNEHUB_DATABASE"' : ` --data ${quoted(data)}`;
}

function Import() {
  const data = useResource<{data?: string | null}>(urls.data()).data?.data;
  return (
    <>
      <li>
        <p>
          On the hub's host, make a key{data === undefined && ' (if the server has an option --data or --database, add it)'}
          {data === null && ' (TUNEHUB_DATABASE: the server\u2019s --database)'}:
        </p>
        <CopyLine label="Make a key"
          text={`export TUNEHUB_KEY=$(tunehub-server key create --scope admin${optionOf(data)})`} />
      </li>
      <li>
        <p>In the same shell, beside a checkout of AITER, import its tuned tables:</p>
        <CopyLine label="Import AITER's tables" text={`tunehub-agent import aiter/configs --hub ${location.origin}`} />
      </li>
    </>
  );
}

export const kStartAgent = (): string => `tunehub-agent run --tuner aiter --hub ${location.origin}`;

const Fill = () => (
  <ol>
    <Import />
    <li>
      <p>On a GPU host with AITER, and with that key, start an agent. It tunes while the GPU is idle:</p>
      <CopyLine label="Start an agent" text={kStartAgent()} />
    </li>
  </ol>
);

export const StartPlace = () => (
  <>
    <ViewHead title="How to start">
      The hub keeps the fastest known kernel for each GEMM and MoE shape on each AMD GPU, and serves AITER's tables to
      builds of vLLM and SGLang. The commands need <code>tunehub-agent</code>: a release has it as an archive, a Debian
      package and a Python wheel; <code>deploy/package</code> builds it.
    </ViewHead>
    <Empty>
      <h2>Use the tables</h2>
      <p>See which shapes of an engine's log find a tuned row:</p>
      <CopyLine label="Explain a log"
        text={`tunehub-agent explain vllm.log --gfx gfx942 --cu-num 304 --hub ${location.origin}`} />
      <p><a href={hrefOf('model', {tab: 'pin'})}>Pin</a> has the commands that fetch a model's tables for a GPU.</p>
      <h2>Add rows</h2>
      <Fill />
    </Empty>
  </>
);

function NextStep({of, job}: {of: Agent; job: Job | undefined}) {
  if (isSilent(of, now.value)) {
    return <p>It was last seen {age(of.last_seen, now.value)}. On its host, ask: <code>tunehub-agent status</code></p>;
  }
  if (job) {
    const {done, total} = progressOf(job), left = secondsLeft(job, now.value);
    return (
      <p>
        It tunes <a href={hrefOf('fleet', {state: 'running'})}>job {job.id}</a>: {done} of {plural(total, 'shape')}
        {left !== null && `, about ${span(left)} left`}. Its rows appear here as it sends them.
      </p>
    );
  }
  if (of.doing?.startsWith('waiting')) {
    return <p>It is {of.doing}. It starts when its device is idle, or at once with <code>run --always</code>.</p>;
  }
  return (
    <>
      <p>It has nothing to tune. Send the hub the misses of an engine's log; rows follow within minutes:</p>
      <CopyLine label={`Misses for ${of.agent}`} text={
        `tunehub-agent capture vllm.log --gfx ${of.gfx} --cu-num ${of.cu_num} --hub ${location.origin}`} />
    </>
  );
}

export function NoRows() {
  const agents = useResource<{agents: Agent[]}>(urls.agents(), kEvery).data?.agents;
  const jobs = useResource<{jobs: Job[]}>(urls.jobs({state: 'running', limit: 500}), kEvery).data?.jobs ?? [];
  if (!agents) return null;
  if (agents.length === 0)
    return <Empty><p><strong>This hub has no rows yet.</strong> Three steps fill it:</p><Fill /></Empty>;
  return (
    <Empty>
      <p><strong>This hub has {plural(agents.length, 'agent')}, and no rows yet.</strong></p>
      {agents.slice(0, kMost).map((agent) =>
        <section key={agent.agent}>
          <h2>{agent.agent}, {withProducts(agent)}</h2>
          <NextStep of={agent} job={jobs.find(({id}) => id === agent.job)} />
        </section>)}
      {agents.length > kMost && <p><a href={hrefOf('fleet')}>All {plural(agents.length, 'agent')}</a></p>}
      <h2>Or import AITER's tables</h2>
      <ol><Import /></ol>
    </Empty>
  );
}
