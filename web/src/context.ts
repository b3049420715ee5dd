// The context of a page: model, device, TP, engine, storage, and a second device to compare with. It is always in the
// address, so that a shared link shows the same everywhere.
import type {Index} from './answers';
import {targetParts} from './format';
import {kEngines, kUsualEngine, productsOf, targetNames, useIndex, useModels, type KnownModel} from './known';
import {kContextNames, place, type ContextName} from './location';
import {nearest} from './nearest';

export type {ContextName} from './location';

export interface Unknown {
  name: ContextName;
  value: string;
  nearest: string[];
}

export interface Context {
  values: Record<ContextName, string>;  // as in the address, with defaults; against '': no second device
  target: string;  // "gfx950:256"; '': unknown
  product: string;  // "MI355X"; '': the address names the device by its target
  againstTarget: string;
  againstProduct: string;
  parts: {gfx: string; cu_num: string};  // of `target`
  unknown: Unknown[];
}

export interface Device {
  name: string;  // a product, or a target without a known product
  target: string;
}

export const kStored = [
  {value: 'config', text: 'as its config says'},
  ...['bf16', 'fp8', 'fp8_block', 'int8', 'fp4', 'mxfp4', 'int4'].map((value) => ({value, text: value})),
];

// The target with the most rows comes first. Known products without rows come last, because they may be tuned, too.
export const devicesOf = (index: Index | undefined): Device[] =>
  [...new Set([...targetNames(index), ...Object.keys(index?.products ?? {})])].flatMap((target) => {
    const products = productsOf(index, target);
    return (products.length > 0 ? products : [target]).map((name) => ({name, target}));
  });

// A family without CU counts has rows of a bare "gfx950" or "any", which no GPU is. An address may name it.
export const optionsOf = (devices: Device[], named: string) =>
  devices.filter(({name, target}) => target.includes(':') || name === named)
    .map(({name, target}) => ({value: name, text: name === target ? name : `${name} (${target})`}));

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

// Finds a device by its name or its target. A target means its first product.
const findDevice = (devices: Device[], name: string) =>
  devices.find((device) => same(device.name, name)) ?? devices.find((device) => same(device.target, name));

// Finds a model by its name, its title or its name at Hugging Face.
const findModel = (models: KnownModel[], name: string) =>
  models.find(({model, title, hugging_face}) => [model, title, hugging_face].some((its) => its && same(its, name)));

export function resolve(asked: Partial<Record<ContextName, string>>, models: KnownModel[], devices: Device[]): Context {
  const unknown: Unknown[] = [];
  const known = <T,>(name: ContextName, found: T | undefined, names: string[]): T | undefined => {
    const value = asked[name];
    if (value && !found) unknown.push({name, value, nearest: nearest(value, names)});
    return found;
  };
  const names = devices.map(({name}) => name);
  const model = known('model', findModel(models, asked.model || models[0]?.model || ''), models.map((it) => it.model));
  const device = known('device', findDevice(devices, asked.device || names[0] || ''), names);
  const against = known('against', findDevice(devices, asked.against ?? ''), names);
  const choice = (name: ContextName, usual: string, values: string[]) =>
    known(name, values.find((value) => value === (asked[name] || usual)), values) ?? usual;
  const tp = known('tp', /^[1-9]\d{0,3}$/.exec(asked.tp || '8')?.[0], ['8', '4', '2', '1']) ?? '8';
  const product = (it: Device | undefined) => (it && it.name !== it.target ? it.name : '');
  return {
    values: {
      model: model?.model ?? '', device: device?.name ?? '', tp,
      engine: choice('engine', kUsualEngine, kEngines.map(({value}) => value)),
      stored: choice('stored', 'config', kStored.map(({value}) => value)),
      against: against?.name ?? '',
    },
    target: device?.target ?? '',
    product: product(device),
    againstTarget: against?.target ?? '',
    againstProduct: product(against),
    parts: targetParts(device?.target ?? ''),
    unknown,
  };
}

// Returns null until the models and the devices are known.
export function useContext(): Context | null {
  const models = useModels().data, index = useIndex().data;
  if (!models || !index) return null;
  const asked = Object.fromEntries(new URLSearchParams(place.value.query));
  const given = Object.fromEntries(kContextNames.map((name) => [name, asked[name] ?? '']));
  return resolve(given, models.models, devicesOf(index));
}
