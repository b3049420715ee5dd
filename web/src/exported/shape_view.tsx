// One key as its row has it, among its neighbours. Takes the place of views/shape.tsx: every
// measurement of every key would be far more than the tables.
import type {Rows, Shape} from '../answers';
import {urls} from './api';
import {Empty, ViewHead, With} from '../components/view';
import {keyColumns, keyOf, shapeText} from '../family';
import {filtersOf, hrefOf, type Values} from '../location';
import {cellText, targetName} from '../format';
import {useFamilies, withProducts} from '../known';
import {useResource} from '../resource';
import {Along} from '../views/shape_along';

const kAxisRows = 1000;

export function ShapeView() {
  const families = useFamilies();
  const asked = filtersOf('shape', {family: ''}).values.family;
  const family = families.data?.families.find((it) => it.name === asked);
  const names = family ? keyColumns(family).map((it) => it.name) : [];
  const filters = filtersOf<Values>('shape', {family: '', ...Object.fromEntries(names.map((name) => [name, '']))});
  const key: Values = Object.fromEntries(names.map((name) => [name, filters.values[name] ?? '']));
  const along = family ? {...key, [family.heat_map.x]: ''} : key;
  const rows = useResource<Rows>(family ? urls.rows(family.name, {...along, limit: kAxisRows}) : null);
  const target = targetName({gfx: key['gfx'] ?? '', cu_num: Number(key['cu_num'] ?? 0)});
  return (
    <>
      <ViewHead filters={family && filters} title={family ? `${family.name}, ${shapeText(family, key)}` : 'Shape'}>
        {family ? <>On <strong>{withProducts(target)}</strong>. <a href={hrefOf('results', {...along, family: family.name, target, gfx: '', cu_num: ''})}>Rows of the same operation</a></> : 'One key and its row.'}
      </ViewHead>
      <With of={families} what="the families">
        {() => !family && <Empty><p>No shape is named. <a href={hrefOf('results')}>Choose a row of the results.</a></p></Empty>}
      </With>
      {family && (
        <With of={rows} what="the rows">
          {(it) => {
            const row = it.rows.find((one) => names.every((name) => (keyOf(family, one)[name] ?? '') === key[name]));
            const alone: Shape = {family: family.name, key: '', measurements: [], history: []};
            return (
              <>
                {row ? (
                  <section class="winner">
                    <h2>Its row</h2>
                    <dl class="facts">{Object.entries(row).map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}=`}>{cellText(value)}</dd>])}</dl>
                  </section>
                ) : <Empty><p><strong>No row is served for this key.</strong></p></Empty>}
                <Along family={family} rows={it} shape={alone} here={key} />
                <p class="notice">Every measurement of this key, why its row won and what held it before are answered by a server; this page is a static export.</p>
              </>
            );
          }}
        </With>
      )}
    </>
  );
}
