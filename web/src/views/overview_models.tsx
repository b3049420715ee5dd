// The coverage of the known models on each product, at the top of the start page.
import type {Overview, Speedups} from '../answers';
import {urls} from '../api';
import {Controls, Select, TextFilter} from '../components/controls';
import {HeatTable} from '../components/heat_table';
import {Empty} from '../components/view';
import {kExported} from '../exported/mode';
import {percent, plural, times} from '../format';
import {kUsualTp, withProducts} from '../known';
import {hrefOf, type Filters} from '../location';
import {useResource} from '../resource';
import {columnsOf, heatCell, largestGaps, meanOf, ordered, sinceMonth, type Gap,
  type ProductColumn} from './overview_cells';

const kGaps = 3;

function FirstSteps() {
  return (
    <Empty>
      <p><strong>The registry is empty.</strong> Make a key on the server's host, and import AITER's tables:</p>
      <pre>
        export TUNEHUB_KEY=$(tunehub-server key create --scope admin){'\n'}tunehub-agent import aiter/configs
        --hub {location.origin}
      </pre>
      <p>Or let an agent tune, and push what it measures:</p>
      <pre>tunehub-agent run --hub {location.origin}</pre>
    </Empty>
  );
}

const Head = ({of: {name, target, alike}}: {of: ProductColumn}) => (
  <>
    {name}{alike.length > 0 && <abbr title={`rows of ${target} count for ${alike.join(', ')}, too`}>*</abbr>}
    {name !== target && <small>{target}</small>}
  </>
);

function Gaps({gaps, tp}: {gaps: Gap[]; tp: string}) {
  const [first] = gaps;
  if (!first) return null;
  return (
    <p class="gaps">
      {plural(gaps.length, 'largest gap', 'largest gaps')}:{' '}
      {gaps.map(({model, column, cell}) =>
        <a key={model.model + column.name} href={hrefOf('coverage', {model: model.model, tp, target: column.target})}>
          {model.title} on {column.name}, {percent(cell.covered)}
        </a>)}
      <a href={hrefOf('tune', {model: first.model.model, tp, target: first.column.target})}>
        What to tune next for the largest
      </a>
    </p>
  );
}

// The change since a month ago by product, with links to Trends.
function SinceMonth({of, columns}: {of: Overview; columns: ProductColumn[]}) {
  const seen = new Set<number>();
  const lines = columns.flatMap((column) => {
    const points = meanOf(of, column)?.points;
    if (seen.has(column.place) || points === null || points === undefined) return [];
    seen.add(column.place);
    return [{column, points}];
  });
  if (lines.length === 0) return <p class="gaps"><a href={hrefOf('trends')}>How it was over time</a></p>;
  const [moved, as] = [lines.filter((line) => line.points !== 0), lines.filter((line) => line.points === 0)];
  const hrefTo = ({column}: {column: ProductColumn}) => hrefOf('trends', {target: column.target});
  const namesOf = ({column}: {column: ProductColumn}) => [column.name, ...column.alike].join(' / ');
  return (
    <p class="gaps">
      All models against {of.month_days} days ago:{' '}
      {moved.map((line) =>
        <a key={line.column.name} href={hrefTo(line)}>{namesOf(line)}, {sinceMonth(line.points, of.month_days)}</a>)}
      {as.length > 0 && <span>{moved.length > 0 ? 'as then:' : `as ${of.month_days} days ago:`}</span>}
      {as.map((line) => <a key={line.column.name} href={hrefTo(line)}>{namesOf(line)}</a>)}
    </p>
  );
}

// Shape keys that are slower than a week ago, with links to their lists.
function Slower({of, columns}: {of: Overview; columns: ProductColumn[]}) {
  if (kExported) return null;
  const lines = of.models.flatMap((model) => of.targets.flatMap((target, place) => {
    const keys = model.cells[place]?.slower ?? 0;
    const column = columns.find((column) => column.place === place);
    return keys > 0 && column ? [{model, target, column, keys}] : [];
  }));
  if (lines.length === 0) return null;
  return (
    <p class="gaps">
      Slower than a week ago:{' '}
      {lines.map(({model, target: {gfx, cu_num}, column, keys}) =>
        <a key={model.model + column.name} href={hrefOf('changed', {gfx, cu_num, model: model.model})}>
          {model.title} on {column.name}, {plural(keys, 'key')}
        </a>)}
    </p>
  );
}

// Speed-ups over measured defaults, by target.
function Brought() {
  const {data} = useResource<Speedups>(urls.speedups({}), 60_000);
  const measured = data?.by.target.filter((part) => part.tuned_over_default.keys > 0) ?? [];
  if (measured.length === 0) return null;
  return (
    <p class="gaps">
      What tuning brought, measured:{' '}
      {measured.map(({name, tuned_over_default: {keys, geometric_mean}}) =>
        <a key={name} href={hrefOf('speedups', {target: name})}>
          {withProducts(name)}, {times(geometric_mean)} over the default by {plural(keys, 'key')}
        </a>)}
    </p>
  );
}

function Legend({of, columns}: {of: Overview; columns: ProductColumn[]}) {
  return (
    <>
      <p class="legend">
        <span><i class="level-4" />95 % and more</span>
        <span><i class="level-3" />60 %</span>
        <span><i class="level-2" />25 %</span>
        <span><i class="level-1" />less</span>
        <span><i class="missing" />nothing tuned</span>
        <span>{'\u25bc'} keys slower than {of.days} days ago</span>
        <span>? shapes whose row is unmeasured</span>
        <span>{'\u00d7'} over the default, where it was measured</span>
        <span>+3 points more than {of.month_days} days ago; the line: the share since then, where it moved</span>
        {columns.some((column) => column.alike.length > 0) &&
          <span>* rows name gfx and CU count alone: they count for every product that has them</span>}
      </p>
      <details class="formula">
        <summary>How the share is computed</summary>
        <p>
          Each layer of a model, as its weights are stored, reads at most one table of AITER's: the one
          that {of.engine} takes for it. A range of
          M (1, 2, 3{'\u2013'}4, {'\u2026'}, 16,384) counts by the part of these layers' shapes that find a tuned row,
          whatever build will run it;
          the share is the mean of the ranges. Layers that read no table do not count; Coverage names them. A cell
          without a number reads none.
          Misses weigh the ranges in a number of its own. &ldquo;All models&rdquo; is the mean of their shares. Largest
          gaps are ranked
          by the untuned flops of a token on one of {plural(of.tp, 'GPU')} times the misses of their layers.
        </p>
      </details>
    </>
  );
}

export function Models({of, filters, tp}: {of: Overview; filters: Filters<{tp: string; worst: string}>; tp: string}) {
  const columns = columnsOf(of.targets);
  if (columns.length === 0) return <FirstSteps />;
  const {worst} = filters.values;
  const hrefOfCell = (model: string, column: ProductColumn) => hrefOf('coverage', {model, tp, target: column.target});
  const all = {
    title: <strong>All models</strong>,
    name: 'All models',
    cells: columns.map((column) => {
      const mean = meanOf(of, column), points = mean?.points ?? null;
      const cell = heatCell(mean?.cell, 'The mean of all models', column, filters.href({worst: column.name}),
        of.month_days, points);
      const since = points === null ? '' : `, ${sinceMonth(points, of.month_days)}`;
      return cell &&
        {...cell,
          label: `the mean of all models on ${column.name}${since}; opens the models, the largest gap there first`};
    }),
  };
  const rows = ordered(of, columns.find((column) => column.name === worst)).map((model) => ({
    title: <>{model.title}<small>{model.refused ? 'cannot be split so' : model.scheme}</small></>,
    name: model.title,
    cells: columns.map((column) =>
      heatCell(model.cells[column.place], model.title, column, hrefOfCell(model.model, column), of.month_days)),
  }));
  return (
    <>
      <Controls>
        <TextFilter of={filters} name="tp" label="TP" numeric placeholder={kUsualTp} />
        <Select of={filters} name="worst" label="Largest gap first on" value={worst}
          options={[{value: '', text: 'none: by name'},
            ...columns.map((column) => ({value: column.name, text: column.name}))]} />
      </Controls>
      <HeatTable caption="Share of each model's shapes that find a tuned row, by product"
        corner={`Model at TP ${of.tp}`} columns={columns.map((column) => column.name)}
        heads={columns.map((column) => <Head key={column.name} of={column} />)} rows={[all, ...rows]} empty="none"
        filled />
      <SinceMonth of={of} columns={columns} />
      <Gaps gaps={largestGaps(of, columns, kGaps)} tp={tp} />
      <Slower of={of} columns={columns} />
      <Brought />
      <Legend of={of} columns={columns} />
    </>
  );
}
