// The verdict on a target's tables: whether they are safe for a model in a build of AITER, why, and how to get them.
import type {Build, Family, FamilyVerdict, Verdict, VerdictItem} from '../answers';
import {urls} from '../api';
import {Controls, Select, TextFilter} from '../components/controls';
import {CopyLine} from '../components/buttons';
import {DataTable, offsetOf, PageLinks} from '../components/data_table';
import {Empty, Unknown, ViewHead, With} from '../components/view';
import {filtersOf, hrefOf, type Filters} from '../location';
import {capitalized, cellText, count, moment, plural, targetParts} from '../format';
import {kUsualTp, tpOf, useChoices, useFamilies, withProducts} from '../known';
import {useResource} from '../resource';
import {atPin, commandsOf, kConcerns, kernelIn, kOfBuild, shapeOf, shortBuild} from './build_words';

const kView = 'build';
const kNone = 'none';  // no build: judge only the tables
const kDtypes = ['bf16', 'fp8', 'fp8_block', 'int8', 'fp4', 'mxfp4', 'int4'];
const kEngines = [{value: '', text: 'vLLM'}, {value: 'sglang', text: 'SGLang'},
  {value: 'any', text: 'any: every table'}];
const kOwn = {model: '', tp: '', target: '', build: '', dtype: '', engine: '', family: '', revision: '', list: '',
  page: ''};
type Own = Filters<typeof kOwn>;

function Counts({verdict, filters}: {verdict: Verdict; filters: Own}) {
  return (
    <ul class="counts">
      {kConcerns.map(({name, title, what}) => {
        const its = verdict.counts[name];
        const known = verdict.build !== null || !kOfBuild.includes(name);
        const open = filters.values.list === name;
        return (
          <li key={name} class={its === 0 ? 'none' : undefined}>
            <a href={filters.href({list: open ? '' : name})} aria-current={open ? 'true' : undefined} title={what}>
              <strong>{known ? count(its) : '\u2013'}</strong> {title}
            </a>
          </li>
        );
      })}
    </ul>
  );
}

function Said({verdict, filters}: {verdict: Verdict; filters: Own}) {
  return (
    <section class={`verdict ${verdict.verdict}`}>
      <h2 class="hidden">Verdict</h2>
      <p class="because">{verdict.sentence}</p>
      {verdict.notes.map(({detail}) => <p key={detail} class="notice">{detail}.</p>)}
      <p class="lead">
        {verdict.build ? <>Build {shortBuild(verdict.build)}. </>
          : 'Without a build: substituted, left out and rebuilds are not known. '}
        Revision {verdict.revision}{verdict.created && ` of ${moment(verdict.created)} UTC`}
        {filters.values.revision && <>, as you asked. <a href={filters.href({revision: ''})}>The newest</a></>}
      </p>
      <Counts verdict={verdict} filters={filters} />
    </section>
  );
}

function List({verdict, filters, families}: {verdict: Verdict; filters: Own; families: Family[]}) {
  const said = kConcerns.find((concern) => concern.name === filters.values.list);
  if (!said || verdict.list?.name !== said.name) return null;
  const {items, total} = verdict.list;
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
            ...(said.name === 'needs_rebuild'
              ? [is.text('In the table', (item: VerdictItem) => (item.in_table ? 'yes' : 'left out'))] : []),
            is.wide('Why', (item) => item.why),
            is.kernel('Kernel', (item) => cellText(kernelIn(item.row))),
            ...(said.name === 'substituted'
              ? [is.kernel('In place of', (item: VerdictItem) => cellText(kernelIn(item.instead_of)))] : []),
          ]} rows={items} />
          <PageLinks caption={`Pages: ${caption}`} filters={filters} of={total} shown={items.length} />
        </>
      )}
    </section>
  );
}

// Shows which tables the server judged and why. For every other table it shows how a model must be stored to read that
// table.
function Read({verdict, filters}: {verdict: Verdict; filters: Own}) {
  return (
    <section>
      <h2>Which tables were judged</h2>
      <DataTable caption="Tables that were judged" columns={(is) => [
        is.text('Table', (table) => table.family),
        is.text('Judged', (table) => (table.judged ? 'yes' : 'no')),
        is.number('Rows', (table) => (table.rows > 0 ? count(table.rows) : 'nothing tuned')),
        is.wide('Why', (table) =>
          <>
            {table.why}
            {!table.judged &&
              table.stored_as.map((dtype) =>
                <span key={dtype}>{' '}<a href={filters.href({dtype})}>judge it stored as {dtype}</a></span>)}
          </>),
      ]} rows={[...verdict.families].sort((a, b) => Number(b.judged) - Number(a.judged))} />
    </section>
  );
}

function Take({verdict, filters}: {verdict: Verdict; filters: Own}) {
  const {family} = filters.values;
  const lacks = verdict.pinned_lacks;
  const lines = (address: string) =>
    commandsOf(verdict, location.origin + address, family).map((line) => <CopyLine key={line.label} {...line} />);
  return (
    <section>
      <h2>Take these tables</h2>
      {lines(verdict.pinned)}
      <p>
        The address holds a pin: <strong>the same bytes for ever</strong>. The SHA-256 of
        its <code>SHA256SUMS</code> is <code class="digest">{verdict.sums_sha256}</code>.
      </p>
      {lacks > 0 && !filters.values.revision &&
        <>
          <p class="notice">
            The pinned tables lack the {plural(lacks, 'row')} that are substituted here, since an old revision keeps its
            winners alone:
            {' '}<a href={filters.href({revision: verdict.pin})}>judge the pinned tables</a>. With these rows, and
            without a pin:
          </p>
          {lines(verdict.address)}
        </>}
      <DataTable caption="Tables" columns={(is) => [
        is.text('Table', (table) => <a href={filters.href({family: family ? '' : table.family})}>{table.family}</a>),
        is.number('Rows', (table) => count(table.rows)),
        is.number('Asked for', (table) => count(table.asked)),
        ...kConcerns.map(({name, title}) =>
          is.number(capitalized(title), (table: FamilyVerdict) => count(table[name]))),
        is.kernel('SHA-256', (table) => cellText(table.sha256)),
      ]} rows={verdict.families.filter((table) => table.rows > 0)} />
    </section>
  );
}

function Before({verdict, filters}: {verdict: Verdict; filters: Own}) {
  const {week_ago: week, previous, changed} = verdict;
  const [fetch] = week ? commandsOf(verdict, location.origin + atPin(verdict.pinned, week.pin), filters.values.family)
    : [];
  return (
    <section>
      <h2>Go back to last week's</h2>
      {week && fetch ? (
        <>
          <CopyLine label="fetch last week's tables" text={fetch.text} />
          <p>
            {week.revision === verdict.revision
              ? `Revision ${week.revision} is also that of seven days ago: nothing has changed since.`
              : <>
                Revision {week.revision} was in force seven days
                ago. <a href={filters.href({revision: week.pin})}>Judge last week's tables</a>
              </>}
          </p>
        </>
      ) : <p>There was no table seven days ago.</p>}
      <h3>What changed</h3>
      <p>
        Revision {verdict.revision} changed {changed.length > 0
          ? changed.map(({family, keys}) => `${family} (${plural(keys, 'key')})`).join(', ') : 'no row'}.
        {previous &&
          <> Before it: <a href={filters.href({revision: previous.pin})}>
            revision {previous.revision}
          </a>, {moment(previous.created)} UTC, {previous.cause}.</>}
        {' '}<a href={hrefOf('runs')}>All runs</a>
      </p>
    </section>
  );
}

function Rule() {
  return (
    <section>
      <h2>What "safe" means here</h2>
      <ul class="rule">
        <li>
          <strong>Safe</strong>: the build has the kernel of every row of the table, so AITER raises at none, and each
          shape that the model asks for is answered by a row that was measured.
        </li>
        <li>
          <strong>Not safe</strong>: some shape has no row, or one that nobody has measured. It runs, and not as fast as
          it could.
        </li>
        <li>
          <strong>Not known</strong>: no build was chosen. Send the manifest of
          yours: <code>tunehub-agent manifest /opt/aiter -o build.csv</code>, then <code>PUT /builds/NAME</code>.
        </li>
      </ul>
      <p class="lead">
        The shapes are those of Coverage, to M 16,384. An engine reads few of these tables, by how the model is stored:
        shapes are asked of those alone. Choose one at "Table" to judge it, whoever reads it. A manifest that says
        nothing of what is built may call a kernel effective that is compiled in for another shape.
      </p>
    </section>
  );
}

interface ChoicesProps {
  filters: Own;
  of: ReturnType<typeof useChoices>;
  build: string;
  builds: Build[];
  verdict: Verdict | undefined;
}

function Choices({filters, of: {names, targets, model, target}, build, builds, verdict}: ChoicesProps) {
  // the newest build of each name
  const known = new Map(builds.map((one) => [one.name, one]).reverse() as [string, Build][]);
  const families = verdict?.families.map((family) => family.family) ?? [];
  return (
    <Controls>
      <Select of={filters} name="target" label="GPU" value={target} options={targets} />
      <Select of={filters} name="model" label="Model" value={model} options={names} />
      <TextFilter of={filters} name="tp" label="TP" numeric placeholder={kUsualTp} />
      <Select of={filters} name="dtype" label="Stored as"
        options={[{value: '', text: 'its config says'}, ...kDtypes]} />
      <Select of={filters} name="engine" label="Engine" options={kEngines} />
      <Select of={filters} name="build" label="Build of AITER" value={build}
        options={[{value: kNone, text: 'none: the tables as they are'},
          ...[...known.values()].map((one) => ({value: one.name, text: `${one.name} (${moment(one.created)})`}))]} />
      <Select of={filters} name="family" label="Table"
        options={families.includes(filters.values.family) || !filters.values.family ? families
          : [filters.values.family, ...families]} all />
    </Controls>
  );
}

export function BuildView() {
  const filters = filtersOf(kView, kOwn);
  const {values} = filters;
  const choices = useChoices(values), families = useFamilies();
  const {models, index, names, targets, model, target} = choices;
  const builds = useResource<{builds: Build[]}>(urls.builds());
  const known = builds.data?.builds ?? [];
  const build = values.build || known[0]?.name || kNone;
  // NAME@SHA256 always names the same manifest. NAME alone may name another manifest tomorrow.
  const pinned = known.find((one) => one.name === build || one.build === build)?.build ?? build;
  const isModel = names.includes(model);
  const verdict = useResource<Verdict>(builds.data && isModel && target ? urls.verdict({
    ...targetParts(target), model, tp: tpOf(values), dtype: values.dtype, engine: values.engine,
    build: build === kNone ? '' : pinned, family: values.family,
    revision: values.revision, list: values.list, offset: values.list && offsetOf(values),
  }) : null);
  return (
    <>
      <ViewHead title="Build" filters={filters}>
        Is this table safe for my build, what does it lack, and how do I get it?
      </ViewHead>
      <Choices filters={filters} of={choices} build={build} verdict={verdict.data} builds={known} />
      {models.data && model !== '' && !isModel &&
        <Unknown what="model" name={model}
          choices={names.map((name) => ({text: name, href: filters.href({model: name})}))} />}
      {index.data && targets.length === 0 &&
        <Empty>
          <p>
            The registry is empty. Import AITER's tables
            first: <code>tunehub-agent import /opt/aiter --hub {location.origin}</code>
          </p>
        </Empty>}
      {isModel && target !== '' &&
        <With of={verdict} what="the verdict">
          {(verdict) =>
            <>
              <p class="lead">{verdict.model} at TP {verdict.tp} on {withProducts(verdict)}</p>
              <Said verdict={verdict} filters={filters} />
              <List verdict={verdict} filters={filters} families={families.data?.families ?? []} />
              <Read verdict={verdict} filters={filters} />
              <Take verdict={verdict} filters={filters} />
              <Before verdict={verdict} filters={filters} />
              <Rule />
            </>}
        </With>}
    </>
  );
}
