// One shape key: its row and its neighbours. An export shows this instead of ShapeView, because all measurements would
// take much more space than the tables.
import type {Row, Rows, Shape} from '../answers';
import {urls} from '../api';
import {Empty, Facts, ViewHead, With} from '../components/view';
import {keyOf} from '../family';
import {cellText} from '../format';
import {withProducts} from '../known';
import {hrefOf} from '../location';
import {useResource} from '../resource';
import {Along, kAxisRows, useKey} from './shape';

export function RowView() {
  const {families, family, filters, key, target, title} = useKey();
  const along = family ? {...key, [family.heat_map.x]: ''} : key;
  const rows = useResource<Rows>(family ? urls.rows(family.name, {...along, limit: kAxisRows}) : null);
  const others = family && hrefOf('results', {...along, family: family.name, target, gfx: '', cu_num: ''});
  return (
    <>
      <ViewHead filters={filters} title={title}>
        {family ? <>On <strong>{withProducts(target)}</strong>. <a href={others}>Rows of the same operation</a></>
          : 'One key and its row.'}
      </ViewHead>
      <With of={families} what="the families">
        {() => !family &&
          <Empty><p>No shape is named. <a href={hrefOf('results')}>Choose a row of the results.</a></p></Empty>}
      </With>
      {family &&
        <With of={rows} what="the rows">
          {(rows) => {
            const isIt = (one: Row) =>
              Object.entries(key).every(([name, value]) => (keyOf(family, one)[name] ?? '') === value);
            const row = rows.rows.find(isIt);
            const alone: Shape = {family: family.name, key: '', measurements: [], history: []};
            return (
              <>
                {row ? (
                  <section class="winner">
                    <h2>Its row</h2>
                    <Facts of={Object.entries(row).map(([name, value]) => [name, cellText(value)])} />
                  </section>
                ) : <Empty><p><strong>No row is served for this key.</strong></p></Empty>}
                <Along family={family} rows={rows} shape={alone} here={key} />
                <p class="notice">
                  Every measurement of this key, why its row won and what held it before are answered by a server; this
                  page is a static export.
                </p>
              </>
            );
          }}
        </With>}
    </>
  );
}
