// Shapes that engines' lookups missed most, of any model, with a button that plans a job.
import type {Demand, Family} from '../answers';
import {planShape, urls} from '../api';
import {Action, CopyLine} from '../components/buttons';
import {DataTable} from '../components/data_table';
import {Empty, With} from '../components/view';
import {shapeText} from '../family';
import {age, count, targetName} from '../format';
import {useFamilies, withProducts} from '../known';
import {hrefOf} from '../location';
import {now, refresh, useResource, type Resource} from '../resource';

const kMissing = {tuned: 'no', limit: 10}, kEvery = 15_000;

// Plans a job for a shape, and says what became of it.
export async function planOne(...[gfx, cu_num, family, shape]: Parameters<typeof planShape>): Promise<string> {
  const {jobs, families} = await planShape(gfx, cu_num, family, shape);
  await refresh(urls.demand(kMissing));
  if (jobs[0]) return 'planned';
  const of = families[family];
  return of?.unreachable ? 'no lookup on this device asks for it' : of?.tuned ? 'is tuned already' : 'is in a job already';
}

function JobCell({of}: {of: Demand}) {
  if (of.job) return <a href={hrefOf('fleet', {state: of.job.state})}>job {of.job.id}, {of.job.state}</a>;
  return of.gfx && of.cu_num ? <Action label="Plan a job" act={() =>
    planOne(of.gfx, of.cu_num, of.family, {...of.to_tune, count: of.count})} /> : <>its device is not known</>;
}

function Table({demand, families}: {demand: Demand[]; families: Family[]}) {
  if (demand.length === 0) {
    return (
      <Empty>
        <p>No lookup missed an untuned shape. Send the hub the misses of an engine's log:</p>
        <CopyLine label="Send misses"
          text={`tunehub-agent capture vllm.log --hub ${location.origin} --gfx gfx942 --cu-num 304`} />
      </Empty>
    );
  }
  const of = (name: string) => families.find((family) => family.name === name);
  return (
    <DataTable caption="Missed most and not tuned" columns={(is) => [
      is.number('Misses', (demand) => count(demand.count)),
      is.name('Device', (demand) => (demand.gfx ? withProducts(demand) : 'any')),
      is.name('Family', (demand) => demand.family),
      is.wide('Shape', (demand) => shapeText(of(demand.family), demand.shape)),
      is.time('Last missed', (demand) => age(demand.last_seen, now.value), {by: (demand) => demand.last_seen}),
      is.text('Job', (demand) => <JobCell of={demand} />),
    ]} rows={demand} keyOf={(demand) => `${demand.family} ${targetName(demand)} ${JSON.stringify(demand.shape)}`} />
  );
}

export const useMissed = () => useResource<{demand: Demand[]}>(urls.demand(kMissing), kEvery);

export function Missed({of}: {of: Resource<{demand: Demand[]}>}) {
  const families = useFamilies().data?.families ?? [];
  return (
    <section>
      <h2>Missed most and not tuned</h2>
      <With of={of} what="the misses">{(list) => <Table demand={list.demand} families={families} />}</With>
    </section>
  );
}
