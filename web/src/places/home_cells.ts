// Home's matrix: columns of products, cells in words, means, gaps. Pure functions.
import type {Differences, Overview, OverviewCell} from '../answers';
import {count, moment, percent, plural, targetName, times} from '../format';
import {engineText, kUsualEngine} from '../known';
import {nothingText} from './changes_rows';

export interface ProductColumn {
  name: string;  // "MI300X / MI325X": products that share a target share its rows
  products: string[];
  device: string;  // the product for addresses: the chosen one, or the first
  target: string;  // "gfx942:304"
  gfx: string;
  place: number;  // the target's index in the answer
  isAmd: boolean;  // a known product of AMD
}

// All columns, or only the products of AMD. A registry without any shows all. `chosen`: the product in the address.
export function columnsOf({targets}: Overview, all: boolean, chosen = ''): ProductColumn[] {
  const columns = targets.map(({products, ...of}, place) => {
    const target = targetName(of), device = products.find((name) => name === chosen) ?? products[0] ?? target;
    return {name: products.join(' / ') || target, products, device, target, gfx: of.gfx, place,
      isAmd: of.gfx.startsWith('gfx') && products.length > 0};
  });
  const ours = columns.filter(({isAmd}) => isAmd);
  return all || ours.length === 0 ? columns : ours;
}

type Model = Overview['models'][number];
export interface Place {
  model: Model;
  column: ProductColumn;
  cell: OverviewCell;
}

export const placesOf = ({models}: Overview, columns: ProductColumn[]): Place[] =>
  models.flatMap((model) => columns.flatMap((column) => {
    const cell = model.cells[column.place];
    return cell ? [{model, column, cell}] : [];
  }));

const meanOf = (values: number[]): number | null =>
  (values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length);

export interface Course {
  now: number | null;
  month: number | null;  // null: no cell is that old
  then: number;  // number of cells that had a figure then
  same: number | null;  // the mean of these cells now; only this may be compared with `month`
}

export function courseOf(places: Place[]): Course {
  const old = places.filter(({cell}) => cell.month !== undefined);
  return {now: meanOf(places.map(({cell}) => cell.covered)), month: meanOf(old.map(({cell}) => cell.month ?? 0)),
    then: old.length, same: meanOf(old.map(({cell}) => cell.covered))};
}

// Whole percentage points, of the numbers as they are shown.
const points = (now: number, then: number): number => Math.round(now * 100) - Math.round(then * 100);

// "+3", "\u22122", "\u00b10"
export const signed = (points: number): string =>
  (points === 0 ? '\u00b10' : `${points > 0 ? '+' : '\u2212'}${count(Math.abs(points))}`);

export const changeOf = ({covered, month}: Pick<OverviewCell, 'covered' | 'month'>): number | null =>
  (month === undefined ? null : points(covered, month));

const noMonth = ({engine, month_days}: Overview, usual: string): string =>
  (engine === kUsualEngine ? usual
    : `the hub keeps coverage of ${month_days} days ago only for ${engineText(kUsualEngine)}`);

// "14 points more than 30 days ago (24 %)"
function sinceMonth(cell: OverviewCell, of: Overview): string {
  const change = changeOf(cell), days = of.month_days;
  if (change === null) return noMonth(of, `no figure from ${days} days ago`);
  const then = `${days} days ago (${percent(cell.month)})`;
  return change === 0 ? `unchanged since ${then}`
    : `${plural(Math.abs(change), 'point')} ${change > 0 ? 'more' : 'less'} than ${then}`;
}

// "11 % 30 days ago: +3 points". If some cells are newer: "+3 points in 30 days (11 to 14 %), for the 40 of 48 cells that
// existed then".
export function monthNote({month, then, same}: Course, all: number, of: Overview): string {
  if (month === null || same === null) return noMonth(of, `no figure is ${of.month_days} days old yet`);
  const change = `${signed(points(same, month))} points`;
  return then === all ? `${percent(month)} ${of.month_days} days ago: ${change}`
    : `${change} in ${of.month_days} days (${percent(month)} to ${percent(same)}), for the ${count(then)} of ` +
      `${plural(all, 'cell')} that existed then`;
}

// Each column of the places, with its places.
export const byColumn = (places: Place[]): [ProductColumn, Place[]][] =>
  [...new Set(places.map(({column}) => column))].map((of) => [of, places.filter(({column}) => column === of)]);

// The details behind a cell's number, for its tip.
export function linesOf({model, column, cell}: Place, of: Overview): string[] {
  const {days} = of;
  const {shapes, found, baseline, unmeasured, missing, slower, measured, speedup, demand, covered_by_demand} = cell;
  const parts = [`${count(found)} of ${plural(shapes, 'shape')} find a tuned row`, `${count(missing)} missing`];
  if (baseline > 0) parts.push(`${count(baseline)} with the default's time only`);
  if (unmeasured > 0) parts.push(`${count(unmeasured)} unmeasured`);
  const lines = [parts.join(', '), sinceMonth(cell, of)];
  if (slower > 0) lines.push(`${plural(slower, 'shape')} slower than ${days} days ago`);
  if (speedup !== undefined) lines.push(`${times(speedup)} over the default, by ${plural(measured, 'shape')}`);
  if (covered_by_demand !== null) {
    lines.push(`${percent(covered_by_demand)} if ranges of M are weighted by their ${plural(demand, 'miss', 'misses')}`);
  }
  if (column.products.length > 1)
    lines.push(`${column.name} share the rows of ${column.target}; this opens ${column.device}`);
  return [...lines, `weights: ${model.scheme}`];
}

// Why a cell is empty.
export const whyEmpty = (model: Model, column: ProductColumn, {tp, engine}: Overview): string =>
  (model.refused ? `does not start at TP ${tp}: ${model.refused}`
    : `${engineText(engine)} reads no tuned table for weights stored as ${model.scheme} on ${column.name}`);

// The work that a tuned row would serve: a miss adds as much as the shape itself, so that unmissed work counts, too.
const weight = ({cell}: Place): number => cell.untuned_flops + cell.untuned_flops_missed;

const openShapes = (cell: OverviewCell): number => cell.shapes - cell.found;
export const openIn = (places: Place[]): number => places.reduce((sum, {cell}) => sum + openShapes(cell), 0);

export const largestGaps = (places: Place[], most: number): Place[] =>
  places.filter(({cell}) => openShapes(cell) > 0).sort((a, b) => weight(b) - weight(a)).slice(0, most);

export const slowerPlaces = (places: Place[]): Place[] =>
  places.filter(({cell}) => cell.slower > 0).sort((a, b) => b.cell.slower - a.cell.slower);

// How many shapes were measured again at all, so that no slower shape does not look like health. `listed`: the page lists
// models with slower shapes.
export function againText(of: Differences, days: number, listed: boolean): string {
  const nothing = nothingText(of), {slower = 0, faster = 0, below_floor = 0, within_noise = 0} = of.counts;
  if (nothing) return `${nothing}: no shape was measured again.`;
  const again = slower + faster + below_floor + within_noise;
  const since = of.from.is_first && of.from.created ? `since ${moment(of.from.created)} UTC` : `in the last ${days} days`;
  if (again === 0) return `No shape was measured again ${since}.`;
  return `${count(slower)} of ${plural(again, 'shape')} measured again ${since} became slower` +
    `${slower > 0 && !listed ? ', none in these models' : ''}.`;
}

// By name, or the models with the lowest coverage on the product first. Models without a number come last.
export function ordered(models: Model[], columns: ProductColumn[], by: ProductColumn | undefined): Model[] {
  const share = ({cells}: Model) => (by ? (cells[by.place]?.covered ?? 2) : columns.some(({place}) => cells[place]) ? 0 : 1);
  return [...models].sort((a, b) => share(a) - share(b));
}
