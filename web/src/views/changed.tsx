// Compares the served rows with those of some days ago, of a revision or of a lock file.
import {signal} from '@preact/signals';
import type {Difference, Differences, DifferenceSide, Family, StateSince} from '../answers';
import {urls} from '../api';
import {Controls, Select, TextFilter} from '../components/controls';
import {DataTable, offsetOf, PageLinks, type Columns} from '../components/data_table';
import {Empty, ViewHead, With} from '../components/view';
import {shapeText} from '../family';
import {cellText, count, micros, microsShort, moment, plural, targetParts} from '../format';
import {useChoices, useFamilies, withProducts} from '../known';
import {filtersOf, hrefOf, type Filters} from '../location';
import {useResource} from '../resource';

const kDefaults = {since: '', revision: '', target: '', family: '', model: '', tp: '', kind: '', sort: '', page: ''};
const kSince = [{value: '', text: '7 days'}, {value: '30d', text: '30 days'}, {value: '90d', text: '90 days'}];

type ChangedFilters = Filters<typeof kDefaults>;

// The server's names, in the server's order.
const kKinds = ['slower', 'faster', 'appeared', 'disappeared', 'unmeasured'];

function sinceText(since: StateSince): string {
  if (since.tables) {
    const numbers = [...new Set(since.tables.map((table) => table.revision))].sort((a, b) => a - b);
    const which = numbers.length === 1 ? `revision ${numbers[0]}` : `${numbers.length} revisions`;
    return `the lock file: ${plural(since.tables.length, 'table')} of ${which}`;
  }
  if (!since.revision) return 'the beginning: nothing had been imported';
  const at = since.created ? `, ${moment(since.created)} UTC` : '';
  const first = since.is_first ? ', the first there is: the registry is younger than that' : '';
  return `revision ${count(since.revision)}${at}${first}`;
}

// Microseconds with their sign: "+12.50".
function lostText(us: number | null): string {
  if (us === null) return '\u2013';
  const text = Math.abs(us) >= 10_000 ? microsShort(Math.abs(us)) : micros(Math.abs(us));
  return us === 0 ? text : `${us > 0 ? '+' : '\u2212'}${text}`;
}

// The lock file. It is too long for the address, so it lasts only until the page closes.
const lock = signal({name: '', text: ''});

async function take(file: File | null | undefined, filters: ChangedFilters) {
  if (!file) return;
  lock.value = {name: file.name, text: await file.text()};
  filters.set({since: '', revision: '', page: ''});
}

function Since({filters}: {filters: ChangedFilters}) {
  const {name} = lock.value;
  if (name !== '') {
    return <div class="control">
      <span>Since {name}</span>
      <button type="button" onClick={() => (lock.value = {name: '', text: ''})}>Without the lock file</button>
    </div>;
  }
  return (
    <>
      <Select of={filters} name="since" label="Since" options={kSince}
        onChange={(since) => filters.set({since, revision: ''})} />
      <TextFilter of={filters} name="revision" label="or revision" placeholder="81 or its pin" />
      <div class="control">
        <label for="lock">or a lock file, dropped anywhere here</label>
        <input id="lock" type="file" onChange={({currentTarget: input}) => void take(input.files?.[0], filters)} />
      </div>
    </>
  );
}

function FilterBar({filters}: {filters: ChangedFilters}) {
  const {names, targets, families} = useChoices();
  return (
    <Controls>
      <Since filters={filters} />
      <Select of={filters} name="target" label="Target" all options={targets} />
      <Select of={filters} name="family" label="Family" all options={families} />
      <Select of={filters} name="model" label="Model" all options={names}
        onChange={(model) => filters.set({model, tp: model ? filters.values.tp : ''})} />
      {filters.values.model !== '' && <TextFilter of={filters} name="tp" label="TP" numeric placeholder="any" />}
    </Controls>
  );
}

function Kinds({of, filters}: {of: Differences; filters: ChangedFilters}) {
  const chosen = filters.values.kind;
  return (
    <nav class="buttons kinds" aria-label="Kinds of changes">
      {kKinds.map((kind) =>
        <a key={kind} class="button" aria-current={kind === chosen ? 'true' : undefined}
          href={filters.href({kind: kind === chosen ? '' : kind})}>
          <strong>{count(of.counts[kind] ?? 0)}</strong> {kind}
        </a>)}
    </nav>
  );
}

const kWidth = 72, kHeight = 20, kEdge = 3;

// Times in order, the slowest at the top. Entries without a time are omitted.
function Spark({of}: {of: Difference}) {
  const times = of.history.flatMap(({us}) => us ?? []);
  const low = Math.min(...times), high = Math.max(...times);
  const x = (i: number) => (times.length > 1 ? kEdge + (i * (kWidth - 2 * kEdge)) / (times.length - 1) : kWidth / 2);
  const y = (us: number) => (high > low ? kEdge + ((high - us) * (kHeight - 2 * kEdge)) / (high - low) : kHeight / 2);
  const last = times.at(-1);
  const label = times.length === 0 ? 'no times' : `times: ${times.map(microsShort).join(', ')} us`;
  return (
    <svg class="spark" width={kWidth} height={kHeight} viewBox={`0 0 ${kWidth} ${kHeight}`} role="img"
      aria-label={label}>
      <polyline points={times.map((us, i) => `${x(i).toFixed(1)},${y(us).toFixed(1)}`).join(' ')} />
      {last !== undefined && <circle cx={x(times.length - 1)} cy={y(last)} r="2.5" />}
    </svg>
  );
}

const timeOf = (side: DifferenceSide | null) => micros(side?.us);

const columnsFor = (families: Family[]): Columns<Difference> => (is) => [
  is.text('Shape', (difference) =>
    <a href={hrefOf('shape', {family: difference.family, ...difference.key})}>
      {shapeText(families.find(({name}) => name === difference.family), difference.key)}
    </a>),
  is.number('Lost, us', (difference) =>
    <>{lostText(difference.lost_us)}{difference.demand > 1 && <small>{count(difference.demand)} calls</small>}</>,
    {id: 'lost'}),
  is.number('Before, us', (difference) => timeOf(difference.before), {id: 'before'}),
  is.number('Now, us', (difference) => timeOf(difference.now), {id: 'now'}),
  is.text('Change', (difference) => difference.kind),
  is.text('History', (difference) => <Spark of={difference} />),
  is.text('Family', (difference) => difference.family, {id: 'family'}),
  is.text('Target', (difference) => withProducts(difference), {id: 'target'}),
  is.number('Revision',
    (difference) => (difference.run ? <a href={hrefOf('runs', {run: difference.run})}>{count(difference.revision)}</a>
      : count(difference.revision)), {id: 'revision'}),
  is.kernel('Kernel',
    ({before, now}) => [cellText(now?.kernel ?? before?.kernel),
      now && before && now.kernel !== before.kernel && <small>before: {before.kernel}</small>]),
];

function Cause({of}: {of: Differences}) {
  if (of.revisions.length === 0) return null;
  return (
    <details>
      <summary>{count(of.revision_count)} {of.revision_count === 1 ? 'revision' : 'revisions'} did it</summary>
      <ul>
        {of.revisions.map(({revision, cause, run, keys}) =>
          <li key={revision}>
            {revision}: {cause}{run && <>, <a href={hrefOf('runs', {run})}>run {run}</a></>}: {count(keys)}
          </li>)}
      </ul>
    </details>
  );
}

function Found({of, filters, families}: {of: Differences; filters: ChangedFilters; families: Family[]}) {
  const {kind, sort} = filters.values;
  const all = kKinds.reduce((sum, kind) => sum + (of.counts[kind] ?? 0), 0);
  const {ratio = 1, slack_us: slack, ignore_below_us: least} = of.limits;
  return (
    <section>
      <p>Since {sinceText(of.since)}.</p>
      {of.since.left_out?.map((name) => <p key={name} class="notice">Not compared: {name}.</p>)}
      <Kinds of={of} filters={filters} />
      {of.matching === 0
        ? <Empty>
          <p>{all === 0 ? `Nothing has changed since ${sinceText(of.since)}.` : `Nothing is ${kind} since then.`}</p>
        </Empty> : (
        <>
          <DataTable caption="What changed" columns={columnsFor(families)} rows={of.differences}
            rowClass={(difference) => difference.kind} sort={sort || '-lost'}
            onSort={(by) => filters.set({sort: by})} />
          <PageLinks caption="Pages: What changed" filters={filters} of={of.matching} shown={of.listed} />
        </>
      )}
      <p class="legend">
        Lost is now minus before, times the calls that missed the shape where some were counted. Within noise, and not
        listed: {count(of.within_noise)}. The limit is {((ratio - 1) * 100).toFixed(1)} % and {slack} us; times
        below {least} us are not compared.
      </p>
      <Cause of={of} />
    </section>
  );
}

export function ChangedView() {
  const filters = filtersOf('changed', kDefaults);
  const {target, page, since, revision, ...asked} = filters.values;
  const families = useFamilies();
  const tp = asked.model ? asked.tp : '';
  const text = lock.value.text;
  const state = text ? {lock: text} : revision ? {revision} : {since};
  const found =
    useResource<Differences>(urls.differences({...state, ...asked, tp, ...targetParts(target),
      offset: offsetOf({page})}));
  return (
    <div onDragOver={(event) => event.preventDefault()} onDrop={(event) => {
      event.preventDefault();
      void take(event.dataTransfer?.files[0], filters);
    }}>
      <ViewHead title="Changed" filters={filters}>What is served now, against what was served before.</ViewHead>
      <FilterBar filters={filters} />
      <With of={found} what="what changed">
        {(found) => <Found of={found} filters={filters} families={families.data?.families ?? []} />}
      </With>
    </div>
  );
}
