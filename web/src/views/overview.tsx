// The start page: the coverage of models, the most missed shapes, the last changes.
import type {Change, Changes, Demand, Family, Overview} from '../answers';
import {planShape, urls} from '../api';
import {Action} from '../components/buttons';
import {DataTable} from '../components/data_table';
import {Empty, ViewHead, With} from '../components/view';
import {kExported} from '../exported/mode';
import {shapeText} from '../family';
import {carriedTp, filtersOf, hrefOf} from '../location';
import {age, count, moment, targetName} from '../format';
import {tpOf, useFamilies, withProducts} from '../known';
import {now, refresh, useResource} from '../resource';
import {Models} from './overview_models';
import {planText, revisionsOf} from './overview_cells';

const kMissing = {tuned: 'no', limit: 10};
const kChanges = {days: 7, limit: 8};

function Runs({runs, run_count: all}: Change) {
  return <>
    {runs.map((run) => <><a href={hrefOf('runs', {run})}>{run}</a> </>)}{all > runs.length && `of ${count(all)}`}
  </>;
}

function Changed({changes, more}: Changes) {
  if (changes.length === 0) return <Empty><p>Nothing has changed in the last seven days.</p></Empty>;
  return (
    <>
      <DataTable caption={kExported ? 'The last revisions' : 'Revisions of the last seven days'} columns={(is) => [
        is.number('Revision', revisionsOf),
        is.time('When (UTC)', (change) => moment(change.latest)),
        is.wide('Cause', (change) => change.cause),
        is.text('Runs', Runs),
        is.wide('Keys changed', (change) =>
          change.families.map(({family, keys}) => `${family} (${count(keys)})`).join(', ')),
      ]} rows={changes} />
      {kExported || <p><a href={hrefOf('changed')}>What became slower, faster, or is gone</a></p>}
      <p class="legend">
        A key counts once in a line.{more && <> Older lines are left out: <a href={hrefOf('runs')}>all runs</a>.</>}
      </p>
    </>
  );
}

async function plan({gfx, cu_num, family, to_tune: shape, count: misses}: Demand): Promise<string> {
  const planned = await planShape(gfx, cu_num, family, {...shape, count: misses});
  await refresh(urls.demand(kMissing));
  return planText(planned, family);
}

function JobCell({of}: {of: Demand}) {
  if (of.job) return <a href={hrefOf('fleet', {state: of.job.state})}>job {of.job.id}, {of.job.state}</a>;
  return of.gfx && of.cu_num ? <Action label="Plan a job" act={() => plan(of)} /> : <>needs a target</>;
}

function Missing({demand, families}: {demand: Demand[]; families: Family[]}) {
  if (kExported && demand.length === 0) {
    return <Empty><p>When this copy was made, nobody had asked for an untuned shape.</p></Empty>;
  }
  if (demand.length === 0) {
    return (
      <Empty>
        <p>Nobody has asked for a shape that is not tuned. Feed a log of AITER's misses:</p>
        <pre>tunehub-agent capture vllm.log --hub {location.origin} --gfx gfx942 --cu-num 304</pre>
      </Empty>
    );
  }
  const of = (name: string) => families.find((family) => family.name === name);
  return (
    <DataTable
      caption="Shapes that were asked for most and are not tuned"
      columns={(is) => [
        is.number('Misses', (demand) => count(demand.count)),
        is.name('Target', (demand) => (demand.gfx ? withProducts(demand) : 'any')),
        is.name('Family', (demand) => demand.family),
        is.wide('Shape', (demand) => shapeText(of(demand.family), demand.shape)),
        is.time('Last asked', (demand) => age(demand.last_seen, now.value), {by: (demand) => demand.last_seen}),
        is.text('Job', (demand) => <JobCell of={demand} />),
      ]}
      rows={demand}
      keyOf={(demand) => `${demand.family} ${targetName(demand)} ${JSON.stringify(demand.shape)}`}
    />
  );
}

export function OverviewView() {
  const filters = filtersOf('', {tp: '', worst: ''});
  const tp = tpOf(filters.values);
  const overview = useResource<Overview>(urls.overview({tp}), 60_000);
  const changes = useResource<Changes>(urls.changes(kChanges), 15_000);
  const demand = useResource<{demand: Demand[]}>(urls.demand(kMissing), 15_000);
  const families = useFamilies();
  return (
    <>
      <ViewHead title="Overview" filters={filters}>
        How much of each model's work finds a tuned kernel configuration, by
        GPU. <a href={hrefOf('families', {tp: carriedTp()})}>Family by family</a>
      </ViewHead>
      <section>
        <h2>Models on GPUs</h2>
        <With of={overview} what="the models">{(overview) => <Models of={overview} filters={filters} tp={tp} />}</With>
      </section>
      <section>
        <h2>Missing most</h2>
        <With of={demand} what="the demand">
          {(list) => <Missing demand={list.demand} families={families.data?.families ?? []} />}
        </With>
      </section>
      <section>
        <h2>{kExported ? 'Changed last' : 'Changed this week'}</h2>
        <With of={changes} what="the changes">{(changes) => <Changed {...changes} />}</With>
      </section>
    </>
  );
}
