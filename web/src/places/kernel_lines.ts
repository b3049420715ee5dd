// The lines of Kernels: one for each family on each device. Pure functions.
import type {Family, Index} from '../answers';
import {targetName, targetParts} from '../format';

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
