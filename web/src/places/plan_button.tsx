// A button that shows the planned jobs before it makes them.
import {useState} from 'preact/hooks';
import type {Planned} from '../answers';
import {planModel, type ModelPlan} from '../api';
import {Dialog, KeyDialog} from '../components/buttons';
import {DataTable} from '../components/data_table';
import {count, plural} from '../format';
import {key} from '../kept';
import {hrefOf} from '../location';
import {problemOf} from '../problem';
import {refreshAll} from '../resource';

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
      is.number('Not looked up', (preview) => count(preview.planned.families[preview.family]?.unreachable ?? 0)),
    ]} rows={of} />
  );
}

export function PlanButton({label, plans, hoursOf}: PlanProps) {
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
        <Dialog title={`${label}?`} onClose={close}>
          <Jobs of={previews} hoursOf={hoursOf} />
          {jobs === 0 && <p>Every shape is tuned or in a job already.</p>}
          <div class="buttons">
            {jobs > 0 && <button type="button" onClick={() => void make()}>Make {plural(jobs, 'job')}</button>}
            <button type="button" onClick={close}>Cancel</button>
          </div>
        </Dialog>}
    </>
  );
}
