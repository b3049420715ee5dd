// Rows of any family, made from its columns: some with shapes of known models, some with shapes that no model has.
import {linesOf, type Json} from './client';
import type {Random} from './random';

export type Shape = Record<string, string>;
export interface Target {
  gfx: string;
  cu_num: number;
}
// A family on a target, with the shapes to measure.
export interface Place {
  family: any;  // as in GET /families
  target: Target;
  keys: Shape[];
}

const kShapeRoles = ['engine', 'device', 'shape', 'tag'];
const kMostShapes = 24;  // shapes of a model; few enough to fill three registries within seconds
const kModels = ['qwen3-8b', 'mixtral-8x7b', 'qwen3-32b', 'qwen3-vl-32b', 'qwen3-30b-a3b', 'deepseek-v3', 'minimax-m2.5', 'gpt-oss-20b', 'llama-3.1-8b'];

const shapeColumns = (family: any): any[] => family.columns.filter((it: any) => kShapeRoles.includes(it.role));
export const hasTarget = (family: any): boolean => family.columns.some((it: any) => it.name === 'cu_num');

// True for a family of an engine's own files. Its rows need no time.
const isOwn = (family: any): boolean => family.columns.some((it: any) => it.role === 'engine');

// The shape, changed to a size that no model has.
function strange(shape: Shape, family: any, random: Random): Shape {
  const sizes = shapeColumns(family).filter((it) => it.type === 'integer' && it.name !== family.heat_map.x && Number(shape[it.name]) >= 64);
  if (sizes.length === 0) return shape;
  return {...shape, [random.pick(sizes).name]: String(64 * random.whole(3, 300) + 8)};
}

export async function placeOf(url: string, family: any, target: Target, random: Random): Promise<Place> {
  const keys: Shape[] = [], names: string[] = shapeColumns(family).map((it) => it.name);
  for (const model of random.some(kModels, kModels.length)) {
    const path = `/coverage?model=${model}&tp=8&gfx=${target.gfx}&cu_num=${target.cu_num}&family=${family.name}&format=csv&state=missing`;
    const answer = await fetch(url + path);
    if (!answer.ok) continue;  // the model does not use the family
    const shapes = linesOf(await answer.text()).map((line) => Object.fromEntries(names.filter((name) => name in line).map((name) => [name, line[name] ?? ''])));
    keys.push(...random.some(shapes, random.whole(4, kMostShapes)));
    if (keys.length > 3 * kMostShapes || random.chance(0.4)) break;
  }
  const others = random.some(keys, random.whole(1, 12)).map((it) => strange(it, family, random));
  return {family, target, keys: [...new Map([...keys, ...others].map((it) => [JSON.stringify(it), it])).values()]};
}

const kKernels: Record<string, string> = {a8w8: 'a8w8_rowwise_256x', a8w8_blockscale: 'a8w8_blockscale_1x128x128_256x', fmoe: 'moe_ck2stages_gemm1_256x'};

type Cells = Record<string, (random: Random, column: any, family: any) => unknown>;
const kCells: Cells = {
  enum: (random, column) => random.pick(column.values),
  kernel: (random, _, family) => `${kKernels[family.name] ?? 'kernel_'}${random.pick([16, 32, 64, 128])}x${random.pick([64, 128])}`,
  flag: (random) => random.whole(0, 1),
  json: (random) => `{"BLOCK_SIZE_M":${16 * random.whole(1, 8)}}`,
  integer: (random, column) => Math.max(column.min ?? 0, random.whole(0, 4)),
  text: (random) => `solution_${random.whole(1, 9)}`,
};

export function candidateOf({family}: Place, random: Random): Json {
  const own = family.columns.filter((it: any) => it.role === 'config' && !it.optional);
  return Object.fromEntries(own.map((it: any) => [it.name, kCells[it.type]?.(random, it, family)]));
}

// A plausible time for the sizes. One in ten may be below the roofline, which the hub judges implausible.
export function timeOf({family}: Place, shape: Shape, random: Random): number {
  const sizes = shapeColumns(family).filter((it) => it.type === 'integer' && !/^(e|expert|block_.*)$/i.test(it.name)).map((it) => Number(shape[it.name]) || 1);
  const least = Math.max(2, (sizes.reduce((product, it) => product * it, 2) / 3e8) * (random.chance(0.9) ? 1 : 0.01));
  return random.size(least, least * 20, random.whole(0, 4));
}

export interface Tried {
  candidate: Json;
  us: number;
  is_default?: boolean;
}

// One row of results. Of a hundred rows, about five have a large error, three have time 0, and one has a word as a size.
export function rowOf({family, target}: Place, shape: Shape, {candidate, us, is_default}: Tried, random: Random): Json {
  const time = family.columns.find((it: any) => it.role === 'objective')?.name;
  const errors = family.columns.filter((it: any) => it.role === 'error').map((it: any) => [it.name, random.chance(0.05) ? 0.97 : random.size(0.0001, 0.09, 4)]);
  const samples = random.chance(0.3) && us > 0 ? {samples: [us, us * 1.01, us * 1.03].map((it) => Number(it.toFixed(3)))} : {};
  const own = family.columns.some((it: any) => it.name === 'gfx') ? {gfx: target.gfx, ...(hasTarget(family) && {cu_num: target.cu_num})} : {};
  const wrong = random.chance(0.01) ? {[shapeColumns(family)[0].name]: 'nobody'} : {};
  return {...own, ...shape, ...wrong, ...candidate, ...(isOwn(family) && random.chance(0.3) ? {} : {[time]: random.chance(0.03) ? 0 : us}), ...Object.fromEntries(errors), ...(is_default && {is_default}), ...samples};
}
