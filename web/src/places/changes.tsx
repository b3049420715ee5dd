// What changed between two states, or between the runs of two sides. The same place lists runs and shows one.
import type {Comparison, Differences} from '../answers';
import {urls} from '../api';
import {Controls, Select} from '../components/controls';
import {kPage, offsetOf} from '../components/data_table';
import {Empty, Facts, ViewHead, With} from '../components/view';
import {useContext, type Context} from '../context';
import {familyNames, useIndex, useModels, withProducts} from '../known';
import {filtersOf, hrefOf, place, type Filters} from '../location';
import {useResource} from '../resource';
import {Ends, lock, LockArea} from './changes_ends';
import {Causes, FoundChanges} from './changes_found';
import {addedByKind, areSides, askedOf, compareSort, differenceOf, endOf, environmentsText, headlineOf, kUsualEnds,
  meanByKind, nothingText, scopeOf, sideText, stateText, troubleOf, type End, type Scope} from './changes_rows';
import {RunPage} from './run';
import {RunList} from './runs';

const kDefaults = {from: '', to: '', run: '', list: '', scope: '', family: '', kind: '', sort: '', page: '',
  before: '', chosen: ''};
export type ChangesFilters = Filters<typeof kDefaults>;

const kScopes = [{value: 'all', text: 'all models and devices'}, {value: 'device', text: 'all models on one device'},
  {value: 'model', text: 'one model and device'}];

interface PartProps {
  filters: ChangesFilters;
  context: Context;
  scope: Scope;
  from: End;
  to: End;
}

// The same question about all models and devices, so that a narrow context hides nothing.
function Everywhere({path, href}: {path: string; href: string}) {
  const all = useResource<Differences>(path).data;
  return all ? <p>All models and devices: <a href={href}>{headlineOf(all.counts)}</a></p> : <p>&nbsp;</p>;
}

// Compares served rows.
function States({filters, context: {values: {model, tp}, parts}, scope, from, to}: PartProps) {
  const {family, kind, sort} = filters.values, {text} = lock.value;
  const ends = {...(text ? {lock: text} : {from: askedOf(from)}), to: askedOf(to), family};
  const found = useResource<Differences>(urls.differences({...ends, ...(scope === 'model' && {model, tp}),
    ...(scope !== 'all' && parts), kind, sort, after: offsetOf(filters.values)}));
  return (
    <With of={found} what="the changes">
      {(of) =>
        <>
          <section>
            <p class="headline">{nothingText(of) || headlineOf(of.counts)}</p>
            <p class="lead">From {stateText(of.from)}, to {stateText(of.to)}.</p>
            {scope !== 'all' && !nothingText(of) && <Everywhere path={urls.differences({...ends, limit: 0})}
              href={filters.href({scope: 'all'})} />}
            {Number(of.from.revision) > Number(of.to.revision) && <p class="notice">
              The first state is the newer one, so this reads backwards. <a href={filters.href({from: filters.values.to ||
                kUsualEnds.to, to: filters.values.from || kUsualEnds.from})}>Swap the two</a>
            </p>}
            {of.from.left_out?.map((name) => <p key={name} class="notice">Not compared: {name}.</p>)}
            {!nothingText(of) &&
              <FoundChanges filters={filters} of={{...of, rows: of.differences, notes: addedByKind(of)}} />}
          </section>
          <Causes of={of} />
        </>}
    </With>
  );
}

// Compares measurements of runs or environments.
function Sides({filters, context, scope, from, to}: PartProps) {
  const {family, kind: change, sort} = filters.values;
  const query = {base: from.value, head: to.value, family, change, sort: compareSort(sort),
    ...(scope === 'device' && context.parts)};
  const found = useResource<Comparison>(urls.compare({...query, after: offsetOf(filters.values), limit: kPage}));
  return (
    <With of={found} what="the comparison">
      {(of) =>
        <section>
          <p class="headline">{headlineOf(of.counts)}</p>
          <Facts of={[['Before', sideText(of.base)], ['After', sideText(of.head)],
            ['Environments', environmentsText(of)]]} />
          <FoundChanges filters={filters} compared
            of={{...of, rows: of.shapes.map((row) => differenceOf(row, family)), notes: meanByKind(of)}} />
          <a class="button" href={urls.compare({...query, format: 'csv'})} download="compare.csv">Download CSV</a>
        </section>}
    </With>
  );
}

function Compared({filters}: {filters: ChangesFilters}) {
  const context = useContext(), models = useModels(), families = familyNames(useIndex().data);
  const [from, to] = [endOf(filters.values.from || kUsualEnds.from), endOf(filters.values.to || kUsualEnds.to)];
  const isLocked = lock.value.name !== '', sides = !isLocked && areSides(from, to);
  const trouble = isLocked ? '' : troubleOf(from, to);
  // A lock file names its own tables, so the context must not narrow them.
  const onLock = () => filters.set({from: '', scope: 'all', kind: '', sort: ''});
  const Shown = sides ? Sides : States;
  const scope = scopeOf({...Object.fromEntries(new URLSearchParams(place.value.query)), ...(isLocked && {from: ''})});
  const on = context ? ` on ${withProducts(context.target)}` : '';
  const title = {all: 'all models and devices', device: `all models${on}`,
    model: `${context?.values.model ?? ''} at TP ${context?.values.tp ?? ''}${on}`}[scope];
  return (
    <LockArea onTaken={onLock}>
      <ViewHead title={`Changes: ${title}`} filters={filters}>
        Slower, faster and new rows between two states. <a href={hrefOf('changes', {list: 'runs'})}>All runs</a>
      </ViewHead>
      <Controls>
        <Ends filters={filters} onLock={onLock} />
        <Select of={filters} name="scope" label="Of" value={scope} options={kScopes.slice(0, sides ? 2 : 3)} />
        <Select of={filters} name="family" label="Family" all options={families} />
      </Controls>
      {isLocked && <p class="notice">A link to this page does not carry the lock file.</p>}
      {trouble && <Empty><p>{trouble}</p></Empty>}
      {context?.target === '' &&
        <Empty><p>The registry is empty, so nothing has changed. <a href={hrefOf('')}>First steps</a></p></Empty>}
      {!context && <With of={models} what="the models">{() => null}</With>}
      {context?.target && context.unknown.length === 0 && !trouble &&
        <Shown filters={filters} context={context} scope={scope} from={from} to={to} />}
    </LockArea>
  );
}

export function ChangesPlace() {
  const filters = filtersOf('changes', kDefaults), {run, list} = filters.values;
  if (run !== '') return <RunPage id={run} filters={filters} />;
  return list === 'runs' ? <RunList filters={filters} /> : <Compared filters={filters} />;
}
