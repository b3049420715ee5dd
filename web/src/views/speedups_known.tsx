// Where no default was measured: what is known all the same, and how to measure both sides.
import {DataTable} from '../components/data_table';
import {Empty} from '../components/view';
import {kExported} from '../exported/mode';
import {count} from '../format';
import {useIndex, withProducts} from '../known';

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
  return (
    <>
      <Empty>
        <p><strong>No baseline is measured here.</strong> Imported tables hold winners only: what tuning brought is known where somebody measures both sides.</p>
      </Empty>
      <Known target={target} />
      <p>Measure both sides:</p>
      <pre>tunehub-agent bench --before -i untuned.csv --family {query['family'] || 'FAMILY'} -o before.csv{kExported ? '' : ` --hub ${location.origin}`}</pre>
    </>
  );
}
