// Lists that many views offer: families, targets, models.
import type {Family, Index} from './answers';
import {urls} from './api';
import {targetName} from './format';
import {said, useResource} from './resource';

// The default TP: the number of GPUs of one node.
export const kUsualTp = '8';

export const kEngines = [
  {value: 'vllm', text: 'vLLM'}, {value: 'sglang', text: 'SGLang'}, {value: 'any', text: 'any engine'},
];
export const kUsualEngine = 'vllm';
export const kOffered = kEngines.filter(({value}) => value !== 'any');  // the server answers /overview for one engine
export const engineText = (name: string): string => kEngines.find(({value}) => value === name)?.text ?? name;

export const useIndex = (everyMs?: number) => useResource<Index>(urls.index(), everyMs);
export const useFamilies = (asked = true) => useResource<{families: Family[]}>(asked ? urls.families() : null);
export interface KnownModel {
  model: string;
  title?: string;
  hugging_face?: string;
}
export const useModels = () => useResource<{models: KnownModel[]}>(urls.models());

// "Qwen3 32B" and "Qwen3-32B-FP8-dynamic" are one model, stored in two ways.
const nameIn = ({title, model}: KnownModel): string => (title ?? model).toLowerCase().replaceAll(' ', '-')
  .replace(/^meta-|-(fp8|mxfp4|dynamic|preview|instruct|it|quantized\.w8a8)(?=-|$)/g, '');
export const storedOtherwise = (name: string, models: KnownModel[]): KnownModel[] => {
  const of = models.find(({model}) => model === name);
  return of ? models.filter((other) => other !== of && nameIn(other) === nameIn(of)) : [];
};

export const familyNames = (index: Index | undefined) => index?.families.map((family) => family.family) ?? [];

// "gfx942:304" -> "MI300X / MI325X (gfx942:304)". Sends no request: the page's header already requests the index.
export function withProducts(of: string | Parameters<typeof targetName>[0]): string {
  const target = typeof of === 'string' ? of : targetName(of);
  const products = said<Index>(urls.index())?.products[target];
  return products ? `${products} (${target})` : target;
}

// The products of a target.
export const productsOf = (index: Index | undefined, target: string) => index?.products[target]?.split(' / ') ?? [];

// The targets with the most rows come first.
export function targetNames(index: Index | undefined): string[] {
  const rows = new Map<string, number>();
  for (const target of index?.families.flatMap((family) => family.targets) ?? []) {
    rows.set(targetName(target), (rows.get(targetName(target)) ?? 0) + target.rows);
  }
  return [...rows].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}
