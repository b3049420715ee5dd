// The verdict on a device's tables for a model in a build of AITER, and how to fetch, check and take back these tables.
import {useEffect, useState} from 'preact/hooks';
import type {Build, Differences, Family, Verdict, VerdictItem} from '../answers';
import {digestOf, urls} from '../api';
import {CopyLine} from '../components/buttons';
import {Controls, Select} from '../components/controls';
import {DataTable, offsetOf, PageLinks} from '../components/data_table';
import {Empty, With} from '../components/view';
import type {Context} from '../context';
import {cellText, count, moment, plural} from '../format';
import {kEngines, useFamilies, withProducts} from '../known';
import {filtersOf, hrefOf, type Filters} from '../location';
import {useModelMap, type ModelMap} from '../model_map';
import {useResource} from '../resource';
import {lock, LockArea, LockControl} from './changes_ends';
import {Kinds} from './changes_found';
import {addedByKind, headlineOf} from './changes_rows';
import type {TabProps} from './model';
import {atPin, checkCommand, dockerLines, fetchCommand, installCommand, kConcerns, kernelIn, kUseCommand, kWithoutBuild,
  lockedIn, recipeCommand, saidOf, shapeOf, shortBuild, storedChoices} from './pin_words';

const kNone = 'none';  // no build: judge only the tables
const kOwn = {tab: '', build: '', revision: '', list: '', page: ''};
type Own = Filters<typeof kOwn>;

interface VerdictProps extends TabProps {
  verdict: Verdict;
  filters: Own;
}

// No engine reads these tables for the model as it is stored. Offers how it could be stored to use them.
function NothingAsked({verdict, of, filters: {values: {build}}}: VerdictProps) {
  const stored = [...new Set(verdict.unread.map((layer) => layer.stored))].join(', ') || 'no known storage';
  const choices = storedChoices(verdict);
  return (
    <>
      <p class="headline">
        {of.values.stored === 'config' ? `The model's config says ${stored}` : `Stored as ${stored}`}: no table to pin
        on {of.values.device}.
      </p>
      {choices.length === 0 ? <p>No other storage of this model would use a table of this device.</p> : (
        <ul class="choices">
          {choices.map(({stored, tables}) =>
            <li key={stored}>
              <a href={hrefOf('model', {tab: 'pin', build, stored})}>Use {stored}?</a> Tables: {tables}
            </li>)}
        </ul>
      )}
    </>
  );
}

const engineOf = ({values: {engine}}: Context): string =>
  (engine === 'any' ? 'The engine' : kEngines.find(({value}) => value === engine)!.text);

const isRefused = (map: ModelMap | undefined) => map?.findings.some(({refused}) => refused);

// The engine does not start at this TP. Asks at which other TP it does.
function Refused({of}: {of: Context}) {
  const maps = ['1', '2', '4', '8'].map((tp) => ({tp, map: useModelMap({...of, values: {...of.values, tp}}).data}));
  const starts = maps.filter(({map}) => map && !isRefused(map));
  return (
    <section class="verdict not_safe">
      <h2 class="hidden">Verdict</h2>
      <p class="headline">
        {engineOf(of)} does not start with this model at TP {of.values.tp}.
        {starts.length > 0 && <> It starts at {starts.map(({tp}, i) =>
          <>{i > 0 && ', '}<a key={tp} href={hrefOf('model', {tab: 'pin', tp})}>TP {tp}</a></>)}.</>}
      </p>
    </section>
  );
}

function Said(props: VerdictProps) {
  const {verdict, filters, of} = props, [, ...more] = verdict.sentence.split(/(?<=\.) /), {text, tone} = saidOf(verdict);
  if (isRefused(useModelMap(of).data)) return <Refused of={of} />;
  return (
    <section class={`verdict ${tone}`}>
      <h2 class="hidden">Verdict</h2>
      {verdict.verdict === 'nothing_asked' ? <NothingAsked {...props} /> : (
        <>
          <p class="headline">{text}</p>
          {more.length > 0 && tone !== 'no_gain' && <p>{more.join(' ')}</p>}
          {verdict.notes.map(({detail}) => <p key={detail} class="notice">{detail}.</p>)}
          <p class="lead">
            {verdict.build && <>Build {shortBuild(verdict.build)}. </>}
            Revision {verdict.revision}{verdict.created && ` of ${moment(verdict.created)} UTC`}
            {filters.values.revision && <>, not the newest. <a href={filters.href({revision: ''})}>The newest</a></>}
          </p>
          <Kinds label="What to know before you use it" counts={verdict.counts} chosen={filters.values.list}
            kinds={verdict.build ? kConcerns : kConcerns.slice(0, kWithoutBuild)}
            href={(list) => filters.href({list})} />
        </>
      )}
    </section>
  );
}

function List({verdict, filters, families}: VerdictProps & {families: Family[]}) {
  const said = kConcerns.find(({names: [name]}) => name === filters.values.list);
  if (!said || verdict.list?.name !== said.names[0]) return null;
  const {name, items, total} = verdict.list;
  const of = (item: VerdictItem) => families.find((one) => one.name === item.family);
  const caption = `Rows and shapes: ${said.title}`;
  return (
    <section>
      <h2>{count(total)} {said.title}</h2>
      <p class="lead">{said.what} <strong>{total > 0 && said.next}</strong></p>
      {total === 0 ? <Empty><p>There is none.</p></Empty> : (
        <>
          <DataTable caption={caption} fixed={total > items.length} columns={(is) => [
            is.name('Family', (item) => item.family),
            is.text('Shape', (item) => shapeOf(of(item), item)),
            ...(name === 'needs_rebuild'
              ? [is.text('In the table', (item: VerdictItem) => (item.in_table ? 'yes' : 'left out'))] : []),
            is.wide('Why', (item) => item.why),
            is.kernel('Kernel', (item) => cellText(kernelIn(item.row))),
            ...(name === 'substituted'
              ? [is.kernel('In place of', (item: VerdictItem) => cellText(kernelIn(item.instead_of)))] : []),
          ]} rows={items} />
          <PageLinks caption={`Pages: ${caption}`} filters={filters} of={total} shown={items.length} />
        </>
      )}
    </section>
  );
}

// The archive's SHA-256; "" until the server has said it. `of` "": no request.
function useDigest(of: string): string {
  const [said, setSaid] = useState({of: '', digest: ''});
  useEffect(() => void (of && digestOf(of).then((digest) => setSaid({of, digest}), () => {})), [of]);
  return said.of === of ? said.digest : '';
}

const isLocal = /^(localhost|127\..*|\[::1\])$/.test(location.hostname);

function Take({verdict, filters}: VerdictProps) {
  const keys = useResource<{keys: {public_key: string}[]}>(urls.signingKeys()).data?.keys;
  const key = keys?.at(-1)?.public_key ?? '', hub = location.origin, lacks = verdict.pinned_lacks;
  // An archive without a table is a 404.
  const digest = useDigest(verdict.families.some(({sha256}) => sha256) ? verdict.pinned : '');
  return (
    <section>
      <h2>Fetch this pin: the same bytes for ever</h2>
      <dl class="facts commands">
        <dt>URL</dt><dd><a href={verdict.pinned}>{hub + verdict.pinned}</a></dd>
        <dt>Fetch</dt><dd><CopyLine label="fetch the tables" text={fetchCommand(hub + verdict.pinned, digest)} /></dd>
        <dt>Check</dt>
        <dd><CopyLine label={key ? 'check signature and digests' : 'check digests'} text={checkCommand(key)} /></dd>
        <dt>Use</dt><dd><CopyLine label="tell AITER" text={kUseCommand} /></dd>
        <dt>Or in a Dockerfile</dt>
        <dd><CopyLine label="lines of a Dockerfile" text={dockerLines(hub + verdict.pinned, digest, verdict)} /></dd>
        {digest && <><dt>SHA-256 of the archive</dt><dd><code>{digest}</code></dd></>}
        {key && <><dt>Signed by</dt><dd><code>{key}</code></dd></>}
        <dt>Or install the newest</dt>
        <dd><CopyLine label="install the newest tables" text={installCommand(hub, verdict.gfx, key)} /></dd>
        {!filters.values.revision && <><dt>Or in AITER's build</dt>
          <dd><CopyLine label="build an image" text={recipeCommand(hub, verdict)} /></dd></>}
      </dl>
      {isLocal &&
        <p class="notice">{hub} works only on this machine. To build elsewhere, use an address that the build can reach.</p>}
      {lacks > 0 && !filters.values.revision &&
        <>
          <p class="notice">
            The pin lacks the {plural(lacks, 'substituted row')}, because an old revision keeps only its best
            rows: <a href={filters.href({revision: verdict.pin})}>judge the pin</a>. With these rows, without a pin:
          </p>
          <CopyLine label="fetch the tables without a pin" text={fetchCommand(hub + verdict.address)} />
        </>}
    </section>
  );
}

// The differences since last week's pin, a lock file, or the judged old revision, which may be older than a week. The page
// asks for them together with the verdict.
const useChanges = ({parts}: Context, revision: string) =>
  useResource<Differences>(urls.differences({...(lock.value.text ? {lock: lock.value.text, to: revision || 'now'}
    : {from: revision || '7d', to: 'now'}), ...parts, limit: 0}));

// What a dropped lock file pins. The hub knows the dates.
function Locked({found}: {found: Differences | undefined}) {
  if (!lock.value.text) return null;
  const {revisions, targets} = lockedIn(lock.value.text);
  const dates = new Map(found?.from.tables?.map((its) => [its.revision, its.created]));
  const pins = revisions.map((its) => `revision ${its}${dates.get(its) ? ` of ${moment(dates.get(its))} UTC` : ''}`);
  return <p class="lead">The lock file pins {pins.join(', ')} for {targets.map(withProducts).join(', ') || 'all devices'}.</p>;
}

function Back({verdict, filters}: VerdictProps) {
  const {week_ago: week, previous} = verdict;
  if (!week) return null;
  const past = week.revision === verdict.revision ? previous : week;
  return (
    <>
      <h3>Go back</h3>
      <p>
        {past === week ? `Revision ${week.revision} was in force seven days ago.`
          : `The revision in force seven days ago is this one. ${past ? `Before it: revision ${past.revision}.` : ''}`}
        {past && <> <a href={filters.href({revision: past.pin})}>Judge revision {past.revision}</a></>}
      </p>
      {past && <CopyLine label={`fetch revision ${past.revision}`}
        text={fetchCommand(location.origin + atPin(verdict.pinned, past.pin))} />}
    </>
  );
}

// What changed on this device since last week's pin or a lock file, or since an old revision that the page judges.
function Changed(props: VerdictProps) {
  const {verdict, filters, of} = props, {name, text} = lock.value, week = verdict.week_ago;
  const isOld = filters.values.revision !== '';
  const found = useChanges(of, filters.values.revision);
  const place = text ? {scope: 'all', to: `rev:${verdict.pin}`}
    : {scope: 'device', from: `rev:${isOld ? verdict.pin : week?.pin}`, to: isOld ? 'now' : `rev:${verdict.pin}`};
  return (
    <section>
      <h2>What changed on {withProducts(of.target)} since {name || (isOld ? `revision ${verdict.revision}` : 'seven days ago')}</h2>
      <div class="filters"><LockControl label="Since a lock file" /></div>
      <Locked found={found.data} />
      {text || week || isOld ? (
        <With of={found} what="the changes">
          {(of) =>
            <>
              <p><strong>{headlineOf(of.counts)}</strong>, over all tables of this device.</p>
              <Kinds counts={of.counts} notes={addedByKind(of)} href={(kind) => hrefOf('changes', {...place, kind})} />
            </>}
        </With>
      ) : <p>The hub had no table seven days ago.</p>}
      {!isOld && <Back {...props} />}
    </section>
  );
}

// Which tables the engine reads and why. For every other table: how a model must be stored to read it.
function Tables({verdict, of}: VerdictProps) {
  const judged = verdict.families.filter((table) => table.judged);
  return (
    <details>
      <summary>
        {engineOf(of)} reads {count(judged.length)} of the {plural(verdict.families.length, 'table')} for this model
      </summary>
      <DataTable caption="Tables" columns={(is) => [
        is.name('Table', (table) => table.family),
        is.text('Read', (table) => (table.judged ? 'yes' : 'no')),
        is.number('Rows', (table) => count(table.rows)),
        is.number('Asked for', (table) => count(table.asked)),
        is.number('Missing', (table) => count(table.missing)),
        is.wide('Why', (table) => <>{table.why}{!table.judged && table.stored_as.map((stored) =>
          <span key={stored}>{' '}<a href={hrefOf('model', {tab: 'pin', stored})}>use {stored}</a></span>)}</>),
        is.kernel('SHA-256', (table) => cellText(table.sha256)),
      ]} rows={[...verdict.families].sort((a, b) => Number(b.judged) - Number(a.judged))} />
      <p class="lead">
        To judge your own build of AITER, send its manifest: <code>tunehub-agent manifest /opt/aiter -o build.csv</code>,
        then <code>PUT /builds/NAME</code>. The API calls a verdict with gaps or unmeasured rows <code>not_safe</code>.
      </p>
    </details>
  );
}

// The chosen build. The address always names it, so that a link keeps its meaning when a newer build arrives.
function useBuild(filters: Own) {
  const answer = useResource<{builds: Build[]}>(urls.builds()).data;
  const builds = answer?.builds ?? [], {build, page} = filters.values;
  useEffect(() => {
    if (answer && !build) filters.set({build: builds[0]?.name ?? kNone, page}, 'replace');
  }, [answer, build]);
  const known = new Map([...builds].reverse().map((one) => [one.name, one]));  // the newest build of each name
  // NAME@SHA256 always names the same manifest. NAME alone may name another manifest tomorrow.
  const exact = builds.find((one) => one.name === build || one.build === build)?.build ?? build;
  return {known: [...known.values()], asked: answer && build ? (build === kNone ? '' : exact) : null};
}

export function PinTab({of}: TabProps) {
  const filters = filtersOf('model', kOwn);
  const {revision, list} = filters.values, {model, tp, engine, stored} = of.values;
  const families = useFamilies().data?.families ?? [];
  const {known, asked} = useBuild(filters);
  useChanges(of, revision);
  const verdict = useResource<Verdict>(asked === null ? null : urls.verdict({
    ...of.parts, model, tp, engine, dtype: stored === 'config' ? '' : stored, build: asked, revision, list,
    after: list && offsetOf(filters.values),
  }));
  return (
    <LockArea>
      <Controls>
        <Select of={filters} name="build" label="Build of AITER"
          options={[{value: kNone, text: 'none: only the tables'},
            ...known.map((one) => ({value: one.name, text: `${one.name} (${moment(one.created)})`}))]} />
      </Controls>
      <With of={verdict} what="the verdict">
        {(verdict) => {
          const props = {of, verdict, filters};
          return (
            <>
              <Said {...props} />
              <List {...props} families={families} />
              {verdict.verdict !== 'nothing_asked' && <><Take {...props} /><Changed {...props} /></>}
              <section><Tables {...props} /></section>
            </>
          );
        }}
      </With>
    </LockArea>
  );
}
