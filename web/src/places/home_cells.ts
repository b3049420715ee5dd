// Home's matrix: columns of products, cells in words, means, gaps. Pure functions.
import type {Job, Overview, OverviewCell} from '../answers';
import {costOf, secondsFor} from '../cost';
import {count, percent, plural, targetName, times} from '../format';
import {engineText, kOffered, kUsualEngine} from '../known';

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

// One engine's cell. If the page shows all engines: the cell of the engine that finds most.
export interface Cell extends OverviewCell {
  engine?: string;
  differs?: boolean;  // the engines' shares, as they are shown, are not the same: the page names the engine
  lines?: string[];  // each engine's share, and the usual engine's share a month ago
}
export interface Matrix extends Overview {
  each?: Overview[];  // the engines' own answers, if there are several
  models: (Overview['models'][number] & {cells: (Cell | null)[]})[];
}
type Model = Matrix['models'][number];
export interface Place {
  model: Model;
  column: ProductColumn;
  cell: Cell;
}

export const kAllEngines = 'all';
export const enginesOf = (name: string): string =>
  (name === kAllEngines ? kOffered.map(({text}) => text).join(' and ') : engineText(name));

// One matrix of several engines' answers. The first answer wins ties.
export function bestOf(all: Overview[]): Matrix {
  const [first] = all as [Overview];
  if (all.length === 1) return first;
  const bestCell = (name: string, target: string): Cell | null => {
    const cells = all.map((of) => ({engine: of.engine, of, cell: of.models.find(({model}) => model === name)
      ?.cells[of.targets.findIndex((it) => targetName(it) === target)] ?? null}));
    const texts = cells.map(({cell}) => percent(cell?.covered)), differs = new Set(texts).size > 1;
    const best = cells.reduce((a, b) => ((b.cell?.covered ?? -1) > (a.cell?.covered ?? -1) ? b : a));
    const chosen = differs ? best : cells[0]!, usual = cells.find(({engine}) => engine === kUsualEngine);
    return chosen.cell && {...chosen.cell, engine: chosen.engine, differs: differs && chosen.cell.found > 0, lines: [
      ...(differs ? [cells.map(({engine}, i) => `${engineText(engine)} ${texts[i]}`).join(', ')] : []),
      ...(usual?.cell ? [`${engineText(kUsualEngine)}: ${sinceMonth(usual.cell, usual.of)}`] : []),
    ]};
  };
  return {...first, each: all, engine: kAllEngines, models: first.models.map((model) =>
    ({...model, cells: first.targets.map((of) => bestCell(model.model, targetName(of)))}))};
}

export const placesOf = ({models}: Matrix, columns: ProductColumn[]): Place[] =>
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

// "11 % 30 days ago, 14 % now: +3 points, for the 40 of 48 cells that existed then"
export function monthNote({month, then, same}: Course, all: number, of: Overview): string {
  if (month === null || same === null) return noMonth(of, `no figure is ${of.month_days} days old yet`);
  return `${percent(month)} ${of.month_days} days ago, ${percent(same)} now: ${signed(points(same, month))} points` +
    (then === all ? '' : `, for the ${count(then)} of ${plural(all, 'cell')} that existed then`);
}

// Each column of the places, with its places.
export const byColumn = (places: Place[]): [ProductColumn, Place[]][] =>
  [...new Set(places.map(({column}) => column))].map((of) => [of, places.filter(({column}) => column === of)]);

// "New since then: MI355X (12 %)": the columns without any figure from a month ago, if other columns have one.
export function newColumnsText(places: Place[]): string {
  const columns = byColumn(places).map(([{name}, its]) => ({name, ...courseOf(its)}));
  const fresh = columns.filter(({month}) => month === null);
  return fresh.length === 0 || fresh.length === columns.length ? ''
    : `New since then: ${fresh.map(({name, now}) => `${name} (${percent(now)})`).join(', ')}`;
}

// The means behind a number over all engines, and a month ago. The hub keeps the past of the usual engine only.
export function courseLines(of: Matrix, columns: ProductColumn[]): string[] {
  const own = (of.each ?? [of]).map((its) => ({its, places: placesOf(its, columns)}));
  const {its, places} = own.find(({its: {engine}}) => engine === kUsualEngine) ?? own[0]!;
  const past = [monthNote(courseOf(places), places.length, its), newColumnsText(places)].filter(Boolean);
  return own.length === 1 ? past : [
    ...own.map(({its: {engine}, places}) =>
      `${engineText(engine)} alone: ${percent(courseOf(places).now)}, mean of its ${plural(places.length, 'cell')}`),
    ...past.map((line) => `${engineText(kUsualEngine)}: ${line}`)];
}

// The details behind a cell's number, for its tip.
export function linesOf({model, column, cell}: Place, of: Matrix): string[] {
  const {days} = of;
  const {shapes, found, baseline, unmeasured, missing, slower, measured, speedup, demand, covered_by_demand} = cell;
  const parts = [`${count(found)} of ${plural(shapes, 'shape')} find a tuned row`, `${count(missing)} missing`];
  if (baseline > 0) parts.push(`${count(baseline)} with the default's time only`);
  if (unmeasured > 0) parts.push(`${count(unmeasured)} unmeasured`);
  const lines = [parts.join(', '), ...(cell.lines ?? [sinceMonth(cell, of)])];
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
    : `${enginesOf(engine)} read${engine === kAllEngines ? '' : 's'} no tuned table for weights stored as ${model.scheme} on ${column.name}`);

// The work that a tuned row would serve: a miss adds as much as the shape itself, so that unmissed work counts, too.
const weight = ({cell}: Place): number => cell.untuned_flops + cell.untuned_flops_missed;

const openShapes = (cell: OverviewCell): number => cell.shapes - cell.found;
export const openIn = (places: Place[]): number => places.reduce((sum, {cell}) => sum + openShapes(cell), 0);

export const largestGaps = (places: Place[], most: number): Place[] =>
  places.filter(({cell}) => openShapes(cell) > 0).sort((a, b) => weight(b) - weight(a)).slice(0, most);

export const slowerPlaces = (places: Place[]): Place[] =>
  places.filter(({cell}) => cell.slower > 0).sort((a, b) => b.cell.slower - a.cell.slower);

// By name, or the models with the lowest coverage on the product first. Models without a number come last.
export function ordered(models: Model[], columns: ProductColumn[], by: ProductColumn | undefined): Model[] {
  const share = ({cells}: Model) => (by ? (cells[by.place]?.covered ?? 2) : columns.some(({place}) => cells[place]) ? 0 : 1);
  return [...models].sort((a, b) => share(a) - share(b));
}

// GPU seconds to tune all open shapes, and the architectures whose pace is not known yet. A shape that two models share
// counts twice.
export function toClose(places: Place[], jobs: Job[]): {seconds: number; unknown: string[]} {
  const unknown = new Set<string>();
  const seconds = places.reduce((sum, {column: {gfx}, cell}) => {
    const its = secondsFor(costOf(jobs, gfx), openShapes(cell));
    if (its === null) unknown.add(gfx);
    return sum + (its ?? 0);
  }, 0);
  return {seconds, unknown: [...unknown]};
}
