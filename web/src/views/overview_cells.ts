// The grid of models and products, and the tables of targets and families. Pure functions.
import type {Change, Index, Overview, OverviewCell, OverviewTarget, Planned} from '../answers';
import type {HeatCell} from '../components/heat_table';
import {sorted, type Value} from '../components/table_rows';
import {count, percent, plural, targetName, times} from '../format';
import {lineOf} from '../components/grid';

export interface ProductColumn {
  name: string;  // "MI300X", or the target's name if it has no product
  target: string;  // "gfx942:304"
  alike: string[];  // other products that use the same rows
  place: number;  // the target's index in the answer
}

// If a target has one or two products, each gets a column. Of more products only the first gets one, because all their
// columns would be the same.
const kMostAlike = 2;

export function columnsOf(targets: OverviewTarget[]): ProductColumn[] {
  return targets.flatMap((of, place) => {
    const target = targetName(of);
    const names = of.products.length > 0 ? of.products : [target];
    const own = names.length <= kMostAlike ? names : names.slice(0, 1);
    return own.map((name) => ({name, target, place, alike: names.filter((one) => one !== name)}));
  });
}

const kLevels: [least: number, tone: string][] = [[0.95, 'level-4'], [0.6, 'level-3'], [0.25, 'level-2'],
  [0, 'level-1']];

export function toneOf({covered, found}: OverviewCell): string {
  if (found === 0) return 'missing';
  return kLevels.find(([least]) => covered >= least)?.[1] ?? 'level-1';
}

// Whole percentage points since a month ago; null if no stored point is that old.
export function pointsOf({covered, month}: Pick<OverviewCell, 'covered' | 'month'>): number | null {
  return month === undefined ? null : Math.round(covered * 100) - Math.round(month * 100);
}

// "+3", "\u22122", "\u00b10"
export const signed = (points: number): string =>
  (points === 0 ? '\u00b10' : `${points > 0 ? '+' : '\u2212'}${count(Math.abs(points))}`);

// "3 points more than 30 days ago"
export function sinceMonth(points: number, days: number): string {
  if (points === 0) return `as ${days} days ago`;
  return `${plural(Math.abs(points), 'point')} ${points > 0 ? 'more' : 'less'} than ${days} days ago`;
}

// The marks below the share. The page's legend explains them.
export function marksOf(cell: OverviewCell, points = pointsOf(cell)): string {
  const {slower, unmeasured, speedup} = cell;
  return [points !== null && points !== 0 && signed(points), slower > 0 && `\u25bc${count(slower)}`,
    unmeasured > 0 && `?${count(unmeasured)}`, speedup !== undefined && times(speedup)].filter(Boolean).join(' ');
}

export function labelOf(cell: OverviewCell, model: string, column: ProductColumn, monthDays = 30): string {
  const {shapes, found, baseline, unmeasured, missing, slower, measured, speedup, demand} = cell;
  const byDemand = cell.covered_by_demand;
  const parts = [`${count(found)} of ${plural(shapes, 'shape')} tuned`, `${count(missing)} missing`];
  if (baseline > 0) parts.push(`${count(baseline)} baseline only`);
  if (unmeasured > 0) parts.push(`${count(unmeasured)} unmeasured`);
  const points = pointsOf(cell);
  if (points !== null) parts.push(sinceMonth(points, monthDays));
  if (slower > 0) parts.push(`${plural(slower, 'key')} slower than a week ago`);
  if (speedup !== undefined) parts.push(`${times(speedup)} over the default, by ${plural(measured, 'key')}`);
  if (byDemand !== null) parts.push(`${percent(byDemand)} weighted by ${plural(demand, 'miss', 'misses')}`);
  if (column.alike.length > 0) parts.push(`rows of ${column.target} count for ${column.alike.join(', ')}, too`);
  return `${model} on ${column.name}: ${parts.join(', ')}`;
}

export function heatCell(cell: OverviewCell | null | undefined, model: string, column: ProductColumn, href: string,
    monthDays?: number, points?: number | null): HeatCell | null {
  if (!cell) return null;
  return {text: percent(cell.covered), note: marksOf(cell, points === undefined ? pointsOf(cell) : points),
    label: labelOf(cell, model, column, monthDays), tone: toneOf(cell), href, line: lineOf(cell.trend)};
}

const kNothing: OverviewCell = {covered: 0, shapes: 0, found: 0, baseline: 0, unmeasured: 0, missing: 0, demand: 0,
  covered_by_demand: null, untuned_flops: 0, untuned_flops_missed: 0, slower: 0, measured: 0};

// The mean of the cells' trends. All trends end now, but they differ in length. Each mean is over the trends that are
// long enough.
function courseOf(cells: OverviewCell[]): {trend?: (number | null)[]; both?: {covered: number; month: number}} {
  const known = cells.filter((cell) => cell.trend);
  const length = Math.max(0, ...known.map((cell) => cell.trend?.length ?? 0));
  if (length === 0) return {};
  const mean = (of: number[]) => of.reduce((sum, value) => sum + value, 0) / of.length;
  const trend = Array.from({length}, (_, i) => {
    const then =
      known.flatMap((cell) => (i - length >= -(cell.trend?.length ?? 0) ? (cell.trend?.at(i - length) ?? []) : []));
    return then.length > 0 ? Math.round(mean(then)) : null;
  });
  // Only models that existed a month ago, because a new model would look like a change.
  const both = known.filter((cell) => cell.month !== undefined);
  if (both.length === 0) return {trend};
  return {trend,
    both: {covered: mean(both.map((cell) => cell.covered)), month: mean(both.map((cell) => cell.month ?? 0))}};
}

// The mean over all models that can be split by this TP.
interface MeanCell {
  cell: OverviewCell;  // without `month`, because not all models existed a month ago
  points: number | null;  // change since a month ago, of models that existed then
}

export function meanOf({models}: Overview, {place}: ProductColumn): MeanCell | null {
  const cells = models.flatMap((model) => model.cells[place] ?? []);
  if (cells.length === 0) return null;
  const sum = (of: (cell: OverviewCell) => number) => cells.reduce((all, cell) => all + of(cell), 0);
  const mean = {...kNothing, covered: sum((cell) => cell.covered) / cells.length, found: sum((cell) => cell.found),
    shapes: sum((cell) => cell.shapes)};
  const {trend, both} = courseOf(cells);
  return {cell: trend ? {...mean, trend} : mean, points: both ? pointsOf(both) : null};
}

export interface Gap {
  model: Overview['models'][number];
  column: ProductColumn;
  cell: OverviewCell;
}

const open = (cell: OverviewCell) => cell.shapes - cell.found;

// Sorted by untuned flops times misses. Gaps without misses follow: known products first, then by untuned flops. The
// products of a target share one gap.
export function largestGaps({models}: Overview, columns: ProductColumn[], most: number): Gap[] {
  const seen = new Set<number>();
  const own = columns.filter(({place}) => !seen.has(place) && seen.add(place));
  const gaps = models.flatMap((model) => own.flatMap((column) => {
    const cell = model.cells[column.place];
    return cell && open(cell) > 0 ? [{model, column, cell}] : [];
  }));
  const missed = ({cell}: Gap) => cell.untuned_flops_missed;
  const unnamed = ({column}: Gap) => Number(column.name === column.target);
  return gaps.sort((a, b) =>
    missed(b) - missed(a) || unnamed(a) - unnamed(b) || b.cell.untuned_flops - a.cell.untuned_flops).slice(0, most);
}

// The models. With a column, the models with the lowest coverage in that column come first.
export function ordered({models}: Overview, column: ProductColumn | undefined): Overview['models'] {
  if (!column) return models;
  const share = (model: Overview['models'][number]) => model.cells[column.place]?.covered ?? 2;
  return [...models].sort((a, b) => share(a) - share(b));
}

export interface Pair {
  family: string;
  target: string;
  tuned: number;
  baselines: number;
  unmeasured: number;
  revision: number;  // the last revision that changed these rows; 0: none
  pin: string;
  changed: string;  // when that revision was made
}

export interface TargetGroup {
  target: string;
  products: string;  // "MI300X / MI325X"; "": unknown
  pairs: Pair[];
}

// "2", or "2–37" for adjacent revisions with one cause.
export const revisionsOf = ({first, last}: Change): string => (first === last ? String(last) : `${first}\u2013${last}`);

// The result of planning one shape of a family.
export function planText({jobs, families}: Planned, family: string): string {
  if (jobs[0]) return 'planned';
  const of = families[family];
  return of?.unreachable ? 'no lookup on this target asks for it'
    : of?.tuned ? 'is tuned by now' : 'is planned already';
}

// Every pair in its own group, sorted by `by`.
export function flat(groups: TargetGroup[], by: (pair: Pair) => Value, numeric: boolean,
    falling: boolean): TargetGroup[] {
  const pairs = groups.flatMap((group) => group.pairs.map((pair) => ({...group, pairs: [pair]})));
  return sorted(pairs, (group) => group.pairs[0] && by(group.pairs[0]), numeric, falling);
}

// Pairs by target. Targets with the most tuned shape keys come first; families keep their order.
export function pairsOf(index: Index): TargetGroup[] {
  const groups = new Map<string, TargetGroup>();
  for (const family of index.families) {
    for (const rows of family.targets) {
      const target = targetName(rows);
      const group = groups.get(target) ?? {target, products: index.products[target] ?? '', pairs: []};
      groups.set(target, group);
      group.pairs.push({
        family: family.family,
        target,
        tuned: rows.rows - rows.unmeasured - rows.baselines,
        baselines: rows.baselines,
        unmeasured: rows.unmeasured,
        revision: rows.revision ?? 0,
        pin: rows.pin ?? '',
        changed: rows.changed ?? '',
      });
    }
  }
  const size = (group: TargetGroup) => group.pairs.reduce((sum, pair) => sum + pair.tuned, 0);
  return [...groups.values()].sort((a, b) => size(b) - size(a));
}
