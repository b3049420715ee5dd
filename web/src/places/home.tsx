// The start page: the coverage of models on products, what is missing most, and what became slower.
import type {Differences, Job, Overview} from '../answers';
import {urls} from '../api';
import {CopyLine} from '../components/buttons';
import {Check, Select} from '../components/controls';
import {DataTable} from '../components/data_table';
import {Figures, type Figure} from '../components/figures';
import {Unknown, ViewHead, With} from '../components/view';
import {costOf, hours, secondsFor} from '../cost';
import {kExported} from '../exported/mode';
import {count, percent, plural} from '../format';
import {engineText, kEngines, kUsualEngine, kUsualTp} from '../known';
import {filtersOf, hrefOf} from '../location';
import {useResource} from '../resource';
import {nothingText} from './changes_rows';
import {byColumn, columnsOf, courseOf, largestGaps, monthNote, newColumnsText, openIn, placesOf, slowerPlaces, toClose,
  type Place} from './home_cells';
import {hrefOfPlace, Matrix, MatrixLegend, type HomeFilters} from './home_matrix';
import {kStartAgent, NoRows} from './home_steps';

const kEvery = 30_000, kJobs = 500, kGaps = 8, kSlower = 12;

function hoursFigure(of: Overview, places: Place[], jobs: Job[] | undefined): Figure {
  const name = 'GPU hours to close', {seconds, unknown} = toClose(places, jobs ?? []);
  if (!jobs) return {name, value: '\u2026'};
  const [first] = largestGaps(places.filter(({column}) => unknown.includes(column.gfx)), 1);
  if (!first) {
    return {name, value: openIn(places) === 0 ? '0' : `at most ${hours(seconds)}`, note: 'at the pace of finished jobs'};
  }
  return {name, value: 'not known yet', note: <>
    Tune jobs with 10 shapes must finish on {unknown.join(', ')}. <a href={hrefOfPlace(first, of, 'tune')}>Plan one</a>, and
    run an agent on that GPU: <CopyLine label="Start an agent" text={kStartAgent()} />
  </>};
}

function figuresOf(of: Overview, places: Place[], jobs: Job[] | undefined): Figure[] {
  const course = courseOf(places), fresh = newColumnsText(places), open = openIn(places);
  return [
    {name: `Covered now, mean of ${plural(course.then || places.length, 'cell')}`, value: percent(course.same ?? course.now), note: <>
      {monthNote(course, places.length, of)}{fresh && <><br />{fresh}</>}
    </>},
    {name: 'Open shapes, summed over models', value: count(open),
      note: byColumn(places).map(([{name}, its]) => <div key={name}>{name}: {count(openIn(its))}</div>)},
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
  const since = useResource<Differences>(slower.length > 0 ? null : urls.differences({from, to: 'now', limit: 0})).data;
  const nothing = since && nothingText(since), none = nothing ? `${nothing}, so no shape became slower.`
    : `No shape of these models is slower than ${of.days} days ago.`;
  return (
    <section>
      <h2>Slower this week</h2>
      {slower.length === 0 && <p class="lead">{none}</p>}
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

function Known({of, filters}: {of: Overview; filters: HomeFilters}) {
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
            {!kExported && <Select of={filters} name="engine" label="Engine" value={engineOf(filters)} options={kOffered} />}
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

// The server answers for one engine, not for "any".
const kOffered = kEngines.filter(({value}) => value !== 'any');
const engineOf = ({values}: HomeFilters): string =>
  kOffered.find(({value}) => value === values.engine)?.value ?? kUsualEngine;

export function HomePlace() {
  const filters = filtersOf('', {worst: '', others: '', engine: '', device: ''}), engine = engineOf(filters);
  const overview = useResource<Overview>(
    urls.overview({tp: kUsualTp, engine: engine === kUsualEngine ? '' : engine}), kEvery);
  return (
    <>
      <ViewHead title="Home" filters={filters}>
        AITER's tuned kernels for AMD GPUs: how much of each model's work finds one in vLLM or SGLang. On a miss a default
        kernel runs: correct, but about three times slower.{' '}
        {!kExported && <a href={hrefOf('start')}>How to&nbsp;start</a>}
      </ViewHead>
      <With of={overview} what="the models">
        {(of) => (of.targets.length === 0 ? <NoRows /> : <Known of={of} filters={filters} />)}
      </With>
    </>
  );
}
