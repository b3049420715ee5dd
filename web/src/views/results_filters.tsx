// What is chosen of a table: rows and columns.
import type {Family, Index} from '../answers';
import {Check, Controls, Select, TextFilter} from '../components/controls';
import {columnsOf, isNumeric, kShapeRoles} from '../family';
import {go, hrefOf, type Filters} from '../location';
import {count, targetName} from '../format';
import {withProducts} from '../known';
import {isShown, toggled} from './results_columns';

export interface Chosen {
  filters: Filters;
  family: Family;
}

export function FilterBar({filters, family, families, index}: Chosen & {families: Family[]; index: Index | undefined}) {
  const targets = index?.families.find((it) => it.family === family.name)?.targets ?? [];
  return (
    <Controls>
      <Select of={filters} name="family" label="Family" value={family.name} options={families.map((it) => it.name)} onChange={(name) => go(hrefOf('results', {family: name, target: filters.values['target']}))} />
      <Select of={filters} name="target" label="Target" all options={targets.map((it) => ({value: targetName(it), text: `${withProducts(it)}, ${count(it.rows)}`}))} />
      {columnsOf(family, ...kShapeRoles).map(({name, values, ...column}) =>
        values ? (
          <Select key={name} of={filters} name={name} label={name} all options={values} />
        ) : (
          <TextFilter key={name} of={filters} name={name} label={name} numeric={isNumeric({name, ...column})} placeholder="any" />
        ),
      )}
      <TextFilter of={filters} name="contains" label="Row contains" placeholder="part of a kernel's name" />
      <Check label="measured only" checked={filters.values['measured'] === 'only'} onChange={(on) => filters.set({measured: on ? 'only' : ''})} />
    </Controls>
  );
}

export function ColumnChooser({filters, family}: Chosen) {
  return (
    <details class="chooser">
      <summary>Columns</summary>
      <div class="checks">
        {family.columns.map(({name}) => (
          <Check
            key={name}
            label={name}
            checked={isShown(family, filters.values, name)}
            onChange={() => filters.set((now) => ({...now, hide: toggled(family, now['hide'] ?? '', name)}), 'replace')}
          />
        ))}
      </div>
    </details>
  );
}
