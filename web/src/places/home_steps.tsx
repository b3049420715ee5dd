// How to start: the first commands. For Home of a hub without rows: the next step of each agent, too.
import type {Agent, Job} from '../answers';
import {urls} from '../api';
import {CopyLine} from '../components/buttons';
import {UnknownContext} from '../components/context_bar';
import {Select} from '../components/controls';
import {Empty, ViewHead} from '../components/view';
import {devicesOf, optionsOf, useContext} from '../context';
import {age, plural, span} from '../format';
import {useIndex, withProducts} from '../known';
import {docOf, hrefOf, setContext} from '../location';
import {isLoopback} from '../query';
import {now, useResource} from '../resource';
import {isSilent, progressOf, secondsLeft} from './fleet_rows';

const kEvery = 5_000, kMost = 5;

const quoted = (path: string): string => (/^[\w./+@:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

// The option by which a command on the hub's host finds its database. The hub tells it only on that host.
function optionOf(data: string | null | undefined): string {
  if (data === undefined) return '';
  return data === null ? ' --database "$TUNEHUB_DATABASE"' : ` --data ${quoted(data)}`;
}

const kFor = {admin: ['export TUNEHUB_KEY=$(', ')'], claim: ['(umask 077; ', ' >agent.key)']} as const;

function KeyLine({scope, label}: {scope: keyof typeof kFor; label: string}) {
  const data = useResource<{data?: string | null}>(urls.data()).data?.data, [before, after] = kFor[scope];
  return <>
    <CopyLine label={label} text={`${before}tunehub-server key create --scope ${scope}${optionOf(data)}${after}`} />
    {data === undefined && <p>If the server has an option <code>--data</code> or <code>--database</code>, add it.</p>}
    {data === null && <p><code>TUNEHUB_DATABASE</code> is the server's <code>--database</code>.</p>}
  </>;
}

// A command with this name of the hub reaches the hub only from its own host.
const Loopback = () => isLoopback(location.hostname) && (
  <p class="notice">
    {location.hostname} works only on the hub's host. For other hosts, start the server
    with <code>--listen 0.0.0.0:{location.port || 80}</code>, and write its host's name in the
    command (<code>--host NAME</code>, if clients call it by another name): <a href={docOf('two-hosts.html')}>a hub and its
    hosts</a>.
  </p>
);

const Import = () => (
  <>
    <li>
      <p>On the hub's host, make a key for yourself:</p>
      <KeyLine scope="admin" label="Make a key" />
    </li>
    <li>
      <p>In the same shell, in a checkout of AITER, import its tuned tables:</p>
      <CopyLine label="Import AITER's tables" text={`tunehub-agent import aiter/configs --hub ${location.origin}`} />
    </li>
  </>
);

export const kStartAgent = (): string => `tunehub-agent run --tuner aiter --hub ${location.origin}`;

const Fill = () => (
  <ol>
    <Import />
    <li>
      <p>On the hub's host, make a key for the GPU host, and copy the file <code>agent.key</code> there:</p>
      <KeyLine scope="claim" label="Make the agent's key" />
    </li>
    <li>
      <p>On the GPU host, where AITER is installed, start an agent. It tunes while the GPU is idle:</p>
      <CopyLine label="Start an agent" text={`export TUNEHUB_KEY=$(cat agent.key)\n${kStartAgent()}`} />
      <Loopback />
    </li>
  </ol>
);

function Explain() {
  const context = useContext(), devices = useIndex().data;
  if (!context) return null;
  const {values, product, parts: {gfx, cu_num}} = context, asked = product || values.device;
  const option = product || !cu_num ? quoted(asked || 'MI300X') : `${gfx} --cu-num ${cu_num}`;
  return (
    <>
      <UnknownContext of={context} href={(changes) => hrefOf('start', changes)} />
      <p>See which shapes of an engine's log find a tuned row on your GPU:</p>
      <Select of={{values, set: setContext}} name="device" label="GPU" options={optionsOf(devicesOf(devices), asked)} />
      <CopyLine label="Explain a log" text={`tunehub-agent explain vllm.log --gfx ${option} --hub ${location.origin}`} />
      <Loopback />
    </>
  );
}

export const StartPlace = () => (
  <>
    <ViewHead title="How to start">
      The hub keeps the fastest known kernel for each GEMM and MoE shape on each AMD GPU, and serves AITER's tables to
      builds of vLLM and SGLang.
    </ViewHead>
    <Empty>
      <h2>Get tunehub-agent</h2>
      <p>
        The commands below need it: one file for x86-64 Linux with glibc 2.35 or newer. There is no public release yet.
        Build it in a clone of tunehub's repository, on Debian 12. This takes minutes:
      </p>
      <CopyLine label="Build the packages" text="deploy/package" />
      <p>Copy <code>build/packages/tunehub-agent-*.tar.gz</code> to each host that needs it, and install it there, as root:</p>
      <CopyLine label="Install the agent"
        text="tar -xzf tunehub-agent-*.tar.gz && install -m 0755 tunehub-agent-*/tunehub-agent /usr/local/bin/" />
      <p>
        If <code>deploy/up</code> started this hub, its clone has the agent in <code>build/release/bin</code>.
        See <a href={docOf('getting-started.html')}>Getting started</a> and, for
        packages, <a href={docOf('without-compiling.html')}>Without compiling</a>.
      </p>
      <h2>Use the tables</h2>
      <Explain />
      <p>The tab <a href={hrefOf('model', {tab: 'pin'})}>Pin</a> of a model has the commands that fetch its tables for a GPU.</p>
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
    return (
      <Empty>
        <p>
          <strong>This hub has no rows yet.</strong> Four steps fill it. They need <code>tunehub-agent</code>: <a
            href={hrefOf('start')}>how to get it</a>.
        </p>
        <Fill />
      </Empty>
    );
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
