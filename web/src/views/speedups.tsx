// Speed-ups by tuning, only from measurements.
import type {SpeedupPart, Speedups, Spread} from '../answers';
import {urls} from '../api';
import {Controls, Select} from '../components/controls';
import {DataTable} from '../components/data_table';
import {Chart} from '../components/plot';
import {Empty, ViewHead, With} from '../components/view';
import {parseCsv, type CsvRecord} from '../csv';
import {kExported} from '../exported/mode';
import {capitalized, count, micros, percent, plural, targetName, targetParts, times} from '../format';
import {useChoices, useIndex, withProducts} from '../known';
import {filtersOf} from '../location';
import {useResource} from '../resource';
import {binsOf, binText, extremes, keysByM, kSides, sentenceOf} from './speedups_rows';

const kView = 'speedups';
const kListed = 10;

function Sides({of}: {of: Speedups}) {
  return (
    <DataTable caption="Tuned, heuristic and default" columns={(is) => [
      is.text('Comparison', (side) => side.title),
      is.number('Keys', (side) => count(side.of(of).keys)),
      is.number('Geometric mean', (side) => <strong>{times(side.of(of).geometric_mean)}</strong>),
      is.number('Median', (side) => times(side.of(of).median)),
      is.number('Above 2\u00d7', (side) => percent(side.of(of).above_2x)),
      is.number('Worst', (side) => times(side.of(of).worst)),
    ]} rows={kSides} />
  );
}

function Histogram({spread, target}: {spread: Spread; target: string}) {
  const bins = binsOf(spread);
  return (
    <Chart
      title={`Tuned over default${target ? ` on ${withProducts(target)}` : ''}`}
      summary={sentenceOf(spread)}
      drawing={{
        kind: 'bars',
        x: bins.map((bin) => (bin.log2_from + bin.log2_to) / 2),
        xLabel: 'speed-up (log)',
        yLabel: 'keys',
        xText: (log2) => `${Number((2 ** log2).toPrecision(2))}\u00d7`,
        xRange: [Math.min(0, bins[0]?.log2_from ?? 0), bins.at(-1)?.log2_to ?? 1],
        xSteps: [0.25, 0.5, 1, 2, 4],
        marks: [0],
        series: [{label: 'keys', values: bins.map((bin) => bin.keys), color: 1}],
      }}
      table={
        <DataTable caption="Keys by speed-up" titled
          columns={(is) => [is.number('Speed-up', binText), is.number('Keys', (bin) => count(bin.keys))]} rows={bins} />
      }
    />
  );
}

function By({title, parts}: {title: string; parts: SpeedupPart[]}) {
  return (
    <section>
      <h2>By {title}</h2>
      <DataTable caption={`Speed-up by ${title}`} columns={(is) => [
        is.text(capitalized(title), (part) => part.name),
        is.number('Keys with a default', (part) => count(part.tuned_over_default.keys)),
        is.number('Tuned / default', (part) => times(part.tuned_over_default.geometric_mean)),
        is.number('Above 2\u00d7', (part) => percent(part.tuned_over_default.above_2x)),
        is.number('Heuristic / default', (part) => times(part.heuristic_over_default.geometric_mean)),
        is.number('Tuned / heuristic', (part) => times(part.tuned_over_heuristic.geometric_mean)),
      ]} rows={parts} />
    </section>
  );
}

function Extreme({title, rows}: {title: string; rows: CsvRecord[]}) {
  const us = (name: string) => (record: CsvRecord) => micros(record[name] ? Number(record[name]) : null);
  return (
    <section>
      <h2>{title}</h2>
      <DataTable caption={`${title} speed-ups`} columns={(is) => [
        is.number('Speed-up', (record) => times(Number(record['tuned_over_default']))),
        is.number('Default, us', us('default_us')),
        is.number('Heuristic, us', us('heuristic_us')),
        is.number('Tuned, us', us('tuned_us')),
        is.name('Family', (record) => record['family']),
        is.name('Target', (record) => record['target']),
        is.wide('Shape', (record) => record['shape']),
      ]} rows={rows} />
    </section>
  );
}

function Extremes({query}: {query: Record<string, string>}) {
  const csv = useResource<string>(urls.speedups({...query, format: 'csv'}));
  return (
    <With of={csv} what="the keys">
      {(body) => {
        const {best, worst} = extremes(parseCsv(body), kListed);
        return <><Extreme title="Best" rows={best} /><Extreme title="Worst" rows={worst} /></>;
      }}
    </With>
  );
}

// Tuned shape keys by family, of one target or of all.
function Known({target}: {target: string}) {
  const index = useIndex();
  const rows = (index.data?.families ?? []).flatMap(({family, targets}) => targets.flatMap((rows) => {
    const name = targetName(rows);
    const tuned = rows.rows - rows.unmeasured - rows.baselines;
    return tuned > 0 && (!target || name === target) ? [{family, name, tuned, unmeasured: rows.unmeasured}] : [];
  }));
  return (
    <DataTable caption="Tuned keys without a measured default" titled columns={(is) => [
      is.name('Family', (row) => row.family),
      is.name('Target', (row) => withProducts(row.name)),
      is.number('Tuned keys', (row) => count(row.tuned)),
      is.number('Unmeasured', (row) => count(row.unmeasured)),
    ]} rows={rows.sort((a, b) => b.tuned - a.tuned)} />
  );
}

// Shown if no default is measured: the tuned shape keys, and how to measure both sides.
function Unmeasured({target, query}: {target: string; query: Record<string, string>}) {
  return (
    <>
      <Empty>
        <p>
          <strong>No baseline is measured here.</strong> Imported tables hold winners only: what tuning brought is known
          where somebody measures both sides.
        </p>
      </Empty>
      <Known target={target} />
      <p>Measure both sides:</p>
      <pre>
        tunehub-agent bench --before -i untuned.csv --family {query['family'] || 'FAMILY'} -o
        before.csv{kExported ? '' : ` --hub ${location.origin}`}
      </pre>
    </>
  );
}

function Answer({of, target, query}: {of: Speedups; target: string; query: Record<string, string>}) {
  const spread = of.tuned_over_default;
  const without = of.without_default + of.tuned_alone;
  const none = without > 0 && (
    <p class="notice">Default not measured ({count(without)}): left out, not guessed.</p>
  );
  if (spread.keys === 0 && of.tuned_over_heuristic.keys === 0) return <>
    {none}<Unmeasured target={target} query={query} />
  </>;
  return (
    <>
      {none}
      <Sides of={of} />
      {spread.keys > 0 && <Histogram spread={spread} target={target} />}
      <By title="M" parts={keysByM(of)} />
      {(['family', 'target', 'model'] as const).map((name) =>
        of.by[name].length > 1 && <By key={name} title={name} parts={of.by[name]} />)}
      <Extremes query={query} />
    </>
  );
}

export function SpeedupsView() {
  const filters = filtersOf(kView, {target: '', family: '', model: ''});
  const {target, family, model} = filters.values;
  const {names, targets, families} = useChoices();
  const query = {...targetParts(target), family, model};
  const speedups = useResource<Speedups>(urls.speedups(query));
  return (
    <>
      <ViewHead title="Speedups" filters={filters}>
        How many times faster the tuned kernel is than what runs without it, where both were measured.
      </ViewHead>
      <Controls>
        <Select of={filters} name="target" label="Target" all options={targets} />
        <Select of={filters} name="family" label="Family" all options={families} />
        <Select of={filters} name="model" label="Model" all options={names} />
      </Controls>
      <With of={speedups} what="the speed-ups">
        {(speedups) =>
          <>
            <p class="lead">
              {plural(speedups.tuned_over_default.keys, 'key')} with a measured default at revision {speedups.revision}.
            </p>
            <Answer of={speedups}
              target={target || (speedups.by.target.length === 1 ? (speedups.by.target[0]?.name ?? '') : '')}
              query={query} />
          </>}
      </With>
    </>
  );
}
