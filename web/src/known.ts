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
export const engineText = (name: string): string => kEngines.find(({value}) => value === name)?.text ?? name;

export const useIndex = (everyMs?: number) => useResource<Index>(urls.index(), everyMs);
export const useFamilies = () => useResource<{families: Family[]}>(urls.families());
export interface KnownModel {
  model: string;
  title?: string;
  hugging_face?: string;
}
export const useModels = () => useResource<{models: KnownModel[]}>(urls.models());

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
