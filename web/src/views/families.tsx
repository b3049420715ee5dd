// Tuned rows by target and family.
import type {Index, ModelCoverage, SpeedupPart, Speedups, UnlistedTable} from '../answers';
import {urls} from '../api';
import {Controls, TextFilter} from '../components/controls';
import {DataTable, Head, stateOf} from '../components/data_table';
import {slugOf, sortingOf, type Value} from '../components/table_rows';
import {Empty, ViewHead, With} from '../components/view';
import {kExported} from '../exported/mode';
import {age, cellText, count, plural, targetName, targetParts, times} from '../format';
import {kUsualTp, tpOf, useIndex} from '../known';
import {carriedTp, filtersOf, go, hrefOf} from '../location';
import {now, said, useResource} from '../resource';
import {flat, pairsOf, type Pair, type TargetGroup} from './overview_cells';

const kUnlisted = 'unlisted';  // the family whose rows are the lines of unlisted tables
const kCaption = 'Tuned keys by target and family';

type CoverageTable = ModelCoverage['tables'][number];
type By = (pair: Pair, coverage: CoverageTable | undefined, speedup: SpeedupPart | undefined) => Value;

const kHeads: {title: string; number?: boolean; by?: By}[] = [
  {title: 'Target', by: (pair) => pair.target},
  {title: 'Family', by: (pair) => pair.family},
  {title: 'Tuned keys', number: true, by: (pair) => pair.tuned},
  {title: 'Baseline', number: true, by: (pair) => pair.baselines},
  {title: 'Unmeasured', number: true, by: (pair) => pair.unmeasured},
  {title: 'Models covered', number: true, by: (_, table) => table && table.covered / table.models.length},
  {title: 'Over default', number: true,
    by: (_, __, part) => part?.tuned_over_default.keys ? part.tuned_over_default.geometric_mean : null},
  {title: 'Last revision', number: true, by: (pair) => pair.revision || ''},
  {title: 'Changed', by: (pair) => pair.changed},
  {title: 'Table'},
];

const speedupsOf = (target: string) => urls.speedups(targetParts(target));
const speedupOf = (speedups: Speedups | undefined, pair: Pair) =>
  speedups?.by.family.find((part) => part.name === pair.family);
const ofPair = (tables: ModelCoverage | undefined, pair: Pair) =>
  tables?.tables.find((table) => table.family === pair.family && targetName(table) === pair.target);

// Requests speed-ups only for a target with a measured default: few targets have one.
function Group({group, measured, coverage, tp}: {group: TargetGroup; measured: boolean;
    coverage: ModelCoverage | undefined; tp: string}) {
  const {target, products, pairs} = group;
  const speedups = useResource<Speedups>(measured ? speedupsOf(target) : null);
  const cellsOf = (pair: Pair) => {
    const {family, tuned, baselines, unmeasured, revision, pin, changed} = pair;
    const over = speedupOf(speedups.data, pair)?.tuned_over_default;
    const its = ofPair(coverage, pair);
    // Links to the model with the lowest coverage.
    const least = its?.models.reduce((a, b) => (b.covered < a.covered ? b : a));
    const models = its && least &&
      <a href={hrefOf('coverage', {target, family, model: least.model, tp})}>{its.covered} of {its.models.length}</a>;
    const file = `${family}-${target.replace(':', '-')}.csv`;
    return (
      <>
        <th scope="row"><a href={hrefOf('results', {family, target})}>{family}</a></th>
        <td class="number">{count(tuned)}</td>
        <td class={baselines > 0 ? 'number warn' : 'number faint'}>{count(baselines)}</td>
        <td class={unmeasured > 0 ? 'number warn' : 'number faint'}>{count(unmeasured)}</td>
        <td class="number">{models ?? cellText('')}</td>
        <td class="number">
          {over?.keys
            ? <a href={hrefOf('speedups', {target, family})}>{times(over.geometric_mean)} ({count(over.keys)})</a>
            : cellText('')}
        </td>
        <td class="number">
          {pin && !kExported
            ? <a href={urls.table(family, {...targetParts(target), revision: pin})}
              title="the table as of it, by its pin">{revision}</a> : cellText(revision || '')}
        </td>
        <td class="time">{changed ? age(changed, now.value) : cellText('')}</td>
        <td><a href={urls.table(family, targetParts(target))} download={file}>CSV</a></td>
      </>
    );
  };
  return (
    <tbody>
      {pairs.map((pair, i) =>
        <tr key={pair.family}>
          {i === 0 &&
            <th scope="rowgroup" rowSpan={pairs.length} class="group">
              {products || target}
              {products && <small>{target}</small>}
              <small><a href={hrefOf('coverage', {target, tp: carriedTp()})}>coverage</a></small>
            </th>}
          {cellsOf(pair)}
        </tr>)}
    </tbody>
  );
}

function Tuned({index, tp}: {index: Index; tp: string}) {
  const speedups = useResource<Speedups>(urls.speedups({}));
  const coverage = useResource<ModelCoverage>(urls.modelCoverage({tp}), 60_000);
  const state = stateOf(kCaption);
  const {by, falling} = sortingOf(state.sort);
  const chosen = kHeads.find((head) => slugOf(head.title) === by);
  const grouped = pairsOf(index);
  const isMeasured = (target: string) =>
    speedups.data?.by.target.some((part) => part.name === target && part.tuned_over_default.keys > 0) === true;
  const valueOf = (pair: Pair) =>
    chosen?.by?.(pair, ofPair(coverage.data, pair),
      isMeasured(pair.target) ? speedupOf(said(speedupsOf(pair.target)), pair) : undefined);
  const groups = chosen?.by ? flat(grouped, valueOf, chosen.number === true, falling) : grouped;
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
    <>
      <div class="scroll" role="region" aria-label={kCaption} tabIndex={0}>
        <table class="data grouped">
          <caption class="hidden">{kCaption}</caption>
          <thead>
            <tr>
              {kHeads.map(({title, number, by: sorts}) =>
                <Head key={title} title={title} numeric={number} id={sorts && slugOf(title)} now={{by, falling}}
                  onSort={(sort) => go(state.href({sort}))} />)}
            </tr>
          </thead>
          {groups.map((group) =>
            <Group key={group.target + (chosen ? group.pairs[0]?.family : '')} group={group}
              measured={isMeasured(group.target)} coverage={coverage.data} tp={tp} />)}
        </table>
      </div>
      <p class="legend">
        Baseline: only the default was measured.
        Models covered: how many known models, split over {plural(Number(tp), 'GPU')}, find a tuned row for every shape.
        Over default: geometric mean where the default was measured too.
      </p>
    </>
  );
}

function Unlisted({tables}: {tables: UnlistedTable[]}) {
  return (
    <section>
      <h2>Unlisted tables</h2>
      <p>
        No family file describes these tables of imported trees. The hub keeps them line by line; lookups find exact
        keys only.
      </p>
      <DataTable caption="Unlisted tables" rows={tables} columns={(is) => [
        is.name('Table', (table) =>
          kExported ? table.table : <a href={urls.table(table.table, {})}>{table.table}</a>,
          {by: (table) => table.table}),
        is.wide('File', (table) => `aiter/configs/${table.path}`),
        is.number('Rows', (table) => table.rows),
        is.text('One best row per key', (table) =>
          table.competes ? 'yes' : 'no: it has no untuned table to name its key'),
      ]} />
    </section>
  );
}

function Tables({index, tp}: {index: Index; tp: string}) {
  const described = {...index, families: index.families.filter((family) => family.family !== kUnlisted)};
  return (
    <>
      <Tuned index={described} tp={tp} />
      {index.unlisted.length > 0 && <Unlisted tables={index.unlisted} />}
    </>
  );
}

export function FamiliesView() {
  const filters = filtersOf('families', {tp: ''});
  const index = useIndex(15_000);
  return (
    <>
      <ViewHead title="Families" filters={filters}>
        The tuned keys of every target and family, and whom they serve.
      </ViewHead>
      <Controls><TextFilter of={filters} name="tp" label="TP" numeric placeholder={kUsualTp} /></Controls>
      <With of={index} what="the tables">{(index) => <Tables index={index} tp={tpOf(filters.values)} />}</With>
    </>
  );
}
