// What to tune of a model on a GPU, and what it is worth.
import type {FamilyWorth, Index, Worth, WorthGroup, WorthSums} from '../answers';
import {urls, type ModelPlan} from '../api';
import {Controls, Select, TextFilter} from '../components/controls';
import {DataTable, kPage, type Columns} from '../components/data_table';
import {pageOf, PageLinks} from '../components/page_links';
import {Empty, With} from '../components/states';
import {ViewHead} from '../components/view_head';
import {kExported} from '../exported/mode';
import {filtersOf, type Filters} from '../filters';
import {capitalized, count, micros, percent, plural, targetName, targetParts} from '../format';
import {kUsualTp, modelNames, targetOptions, tpOf, useIndex, useModels, withProducts} from '../known';
import {hrefOf} from '../location';
import {useResource} from '../resource';
import {Formula} from './tune_formula';
import {PlanButton} from './tune_plan';
import {basisText, costText, errorText, hours, keyOfText, kNeeds, knownText, openShapes, perToken, rangesText, shapeTitle, worthText} from './tune_words';

const kDefaults = {model: '', tp: '', target: '', product: '', family: '', state: '', sort: '', page: ''};
type TuneFilters = Filters<typeof kDefaults>;

// What tuning brought is a question only where something is tuned.
const noneOf = (it: WorthSums) => (it.shapes.slow > 0 ? 'not measured' : '\u2013');

function Bases({of}: {of: WorthGroup}) {
  if (of.bases.length === 0) return <>{openShapes(of) > 0 ? 'no basis' : '\u2013'}</>;
  return <>{of.bases.map((it) => <small key={it.basis + it.default}>{basisText(it)}. Time {errorText(it.tuned_error)}; worth {errorText(it.worth_error)}.</small>)}</>;
}

function Furthest({of: {family, roofline}, worth}: {of: WorthGroup; worth: Worth}) {
  if (!roofline) return <>{'\u2013'}</>;
  return (
    <>
      <a href={hrefOf('shape', {family, gfx: worth.gfx, cu_num: worth.cu_num, ...keyOfText(roofline.key)})}>{percent(roofline.share)}</a>
      <small>M {count(roofline.m)}, {roofline.bound}:</small><small>{micros(roofline.us)} us, not {micros(roofline.roofline_us)}</small>
    </>
  );
}

const columnsFor = (worth: Worth): Columns<WorthGroup> => (is) => [
  is.wide('Layer', (it) => <><strong>{it.layer}</strong> <small>{it.family}</small><small>{shapeTitle(it)}; {plural(it.layers, 'layer')}</small></>),
  is.text('M', (it) => rangesText(it.ranges).split('; ').map((line) => <small key={line}>{line}</small>)),
  is.number('Not tuned', (it) => count(openShapes(it)), {id: 'open'}),
  is.number('Missed', (it) => count(it.demand), {id: 'demand'}),
  is.number('Of the roofline', (it) => <Furthest of={it} worth={worth} />, {id: 'share'}),
  is.number('Lost, us', (it) => perToken(it.lost_us), {id: 'lost'}),
  is.number('Brought, us', (it) => (it.brought ? <>{perToken(it.brought.us)}<small>{plural(it.brought.shapes, 'shape')}</small></> : noneOf(it))),
  is.number('Worth, us', (it) => <>{openShapes(it) === 0 ? '\u2013' : worthText(it.worth)}{it.without_basis > 0 && it.worth && <small>{count(it.without_basis)} without basis</small>}</>, {id: 'worth'}),
  is.wide('Estimated on', (it) => <Bases of={it} />),
  is.number('GPU hours', (it) => hours(it.gpu_seconds), {id: 'cost'}),
];

function Families({of, filters}: {of: Worth; filters: TuneFilters}) {
  const chosen = filters.values.family;
  return (
    <DataTable
      caption="What to tune, by family"
      columns={(is) => [
        is.name('Family', (it) => <a href={filters.href({family: it.family === chosen ? '' : it.family})} aria-current={it.family === chosen ? 'true' : undefined}>{it.family}</a>),
        is.wide('What is known', knownText),
        ...kNeeds.map(({value, text}) => is.number(capitalized(text), (it) => count(it.shapes[value]))),
        is.number('Lost, us', (it) => perToken(it.lost_us)),
        is.number('Brought, us', (it) => (it.brought ? perToken(it.brought.us) : noneOf(it))),
        is.number('Worth, us', (it) => (openShapes(it) === 0 ? '\u2013' : worthText(it.worth))),
        is.number('GPU hours', (it) => hours(it.gpu_seconds)),
        is.wide('Hours by', (it) => (it.cost.jobs > 0 ? costText(it) : '\u2013')),
      ]}
      rows={of.families}
    />
  );
}

const kMaxM = 16_384;

function Buttons({of, filters}: {of: Worth; filters: TuneFilters}) {
  if (kExported) return <p class="notice">Jobs are planned on a server; this copy shows the state that it was made of.</p>;
  const plan = (family: FamilyWorth, purpose: ModelPlan['purpose']): ModelPlan => ({gfx: of.gfx, cu_num: of.cu_num, family: family.family, purpose, model: of.model, tp: of.tp, max_m: kMaxM});
  const open = of.families.filter((it) => openShapes(it) > 0 && it.tunable);
  const bare = of.families.filter((it) => it.to_measure > 0);
  const hoursOf = (name: string, shapes: number) => {
    const cost = of.families.find((it) => it.family === name)?.cost.seconds_per_shape;
    return hours(cost === undefined ? null : cost * shapes);
  };
  const {family} = filters.values;
  return (
    <div class="buttons">
      <PlanButton label={family ? `Plan ${family}` : 'Plan this cell'} plans={open.map((it) => plan(it, 'tune'))} hoursOf={hoursOf} />
      <PlanButton label={`Measure ${count(bare.reduce((sum, it) => sum + it.to_measure, 0))} baselines`} plans={bare.map((it) => plan(it, 'measure'))} hoursOf={() => 'no basis'} />
    </div>
  );
}

function Sum({of}: {of: Worth}) {
  const {totals} = of;
  const open = openShapes(totals);
  return (
    <dl class="facts">
      <dt>Tuning what is open</dt>
      <dd>{plural(open, 'shape')}</dd>
      <dt>is worth, estimated</dt>
      <dd class="figure">{open === 0 ? '\u2013' : worthText(totals.worth)} {totals.worth && <small>us a token{totals.without_basis > 0 && `; ${plural(totals.without_basis, 'shape')} without basis`}</small>}</dd>
      <dt>costs</dt>
      <dd class="figure">{hours(totals.gpu_seconds)} {totals.gpu_seconds !== null && <small>GPU hours</small>}</dd>
      <dt>Tuning brought, measured</dt>
      <dd>{totals.brought ? <>{perToken(totals.brought.us)} us a token, by {plural(totals.brought.shapes, 'shape')}</> : 'not measured'}</dd>
      <dt>Tuned shapes are above the roofline by</dt>
      <dd>{totals.lost_us === null ? (totals.shapes.slow > 0 ? 'no roofline' : 'nothing is tuned') : `${perToken(totals.lost_us)} us a token`}</dd>
    </dl>
  );
}

// Why there is no figure, and what would make one.
function Why({of}: {of: Worth}) {
  const {totals} = of;
  const target = withProducts(targetName(of));
  const without = of.families.filter((it) => openShapes(it) > 0 && !it.has_defaults).map((it) => it.family);
  const peaks = of.peaks.filter((it) => it.memory_gb_s !== undefined);
  return (
    <>
      {without.length > 0 && (
        <p class="notice">
          No default was ever measured on {of.gfx} of {without.join(', ')}: what tuning is worth there has no basis.
          Measure both sides: <code>tunehub-agent bench --before -i untuned.csv --family {without[0]} -o before.csv{!kExported && ` --hub ${location.origin}`}</code>
        </p>
      )}
      {totals.gpu_seconds === null && (
        <p class="notice">No job has ever finished here, so what tuning costs has no basis. How long a search takes depends on the device and on the candidates: the first jobs will tell.</p>
      )}
      {peaks.length === 0 && <p class="notice">No peak figures are known of {target}: there is no roofline, and no estimate that follows from it.</p>}
    </>
  );
}

function Found({of, filters}: {of: Worth; filters: TuneFilters}) {
  const {sort, state} = filters.values;
  if (of.families.length === 0) return <Empty><p>No family that {withProducts(targetName(of))} can run follows from this model's figures.</p></Empty>;
  const listed = filters.href({sort: 'share', state: 'slow'});
  return (
    <>
      <Sum of={of} />
      <Buttons of={of} filters={filters} />
      <Why of={of} />
      <Families of={of} filters={filters} />
      <section>
        <h2>Layer by layer</h2>
        {!kExported && <p><a href={listed}>Furthest from the roofline first</a></p>}
        <p class="legend">
          Microseconds per token, over all layers that make the product. Measured: lost, the tuned time above the roofline; brought, what tuning saved.
          Estimated: worth, what tuning the rest would save, with what that is based on and how wrong such estimates were where the answer is known.
        </p>
        {of.matching === 0 ? <Empty><p>No shape is {kNeeds.find((it) => it.value === state)?.text ?? 'asked for'}.</p></Empty> : (
          <>
            <DataTable caption="What to tune" columns={columnsFor(of)} rows={of.groups} sort={sort || '-worth'} onSort={kExported ? undefined : (it) => filters.set({sort: it})} />
            {!kExported && <PageLinks caption="Pages: What to tune" filters={filters} of={of.matching} shown={of.listed} />}
          </>
        )}
        <Formula of={of} />
      </section>
    </>
  );
}

function FilterBar({filters, index, models, target, model, families, products}: {filters: TuneFilters; index: Index | undefined; models: string[]; target: string; model: string; families: string[]; products: string[]}) {
  return (
    <Controls>
      <Select of={filters} name="model" label="Model" value={model} options={models} onChange={(it) => filters.set({model: it, family: ''})} />
      {kExported || <TextFilter of={filters} name="tp" label="TP" numeric placeholder={kUsualTp} />}
      <Select of={filters} name="target" label="Target" value={target} options={targetOptions(index)} onChange={(it) => filters.set({target: it, family: '', product: ''})} />
      {!kExported && products.length > 1 && <Select of={filters} name="product" label="Roofline of" options={[{value: '', text: 'the slower'}, ...products.map((it) => ({value: it, text: it}))]} />}
      {kExported || (
        <>
          <Select of={filters} name="family" label="Family" all options={families} />
          <Select of={filters} name="state" label="Shapes" options={[{value: '', text: 'all'}, ...kNeeds]} />
        </>
      )}
    </Controls>
  );
}

export function TuneView() {
  const filters = filtersOf('tune', kDefaults);
  const {values} = filters;
  const index = useIndex();
  const models = useModels();
  const names = modelNames(models.data), targets = targetOptions(index.data);
  const model = values.model || names[0] || '', target = values.target || targets[0]?.value || '';
  const {product, family, state, sort} = values;
  const asked = {model, tp: tpOf(values), ...targetParts(target)};
  const offset = (pageOf(filters) - 1) * kPage;
  const more = kExported ? {} : {product, family, state, sort, offset: offset || undefined};
  const all = useResource<Worth>(model && target && family ? urls.worth(asked) : null);
  const worth = useResource<Worth>(model && target ? urls.worth({...asked, ...more}) : null);
  const families = (all.data ?? worth.data)?.families.map((it) => it.family) ?? [];
  return (
    <>
      <ViewHead title="Tune" filters={filters}>What of a model is worth tuning on a GPU, what it would bring, and what it costs.</ViewHead>
      <FilterBar filters={filters} index={index.data} models={names} target={target} model={model} families={families} products={worth.data?.peaks.map((it) => it.product) ?? []} />
      <With of={worth} what="what to tune">{(it) => <Found of={it} filters={filters} />}</With>
    </>
  );
}
