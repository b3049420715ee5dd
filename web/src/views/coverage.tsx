// A model's coverage on a target, and its missing shapes.
import {useMemo, useState} from 'preact/hooks';
import type {Coverage, FamilyCoverage, ModelCoverage} from '../answers';
import {urls} from '../api';
import {Controls, Select, TextFilter} from '../components/controls';
import {DataTable} from '../components/data_table';
import {HeatTable} from '../components/heat_table';
import {Empty, Unknown, ViewHead, With} from '../components/view';
import {parseCsv, type CsvRecord} from '../csv';
import {kExported} from '../exported/mode';
import {filtersOf, hrefOf, type Filters} from '../location';
import {cellText, count, percent, targetParts} from '../format';
import {kUsualTp, productsOf, tpOf, useChoices, withProducts} from '../known';
import {useResource} from '../resource';
import {bucketText, heatRows, worstFirst} from './coverage_cells';

const kView = 'coverage';
const kOwn = {model: '', tp: '', ep: '', dp_attention: '', engine: '', target: '', device: '', family: ''};

type Query = Record<string, string>;

function Families({coverage, chosen, href}: {coverage: Coverage; chosen: string; href: (family: string) => string}) {
  return (
    <DataTable caption="Coverage by family" columns={(is) => [
      is.name('Family', (family) =>
        <a href={href(family.family)} aria-current={family.family === chosen ? 'true' : undefined}>{family.family}</a>),
      is.number('Covered', (family) => <strong>{percent(family.headline.covered, 1)}</strong>),
      is.number('By exact rows', (family) => percent(family.headline.exact, 1)),
      is.number('Shapes', (family) => count(family.totals.shapes)),
      is.number('Padded', (family) => count(family.totals.padded)),
      is.number('Baseline only', (family) => count(family.totals.baseline)),
      is.number('Unmeasured', (family) => count(family.totals.unmeasured)),
      is.number('Missing', (family) => count(family.totals.missing)),
      is.number('Misses seen', (family) => count(family.totals.demand)),
      is.number('Weighted by misses',
        (family) => (family.headline.covered_by_demand === null ? cellText('')
          : percent(family.headline.covered_by_demand, 1))),
    ]} rows={coverage.families} rowClass={(family) => (family.family === chosen ? 'won' : undefined)} />
  );
}

// The coverage of every model by one family: the numbers behind "Models covered" of the view Families.
function Models({family, query, model, href}: {family: string; query: Query; model: string;
    href: (model: string) => string}) {
  const {tp, gfx, cu_num} = query;
  const tables = useResource<ModelCoverage>(urls.modelCoverage({tp, family, gfx, cu_num}));
  const table = tables.data?.tables.find((table) => table.family === family && table.gfx === gfx);
  if (!table) return null;
  return (
    <section>
      <h2>{family} for every model: {table.covered} of {table.models.length} covered</h2>
      <DataTable caption={`Models on ${family}`} columns={(is) => [
        is.text('Model', (its) =>
          <a href={href(its.model)} aria-current={its.model === model ? 'true' : undefined}>{its.model}</a>),
        is.number('Covered', (its) => <strong>{percent(its.covered, 1)}</strong>),
        is.number('By exact rows', (its) => percent(its.exact, 1)),
        is.number('Shapes', (its) => count(its.shapes)),
        is.number('Not covered', (its) => count(its.missing)),
      ]} rows={table.models} rowClass={(its) => (its.model === model ? 'won' : undefined)} />
    </section>
  );
}

function Heat({of, hrefTo}: {of: FamilyCoverage; hrefTo: (key: Query) => string}) {
  return (
    <section>
      <h2>{of.family}: {of.m} by {of.columns.join(', ')}</h2>
      <p class="lead">
        Covered is the mean over these ranges of {of.m}. A cell says exact + padded / shapes; Enter or a click opens its
        largest shape.
      </p>
      <HeatTable caption={`Coverage of ${of.family}`} corner={`${of.columns.join(' \u00d7 ')} \\ ${of.m}`}
        columns={of.buckets.map(bucketText)} rows={heatRows(of, hrefTo)} />
      <p class="legend">
        <span><i class="level-4" />every shape has its own row</span>
        <span><i class="level-2" />all covered, some by padding</span>
        <span><i class="level-1" />some missing</span>
        <span><i class="missing" />all missing</span>
      </p>
    </section>
  );
}

// Parses the list only once, not on every click, because it may have thousands of lines.
function MissingList({of, body, hrefTo}: {of: FamilyCoverage; body: string; hrefTo: (key: Query) => string}) {
  const shape = [of.m, ...of.columns];
  const rows = useMemo(() => worstFirst(parseCsv(body), shape), [body, of]);
  const keyOf = (record: CsvRecord) => Object.fromEntries(shape.map((name) => [name, record[name] ?? '']));
  return (
    <DataTable caption="Missing shapes" columns={(is) => [
      ...shape.map((name) => is.number(name, (record) => record[name])),
      is.text('State', (record) => record['state']),
      is.number('Misses seen', (record) => record['demand']),
      is.text('What runs', (record) => record['step']),
      is.text('Shape', (record) => <a href={hrefTo(keyOf(record))}>open</a>, {by: () => ''}),
    ]} rows={rows} />
  );
}

function Missing({of, query, hrefTo}: {of: FamilyCoverage; query: Query; hrefTo: (key: Query) => string}) {
  const {missing, baseline, unmeasured} = of.totals;
  const others =
    [baseline > 0 && `${count(baseline)} baseline only`,
      unmeasured > 0 && `${count(unmeasured)} unmeasured`].filter(Boolean);
  const open = missing + baseline + unmeasured;
  const path = urls.coverage({...query, family: of.family, format: 'csv', state: 'missing,baseline,unmeasured'});
  const csv = useResource<string>(open > 0 ? path : null);
  return (
    <section>
      <h2>Missing shapes ({[count(missing), ...others].join(', and ')})</h2>
      {open === 0 ? <Empty><p>Every shape finds a tuned row.</p></Empty> : (
        <>
          <p class="legend">What was missed most comes first, then the largest.</p>
          <With of={csv} what="the missing shapes">
            {(body) =>
              <>
                {!query['config'] &&
                  <p>
                    <a class="button" href={kExported ? `data:text/csv,${encodeURIComponent(body)}` : path}
                      download={`missing-${of.family}.csv`}>Download as CSV</a>
                  </p>}
                <MissingList of={of} body={body} hrefTo={hrefTo} />
              </>}
          </With>
        </>
      )}
    </section>
  );
}

export const NoTable = ({of, target}: {of: Coverage; target: string}) => (
  <Empty>
    <p>{of.engine ?? 'No engine'} reads no table for this model as it is stored, on {withProducts(target)}.</p>
  </Empty>
);

function Chosen({of, query}: {of: FamilyCoverage; query: Query}) {
  const hrefTo = (key: Query) =>
    hrefOf('shape', {family: of.family, gfx: query['gfx'], cu_num: query['cu_num'], ...key});
  return (
    <>
      <Heat of={of} hrefTo={hrefTo} />
      <Missing of={of} query={query} hrefTo={hrefTo} />
    </>
  );
}

const Findings = ({of: {findings, unread}}: {of: Coverage}) => (
  <>
    {findings.map(({detail, refused}) =>
      <p key={detail} class="notice">{refused && <strong>An engine would not start: </strong>}{detail}.</p>)}
    {unread.length > 0 &&
      <p class="legend">Read by no table: {unread.map(({layer, stored}) => `${layer} (${stored})`).join(', ')}.</p>}
  </>
);

interface ServerProps {
  filters: Filters<typeof kOwn>;
  devices: string[];
  onConfig: (config: string) => void;
}

// Controls that an export lacks, because it cannot store an answer for each choice.
function OnServer({filters, devices, onConfig}: ServerProps) {
  const {engine, device} = filters.values;
  return (
    <>
      <Select of={filters} name="engine" label="Engine" value={engine || 'vllm'} options={['vllm', 'sglang', 'any']}
        onChange={(name) => filters.set({engine: name, family: ''})} />
      {(devices.length > 1 || device) &&
        <Select of={filters} name="device" label="Device" value={device || devices[0]} options={devices} />}
      <TextFilter of={filters} name="ep" label="EP" numeric placeholder="1" />
      <TextFilter of={filters} name="dp_attention" label="DP attention" numeric placeholder="1" />
      <div class="control">
        <label for="pasted">A config.json instead of the model</label>
        <textarea id="pasted" rows={1} onChange={({currentTarget: input}) => onConfig(input.value)} />
      </div>
    </>
  );
}

export function CoverageView() {
  const filters = filtersOf(kView, kOwn);
  const {values} = filters;
  const [config, setConfig] = useState('');  // pasted text, too long for the address
  const {models, index, names, targets, model, target} = useChoices(values);
  const known = config || names.includes(model);
  const {ep, dp_attention, engine, device} = values;
  const devices = productsOf(index.data, target);
  const query = {model: config ? '' : model, tp: tpOf(values), ep, dp_attention, engine, device, ...targetParts(target),
    config};
  const coverage = useResource<Coverage>(known && target ? urls.coverage(query) : null);
  const families = coverage.data?.families ?? [];
  // Without a choice, it is the first family with a tuned row.
  const chosen = values.family || (families.find((family) => family.headline.covered > 0) ?? families[0])?.family || '';
  const family = families.find((family) => family.family === chosen);
  return (
    <>
      <ViewHead title="Coverage" filters={filters}>
        What serving a model asks for, against what a lookup would
        find.{model && target && !config && <> <a href={hrefOf('trends', {model, target})}>Over time</a></>}
      </ViewHead>
      <With of={models} what="the models">
        {() =>
          <>
            <Controls>
              <Select of={filters} name="model" label="Model" value={model} options={names} />
              <TextFilter of={filters} name="tp" label="TP" numeric placeholder={kUsualTp} />
              <Select of={filters} name="target" label="Target" value={target} options={targets}
                onChange={(name) => filters.set({target: name, device: '', family: ''})} />
              <Select of={filters} name="family" label="Family" value={chosen}
                options={families.map((family) => family.family)} />
              {kExported || <OnServer filters={filters} devices={devices} onConfig={setConfig} />}
            </Controls>
            {model !== '' && !known &&
              <Unknown what="model" name={model}
                choices={names.map((name) => ({text: name, href: filters.href({model: name})}))} />}
          </>}
      </With>
      {known && target !== '' &&
        <With of={coverage} what="the coverage">
          {(coverage) =>
            <>
              <Findings of={coverage} />
              {coverage.families.length === 0 ? (
                <NoTable of={coverage} target={target} />
              ) : (
                <>
                  {!config &&
                    <p>
                      <a class="button" href={hrefOf('tune', {model, tp: values.tp, target})}>What to tune next</a>
                    </p>}
                  <Families coverage={coverage} chosen={chosen} href={(name) => filters.href({family: name})} />
                  {family ? <Chosen of={family} query={query} /> : (
                    <Unknown what="family" name={`${chosen}" among those of ${model} on "${target}`}
                      choices={families.map((one) => ({text: one.family, href: filters.href({family: one.family})}))} />
                  )}
                  {!ep && !dp_attention && !device &&
                    <Models family={chosen} query={query} model={model} href={(name) => filters.href({model: name})} />}
                </>
              )}
            </>}
        </With>}
      {index.data && targets.length === 0 && <Empty><p>The registry is empty: there is no target to cover.</p></Empty>}
    </>
  );
}
