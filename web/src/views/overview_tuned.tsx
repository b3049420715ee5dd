// What there is, by target and family.
import type {Index, ModelCoverage, SpeedupPart, Speedups} from '../answers';
import {urls} from '../api';
import {Empty} from '../components/states';
import {kExported} from '../exported/mode';
import {age, cellText, count, plural, targetName, targetParts, times} from '../format';
import {carriedTp, hrefOf} from '../location';
import {now, useResource} from '../resource';
import {pairsOf, type Pair, type TargetGroup} from './overview_rows';

const kHeads: [title: string, numeric: boolean][] = [
  ['Target', false], ['Family', false], ['Tuned keys', true], ['Baseline', true], ['Unmeasured', true], ['Models covered', true], ['Over default', true],
  ['Last revision', true], ['Changed', false], ['Table', false],
];

export function Tuned({index, tp}: {index: Index; tp: string}) {
  const speedups = useResource<Speedups>(urls.speedups({}));
  const coverage = useResource<ModelCoverage>(urls.modelCoverage({tp}), 60_000);
  const groups = pairsOf(index);
  if (groups.length === 0) {
    return (
      <Empty>
        <p><strong>The registry is empty.</strong></p>
        <p>Import an AITER tree, or let an agent push:</p>
        <pre>tunehub-agent import aiter/configs --hub {location.origin}</pre>
      </Empty>
    );
  }
  const measured = (target: string) => speedups.data?.by.target.some((it) => it.name === target && it.tuned_over_default.keys > 0);
  return (
    <>
      <div class="scroll" role="region" aria-label="Tuned keys by target and family" tabIndex={0}>
        <table class="data grouped">
          <caption class="hidden">Tuned keys by target and family</caption>
          <thead><tr>{kHeads.map(([title, numeric]) => <th key={title} scope="col" class={numeric ? 'number' : undefined}>{title}</th>)}</tr></thead>
          {groups.map((it) => <Group key={it.target} group={it} measured={measured(it.target) === true} coverage={coverage.data} tp={tp} />)}
        </table>
      </div>
      <p class="legend">
        Baseline: only the default was measured.
        Models covered: how many known models, split over {plural(Number(tp), 'GPU')}, find a tuned row for every shape.
        Over default: geometric mean where the default was measured too.
      </p>
    </>
  );
}

// Only few targets have keys whose default was measured: only of these it is asked how much it is worth.
function Group({group, measured, coverage, tp}: {group: TargetGroup; measured: boolean; coverage: ModelCoverage | undefined; tp: string}) {
  const speedups = useResource<Speedups>(measured ? urls.speedups(targetParts(group.target)) : null);
  return (
    <tbody>
      {group.pairs.map((pair, i) => (
        <tr key={pair.family}>
          {i === 0 && (
            <th scope="rowgroup" rowSpan={group.pairs.length} class="group">
              {group.products || group.target}
              {group.products && <small>{group.target}</small>}
              <small><a href={hrefOf('coverage', {target: group.target, tp: carriedTp()})}>coverage</a></small>
            </th>
          )}
          <PairCells
            pair={pair}
            speedup={speedups.data?.by.family.find((it) => it.name === pair.family)}
            coverage={coverage?.tables.find((it) => it.family === pair.family && targetName(it) === pair.target)}
            tp={tp}
          />
        </tr>
      ))}
    </tbody>
  );
}

interface Worth {
  pair: Pair;
  speedup: SpeedupPart | undefined;
  coverage: ModelCoverage['tables'][number] | undefined;
  tp: string;
}

function PairCells({pair: {family, target, tuned, baselines, unmeasured, revision, pin, changed}, speedup, coverage, tp}: Worth) {
  const over = speedup?.tuned_over_default;
  // The model with most to tune is what a look at the coverage is for.
  const least = coverage?.models.reduce((a, b) => (b.covered < a.covered ? b : a));
  return (
    <>
      <th scope="row"><a href={hrefOf('results', {family, target})}>{family}</a></th>
      <td class="number">{count(tuned)}</td>
      <td class={baselines > 0 ? 'number warn' : 'number faint'}>{count(baselines)}</td>
      <td class={unmeasured > 0 ? 'number warn' : 'number faint'}>{count(unmeasured)}</td>
      <td class="number">{least && coverage ? <a href={hrefOf('coverage', {target, family, model: least.model, tp})}>{coverage.covered} of {coverage.models.length}</a> : cellText('')}</td>
      <td class="number">{over?.keys ? <a href={hrefOf('speedups', {target, family})}>{times(over.geometric_mean)} ({count(over.keys)})</a> : cellText('')}</td>
      <td class="number">{pin && !kExported ? <a href={urls.table(family, {...targetParts(target), revision: pin})} title="the table as of it, by its pin">{revision}</a> : cellText(revision || '')}</td>
      <td class="time">{changed ? age(changed, now.value) : cellText('')}</td>
      <td><a href={urls.table(family, targetParts(target))} download={`${family}-${target.replace(':', '-')}.csv`}>CSV</a></td>
    </>
  );
}
