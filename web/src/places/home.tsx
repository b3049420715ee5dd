// The start page: the coverage of models on products, what is missing most, and what became slower.
import type {Differences, Job, Overview} from '../answers';
import {urls} from '../api';
import {Check, Select} from '../components/controls';
import {DataTable} from '../components/data_table';
import {Figures, type Figure} from '../components/figures';
import {Unknown, ViewHead, With} from '../components/view';
import {costOf, guessText, hours, secondsFor} from '../cost';
import {kExported} from '../exported/mode';
import {count, percent, plural} from '../format';
import {engineText, kOffered, kUsualEngine, kUsualTp} from '../known';
import {filtersOf, hrefOf} from '../location';
import {useResource} from '../resource';
import {againText, byColumn, columnsOf, courseOf, largestGaps, monthNote, openIn, placesOf, slowerPlaces, type Place} from './home_cells';
import {hrefOfPlace, Matrix, MatrixLegend, type HomeFilters} from './home_matrix';
import {NoRows} from './home_steps';

const kEvery = 30_000, kJobs = 500, kGaps = 8, kSlower = 12;

// By column, because an architecture's pace says nothing about another one.
function hoursFigure(of: Overview, places: Place[], jobs: Job[] | undefined): Figure {
  const name = 'GPU hours to close';
  if (!jobs) return {name, value: '\u2026'};
  const columns = byColumn(places).map(([column, its]) => {
    const open = openIn(its);
    return {column, open, first: largestGaps(its, 1)[0], seconds: secondsFor(costOf(jobs, column.gfx), open)};
  });
  const untimed = columns.filter(({seconds}) => seconds === null), sum = columns.reduce((all, {seconds}) => all + (seconds ?? 0), 0);
  const all = sum === 0 ? '0' : `at most ${hours(sum)}`;
  return {
    name, value: untimed.length === 0 ? all : untimed.length < columns.length ? 'partly measured' : 'not measured yet',
    note: <>
      {columns.map(({column, first, seconds}) =>
        <div key={column.name}>
          {column.name}: {seconds !== null ? hours(seconds) : <>no pace yet, <a href={hrefOfPlace(first!, of, 'tune')}>plan a job</a></>}
        </div>)}
      <div class="detail">
        {untimed.length === 0 ? 'at the pace of finished jobs' : guessText(untimed.reduce((all, {open}) => all + open, 0))}
      </div>
    </>,
  };
}

function figuresOf(of: Overview, places: Place[], jobs: Job[] | undefined): Figure[] {
  const course = courseOf(places), all = places.length;
  return [
    {name: `Covered now in ${engineText(of.engine)}, mean of ${plural(all, 'cell')}`, value: percent(course.now), note: monthNote(course, all, of)},
    {name: 'Open shapes, summed over models', value: count(openIn(places)),
      note: byColumn(places).map(([{name}, its]) => <div key={name} class="detail">{name}: {count(openIn(its))}</div>)},
    ...(kExported ? [] : [hoursFigure(of, places, jobs)]),
  ];
}

function Gaps({of, places, jobs}: {of: Overview; places: Place[]; jobs: Job[] | undefined}) {
  const gaps = largestGaps(places, kGaps), missed = places.some(({cell}) => cell.untuned_flops_missed > 0);
  if (gaps.length === 0) return null;
  const detail = ({column, cell}: Place) => {
    const open = cell.shapes - cell.found, seconds = secondsFor(costOf(jobs ?? [], column.gfx), open);
    return [plural(open, 'open shape'), missed && plural(cell.demand, 'miss', 'misses'),
      seconds !== null && `${hours(seconds)} GPU hours`].filter(Boolean).join(', ');
  };
  return (
    <section>
      <h2>Largest gaps</h2>
      <p class="lead">
        {missed ? 'Order: untuned GFLOP a token, times (misses of its shapes + 1).'
          : 'Order: untuned GFLOP a token. Nobody has sent misses of these models yet.'}
      </p>
      <DataTable caption="Largest gaps" fixed columns={(is) => [
        is.name('What to tune', (gap) => [
          <a href={hrefOfPlace(gap, of, 'tune')}>{gap.model.title} on {gap.column.name}</a>, <small>{detail(gap)}</small>]),
        is.number('Covered', ({cell}) => percent(cell.covered)),
        is.number('Untuned GFLOP a token', ({cell}) => (cell.untuned_flops / 1e9).toFixed(1)),
      ]} rows={gaps} />
    </section>
  );
}

function Slower({of, places}: {of: Overview; places: Place[]}) {
  if (kExported) return null;
  const slower = slowerPlaces(places), from = `${of.days}d`;
  const since = useResource<Differences>(urls.differences({from, to: 'now', limit: 0})).data;
  return (
    <section>
      <h2>Slower this week</h2>
      <p>{since ? againText(since, of.days, slower.length > 0) : '\u00a0'}</p>
      <ul class="choices">
        {slower.slice(0, kSlower).map(({model, column, cell}) =>
          <li key={model.model + column.target}>
            <a href={hrefOf('changes', {model: model.model, device: column.device, tp: of.tp, kind: 'slower', from})}>
              {model.title} on {column.name}
            </a> {plural(cell.slower, 'shape')}
          </li>)}
        <li><a href={hrefOf('changes', {from, scope: 'all'})}>All changes since {of.days} days ago</a></li>
      </ul>
    </section>
  );
}

function Known({of, engine, filters}: {of: Overview; engine: string; filters: HomeFilters}) {
  const {worst, others, device} = filters.values;
  const jobs = useResource<{jobs: Job[]}>(kExported ? null : urls.jobs({state: 'done', limit: kJobs}), kEvery).data?.jobs;
  const all = columnsOf(of, true, device), usual = columnsOf(of, false, device), columns = others ? all : usual;
  const places = placesOf(of, usual);
  return (
    <>
      <Figures of={figuresOf(of, places, jobs)} />
      {worst && !all.some(({name}) => name === worst) && <Unknown what="device" name={worst}
        choices={all.map(({name}) => ({text: name, href: filters.href({worst: name})}))} />}
      <div class="home">
        <section>
          <div class="home-head">
            <h2>{engineText(of.engine)} at TP {of.tp}: models on devices</h2>
            {!kExported && <Select of={filters} name="engine" label="Engine" value={engine} options={kOffered} />}
            {usual.length < all.length && <Check label="Other devices, too" checked={others !== ''}
              onChange={(checked) => filters.set({others: checked ? '1' : ''})} />}
          </div>
          <MatrixLegend of={of} />
          <Matrix of={of} columns={columns} filters={filters} />
        </section>
        <div>
          <Gaps of={of} places={places} jobs={jobs} />
          <Slower of={of} places={places} />
        </div>
      </div>
    </>
  );
}

export function HomePlace() {
  const filters = filtersOf('', {worst: '', others: '', engine: '', device: ''});
  const {value: engine = kUsualEngine} = kOffered.find(({value}) => !kExported && value === filters.values.engine) ?? {};
  const of = useResource<Overview>(urls.overview({tp: kUsualTp, engine: engine === kUsualEngine ? '' : engine}), kEvery);
  return (
    <>
      <ViewHead title="Home" filters={filters}>
        AITER's tuned kernels for AMD GPUs: how much of each model's work finds one in vLLM or SGLang. On a miss a default
        kernel runs: correct, but slower, for example 3.08 times for block-scaled FP8 on gfx942 (geometric mean of 19,068
        shapes, <a href="https://github.com/ROCm/aiter/pull/3316">ROCm/aiter#3316</a>).{' '}
        {!kExported && <a href={hrefOf('start')}>How to&nbsp;start</a>}
      </ViewHead>
      <With of={of} what="the models">
        {(of) => (of.targets.length === 0 ? <NoRows /> : <Known of={of} engine={engine} filters={filters} />)}
      </With>
    </>
  );
}
