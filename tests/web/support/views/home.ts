// The expected matrix, figures and lists of Home, made from the API's answers.
import type {Asking, Seen, ViewTable} from '../look';
import {hours, kDash, kMinus, many, mean, number, ratio, share, sum, target} from '../looks';

interface Column {
  name: string;
  target: string;
  gfx: string;
  place: number;
}

// One column a target, with all its products. AMD's products alone, unless there are none.
function columnsOf({targets}: any): Column[] {
  const all = targets.map((it: any, place: number) => ({name: it.products.join(' / ') || target(it), target: target(it), gfx: it.gfx, place, ours: it.gfx.startsWith('gfx') && it.products.length > 0}));
  return all.some((it: any) => it.ours) ? all.filter((it: any) => it.ours) : all;
}

const points = (now: number, then: number): number => Math.round(now * 100) - Math.round(then * 100);
const signed = (value: number): string => (value === 0 ? '\u00b10' : `${value > 0 ? '+' : kMinus}${number(Math.abs(value))}`);
const shown = (covered: number, change: number | null): string => share(covered) + (change ? ` ${signed(change)}` : '');

function since({covered, month}: any, days: number): string {
  if (month === undefined) return `no figure from ${days} days ago`;
  const change = points(covered, month), then = `${days} days ago (${share(month)})`;
  return change === 0 ? `unchanged since ${then}` : `${many(Math.abs(change), 'point')} ${change > 0 ? 'more' : 'less'} than ${then}`;
}

function spoken(cell: any, model: any, column: Column, of: any): string {
  const counts = [`${number(cell.found)} of ${many(cell.shapes, 'shape')} find a tuned row`, `${number(cell.missing)} missing`, cell.baseline > 0 && `${number(cell.baseline)} with the default's time only`, cell.unmeasured > 0 && `${number(cell.unmeasured)} unmeasured`];
  return [
    ...counts, since(cell, of.month_days), cell.slower > 0 && `${many(cell.slower, 'shape')} slower than ${of.days} days ago`, cell.speedup !== undefined && `${ratio(cell.speedup)} over the default, by ${many(cell.measured, 'shape')}`,
    cell.covered_by_demand !== null && `${share(cell.covered_by_demand)} if ranges of M are weighted by their ${many(cell.demand, 'miss', 'misses')}`, column.name.includes(' / ') && `${column.name} share the rows of ${column.target}`, `weights: ${model.scheme}`,
  ].filter(Boolean).join(', ');
}

// The mean now and a month ago; the second only of cells that existed then, with their mean now.
function course(cells: any[]) {
  const old = cells.filter((it) => it.month !== undefined);
  return {now: cells.length > 0 ? mean(cells.map((it) => it.covered)) : null, month: old.length > 0 ? mean(old.map((it) => it.month)) : null, same: old.length > 0 ? mean(old.map((it) => it.covered)) : 0, old: old.length};
}
function monthNote({month, same, old}: ReturnType<typeof course>, all: number, days: number): string {
  if (month === null) return `no figure is ${days} days old yet`;
  return `${signed(points(same, month))} points since${old === all ? '' : `, for the ${number(old)} of ${number(all)} that existed: ${share(same)} now`}`;
}

function gridOf(of: any, columns: Column[]): string[][] {
  const row = (name: string, head: string, cells: [string, string][]) => [head, ...cells.map(([text, label], i) => `${text} | ${name} on ${columns[i]?.name}: ${label}`)];
  const means = columns.map(({place}): [string, string] => {
    const cells = of.models.flatMap((it: any) => it.cells[place] ?? []), it = course(cells);
    const text = it.now === null ? kDash : shown(it.now, it.month === null ? null : points(it.same, it.month));
    return [text, `${it.now === null ? 'none' : text}, mean of ${many(cells.length, 'model')}, ${monthNote(it, cells.length, of.month_days)}, opens the models, the lowest coverage first`];
  });
  const isEmpty = (model: any): number => Number(!columns.some(({place}) => model.cells[place]));  // these come last
  return [row('All models', 'All models', means), ...[...of.models].sort((a: any, b: any) => isEmpty(a) - isEmpty(b)).map((model: any) => row(model.title, model.title + model.scheme, columns.map((column): [string, string] => {
    const cell = model.cells[column.place];
    const text = cell && shown(cell.covered, cell.month === undefined ? null : points(cell.covered, cell.month));
    if (cell) return [text, `${text}, ${spoken(cell, model, column, of)}`];
    return [kDash, `none, ${model.refused ? `cannot run on 8 GPUs: ${model.refused}` : `${of.engine} reads no tuned table for weights stored as ${model.scheme} on ${column.name}`}`];
  })))];
}

// The seconds a shape of finished tune jobs on the same architecture; null: fewer than ten shapes.
function paceOf(jobs: any[], gfx: string): number | null {
  const done = jobs.filter((it) => it.purpose === 'tune' && it.gfx === gfx && it.claimed && it.finished), shapes = sum(done.map((it) => it.shape_count));
  return shapes < 10 ? null : sum(done.map((it) => (Date.parse(it.finished) - Date.parse(it.claimed)) / 1000)) / shapes;
}

async function home({ask}: Asking): Promise<Seen[]> {
  const of = await ask('/overview?tp=8'), {jobs} = await ask('/jobs?state=done&limit=500');
  const columns = columnsOf(of), open = (cell: any): number => cell.shapes - cell.found;
  const places = of.models.flatMap((model: any) => columns.flatMap((column) => (model.cells[column.place] ? [{model, column, cell: model.cells[column.place]}] : [])));
  const all = course(places.map((it: any) => it.cell)), pace = (it: any) => paceOf(jobs, it.column.gfx);
  const toTune = places.filter((it: any) => open(it.cell) > 0), slow = places.filter((it: any) => it.cell.slower > 0).sort((a: any, b: any) => b.cell.slower - a.cell.slower);
  const unknown = [...new Set(toTune.filter((it: any) => pace(it) === null).map((it: any) => it.column.gfx))];
  const secondsOf = (it: any) => (open(it.cell) === 0 ? 0 : pace(it) === null ? null : pace(it)! * open(it.cell));
  const count = sum(places.map((it: any) => open(it.cell)));
  const known = `${count === 0 ? '0' : `at most ${hours(sum(toTune.map(secondsOf)))}`}${many(count, 'open shape')} at the pace of finished jobs; a shape of several models counts several times`;
  const work = ({cell}: any) => cell.untuned_flops + cell.untuned_flops_missed;
  const gaps = [...toTune].sort((a: any, b: any) => work(b) - work(a)).slice(0, 8);
  const missed = places.some((it: any) => it.cell.untuned_flops_missed > 0);
  const gap = (it: any) => {
    const details = [many(open(it.cell), 'open shape'), missed && many(it.cell.demand, 'miss', 'misses'), pace(it) !== null && `${hours(secondsOf(it))} GPU hours`];
    return [`${it.model.title} on ${it.column.name}${details.filter(Boolean).join(', ')}`, share(it.cell.covered), (it.cell.untuned_flops / 1e9).toFixed(1)];
  };
  return [{
    path: '/',
    tables: {'Coverage by model and device': {rows: gridOf(of, columns), of: of.models.length + 1, whole: true}, ...(gaps.length > 0 && {'Largest gaps': gaps.map(gap)})},
    texts: {
      '.answers dd': [
        `${share(all.now)}mean of ${many(places.length, 'model on a device', 'cells of models and devices')}`, `${share(all.month)}${monthNote(all, places.length, of.month_days)}`,
        unknown.length > 0 ? `not known yetneeds finished tune jobs of 10 shapes on ${unknown.join(', ')}` : known,
      ],
      'ul.choices li': [...slow.slice(0, 12).map((it: any) => `${it.model.title} on ${it.column.name} ${many(it.cell.slower, 'shape')}`), `All changes since ${of.days} days ago`],
    },
  }];
}

export const kHomeViews: ViewTable = {'': home};
