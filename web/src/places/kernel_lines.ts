// The lines of Kernels: one for each family on each device, and one for each kernel of rows. Pure functions.
import type {Family, Index, Row} from '../answers';
import {columnsOf} from '../family';
import {targetName, targetParts} from '../format';
import {kernelsOf} from './shape_story';

const kUnlisted = 'unlisted';  // the family whose rows are the lines of unlisted tables

type Rows = Index['families'][number]['targets'][number];

export interface Line extends Rows {
  family: string;
  title: string;
  target: string;
}

// A family without CU counts serves each target of its gfx.
const isOn = (line: Line, target: string) => line.target === target || (line.cu_num === 0 && line.gfx === targetParts(target).gfx);

// Those with the most rows come first. `target` '': all targets.
export const linesOf = (index: Index, families: Family[], target: string): Line[] =>
  index.families.filter(({family}) => family !== kUnlisted).flatMap(({family, targets}) => {
    const title = families.find(({name}) => name === family)?.title ?? family;
    return targets.map((rows) => ({...rows, family, title, target: targetName(rows)}));
  }).filter((line) => target === '' || isOn(line, target)).sort((a, b) => b.rows - a.rows);

export const sum = (lines: Line[], of: (line: Line) => number): number =>
  lines.reduce((all, line) => all + of(line), 0);

export interface KernelLine {
  kernel: string;
  rows: number;
  from: number;  // the smallest and the largest M
  to: number;
  us: number | null;  // median; null: no row has a time
}

// The kernels in rows, those with the most rows first.
export function winnersIn(family: Family, rows: Row[]): KernelLine[] {
  const time = columnsOf(family, 'objective')[0]?.name ?? '', byKernel = new Map<string, Row[]>();
  for (const row of rows) {
    const kernel = kernelsOf(family, row), known = byKernel.get(kernel);
    if (known) known.push(row);
    else byKernel.set(kernel, [row]);
  }
  return [...byKernel].map(([kernel, its]) => {
    const ms = its.map((row) => Number(row[family.heat_map.x]));
    const times = its.map((row) => Number(row[time])).filter((us) => us > 0).sort((a, b) => a - b);
    return {kernel, rows: its.length, from: Math.min(...ms), to: Math.max(...ms), us: times[times.length >> 1] ?? null};
  }).sort((a, b) => b.rows - a.rows);
}

// The shapes of rows that are nearest to wanted numbers: the sum over the columns of how far their ratio is from 1.
export function nearestShapes(wanted: Record<string, string>, rows: Row[], most = 6): Record<string, string>[] {
  const near = new Map<string, {shape: Record<string, string>; away: number}>();
  for (const row of rows) {
    const all = Object.entries(wanted).map(([name, value]) => ({name, value, its: String(row[name] ?? '')}));
    const away = all.reduce((sum, {value, its}) => sum + (its === value ? 0 : Math.abs(Math.log(Number(its) / Number(value)))), 0);
    const shape = Object.fromEntries(all.map(({name, its}) => [name, its]));
    if (away < Infinity) near.set(Object.values(shape).join(), {shape, away});  // not NaN: another word is not near
  }
  return [...near.values()].sort((a, b) => a.away - b.away).slice(0, most).map(({shape}) => shape);
}
