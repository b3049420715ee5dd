// The start page: the coverage of models on products, what is missing most, and what became slower.
import type {Job, Overview} from '../answers';
import {urls} from '../api';
import {Check} from '../components/controls';
import {DataTable} from '../components/data_table';
import {Figures, type Figure} from '../components/figures';
import {Unknown, ViewHead, With} from '../components/view';
import {costOf, hours, secondsFor} from '../cost';
import {kExported} from '../exported/mode';
import {count, percent, plural} from '../format';
import {kUsualTp} from '../known';
import {filtersOf, hrefOf} from '../location';
import {useResource} from '../resource';
import {columnsOf, courseOf, largestGaps, monthNote, openShapes, placesOf, slowerPlaces, toClose,
  type Place} from './home_cells';
import {hrefOfPlace, Matrix, MatrixLegend, type HomeFilters} from './home_matrix';
import {NoRows} from './home_steps';

const kEvery = 30_000, kJobs = 500, kGaps = 8, kSlower = 12;

function hoursFigure(places: Place[], jobs: Job[] | undefined): Figure {
  const name = 'GPU hours to close', {seconds, unknown} = toClose(places, jobs ?? []);
  const open = places.reduce((sum, {cell}) => sum + openShapes(cell), 0);
  if (!jobs) return {name, value: '\u2026'};
  if (unknown.length > 0) {
    return {name, value: 'not known yet',
      note: <>needs finished <a href={hrefOf('fleet')}>tune jobs</a> of 10 shapes on {unknown.join(', ')}</>};
  }
  return {name, value: open === 0 ? '0' : `at most ${hours(seconds)}`,
    note: `${plural(open, 'open shape')} at the pace of finished jobs; a shape of several models counts several times`};
}

function figuresOf(of: Overview, places: Place[], jobs: Job[] | undefined): Figure[] {
  const course = courseOf(places);
  return [
    {name: 'Covered now', value: percent(course.now), note: `mean of ${plural(places.length, 'model on a device', 'cells of models and devices')}`},
    {name: `${count(of.month_days)} days ago`, value: percent(course.month),
      note: monthNote(course, places.length, of.month_days)},
    ...(kExported ? [] : [hoursFigure(places, jobs)]),
  ];
}

function Gaps({of, places, jobs}: {of: Overview; places: Place[]; jobs: Job[] | undefined}) {
  const gaps = largestGaps(places, kGaps), missed = places.some(({cell}) => cell.untuned_flops_missed > 0);
  if (gaps.length === 0) return null;
  const detail = ({column, cell}: Place) => {
    const seconds = secondsFor(costOf(jobs ?? [], column.gfx), openShapes(cell));
    return [plural(openShapes(cell), 'open shape'), missed && plural(cell.demand, 'miss', 'misses'),
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
  return (
    <section>
      <h2>Slower this week</h2>
      {slower.length === 0 && <p class="lead">No shape of these models is slower than {of.days} days ago.</p>}
      <ul class="choices">
        {slower.slice(0, kSlower).map(({model, column, cell}) =>
          <li key={model.model + column.target}>
            <a href={hrefOf('changes', {model: model.model, device: column.device, tp: of.tp, kind: 'slower', from})}>
              {model.title} on {column.name}
            </a> {plural(cell.slower, 'shape')}
          </li>)}
        <li><a href={hrefOf('changes', {from})}>All changes since {of.days} days ago</a></li>
      </ul>
    </section>
  );
}

function Known({of, filters}: {of: Overview; filters: HomeFilters}) {
  const {worst, others} = filters.values;
  const jobs = useResource<{jobs: Job[]}>(kExported ? null : urls.jobs({state: 'done', limit: kJobs}), kEvery).data?.jobs;
  const all = columnsOf(of, true), usual = columnsOf(of, false), columns = others ? all : usual;
  const places = placesOf(of, usual);
  return (
    <>
      <Figures of={figuresOf(of, places, jobs)} />
      {worst && !all.some(({name}) => name === worst) && <Unknown what="device" name={worst}
        choices={all.map(({name}) => ({text: name, href: filters.href({worst: name})}))} />}
      <div class="home">
        <section>
          <div class="home-head">
            <h2>Models on devices</h2>
            {usual.length < all.length && <Check label="Other devices, too" checked={others !== ''}
              onChange={(checked) => filters.set({others: checked ? '1' : ''})} />}
          </div>
          <Matrix of={of} columns={columns} filters={filters} />
          <MatrixLegend of={of} />
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
  const filters = filtersOf('', {worst: '', others: ''});
  const overview = useResource<Overview>(urls.overview({tp: kUsualTp}), kEvery);
  return (
    <>
      <ViewHead title="Home" filters={filters}>
        How much of each model's work finds a tuned kernel, by device.
      </ViewHead>
      <With of={overview} what="the models">
        {(of) => (of.targets.length === 0 ? <NoRows /> : <Known of={of} filters={filters} />)}
      </With>
    </>
  );
}
