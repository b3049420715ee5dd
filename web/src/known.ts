// What many views choose from: families, targets, models.
import type {Family, Index} from './answers';
import {urls} from './api';
import {targetName} from './format';
import {useResource} from './resource';

// GPUs of one node: what a model is split over while nobody says otherwise.
export const kUsualTp = '8';

export const tpOf = (values: {tp: string}): string => values.tp || kUsualTp;

export const useIndex = (everyMs?: number) => useResource<Index>(urls.index(), everyMs);
export const useFamilies = () => useResource<{families: Family[]}>(urls.families());
export const useModels = () => useResource<{models: {model: string}[]}>(urls.models());

export function modelNames(models: {models: {model: string}[]} | undefined): string[] {
  return models?.models.map((it) => it.model) ?? [];
}

export function familyNames(index: Index | undefined): string[] {
  return index?.families.map((it) => it.family) ?? [];
}

// By their rows, the most first.
export function targetNames(index: Index | undefined): string[] {
  const rows = new Map<string, number>();
  for (const it of index?.families.flatMap((family) => family.targets) ?? []) {
    rows.set(targetName(it), (rows.get(targetName(it)) ?? 0) + it.rows);
  }
  return [...rows].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}
