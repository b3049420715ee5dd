// What is tuned, by target and family.
import {Controls, TextFilter} from '../components/controls';
import {With} from '../components/states';
import {ViewHead} from '../components/view_head';
import {filtersOf} from '../filters';
import {kUsualTp, tpOf, useIndex} from '../known';
import {Tuned} from './overview_tuned';

export function FamiliesView() {
  const filters = filtersOf('families', {tp: ''});
  const index = useIndex(15_000);
  return (
    <>
      <ViewHead title="Families" filters={filters}>The tuned keys of every target and family, and whom they serve.</ViewHead>
      <Controls><TextFilter of={filters} name="tp" label="TP" numeric placeholder={kUsualTp} /></Controls>
      <With of={index} what="the tables">{(it) => <Tuned index={it} tp={tpOf(filters.values)} />}</With>
    </>
  );
}
