// One shape key: its row and its neighbours. An export shows this instead of ShapePlace, because all measurements would
// take much more space than the tables.
import type {Row, Rows} from '../answers';
import {urls} from '../api';
import {Empty, Facts, ViewHead, With} from '../components/view';
import {keyOf} from '../family';
import {cellText} from '../format';
import {useResource} from '../resource';
import {NoFamily, useKey} from './shape';
import {Curve} from './shape_curve';

export function RowPlace() {
  const its = useKey(), {family, key} = its, axis = family?.heat_map.x ?? '';
  const rows = useResource<Rows>(family ? urls.allRows(family.name, {...key, [axis]: ''}) : null);
  const isIt = (row: Row) =>
    Object.entries(key).every(([name, value]) => family && (keyOf(family, row)[name] ?? '') === value);
  return (
    <>
      <ViewHead filters={its.filters} title={its.title}>{its.lead}</ViewHead>
      {!family ? <NoFamily of={its} /> : (
        <With of={rows} what="the rows">
          {(rows) => {
            const row = rows.rows.find(isIt);
            return (
              <>
                {row ? (
                  <section class="winner">
                    <h2>Served row</h2>
                    <Facts of={Object.entries(row).map(([name, value]) => [name, cellText(value)])} />
                  </section>
                ) : <Empty><p><strong>No row is served for this shape.</strong></p></Empty>}
                <Curve family={family} rows={rows} at={Number(key[axis])} />
                <p class="notice">
                  This is a static export. A server also shows every measurement of this shape, and why its row won.
                </p>
              </>
            );
          }}
        </With>
      )}
    </>
  );
}
