// How much of what serving a model asks for is tuned, and what is not.
import {urls, type Coverage, type FamilyCoverage, type Index} from '../api';
import {Select, TextFilter} from '../components/controls';
import {DataTable, type TableColumn} from '../components/data_table';
import {HeatTable} from '../components/heat_table';
import {Empty, Unknown, UnknownFilters, With} from '../components/states';
import {ViewHead} from '../components/view_head';
import {parseCsv, type CsvRecord} from '../csv';
import {filtersOf} from '../filters';
import {count, percent, targetParts} from '../format';
import {hrefOf} from '../location';
import {useResource} from '../resource';
import {bucketText, heatRows} from './coverage_cells';
import {targetsOf} from './overview_rows';

const kView = 'coverage';
const kDefaults = {model: '', tp: '', target: '', family: ''};

function Families({coverage, chosen, href}: {coverage: Coverage; chosen: string; href: (family: string) => string}) {
  const columns: TableColumn<FamilyCoverage>[] = [
    {id: 'family', title: 'Family', cell: (it) => <a href={href(it.family)} aria-current={it.family === chosen ? 'true' : undefined}>{it.family}</a>},
    {id: 'covered', title: 'Covered', numeric: true, cell: (it) => <strong>{percent(it.headline.covered, 1)}</strong>},
    {id: 'exact', title: 'By exact rows', numeric: true, cell: (it) => percent(it.headline.exact, 1)},
    {id: 'shapes', title: 'Shapes', numeric: true, cell: (it) => count(it.totals.shapes)},
    {id: 'padded', title: 'Padded', numeric: true, cell: (it) => count(it.totals.padded)},
    {id: 'unmeasured', title: 'Unmeasured', numeric: true, cell: (it) => count(it.totals.unmeasured)},
    {id: 'missing', title: 'Missing', numeric: true, cell: (it) => count(it.totals.missing)},
    {id: 'demand', title: 'Misses seen', numeric: true, cell: (it) => count(it.totals.demand)},
  ];
  return (
    <DataTable caption="Coverage by family" hideCaption columns={columns} rows={coverage.families} keyOf={(it) => it.family}
      rowClass={(it) => (it.family === chosen ? 'won' : undefined)} />
  );
}

function Heat({of, gfx, cu_num}: {of: FamilyCoverage; gfx: string; cu_num: string}) {
  return (
    <section>
      <h2>{of.family}: {of.m} by {of.columns.join(', ')}</h2>
      <p class="lead">
        {percent(of.headline.covered, 1)} of the buckets of {of.m} are covered, {percent(of.headline.exact, 1)} by exact rows
        {of.headline.weighted_by === 'demand' ? ', weighted by what was missed.' : '.'} A cell says exact + padded / shapes;
        Enter or a click opens its largest shape.
      </p>
      <HeatTable
        caption={`Coverage of ${of.family}`}
        corner={`${of.columns.join(' \u00d7 ')} \\ ${of.m}`}
        columns={of.buckets.map(bucketText)}
        rows={heatRows(of, (key) => hrefOf('shape', {family: of.family, gfx, cu_num, ...key}))}
      />
      <p class="legend">
        <span><i class="level-4" />every shape has its own row</span>
        <span><i class="level-2" />all covered, some by padding</span>
        <span><i class="level-1" />some missing</span>
        <span><i class="missing" />all missing</span>
      </p>
    </section>
  );
}

function Missing({of, query}: {of: FamilyCoverage; query: Record<string, string>}) {
  const path = urls.coverage({...query, family: of.family, format: 'csv', state: 'missing,unmeasured'});
  const csv = useResource<string>(of.totals.missing + of.totals.unmeasured > 0 ? path : null);
  const heading = <h2>Missing shapes ({count(of.totals.missing)}{of.totals.unmeasured > 0 && `, and ${count(of.totals.unmeasured)} unmeasured`})</h2>;
  if (of.totals.missing + of.totals.unmeasured === 0) {
    return <section>{heading}<Empty><p>Every shape finds a measured row.</p></Empty></section>;
  }
  return (
    <section>
      {heading}
      <p><a class="button" href={path} download={`missing-${of.family}.csv`}>Download as CSV</a></p>
      <With of={csv} what="the missing shapes">
        {(text) => {
          const rows = typeof text === 'string' ? parseCsv(text) : [];
          const shape = [of.m, ...of.columns];
          const columns: TableColumn<CsvRecord>[] = [
            ...shape.map((name) => ({id: name, title: name, numeric: true, cell: (it: CsvRecord) => it[name] ?? ''})),
            {id: 'state', title: 'State', cell: (it) => it['state']},
            {id: 'demand', title: 'Misses seen', numeric: true, cell: (it) => it['demand']},
            {id: 'step', title: 'What runs', cell: (it) => it['step']},
            {id: 'why', title: 'Shape', cell: (it) => <a href={hrefOf('shape', {family: of.family, gfx: query['gfx'], cu_num: query['cu_num'], ...Object.fromEntries(shape.map((name) => [name, it[name] ?? '']))})}>open</a>},
          ];
          return <DataTable caption="Missing shapes" hideCaption columns={columns} rows={rows} keyOf={(it) => shape.map((name) => it[name]).join(' ')} />;
        }}
      </With>
    </section>
  );
}

export function CoverageView() {
  const filters = filtersOf(kView, kDefaults);
  const {values} = filters;
  const models = useResource<{models: {model: string}[]}>(urls.models());
  const index = useResource<Index>(urls.index());
  const names = models.data?.models.map((it) => it.model) ?? [];
  const targets = index.data ? targetsOf(index.data) : [];
  const model = values.model || names[0] || '', target = values.target || targets[0] || '';
  const known = names.includes(model);
  const query = {model, tp: values.tp || '1', ...targetParts(target)};
  const coverage = useResource<Coverage>(known && target ? urls.coverage(query) : null);
  const chosen = values.family || coverage.data?.families[0]?.family || '';
  const family = coverage.data?.families.find((it) => it.family === chosen);
  return (
    <>
      <ViewHead title="Coverage">What serving a model asks for, against what a lookup would find.</ViewHead>
      <UnknownFilters names={filters.unknown} known={Object.keys(kDefaults)} href={filters.href({})} />
      <With of={models} what="the models">
        {() => (
          <>
            <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
              <Select label="Model" value={model} options={names.map((it) => ({value: it, text: it}))} onChange={(it) => filters.set({model: it})} />
              <TextFilter label="TP" numeric value={values.tp} placeholder="1" onChange={(tp, how) => filters.set({tp}, how)} />
              <Select label="Target" value={target} options={targets.map((it) => ({value: it, text: it}))} onChange={(it) => filters.set({target: it, family: ''})} />
              <Select label="Family" value={chosen} options={(coverage.data?.families ?? []).map((it) => ({value: it.family, text: it.family}))} onChange={(it) => filters.set({family: it})} />
            </form>
            {model !== '' && !known && <Unknown what="model" name={model} choices={names.map((it) => ({text: it, href: filters.href({model: it})}))} />}
          </>
        )}
      </With>
      {known && target !== '' && (
        <With of={coverage} what="the coverage">
          {(it) =>
            it.families.length === 0 ? (
              <Empty><p>No family with rows of {target} follows from this model's figures.</p></Empty>
            ) : (
              <>
                <Families coverage={it} chosen={chosen} href={(name) => filters.href({family: name})} />
                {family ? (
                  <>
                    <Heat of={family} gfx={query.gfx} cu_num={query.cu_num} />
                    <Missing of={family} query={query} />
                  </>
                ) : (
                  <Unknown what="family" name={`${chosen}" among those of ${model} on "${target}`} choices={it.families.map((one) => ({text: one.family, href: filters.href({family: one.family})}))} />
                )}
              </>
            )
          }
        </With>
      )}
      {index.data && targets.length === 0 && <Empty><p>The registry is empty: there is no target to cover.</p></Empty>}
    </>
  );
}
