// The shapes of a model that are not tuned, worst first, the GPU hours to tune them, and buttons that plan jobs.
import type {Job} from '../answers';
import {urls, type ModelPlan} from '../api';
import {Controls, Select, TextFilter} from '../components/controls';
import {DataTable} from '../components/data_table';
import {Empty, With} from '../components/view';
import type {Context} from '../context';
import {costOf, costText, guessText, hours, secondsFor, type Cost} from '../cost';
import {kExported} from '../exported/mode';
import {count, micros, plural} from '../format';
import {useFamilies} from '../known';
import {filtersOf, hrefOf} from '../location';
import {mOf, useModelMap, type ModelMap} from '../model_map';
import {useResource} from '../resource';
import {NoTable} from './map';
import {bucketsOf, isIn, shapeQuery} from './map_words';
import type {TabProps} from './model';
import {PlanButton} from './plan_button';
import {tuneRows, type TuneRow} from './tune_rows';

const kMaxM = 16_384;  // the largest M of the map
const kJobs = 100;  // the page estimates hours from this many newest jobs

// Each shape of the chosen layers that is not tuned, as a link to its page.
const Shapes = ({of, map, rows}: {of: Context; map: ModelMap; rows: TuneRow[]}) => (
  <section>
    <h2>Shapes that are not tuned</h2>
    <DataTable caption="Shapes that are not tuned" fixed columns={(is) => [
      is.name('Layer', ({row}) => <>{row.layers.join(', ')}<small>{row.family}</small></>),
      is.name('Range', ({range}) => range.text),
      is.number('Shapes', ({cells}) => count(cells.length)),
      is.wide('M', ({row, cells}) => cells.map((i) =>
        <><a key={i} href={hrefOf('shape', shapeQuery(map, row.first, i, of.parts))}>{count(mOf(map, row.first, i))}</a> </>)),
    ]} rows={rows.flatMap((row) => bucketsOf(map).flatMap((range) => {
      const cells = row.cells.filter((i) => isIn(range, mOf(map, row.first, i)));
      return cells.length > 0 ? [{row, range, cells}] : [];
    }))} />
  </section>
);

type CostBy = (family: string) => Cost | null;

function List({rows, costBy}: {rows: TuneRow[]; costBy: CostBy}) {
  const missed = rows.some(({misses}) => misses > 0);
  return (
    <>
      <p class="legend">
        {missed ? 'Order: time weighted by misses, then mean time. ' : 'Order: mean time. '}
        Mean time: of a forward pass, over the ranges of M from one power of two to the next. An M that is not tuned has
        its default's measured time, or else its roofline, the least time. A tuned M counts as 0.
      </p>
      <DataTable caption="What to tune" columns={(is) => [
        is.wide('Layer', (row) =>
          <>
            <a href={hrefOf('model', {tab: 'tune', layer: row.layers[0], family: row.family})}>{row.layers.join(', ')}</a>
            <small>{row.family}, {row.shape}{row.other && '; another table for the same layer'}</small>
          </>),
        is.number('Shapes', (row) => count(row.open)),
        is.number('Missing', (row) => count(row.missing)),
        is.number('Misses', (row) => count(row.misses)),
        is.number('Mean time, us a pass', (row) => micros(row.us)),
        ...(kExported ? [] :
          [is.number('GPU hours', (row) => hours(secondsFor(costBy(row.family), row.open)), {by: (row) => row.open})]),
        is.wide('M not tuned', (row) => row.ranges),
      ]} rows={rows} />
    </>
  );
}

function Buttons({of, map, rows, costBy}: {of: Context; map: ModelMap; rows: TuneRow[]; costBy: CostBy}) {
  const families = useFamilies().data?.families ?? [], tables = [...new Set(rows.map(({family}) => family))];
  if (kExported) return <p class="notice">This is a static export. Plan jobs on a server.</p>;
  const plansOf = (purpose: ModelPlan['purpose'], names: string[]): ModelPlan[] => [...new Set(names)]
    .filter((name) => families.find((family) => family.name === name)?.columns.some(({role}) => role === 'objective'))
    .map((family) => ({gfx: of.parts.gfx, cu_num: Number(of.parts.cu_num), family, purpose, model: of.values.model,
      tp: Number(of.values.tp), max_m: kMaxM}));
  return (
    <div class="buttons">
      <PlanButton label={tables.length === 1 ? `Plan ${tables[0]}` : 'Plan all tables'} plans={plansOf('tune', tables)}
        hoursOf={(family, shapes) => hours(secondsFor(costBy(family), shapes))} />
      <PlanButton label="Measure defaults" plans={plansOf('verify', map.layers.map(({family}) => family))}
        hoursOf={() => hours(null)} />
    </div>
  );
}

function Found({of, map, jobs}: {of: Context; map: ModelMap; jobs: Job[] | undefined}) {
  const filters = filtersOf('model', {tab: '', layer: '', family: ''});
  const {layer, family} = filters.values;
  const costBy: CostBy = (family) => costOf(jobs ?? [], of.parts.gfx, family);
  const all = tuneRows(map);
  const rows = all.filter((row) => (!family || row.family === family) &&
    row.layers.some((name) => name.toLowerCase().includes(layer.toLowerCase())));
  const counted = rows.filter(({other}) => !other), open = counted.reduce((sum, row) => sum + row.open, 0);
  const seconds = counted.map((row) => secondsFor(costBy(row.family), row.open));
  const total = seconds.some((it) => it === null) ? null : seconds.reduce<number>((sum, it) => sum + (it ?? 0), 0);
  const [worst] = rows;
  if (all.length === 0) return <Empty><p>Every shape of this model finds a tuned row.</p></Empty>;
  return (
    <>
      <p class="answer">
        {worst ? <>Tune {worst.layers.join(', ')} first: {plural(worst.open, 'shape')}, M {worst.ranges}{worst.us > 0 && <>, {micros(worst.us)} us a pass on average</>}</>
          : 'No row has these words.'}
      </p>
      <p class="lead">
        {plural(open, 'shape')} not tuned.{' '}
        {jobs && <>GPU hours to tune them: <strong>{hours(total)}</strong> ({costText(costOf(jobs, of.parts.gfx, family))}).
          {total === null && ` ${guessText(open)}`}</>}
      </p>
      <Controls>
        <TextFilter of={filters} name="layer" label="Layer contains" atHand />
        <Select of={filters} name="family" label="Family" all options={[...new Set(all.map(({family}) => family))]} />
      </Controls>
      <Buttons of={of} map={map} rows={rows} costBy={costBy} />
      <List rows={rows} costBy={costBy} />
      {layer && rows.length > 0 && <Shapes of={of} map={map} rows={rows} />}
    </>
  );
}

export function TuneTab({of}: TabProps) {
  const map = useModelMap(of);
  const jobs =
    useResource<{jobs: Job[]}>(kExported ? null : urls.jobs({state: 'done', gfx: of.parts.gfx, limit: kJobs}));
  return (
    <With of={map} what="the untuned shapes">
      {(map) =>
        (map.layers.length > 0 ? <Found of={of} map={map} jobs={jobs.data?.jobs} /> : <NoTable />)}
    </With>
  );
}
