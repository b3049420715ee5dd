// Where no default was measured: what is known all the same, what is estimated, and what to measure first.
import type {FamilyWorth, Worth} from '../answers';
import {urls} from '../api';
import {DataTable} from '../components/data_table';
import {Empty, With} from '../components/states';
import {kExported} from '../exported/mode';
import {count, targetParts} from '../format';
import {kUsualTp, targetNames, useIndex, withProducts} from '../known';
import {hrefOf} from '../location';
import {useResource} from '../resource';
import {knownText, openShapes, perToken, worthText} from './tune_words';

// The one of which most is tuned.
const first = (families: FamilyWorth[]) => [...families].sort((a, b) => b.tuned - a.tuned)[0];

function Estimated({target, model}: {target: string; model: string}) {
  const worth = useResource<Worth>(urls.worth({...targetParts(target), model, tp: kUsualTp}));
  return (
    <With of={worth} what="what is estimated">
      {({families}) => (
        <>
          <DataTable
            caption={`Known and estimated of ${model} at TP ${kUsualTp}`}
            titled
            columns={(is) => [
              is.name('Family', (it) => it.family),
              is.wide('Known', knownText),
              is.number('Not tuned', (it) => count(openShapes(it))),
              is.number('Worth, us (estimated)', (it) => (openShapes(it) === 0 ? '\u2013' : worthText(it.worth))),
              is.number('Lost to the roofline, us', (it) => perToken(it.lost_us)),
              is.number('Defaults to measure', (it) => count(it.to_measure)),
            ]}
            rows={families}
          />
          <p><a class="button" href={hrefOf('tune', {model, target})}>What to measure, and to tune, first</a></p>
          <Command family={first(families)?.family} />
        </>
      )}
    </With>
  );
}

function Command({family = 'FAMILY'}: {family?: string}) {
  return <pre>tunehub-agent bench --before -i untuned.csv --family {family} -o before.csv{kExported ? '' : ` --hub ${location.origin}`}</pre>;
}

// Tuned keys by family, of the target or of all.
function Known({target}: {target: string}) {
  const index = useIndex();
  const rows = (index.data?.families ?? []).flatMap(({family, targets}) => targets.flatMap((it) => {
    const name = it.cu_num ? `${it.gfx}:${it.cu_num}` : it.gfx;
    const tuned = it.rows - it.unmeasured - it.baselines;
    return tuned > 0 && (!target || name === target) ? [{family, name, tuned, unmeasured: it.unmeasured}] : [];
  }));
  return (
    <DataTable
      caption="Tuned keys without a measured default"
      titled
      columns={(is) => [
        is.name('Family', (it) => it.family),
        is.name('Target', (it) => withProducts(it.name)),
        is.number('Tuned keys', (it) => count(it.tuned)),
        is.number('Unmeasured', (it) => count(it.unmeasured)),
      ]}
      rows={rows.sort((a, b) => b.tuned - a.tuned)}
    />
  );
}

export function Unmeasured({target, query}: {target: string; query: Record<string, string>}) {
  const index = useIndex();
  const model = query['model'] ?? '';
  const shown = target || targetNames(index.data)[0] || '';
  return (
    <>
      <Empty>
        <p><strong>No baseline is measured here.</strong> Imported tables hold winners only: what tuning brought is known where somebody measures both sides.</p>
      </Empty>
      <Known target={target} />
      {model && shown ? <Estimated target={shown} model={model} /> : (
        <>
          <p>Choose a model to see what is estimated of it, and what to measure first.</p>
          <Command family={query['family'] || undefined} />
        </>
      )}
    </>
  );
}
