// A model on a device. Each tab answers one question; the address names the open tab.
import type {ComponentType} from 'preact';
import type {Overview} from '../answers';
import {urls} from '../api';
import {Figures, type Figure} from '../components/figures';
import {Empty, ViewHead, With} from '../components/view';
import {useContext, type Context} from '../context';
import {kExported} from '../exported/mode';
import {count, percent, plural, targetName} from '../format';
import {engineText, kUsualEngine, storedOtherwise, useIndex, useModels} from '../known';
import {filtersOf, hrefOf} from '../location';
import {productOf, useModelMap, type ModelMap} from '../model_map';
import {useResource} from '../resource';
import {HistoryTab} from './history';
import {MapTab} from './map';
import {PinTab} from './pin';
import {RooflineTab} from './roofline';
import {TuneTab} from './tune';

export interface TabProps {
  of: Context;
}

interface Tab {
  name: string;
  title: string;
  component: ComponentType<TabProps>;
  online?: boolean;  // a static export does not have it
}

const kTabs: Tab[] = [
  {name: 'map', title: 'Map', component: MapTab},
  {name: 'roofline', title: 'Roofline', component: RooflineTab},
  {name: 'tune', title: 'To tune', component: TuneTab},
  {name: 'pin', title: 'Pin', component: PinTab, online: true},
  {name: 'history', title: 'History', component: HistoryTab, online: true},
];

// The filters of all tabs. A link to another tab leaves them out.
const kFilters = {tab: '', layer: '', family: '', build: '', revision: '', list: '', page: ''};

const layersOf = ({layers}: ModelMap): number => new Set(layers.map(productOf)).size;

function figuresOf(of: ModelMap, {values: {engine, tp}}: Context): Figure[] {
  const {coverage, layers, findings} = of, starts = !findings.some(({refused}) => refused);
  const slower = layers.reduce((sum, {slower}) => sum + slower.filter(Boolean).length, 0);
  return [
    ...(coverage && coverage.shapes > 0 ? [
      {name: `Covered: ${engineText(engine)} at TP ${tp}`, value: starts ? percent(coverage.covered) : '\u2013',
        note: starts ? 'each doubling of M counts the same, whatever its time or traffic' : 'does not start'},
      {name: 'Missing', value: starts ? count(coverage.missing) : '\u2013', note: `of ${plural(coverage.shapes, 'shape')}`},
    ] : []),
    {name: 'Layers', value: count(layersOf(of)), note: 'read tuned tables'},
    ...(layers.some(({us}) => us.some((it) => it !== null)) ? [{name: 'Slower than a week ago', value: count(slower),
      note: slower > 0 && <a href={hrefOf('changes', {kind: 'slower'})}>what changed</a>}] : []),
  ];
}

// A model's config says how its weights are stored. Links to the same model in other formats, with their coverage here.
function Otherwise({of: {values: {model, tp, engine}, target}}: {of: Context}) {
  const others = storedOtherwise(model, useModels().data?.models ?? []);
  const asked = engine === 'any' || engine === kUsualEngine ? '' : engine;
  const all = useResource<Overview>(others.length > 0 && !kExported ? urls.overview({tp, engine: asked}) : null).data;
  const place = all?.targets.findIndex((it) => targetName(it) === target) ?? -1;
  return others.length > 0 && (
    <p class="lead">
      The same model, stored otherwise:{others.map(({model, title}, i) => {
        const its = all?.models.find((one) => one.model === model), cell = its?.cells[place];
        return <>{i > 0 && ','} <a key={model} href={hrefOf('model', {model, stored: 'config'})}>{title ?? model}</a>
          {its && ` (${its.scheme}${cell ? `, ${percent(cell.covered)} covered` : its.refused ? `, does not start at TP ${tp}` : ', reads no tuned table'})`}</>;
      })}
    </p>
  );
}

function Head({of, context}: {of: ModelMap; context: Context}) {
  const {unread, findings, coverage, layers} = of, {engine} = context.values;
  const isAsked = !kExported && engine !== 'any' && !coverage?.covered, other = engine === kUsualEngine ? 'sglang' : '';
  const elsewhere = useModelMap(context, isAsked ? {engine: other} : null).data, share = elsewhere?.coverage?.covered ?? 0;
  return (
    <>
      <Figures of={figuresOf(of, context)} />
      {isAsked && elsewhere && (share > 0 || layers.length === 0) && elsewhere.layers.length > 0 && <p class="notice">
        {engineText(other || kUsualEngine)} reads tuned tables for {plural(layersOf(elsewhere), 'layer')}:{' '}
        <a href={hrefOf('model', {engine: other || kUsualEngine})}>{percent(share)} covered</a>.
      </p>}
      {findings.map(({detail, refused}) =>
        <p key={detail} class={refused ? 'notice bad' : 'notice'}>
          {refused && <strong>The engine does not start: </strong>}{detail}.
        </p>)}
      {unread.length > 0 &&
        <details class="unread">
          <summary>{plural(unread.length, 'layer')} without a tuned table</summary>
          <ul>{unread.map(({layer, stored, why}) => <li key={layer}><b>{layer}</b> ({stored}): {why}</li>)}</ul>
        </details>}
    </>
  );
}

function Shown({of, tab: {component: Component}}: {of: Context; tab: Tab}) {
  const map = useModelMap(of);
  return (
    <>
      <div class="model-head"><Otherwise of={of} />{map.data && <Head of={map.data} context={of} />}</div>
      <Component of={of} />
    </>
  );
}

export function ModelPlace() {
  const context = useContext();
  const models = useModels(), index = useIndex();
  const filters = filtersOf('model', {tab: ''});
  const tabs = kTabs.filter(({online}) => !(online && kExported));
  const open = tabs.find(({name}) => name === (filters.values.tab || 'map'));
  useResource(open?.component === PinTab ? urls.builds() : null);  // needs no context, which comes later
  const model = models.data?.models.find(({model}) => model === context?.values.model), title = model?.title ?? model?.model;
  const known = context && context.unknown.length === 0;
  const isEmpty = index.data?.families.every(({rows}) => rows === 0);
  return (
    <>
      <ViewHead title={known && title && context.target ? `${title} on ${context.values.device}` : title ?? 'Model'}
        filters={filtersOf('model', kFilters)}>
        Which of this model's GEMM and MoE shapes find a tuned kernel on this device, how fast it is, and what to tune.
      </ViewHead>
      <nav class="tabs" aria-label="Tabs">
        {tabs.map(({name, title}) =>
          <a key={name} href={filters.href({tab: name})} aria-current={name === open?.name ? 'page' : undefined}>
            {title}
          </a>)}
      </nav>
      {!open && <p class="notice" role="alert">There is no tab "{filters.values.tab}".</p>}
      {!models.data && <With of={models} what="the models">{() => null}</With>}
      {models.data && !index.data && <With of={index} what="the devices">{() => null}</With>}
      {known && isEmpty &&
        <Empty>
          <p>
            No device has tuned rows yet. <a href={hrefOf('')}>Home</a> shows how to import tables and how to start an
            agent.
          </p>
        </Empty>}
      {open && known && !isEmpty && <Shown of={context} tab={open} />}
    </>
  );
}
