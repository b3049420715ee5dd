// The start page: the coverage of models on products, what is missing most, and what became slower.
import type {Differences, Job, Overview} from '../answers';
import {urls} from '../api';
import {CopyLine} from '../components/buttons';
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
import {nothingText} from './changes_rows';
import {bestOf, byColumn, columnsOf, courseLines, courseOf, enginesOf, largestGaps, openIn, placesOf, slowerPlaces, toClose,
  type Matrix as Answer, type Place, type ProductColumn} from './home_cells';
import {hrefOfPlace, Matrix, MatrixLegend, type HomeFilters} from './home_matrix';
import {kStartAgent, NoRows} from './home_steps';

const kEvery = 30_000, kJobs = 500, kGaps = 8, kSlower = 12;

function hoursFigure(of: Answer, places: Place[], jobs: Job[] | undefined): Figure {
  const name = 'GPU hours to close', {seconds, unknown} = toClose(places, jobs ?? []);
  if (!jobs) return {name, value: '\u2026'};
  const untimed = places.filter(({column}) => unknown.includes(column.gfx)), [first] = largestGaps(untimed, 1);
  if (!first) {
    return {name, value: openIn(places) === 0 ? '0' : `at most ${hours(seconds)}`, note: 'at the pace of finished jobs'};
  }
  return {name, value: 'not measured yet', note: <>
    <div class="detail">{guessText(openIn(untimed))}</div>
    Tune jobs with 10 shapes must finish on {unknown.join(', ')}. <a href={hrefOfPlace(first, of, 'tune')}>Plan one</a>, and
    run an agent on that GPU: <CopyLine label="Start an agent" text={kStartAgent()} />
  </>};
}

function figuresOf(of: Answer, columns: ProductColumn[], places: Place[], jobs: Job[] | undefined): Figure[] {
  const {now, same, then} = courseOf(places), open = openIn(places), note = courseLines(of, columns).map((line) => <div key={line} class="detail">{line}</div>);
  return [
    of.each ? {name: `Covered now by the better engine, mean of ${plural(places.length, 'cell')}`, value: percent(now), note}
      : {name: `Covered now, mean of ${plural(then || places.length, 'cell')}`, value: percent(same ?? now), note},
    {name: 'Open shapes, summed over models', value: count(open),
      note: byColumn(places).map(([{name}, its]) => <div key={name} class="detail">{name}: {count(openIn(its))}</div>)},
    ...(kExported ? [] : [hoursFigure(of, places, jobs)]),
  ];
}

function Gaps({of, places, jobs}: {of: Answer; places: Place[]; jobs: Job[] | undefined}) {
  const gaps = largestGaps(places, kGaps), missed = places.some(({cell}) => cell.untuned_flops_missed > 0);
  if (gaps.length === 0) return null;
  const detail = ({column, cell}: Place) => {
    const open = cell.shapes - cell.found, seconds = secondsFor(costOf(jobs ?? [], column.gfx), open);
    return [of.each && engineText(cell.engine!), plural(open, 'open shape'), missed && plural(cell.demand, 'miss', 'misses'),
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

function Slower({of, places}: {of: Answer; places: Place[]}) {
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

function Known({of, filters}: {of: Answer; filters: HomeFilters}) {
  const {worst, others, device} = filters.values;
  const jobs = useResource<{jobs: Job[]}>(kExported ? null : urls.jobs({state: 'done', limit: kJobs}), kEvery).data?.jobs;
  const all = columnsOf(of, true, device), usual = columnsOf(of, false, device), columns = others ? all : usual;
  const places = placesOf(of, usual);
  return (
    <>
      <Figures of={figuresOf(of, usual, places, jobs)} />
      {worst && !all.some(({name}) => name === worst) && <Unknown what="device" name={worst}
        choices={all.map(({name}) => ({text: name, href: filters.href({worst: name})}))} />}
      <div class="home">
        <section>
          <div class="home-head">
            <h2>{enginesOf(of.engine)} at TP {of.tp}: models on devices</h2>
            {!kExported && <Select of={filters} name="only" label="Engine"
              options={[{value: '', text: 'the better of both'}, ...kOffered]} />}
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
  const filters = filtersOf('', {worst: '', others: '', only: '', device: ''}), {only} = filters.values;
  const usual = ({value}: {value: string}) => value === kUsualEngine;
  const all = kOffered.map((engine) => useResource<Overview>(kExported && !usual(engine) ? null
    : urls.overview({tp: kUsualTp, engine: usual(engine) ? '' : engine.value}), kEvery));
  const of = all[kOffered.findIndex(({value}) => value === only)] ?? all[0]!;
  // The usual engine's answer comes first, and is shown alone until the other, which may take seconds after an import.
  const answers = only ? [] : all.flatMap(({data}) => data ?? []);
  return (
    <>
      <ViewHead title="Home" filters={filters}>
        AITER's tuned kernels for AMD GPUs: how much of each model's work finds one in vLLM or SGLang. On a miss a default
        kernel runs: correct, but slower, for example 3.08 times for block-scaled FP8 on gfx942 (geometric mean of 19,068
        shapes, <a href="https://github.com/ROCm/aiter/pull/3316">ROCm/aiter#3316</a>).{' '}
        {!kExported && <a href={hrefOf('start')}>How to&nbsp;start</a>}
      </ViewHead>
      <With of={of} what="the models">
        {(of) => (of.targets.length === 0 ? <NoRows />
          : <Known of={bestOf(answers.length > 0 ? answers : [of])} filters={filters} />)}
      </With>
    </>
  );
}
