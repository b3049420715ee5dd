// What there is, what changed, and what is missing most.
import {planJobs, urls, type Demand, type Family, type Index, type Revision, type Speedups, type SpeedupPart, type Targets} from '../api';
import {Action} from '../components/action';
import {DataTable} from '../components/data_table';
import {Empty, With} from '../components/states';
import {ViewHead} from '../components/view_head';
import {shapeText} from '../family';
import {filtersOf} from '../filters';
import {age, cellText, count, moment, plural, targetName, targetParts, times} from '../format';
import {useFamilies, useIndex} from '../known';
import {hrefOf} from '../location';
import {now, refresh, useResource} from '../resource';
import {pairsOf, rowsSince, type Pair, type TargetGroup} from './overview_rows';

const kWeek = 7 * 86_400_000;
const kDemand = 10;

const kHeads: [title: string, numeric: boolean][] = [
  ['Target', false], ['Family', false], ['Tuned keys', true], ['Unmeasured', true], ['Over default', true],
  ['Last revision', true], ['Changed', false], ['Missing', false], ['Table', false],
];

function Tuned({index, revisions, targets}: {index: Index; revisions: Revision[]; targets: Targets | undefined}) {
  const speedups = useResource<Speedups>(urls.speedups({}));
  const groups = pairsOf(index, revisions, targets?.targets ?? []);
  if (groups.length === 0) {
    return (
      <Empty>
        <p><strong>The registry is empty.</strong></p>
        <p>Import an AITER tree, or let an agent push:</p>
        <pre>tunehub-agent import aiter/configs --hub {location.origin}</pre>
      </Empty>
    );
  }
  const measured = (target: string) => speedups.data?.by.target.some((it) => it.name === target && it.tuned_over_default.keys > 0);
  return (
    <>
      <div class="scroll" role="region" aria-label="Tuned keys by target and family" tabIndex={0}>
        <table class="data grouped">
          <caption class="hidden">Tuned keys by target and family</caption>
          <thead><tr>{kHeads.map(([title, numeric]) => <th key={title} scope="col" class={numeric ? 'number' : undefined}>{title}</th>)}</tr></thead>
          {groups.map((it) => <Group key={it.target} group={it} measured={measured(it.target) === true} />)}
        </table>
      </div>
      <p class="legend">Over default: geometric mean over the keys whose default was measured too; {cellText('')} where none was.</p>
    </>
  );
}

// Only few targets have keys whose default was measured: only of these it is asked how much it is worth.
function Group({group, measured}: {group: TargetGroup; measured: boolean}) {
  const speedups = useResource<Speedups>(measured ? urls.speedups(targetParts(group.target)) : null);
  return (
    <tbody>
      {group.pairs.map((pair, i) => (
        <tr key={pair.family}>
          {i === 0 && (
            <th scope="rowgroup" rowSpan={group.pairs.length} class="group">
              {group.target}
              {group.products.map((product) => <small key={product}>{product}</small>)}
            </th>
          )}
          <PairCells pair={pair} speedup={speedups.data?.by.family.find((it) => it.name === pair.family)} />
        </tr>
      ))}
    </tbody>
  );
}

function PairCells({pair: {family, target, tuned, unmeasured, revision, changed, query, file}, speedup}: {pair: Pair; speedup: SpeedupPart | undefined}) {
  const over = speedup?.tuned_over_default;
  return (
    <>
      <th scope="row"><a href={hrefOf('results', {family, target})}>{family}</a></th>
      <td class="number">{count(tuned)}</td>
      <td class={unmeasured > 0 ? 'number warn' : 'number faint'}>{count(unmeasured)}</td>
      <td class="number">{over?.keys ? <a href={hrefOf('speedups', {target, family})}>{times(over.geometric_mean)} ({count(over.keys)})</a> : cellText('')}</td>
      <td class="number">{cellText(revision || '')}</td>
      <td class="time">{changed ? age(changed, now.value) : cellText('')}</td>
      <td><a href={hrefOf('coverage', {target, family})}>coverage</a></td>
      <td><a href={urls.table(family, query)} download={file}>CSV</a></td>
    </>
  );
}

function Changes({revisions}: {revisions: Revision[]}) {
  const lately = revisions.filter((it) => now.value - Date.parse(it.created) < kWeek);
  if (lately.length === 0) return <Empty><p>Nothing has changed in the last seven days.</p></Empty>;
  return (
    <DataTable
      caption="Revisions of the last seven days"
      columns={(is) => [
        is.number('Revision', (it) => it.revision),
        is.time('When (UTC)', (it) => moment(it.created)),
        is.wide('Cause', (it) => it.cause),
        is.number('Keys changed', (it) => count(rowsSince([it]))),
        is.wide('In', (it) => it.families.map((family) => `${family.family} (${count(family.changed)})`).join(', ')),
      ]}
      rows={lately}
    />
  );
}

async function plan({gfx, cu_num, family}: Demand): Promise<string> {
  const {jobs} = await planJobs({target: cu_num ? {gfx, cu_num} : {gfx}, family});
  void refresh(urls.demand({limit: kDemand}));
  return jobs?.length ? `${plural(jobs.length, 'job')} planned` : 'nothing left to plan';
}

function Missing({demand, families}: {demand: Demand[]; families: Family[]}) {
  if (demand.length === 0) {
    return (
      <Empty>
        <p>Nobody has asked for a shape that is not tuned. Feed a log of AITER's misses:</p>
        <pre>tunehub-agent capture vllm.log --hub {location.origin} --gfx gfx942 --cu-num 304</pre>
      </Empty>
    );
  }
  const of = (name: string) => families.find((it) => it.name === name);
  return (
    <DataTable
      caption="Shapes that were asked for most and are not tuned"
      columns={(is) => [
        is.number('Misses', (it) => count(it.count)),
        is.text('Target', (it) => (it.gfx ? targetName(it) : 'any')),
        is.text('Family', (it) => it.family),
        is.wide('Shape', (it) => shapeText(of(it.family), it.shape)),
        is.time('Last asked', (it) => age(it.last_seen, now.value)),
        is.text('Job', (it) => (it.gfx ? <Action label="Plan a job" act={() => plan(it)} /> : 'needs a target')),
      ]}
      rows={demand}
      keyOf={(it) => `${it.family} ${targetName(it)} ${JSON.stringify(it.shape)}`}
    />
  );
}

export function OverviewView() {
  const filters = filtersOf('', {});
  const index = useIndex(15_000);
  const revisions = useResource<{revisions: Revision[]}>(urls.revisions({limit: 100}), 15_000);
  const targets = useResource<Targets>(urls.targets());
  const demand = useResource<{demand: Demand[]}>(urls.demand({limit: kDemand}), 15_000);
  const families = useFamilies();
  return (
    <>
      <ViewHead title="Overview" filters={filters}>
        The fastest measured kernel configuration for every shape, by target and family.
      </ViewHead>
      <section>
        <h2>Tuned</h2>
        <With of={index} what="the tables">
          {(it) => <Tuned index={it} revisions={revisions.data?.revisions ?? []} targets={targets.data} />}
        </With>
      </section>
      <section>
        <h2>Missing most</h2>
        <With of={demand} what="the demand">
          {(it) => <Missing demand={it.demand} families={families.data?.families ?? []} />}
        </With>
      </section>
      <section>
        <h2>Changed this week</h2>
        <With of={revisions} what="the revisions">{(it) => <Changes revisions={it.revisions} />}</With>
      </section>
    </>
  );
}
