// The verdict on a device's tables for a model in a build of AITER, and how to fetch, check and take back these tables.
import {useEffect} from 'preact/hooks';
import type {Build, Differences, Family, Verdict, VerdictItem} from '../answers';
import {urls} from '../api';
import {CopyLine} from '../components/buttons';
import {Controls, Select} from '../components/controls';
import {DataTable, offsetOf, PageLinks} from '../components/data_table';
import {Empty, With} from '../components/view';
import {cellText, count, moment, plural} from '../format';
import {useFamilies, withProducts} from '../known';
import {filtersOf, hrefOf, type Filters} from '../location';
import {useResource} from '../resource';
import {lock, LockArea, LockControl} from './changes_ends';
import {Kinds} from './changes_found';
import {addedByKind, headlineOf} from './changes_rows';
import type {TabProps} from './model';
import {atPin, checkCommand, fetchCommand, installCommand, kConcerns, kernelIn, kUseCommand, kWithoutBuild,
  shapeOf, shortBuild, storedChoices} from './pin_words';

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

function Said(props: VerdictProps) {
  const {verdict, filters} = props, [answer, ...more] = verdict.sentence.split(/(?<=\.) /);
  return (
    <section class={`verdict ${verdict.verdict}`}>
      <h2 class="hidden">Verdict</h2>
      {verdict.verdict === 'nothing_asked' ? <NothingAsked {...props} /> : (
        <>
          <p class="headline">{answer}</p>
          {more.length > 0 && <p>{more.join(' ')}</p>}
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

function Take({verdict, filters}: VerdictProps) {
  const keys = useResource<{keys: {public_key: string}[]}>(urls.signingKeys()).data?.keys;
  const key = keys?.at(-1)?.public_key ?? '', hub = location.origin, lacks = verdict.pinned_lacks;
  return (
    <section>
      <h2>Fetch this pin: the same bytes for ever</h2>
      <dl class="facts commands">
        <dt>URL</dt><dd><a href={verdict.pinned}>{hub + verdict.pinned}</a></dd>
        <dt>Fetch</dt><dd><CopyLine label="fetch the tables" text={fetchCommand(hub + verdict.pinned)} /></dd>
        <dt>Tell AITER</dt><dd><CopyLine label="tell AITER" text={kUseCommand} /></dd>
        <dt>SHA-256 of SHA256SUMS</dt><dd><code>{verdict.sums_sha256}</code></dd>
        {key &&
          <>
            <dt>Signed by</dt><dd><code>{key}</code></dd>
            <dt>Check</dt><dd><CopyLine label="check signature and digests" text={checkCommand(key)} /></dd>
          </>}
        <dt>Or install the newest</dt>
        <dd><CopyLine label="install the newest tables" text={installCommand(hub, verdict.gfx, key)} /></dd>
      </dl>
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

// What changed on this device between last week's pin, or a lock file, and the judged revision.
function Changed({verdict, filters, of}: VerdictProps) {
  const {name, text} = lock.value, week = verdict.week_ago;
  const found = useResource<Differences>(text || week ? urls.differences(
    {...(text ? {lock: text} : {from: week?.pin}), to: verdict.pin, ...of.parts, limit: 0}) : null);
  const place = text ? {scope: 'all', to: `rev:${verdict.pin}`}
    : {scope: 'device', from: `rev:${week?.pin}`, to: `rev:${verdict.pin}`};
  return (
    <section>
      <h2>What changed on {withProducts(of.target)} since {name || 'seven days ago'}</h2>
      <div class="filters"><LockControl label="Since a lock file" /></div>
      {text || week ? (
        <With of={found} what="the changes">
          {(of) =>
            <>
              <p><strong>{headlineOf(of.counts)}</strong>, over all tables of this device.</p>
              <Kinds counts={of.counts} notes={addedByKind(of)} href={(kind) => hrefOf('changes', {...place, kind})} />
            </>}
        </With>
      ) : <p>The hub had no table seven days ago.</p>}
      {week &&
        <>
          <h3>Go back to last week's</h3>
          <CopyLine label="fetch last week's tables"
            text={fetchCommand(location.origin + atPin(verdict.pinned, week.pin))} />
          <p>
            Revision {week.revision} was in force seven days ago.{' '}
            {week.revision !== verdict.revision && <a href={filters.href({revision: week.pin})}>Judge that revision</a>}
          </p>
        </>}
    </section>
  );
}

// Which tables the server judged and why. For every other table: how a model must be stored to read it.
function Tables({verdict}: VerdictProps) {
  const judged = verdict.families.filter((table) => table.judged);
  return (
    <details>
      <summary>{plural(judged.length, 'table')} judged, of {count(verdict.families.length)} in the bundle</summary>
      <DataTable caption="Tables" columns={(is) => [
        is.name('Table', (table) => table.family),
        is.text('Judged', (table) => (table.judged ? 'yes' : 'no')),
        is.number('Rows', (table) => count(table.rows)),
        is.number('Asked for', (table) => count(table.asked)),
        is.number('Missing', (table) => count(table.missing)),
        is.wide('Why', (table) => <>{table.why}{!table.judged && table.stored_as.map((stored) =>
          <span key={stored}>{' '}<a href={hrefOf('model', {tab: 'pin', stored})}>use {stored}</a></span>)}</>),
        is.kernel('SHA-256', (table) => cellText(table.sha256)),
      ]} rows={[...verdict.families].sort((a, b) => Number(b.judged) - Number(a.judged))} />
      <p class="lead">
        Safe: the build runs each row, and each shape of the model has a measured row. Not safe: a shape has no row, or
        an unmeasured one; it runs, but slower than it could. Not known: no build is chosen. Send the manifest of
        yours: <code>tunehub-agent manifest /opt/aiter -o build.csv</code>, then <code>PUT /builds/NAME</code>.
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
  const verdict = useResource<Verdict>(asked === null ? null : urls.verdict({
    ...of.parts, model, tp, engine, dtype: stored === 'config' ? '' : stored, build: asked, revision, list,
    offset: list && offsetOf(filters.values),
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
