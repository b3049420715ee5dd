// The map of a model on a device: which layer takes most time above the roofline, and the state of each cell.
import {useEffect, useMemo, useState} from 'preact/hooks';
import type {Rows} from '../answers';
import {urls} from '../api';
import {Controls, TextFilter} from '../components/controls';
import {DataTable} from '../components/data_table';
import {Empty, With} from '../components/view';
import type {Context} from '../context';
import {capitalized, count, micros, percent, targetParts} from '../format';
import {kEngines} from '../known';
import {filtersOf, go, hrefOf} from '../location';
import {gap, isTuned, mOf, shareOf, stateOf, useModelMap, worstOf, type MapLayer, type ModelMap, type Worst}
  from '../model_map';
import {useResource} from '../resource';
import {MapCanvas} from './map_canvas';
import type {Spot} from './map_layout';
import {bucketText, bucketsOf, compare, meanShare, nameOf, onlyHere, onlyThere, rangeText, shapeOf, shapeQuery, stateText,
  timesText, type Compared} from './map_words';
import type {TabProps} from './model';
import {kernelIn} from './pin_words';

// The values of M that the History tab plots too.
const kPhases = [{name: 'A typical decode step, M 64', m: 64}, {name: 'A typical prefill, M 8,192', m: 8192}];

const hrefOfTab = (tab: string, layer?: string): string => hrefOf('model', {tab, layer});

type HrefOf = (layer: MapLayer, i: number) => string;

const WorstText = ({map, of, hrefOf}: {map: ModelMap; of: Worst; hrefOf: HrefOf}) => (
  <><a href={hrefOf(of.layer, of.i)}>{nameOf(map, of.layer)}</a>, {timesText(of.layer, of.i)}</>
);

function Answer({map, engine, hrefOf}: {map: ModelMap; engine: string; hrefOf: HrefOf}) {
  const worst = worstOf(map);
  const untimed = map.layers.filter(({us}) => us.every((it) => it === null));
  if (!worst) {
    return (
      <p class="answer">
        {map.product ? <>No layer has a measured time for {engine} yet: <a href={hrefOfTab('tune')}>what to tune first</a></>
          : 'The peak rates of this device are not known, so the map has no roofline.'}
      </p>
    );
  }
  return (
    <>
      <p class="answer">
        Most time above the roofline: <WorstText map={map} of={worst} hrefOf={hrefOf} /> at M {count(worst.m)}
      </p>
      <p class="lead">
        {kPhases.map(({name, m}) => ({name, of: worstOf(map, m)})).map(({name, of}) => of &&
          <span key={name}>{name}: <WorstText map={map} of={of} hrefOf={hrefOf} />. </span>)}
        {untimed.length > 0 && `Left out, because no row with a time answers: ${
          untimed.map((layer) => `${nameOf(map, layer)} \u00d7 ${layer.count}`).join(', ')}.`}
      </p>
    </>
  );
}

const Fact = ({name, text}: {name: string; text: string}) => <div><dt>{name}</dt><dd>{text}</dd></div>;

const kRest = 150;  // ms

// Asks for the row once the cell has been active for a moment, so that a moving mouse sends no requests.
function Kernel({of}: {of: string}) {
  const [rested, setRested] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setRested(of), kRest);
    return () => clearTimeout(timer);
  }, [of]);
  const {data} = useResource<Rows>(rested === of ? of : null);
  return <p class="kernel">Kernel: <code>{data ? kernelIn(data.rows[0]) || 'the row names none' : '\u2026'}</code></p>;
}

interface CellsProps {
  of: Context;
  map: ModelMap;
  layers: MapLayer[];
  hrefOf: HrefOf;
}

// The active cell in words, with links to the next steps.
function Readout({of, map, layers, hrefOf: shapeHref, spot: {row: at, i}, pinned}: CellsProps & {spot: Spot; pinned: boolean}) {
  const layer = layers[at];
  if (!layer) return null;
  const us = (of: (number | null)[]) => micros(of[i]), state = stateOf(map, layer, i);
  const m = mOf(map, layer, i), row = layer.row_m[i] ?? null;
  const above = gap(layer, i), share = shareOf(layer, i);
  return (
    <div class="readout" role="group" aria-label="Active cell">
      <p><strong>{nameOf(map, layer)}</strong>, M {count(m)} <small>{layer.family}, {shapeOf(layer)}</small></p>
      <dl>
        <Fact name="Time, us" text={us(layer.us)} />
        <Fact name="Roofline, us" text={us(layer.roofline_us)} />
        <Fact name="Share" text={percent(share)} />
        <Fact name="Default, us" text={us(layer.default_us)} />
        <Fact name="Above the roofline" text={above === null ? '\u2013' : `${timesText(layer, i)} = ${micros(above)} us`} />
        <Fact name="Misses" text={count(layer.demand[i] ?? 0)} />
      </dl>
      <p>
        <span class={isTuned(state) ? '' : 'warn'}>{capitalized(stateText(map, layer, i))}</span>
        {layer.slower[i] === 1 && <>, <span class="bad">slower than a week ago</span></>}.{' '}
        <a href={shapeHref(layer, i)}>{row === null || row === m ? 'Open the shape' : `Open the row of M ${count(row)}`}</a>
        {!isTuned(state) && <> <a href={hrefOfTab('tune', nameOf(map, layer))}>Plan it</a></>}
        {pinned && <small> Pinned: a second click or Enter opens its shape, Esc releases it.</small>}
      </p>
      {row !== null && <Kernel of={urls.rows(layer.family, {...of.parts, ...layer.columns, [layer.m_column]: row, limit: 1})} />}
    </div>
  );
}

const Legend = ({map}: {map: ModelMap}) => (
  <p class="legend">
    <span><i class="scale" />0 to 100 % of the roofline{map.product && ` of ${map.product}`}</span>
    {map.layers.some(({us, roofline_us}) => us.some((it, i) => it !== null && roofline_us[i] === null)) &&
      <span><i class="unknown" />roofline unknown</span>}
    <span><i class="missing" />missing</span>
    <span><i class="untuned" />only the default measured, or no time</span>
    <span><i class="slower" />slower than a week ago</span>
    <span class="sideways">The map scrolls sideways.</span>
  </p>
);

const ByLayer = ({map, layers}: {map: ModelMap; layers: MapLayer[]}) => (
  <details>
    <summary>As a table</summary>
    <DataTable caption="Share of the roofline by layer" columns={(is) => [
      is.wide('Layer', (layer) => <>{layer.layer}<small>{layer.family}, {shapeOf(layer)}</small></>),
      is.number('Calls per pass', (layer) => count(layer.count)),
      is.number('Roofline share', (layer) => percent(meanShare(layer))),
      ...bucketsOf(map).map((bucket) => is.number(bucket.text, (layer) => bucketText(map, layer, bucket))),
    ]} rows={layers} />
  </details>
);

// The worst cell, or the first one.
function startOf(map: ModelMap, layers: MapLayer[]): Spot {
  const worst = worstOf({...map, layers});
  return worst ? {row: layers.indexOf(worst.layer), i: worst.i} : {row: 0, i: 0};
}

// Has the active cell as its own state, so that a moving mouse renders nothing else.
function Explorer(props: CellsProps) {
  const {map, layers, hrefOf} = props;
  const start = useMemo(() => ({layers, spot: startOf(map, layers), pinned: false}), [map, layers]);
  const [chosen, setChosen] = useState(start);
  const {spot, pinned} = chosen.layers === layers ? chosen : start;
  const open = ({row, i}: Spot) => {
    const layer = layers[row];
    if (layer) go(hrefOf(layer, i));
  };
  return (
    <>
      <Readout {...props} spot={spot} pinned={pinned} />
      <MapCanvas map={map} layers={layers} spot={spot} pinned={pinned} onOpen={open}
        onSpot={(spot) => setChosen({layers, spot, pinned})}
        onPin={(its) => setChosen({layers, spot: its ?? spot, pinned: its !== null})} />
    </>
  );
}

function Cells({of, map}: {of: Context; map: ModelMap}) {
  const filters = filtersOf('model', {tab: '', layer: ''});
  const words = filters.values.layer.toLowerCase();
  const layers = useMemo(() => map.layers.filter(({layer, family}) => `${layer} ${family}`.includes(words)), [map, words]);
  const href: HrefOf = (layer, i) => hrefOf('shape', shapeQuery(map, layer, i, of.parts));
  return (
    <>
      <Answer map={map} hrefOf={href} engine={kEngines.find(({value}) => value === of.values.engine)?.text ?? ''} />
      <div class="map-tools">
        <Controls><TextFilter of={filters} name="layer" label="Layer contains" atHand /></Controls>
        <Legend map={map} />
        <span role="status" class="hidden">{words && `${count(layers.length)} of ${count(map.layers.length)}`}</span>
      </div>
      {layers.length === 0 ? <Empty><p>No layer contains "{filters.values.layer}".</p></Empty> : (
        <section>
          <h2 class="hidden">Map</h2>
          <Explorer of={of} map={map} layers={layers} hrefOf={href} />
          <ByLayer map={map} layers={layers} />
        </section>
      )}
    </>
  );
}

const sum = (rows: Compared[], of: (row: Compared) => number[]): string =>
  count(rows.reduce((total, row) => total + of(row).length, 0));

function Against({of, here, there}: {of: Context; here: ModelMap; there: ModelMap}) {
  const [a, b] = [of.values.device, of.values.against];
  const rows = compare(here, there), own = of.target === of.againstTarget;
  return (
    <>
      {own &&
        <p class="answer">
          {rows.some(({here, there}) => here.length + there.length > 0)
            ? `${b}'s own runs have ${sum(rows, onlyThere)} shapes that ${a}'s lack; ${a}'s have ${sum(rows, onlyHere)} that ${b}'s lack.`
            : `No run on ${a} or ${b} measured these shapes: the tuned rows are imports that name no product.`}
        </p>}
      <DataTable caption={`${a} and ${b}`} columns={(is) => [
        is.name('Layer', (row) => row.layer.layer),
        is.name('Family', (row) => <>{row.layer.family}<small>{shapeOf(row.layer)}</small></>),
        is.number(`Tuned, ${a}`, (row) => `${count(row.here.length)} of ${count(row.all.length)}`),
        is.number(`Tuned, ${b}`, (row) => `${count(row.there.length)} of ${count(row.all.length)}`),
        is.wide(`M only on ${a}`, (row) => rangeText(row, onlyHere(row))),
        is.wide(`M only on ${b}`, (row) => rangeText(row, onlyThere(row))),
        ...(own ? [] : [
          is.number(`Share of the roofline, ${a}`, (row) => percent(row.shares[0])),
          is.number(`Share of the roofline, ${b}`, (row) => percent(row.shares[1])),
        ]),
      ]} rows={rows} />
    </>
  );
}

// If two products share a target, compares the rows that each product's own runs measured.
function Comparison({of}: {of: Context}) {
  const own = of.target === of.againstTarget;
  const other = {...of, product: of.againstProduct, target: of.againstTarget, parts: targetParts(of.againstTarget)};
  const here = useModelMap(of, own ? {own: of.product} : {});
  const there = useModelMap(other, own ? {own: of.againstProduct} : {});
  return (
    <section>
      <h2>{of.values.device} and {of.values.against}</h2>
      <With of={here} what={`the shapes of ${of.values.device}`}>
        {(here) =>
          <With of={there} what={`the shapes of ${of.values.against}`}>
            {(there) => <Against of={of} here={here} there={there} />}
          </With>}
      </With>
    </section>
  );
}

export function MapTab({of}: TabProps) {
  const map = useModelMap(of), {device, against} = of.values;
  return (
    <With of={map} what="the map">
      {(map) =>
        <>
          {map.layers.length > 0 ? <Cells of={of} map={map} /> : <NoTable />}
          {against && against !== device && <Comparison of={of} />}
        </>}
    </With>
  );
}

export const NoTable = () => (
  <Empty><p>The engine reads no tuned table for this model as it is stored. Choose another engine or other weights above.</p></Empty>
);
