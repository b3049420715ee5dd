// A button that shows the jobs before it makes them.
import {useState} from 'preact/hooks';
import type {Planned} from '../answers';
import {planModel, type ModelPlan} from '../api';
import {DataTable} from '../components/data_table';
import {Dialog, KeyDialog} from '../components/buttons';
import {count, plural} from '../format';
import {key} from '../kept';
import {hrefOf} from '../location';
import {problemOf} from '../problem';
import {refreshAll} from '../resource';

interface Props {
  label: string;
  plans: ModelPlan[];  // one a family
  hoursOf: (family: string, shapes: number) => string;
}

// What becomes of one family: jobs, or why there are none.
interface Preview {
  family: string;
  planned: Planned;
}

const shapesOf = ({planned}: Preview): number => planned.jobs.reduce((sum, job) => sum + job.shapes, 0);

function Jobs({of, hoursOf}: {of: Preview[]; hoursOf: Props['hoursOf']}) {
  return (
    <DataTable
      caption="Jobs that would be made"
      columns={(is) => [
        is.text('Family', (it) => it.family),
        is.number('Jobs', (it) => count(it.planned.jobs.length)),
        is.number('Shapes', (it) => count(shapesOf(it))),
        is.number('GPU hours', (it) => hoursOf(it.family, shapesOf(it))),
        is.number('Tuned already', (it) => count(it.planned.families[it.family]?.tuned ?? 0)),
        is.number('In open jobs', (it) => count(it.planned.families[it.family]?.queued ?? 0)),
        is.number('Out of reach', (it) => count(it.planned.families[it.family]?.unreachable ?? 0)),
      ]}
      rows={of}
    />
  );
}

export function PlanButton({label, plans, hoursOf}: Props) {
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
    const jobs = (await ask(false)).reduce((sum, it) => sum + it.planned.jobs.length, 0);
    setSaid({text: `${plural(jobs, 'job')} made.`, bad: false});
    setState('');
    refreshAll();
  });
  const jobs = previews.reduce((sum, it) => sum + it.planned.jobs.length, 0);
  const close = () => setState((it) => (it === 'shown' ? '' : it));
  return (
    <>
      <button type="button" disabled={state === 'busy' || plans.length === 0} onClick={() => (key.value ? void look() : setState('key'))}>{label}</button>
      {said.text && <span role="status" class={said.bad ? 'bad' : 'good'}> {said.text} {!said.bad && <a href={hrefOf('fleet')}>The queue</a>}</span>}
      {state === 'key' && <KeyDialog admin onClose={() => setState((it) => (it === 'key' ? '' : it))} onKept={() => void look()} />}
      {state === 'shown' && (
        <Dialog title={`${label}: the jobs`} onClose={close}>
          <Jobs of={previews} hoursOf={hoursOf} />
          {jobs === 0 && <p>There is nothing to make a job of.</p>}
          <div class="buttons">
            {jobs > 0 && <button type="button" onClick={() => void make()}>Make {plural(jobs, 'job')}</button>}
            <button type="button" onClick={close}>Cancel</button>
          </div>
        </Dialog>
      )}
    </>
  );
}
