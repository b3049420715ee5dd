// A button that shows the planned jobs before it makes them.
import type {Planned} from '../answers';
import {planModel, type ModelPlan} from '../api';
import {Action} from '../components/buttons';
import {DataTable} from '../components/data_table';
import {count, plural} from '../format';
import {hrefOf} from '../location';
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
  const ask = async (dryRun: boolean): Promise<{all: Preview[]; jobs: string}> => {
    const all: Preview[] = [];
    for (const plan of plans) all.push({family: plan.family, planned: await planModel(plan, dryRun)});
    const jobs = all.reduce((sum, {planned}) => sum + planned.jobs.length, 0);
    return {all, jobs: jobs > 0 ? plural(jobs, 'job') : ''};
  };
  const look = async () => {
    const {all, jobs} = await ask(true);
    return {button: jobs && `Make ${jobs}`, text:
      <><Jobs of={all} hoursOf={hoursOf} />{!jobs && <p>Every shape is tuned or in a job already.</p>}</>};
  };
  const make = async () => {
    const {jobs} = await ask(false);
    refreshAll();
    return <>{jobs || 'No job'} made. <a href={hrefOf('fleet')}>The queue</a></>;
  };
  return <Action label={label} act={make} look={look} off={plans.length === 0} />;
}
