// What there is, what changed, and what is missing most.
import type {Demand, Family, Revision, Targets} from '../answers';
import {planJobs, urls} from '../api';
import {Action} from '../components/action';
import {DataTable} from '../components/data_table';
import {Empty, With} from '../components/states';
import {ViewHead} from '../components/view_head';
import {shapeText} from '../family';
import {filtersOf} from '../filters';
import {age, count, moment, plural, targetName} from '../format';
import {useFamilies, useIndex} from '../known';
import {now, refresh, useResource} from '../resource';
import {changesOf} from './overview_rows';
import {Tuned} from './overview_tuned';

const kWeek = 7 * 86_400_000;
const kDemand = 10;
const kRevisions = 500;

function Changes({revisions}: {revisions: Revision[]}) {
  const lately = revisions.filter((it) => now.value - Date.parse(it.created) < kWeek);
  if (lately.length === 0) return <Empty><p>Nothing has changed in the last seven days.</p></Empty>;
  return (
    <DataTable
      caption="Revisions of the last seven days"
      columns={(is) => [
        is.number('Revision', (it) => it.revisions),
        is.time('When (UTC)', (it) => moment(it.latest)),
        is.wide('Cause', (it) => it.cause),
        is.wide('Keys changed', (it) => [...it.families].map(([family, keys]) => `${family} (${count(keys)})`).join(', ')),
      ]}
      rows={changesOf(lately)}
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
  const revisions = useResource<{revisions: Revision[]}>(urls.revisions({limit: kRevisions}), 15_000);
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
