// Long names in a list, folded by what they have in common: what differs stands out. The whole name stays
// in the page, for copying, for who listens, and for a pointer or the focus on its row.
import {foldsOf} from './table_rows';

export type Folds = ReturnType<typeof foldsOf>;

export function Folded({name, folds}: {name: string; folds: Folds}) {
  const fold = folds.get(name);
  if (!fold) return <>{name}</>;
  const end = name.length - fold.tail;
  return (
    <span class="folded">
      {fold.head > 0 && <span class="same">{name.slice(0, fold.head)}</span>}
      {name.slice(fold.head, end)}
      {fold.tail > 0 && <span class="same">{name.slice(end)}</span>}
    </span>
  );
}
