// What is tuned, by target and family.
import type {Index, UnlistedTable} from '../answers';
import {urls} from '../api';
import {Controls, TextFilter} from '../components/controls';
import {DataTable} from '../components/data_table';
import {ViewHead, With} from '../components/view';
import {kExported} from '../exported/mode';
import {filtersOf} from '../location';
import {kUsualTp, tpOf, useIndex} from '../known';
import {Tuned} from './overview_tuned';

const kUnlisted = 'unlisted';  // the family whose rows are lines of such tables

export function FamiliesView() {
  const filters = filtersOf('families', {tp: ''});
  const index = useIndex(15_000);
  return (
    <>
      <ViewHead title="Families" filters={filters}>The tuned keys of every target and family, and whom they serve.</ViewHead>
      <Controls><TextFilter of={filters} name="tp" label="TP" numeric placeholder={kUsualTp} /></Controls>
      <With of={index} what="the tables">{(it) => <Tables index={it} tp={tpOf(filters.values)} />}</With>
    </>
  );
}

function Tables({index, tp}: {index: Index; tp: string}) {
  const described = {...index, families: index.families.filter((it) => it.family !== kUnlisted)};
  return (
    <>
      <Tuned index={described} tp={tp} />
      {index.unlisted.length > 0 && <Unlisted tables={index.unlisted} />}
    </>
  );
}

function Unlisted({tables}: {tables: UnlistedTable[]}) {
  return (
    <section>
      <h2>Unlisted tables</h2>
      <p>No family file describes these tables of imported trees. The hub keeps them line by line; lookups find exact keys only.</p>
      <DataTable
        caption="Unlisted tables"
        rows={tables}
        columns={(is) => [
          is.name('Table', (it) => kExported ? it.table : <a href={urls.table(it.table, {})}>{it.table}</a>, {by: (it) => it.table}),
          is.wide('File', (it) => `aiter/configs/${it.path}`),
          is.number('Rows', (it) => it.rows),
          is.text('One best row per key', (it) => it.competes ? 'yes' : 'no: it has no untuned table to name its key'),
        ]}
      />
    </section>
  );
}
