// A model's untuned shapes on a GPU by priority, the GPU hours to tune them, and buttons that plan jobs.
import {useState} from 'preact/hooks';
import type {Coverage, FamilyCoverage, Job, Planned, Speedups} from '../answers';
import {planModel, urls, type ModelPlan} from '../api';
import {Dialog, KeyDialog} from '../components/buttons';
import {Controls, Select, TextFilter} from '../components/controls';
import {DataTable} from '../components/data_table';
import {Empty, ViewHead, With} from '../components/view';
import {kExported} from '../exported/mode';
import {count, plural, targetName, targetParts, times} from '../format';
import {key} from '../kept';
import {kUsualTp, tpOf, useChoices, useFamilies} from '../known';
import {filtersOf, hrefOf, type Filters} from '../location';
import {problemOf} from '../problem';
import {refreshAll, useResource} from '../resource';
import {NoTable} from './coverage';
import {costOf, costText, gapsOf, hours, openShapes, secondsFor, type Cost} from './tune_words';

const kMaxM = 16_384;
const kJobs = 100;  // the page estimates hours from this many newest jobs

interface Part {
  of: Coverage;
  filters: Filters<{model: string; tp: string; target: string; family: string}>;
  costBy: (family: string) => Cost | null;
  asked: boolean;  // true once the answer about jobs has come
}

function OverDefault({of, target, speedups}: {of: FamilyCoverage; target: string; speedups: Speedups | undefined}) {
  if (!speedups) return <>{'\u2013'}</>;
  const over = speedups.by.family.find((part) => part.name === of.family)?.tuned_over_default;
  if (!over?.keys) return <>{of.totals.exact + of.totals.padded > 0 ? 'not measured' : '\u2013'}</>;
  return <>
    <a href={hrefOf('speedups', {target, family: of.family})}>{times(over.geometric_mean)}</a>
    <small>{plural(over.keys, 'key')}</small>
  </>;
}

function Families({of, filters, costBy}: Part) {
  const target = targetName(of);
  const speedups = useResource<Speedups>(urls.speedups(targetParts(target)));
  const chosen = filters.values.family;
  return (
    <DataTable caption="What to tune, by family" columns={(is) => [
      is.name('Family', (family) =>
        <a href={filters.href({family: family.family === chosen ? '' : family.family})}
          aria-current={family.family === chosen ? 'true' : undefined}>{family.family}</a>),
      is.number('Missing', (family) => count(family.totals.missing)),
      is.number('Baseline only', (family) => count(family.totals.baseline)),
      is.number('Unmeasured', (family) => count(family.totals.unmeasured)),
      is.number('Tuned', (family) => count(family.totals.exact + family.totals.padded)),
      is.number('Over default (measured)', (family) =>
        <OverDefault of={family} target={target} speedups={speedups.data} />),
      ...(kExported ? [] : [
        is.number('GPU hours', (family) => hours(secondsFor(costBy(family.family), openShapes(family.totals)))),
        is.wide('Hours by', (family) => costText(costBy(family.family))),
      ]),
    ]} rows={of.families} />
  );
}

function Gaps({of: {families}, filters: {values: {family}}, costBy}: Part) {
  const gaps = gapsOf(families.filter((one) => !family || one.family === family));
  if (gaps.length === 0) return <Empty><p>Every shape finds a tuned row.</p></Empty>;
  return (
    <section>
      <h2>Layer by layer</h2>
      <p class="legend">
        First comes the largest product of untuned flops and misses; where nothing was missed, the most untuned flops.
      </p>
      <DataTable caption="What to tune" columns={(is) => [
        is.wide('Layer', (gap) =>
          <><strong>{gap.layer}</strong> <small>{gap.family}</small><small>{gap.shape}</small></>),
        is.text('M not tuned', (gap) => gap.ranges),
        is.number('Not tuned', (gap) => count(gap.open)),
        is.number('Missed', (gap) => count(gap.missed)),
        is.number('Untuned MFLOP a token', (gap) => count(Math.round(gap.flops / 1e6))),
        ...(kExported ? [] : [is.number('GPU hours', (gap) => hours(secondsFor(costBy(gap.family), gap.open)))]),
      ]} rows={gaps} />
    </section>
  );
}

interface PlanProps {
  label: string;
  plans: ModelPlan[];  // one per family
  hoursOf: (family: string, shapes: number) => string;
}

// The server's answer to the dry run, for one family.
interface Preview {
  family: string;
  planned: Planned;
}

const shapesOf = ({planned}: Preview): number => planned.jobs.reduce((sum, job) => sum + job.shapes, 0);

function Jobs({of, hoursOf}: {of: Preview[]; hoursOf: PlanProps['hoursOf']}) {
  return (
    <DataTable caption="Jobs that would be made" columns={(is) => [
      is.text('Family', (preview) => preview.family),
      is.number('Jobs', (preview) => count(preview.planned.jobs.length)),
      is.number('Shapes', (preview) => count(shapesOf(preview))),
      is.number('GPU hours', (preview) => hoursOf(preview.family, shapesOf(preview))),
      is.number('Tuned already', (preview) => count(preview.planned.families[preview.family]?.tuned ?? 0)),
      is.number('In open jobs', (preview) => count(preview.planned.families[preview.family]?.queued ?? 0)),
      is.number('Out of reach', (preview) => count(preview.planned.families[preview.family]?.unreachable ?? 0)),
    ]} rows={of} />
  );
}

// A button that shows the planned jobs before it makes them.
function PlanButton({label, plans, hoursOf}: PlanProps) {
  const [state, setState] = useState<'' | 'key' | 'busy' | 'shown'>('');
  const [previews, setPreviews] = useState<Preview[]>([]);
  const [said, setSaid] = useState({text: '', bad: false});
  const ask = async (dryRun: boolean): Promise<Preview[]> => {
    const all: Preview[] = [];
    for (const plan of plans) all.push({family: plan.family, planned: await planModel(plan, dryRun)});
    return all;
  };
  const attempt = async (work: () => Promise<void>) => {
    setState('busy');
    setSaid({text: '', bad: false});
    try {
      await work();
    } catch (error) {
      setSaid({text: problemOf(error).detail, bad: true});
      setState('');
    }
  };
  const look = () => attempt(async () => {
    setPreviews(await ask(true));
    setState('shown');
  });
  const make = () => attempt(async () => {
    const jobs = (await ask(false)).reduce((sum, preview) => sum + preview.planned.jobs.length, 0);
    setSaid({text: `${plural(jobs, 'job')} made.`, bad: false});
    setState('');
    refreshAll();
  });
  const jobs = previews.reduce((sum, preview) => sum + preview.planned.jobs.length, 0);
  const close = () => setState((now) => (now === 'shown' ? '' : now));
  return (
    <>
      <button type="button" disabled={state === 'busy' || plans.length === 0}
        onClick={() => (key.value ? void look() : setState('key'))}>{label}</button>
      {said.text &&
        <span role="status"
          class={said.bad ? 'bad' : 'good'}> {said.text} {!said.bad && <a href={hrefOf('fleet')}>The queue</a>}</span>}
      {state === 'key' &&
        <KeyDialog admin onClose={() => setState((now) => (now === 'key' ? '' : now))} onKept={() => void look()} />}
      {state === 'shown' &&
        <Dialog title={`${label}: the jobs`} onClose={close}>
          <Jobs of={previews} hoursOf={hoursOf} />
          {jobs === 0 && <p>There is nothing to make a job of.</p>}
          <div class="buttons">
            {jobs > 0 && <button type="button" onClick={() => void make()}>Make {plural(jobs, 'job')}</button>}
            <button type="button" onClick={close}>Cancel</button>
          </div>
        </Dialog>}
    </>
  );
}

function Buttons({of, filters: {values}, costBy}: Part) {
  const families = useFamilies();
  if (kExported) return <p class="notice">
    Jobs are planned on a server; this copy shows the state that it was made of.
  </p>;
  const timed =
    families.data?.families.filter((family) => family.columns.some(({role}) => role === 'objective'))
      .map((family) => family.name);
  const shown =
    of.families.filter((family) =>
      timed?.includes(family.family) && (!values.family || family.family === values.family));
  const plansOf = (purpose: ModelPlan['purpose'], chosen: FamilyCoverage[]) =>
    chosen.map(({family}) => ({gfx: of.gfx, cu_num: of.cu_num, family, purpose, model: of.model, tp: of.tp,
      max_m: kMaxM}));
  return (
    <div class="buttons">
      <PlanButton label={values.family ? `Plan ${values.family}` : 'Plan this cell'}
        plans={plansOf('tune', shown.filter((family) => openShapes(family.totals) > 0))}
        hoursOf={(family, shapes) => hours(secondsFor(costBy(family), shapes))} />
      <PlanButton label="Measure baselines"
        plans={plansOf('verify', shown.filter((family) => family.totals.exact > 0))} hoursOf={() => 'not known'} />
    </div>
  );
}

function Found(part: Part) {
  const {of: {gfx, families}, costBy, asked} = part;
  const seconds = families.map((family) => secondsFor(costBy(family.family), openShapes(family.totals)));
  const sum = (what: (of: FamilyCoverage['totals']) => number) =>
    families.reduce((total, family) => total + what(family.totals), 0);
  return (
    <>
      <p class="lead">
        {count(sum(openShapes))} of {plural(sum((counts) => counts.shapes), 'shape')} not tuned.{' '}
        {asked &&
          (seconds.includes(null)
            ? `No tuning job is among the last ${kJobs} that finished on ${gfx}, so what tuning takes is not known.`
            : `Tuning them takes ${hours(seconds.reduce((total: number, some) => total + (some ?? 0), 0))} GPU hours.`)}
      </p>
      <Buttons {...part} />
      <section>
        <h2>By family</h2>
        <Families {...part} />
      </section>
      <Gaps {...part} />
    </>
  );
}

export function TuneView() {
  const filters = filtersOf('tune', {model: '', tp: '', target: '', family: ''});
  const {values} = filters;
  const {index, names, targets, model, target} = useChoices(values);
  const coverage =
    useResource<Coverage>(model && target ? urls.coverage({model, tp: tpOf(values), ...targetParts(target)}) : null);
  const jobs =
    useResource<{jobs: Job[]}>(target && !kExported
      ? urls.jobs({state: 'done', gfx: targetParts(target).gfx, limit: kJobs}) : null);
  return (
    <>
      <ViewHead title="Tune" filters={filters}>The untuned shapes of a model on a GPU, and the GPU hours to tune them.</ViewHead>
      <Controls>
        <Select of={filters} name="model" label="Model" value={model} options={names}
          onChange={(name) => filters.set({model: name, family: ''})} />
        {kExported || <TextFilter of={filters} name="tp" label="TP" numeric placeholder={kUsualTp} />}
        <Select of={filters} name="target" label="Target" value={target} options={targets}
          onChange={(name) => filters.set({target: name, family: ''})} />
        <Select of={filters} name="family" label="Family" all
          options={coverage.data?.families.map((family) => family.family) ?? []} />
      </Controls>
      {target !== '' &&
        <With of={coverage} what="what to tune">
          {(coverage) => (coverage.families.length === 0
            ? <NoTable of={coverage} target={target} />
            : <Found of={coverage} filters={filters} costBy={(family) => costOf(jobs.data?.jobs ?? [], family)}
              asked={jobs.data !== undefined} />)}
        </With>}
      {index.data && targets.length === 0 &&
        <Empty><p>The registry is empty: there is no target to tune for.</p></Empty>}
    </>
  );
}
