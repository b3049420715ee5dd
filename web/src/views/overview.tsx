// What there is, what changed, and what is missing most.
import {useState} from 'preact/hooks';
import {planJobs, urls, type Demand, type Family, type Index, type Revision, type Targets} from '../api';
import {DataTable, type TableColumn} from '../components/data_table';
import {KeyDialog} from '../components/key_dialog';
import {Empty, UnknownFilters, With} from '../components/states';
import {ViewHead} from '../components/view_head';
import {shapeText} from '../family';
import {filtersOf} from '../filters';
import {age, count, moment, plural, targetName} from '../format';
import {key} from '../key';
import {hrefOf} from '../location';
import {problemOf} from '../problem';
import {now, refresh, useResource} from '../resource';
import {pairsOf, rowsSince, type Pair} from './overview_rows';

const kWeek = 7 * 86_400_000;
const kDemand = 10;

function Tuned({index, revisions, targets}: {index: Index; revisions: Revision[]; targets: Targets | undefined}) {
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
  return (
    <div class="scroll" role="region" aria-label="Tuned keys by target and family" tabIndex={0}>
      <table class="data grouped">
        <caption class="hidden">Tuned keys by target and family</caption>
        <thead>
          <tr>
            <th scope="col">Target</th>
            <th scope="col">Family</th>
            <th scope="col" class="number">Tuned keys</th>
            <th scope="col" class="number">Unmeasured</th>
            <th scope="col" class="number">Last revision</th>
            <th scope="col">Changed</th>
            <th scope="col">Table</th>
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={group.target}>
            {group.pairs.map((pair, i) => <PairRow key={pair.family} pair={pair} group={i === 0 ? group : undefined} />)}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function PairRow({pair, group}: {pair: Pair; group: {target: string; products: string[]; pairs: Pair[]} | undefined}) {
  const {family, target, tuned, unmeasured, revision, changed} = pair;
  return (
    <tr>
      {group && (
        <th scope="rowgroup" rowSpan={group.pairs.length} class="group">
          {group.target}
          {group.products.map((product) => <small key={product}>{product}</small>)}
        </th>
      )}
      <th scope="row"><a href={hrefOf('results', {family, target})}>{family}</a></th>
      <td class="number">{count(tuned)}</td>
      <td class={unmeasured > 0 ? 'number warn' : 'number faint'}>{count(unmeasured)}</td>
      <td class="number">{revision > 0 ? revision : '\u2013'}</td>
      <td class="time">{changed ? age(changed, now.value) : '\u2013'}</td>
      <td><a href={urls.table(family, pair.query)} download={pair.file}>CSV</a></td>
    </tr>
  );
}

function Changes({revisions}: {revisions: Revision[]}) {
  const lately = revisions.filter((it) => now.value - Date.parse(it.created) < kWeek);
  if (lately.length === 0) return <Empty><p>Nothing has changed in the last seven days.</p></Empty>;
  const columns: TableColumn<Revision>[] = [
    {id: 'revision', title: 'Revision', numeric: true, cell: (it) => it.revision},
    {id: 'when', title: 'When (UTC)', cell: (it) => <span class="time">{moment(it.created)}</span>},
    {id: 'cause', title: 'Cause', wide: true, cell: (it) => it.cause},
    {id: 'rows', title: 'Keys changed', numeric: true, cell: (it) => count(rowsSince([it]))},
    {id: 'families', title: 'In', wide: true, cell: (it) => it.families.map((family) => family.family).join(', ')},
  ];
  return <DataTable caption="Revisions of the last seven days" hideCaption columns={columns} rows={lately} keyOf={(it) => it.revision} />;
}

type Asked = {state: 'idle' | 'busy' | 'asking'} | {state: 'said'; text: string; bad: boolean};

function PlanButton({demand}: {demand: Demand}) {
  const [asked, setAsked] = useState<Asked>({state: 'idle'});
  const plan = async () => {
    if (!key.value) return setAsked({state: 'asking'});
    setAsked({state: 'busy'});
    try {
      const target = demand.cu_num ? {gfx: demand.gfx, cu_num: demand.cu_num} : {gfx: demand.gfx};
      const made = await planJobs({target, family: demand.family});
      const jobs = made.jobs?.length ?? 0;
      setAsked({state: 'said', text: jobs > 0 ? `${plural(jobs, 'job')} planned` : 'nothing left to plan', bad: false});
      void refresh(urls.demand({limit: kDemand}));
    } catch (error) {
      setAsked({state: 'said', text: problemOf(error).detail, bad: true});
    }
  };
  return (
    <>
      <button type="button" disabled={asked.state === 'busy'} onClick={() => void plan()}>Plan a job</button>
      {asked.state === 'said' && <span role="status" class={asked.bad ? 'bad' : 'good'}> {asked.text}</span>}
      {asked.state === 'asking' && <KeyDialog onClose={() => setAsked({state: 'idle'})} />}
    </>
  );
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
  const columns: TableColumn<Demand>[] = [
    {id: 'count', title: 'Misses', numeric: true, cell: (it) => count(it.count)},
    {id: 'target', title: 'Target', cell: (it) => (it.gfx ? targetName(it) : 'any')},
    {id: 'family', title: 'Family', cell: (it) => it.family},
    {id: 'shape', title: 'Shape', wide: true, cell: (it) => shapeText(of(it.family), it.shape)},
    {id: 'seen', title: 'Last asked', cell: (it) => <span class="time">{age(it.last_seen, now.value)}</span>},
    {id: 'plan', title: 'Job', cell: (it) => (it.gfx ? <PlanButton demand={it} /> : 'needs a target')},
  ];
  return (
    <DataTable
      caption="Shapes that were asked for most and are not tuned"
      hideCaption
      columns={columns}
      rows={demand}
      keyOf={(it) => `${it.family} ${targetName(it)} ${JSON.stringify(it.shape)}`}
    />
  );
}

export function OverviewView() {
  const filters = filtersOf('', {});
  const index = useResource<Index>(urls.index(), 15_000);
  const revisions = useResource<{revisions: Revision[]}>(urls.revisions({limit: 100}), 15_000);
  const targets = useResource<Targets>(urls.targets());
  const demand = useResource<{demand: Demand[]}>(urls.demand({limit: kDemand}), 15_000);
  const families = useResource<{families: Family[]}>(urls.families());
  return (
    <>
      <ViewHead title="Overview">
        The fastest measured kernel configuration for every shape, by target and family.
      </ViewHead>
      <UnknownFilters names={filters.unknown} known={[]} href="/" />
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
