// The expected matrix, figures and lists of Home, made from the API's answers.
import {expect} from 'vitest';
import type {Asking, Seen, ViewTable} from '../look';
import {hours, kDash, kMinus, many, mean, moment, number, ratio, share, sum, target} from '../looks';

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
const kTitles: Record<string, string> = {vllm: 'vLLM', sglang: 'SGLang'};
const kOnlyVllm = (days: number): string => `the hub keeps coverage of ${days} days ago only for vLLM`;

// The answer without models that the engine refuses to split: a model's page says that they do not start.
export async function startable(of: any, ask: (path: string) => Promise<any>): Promise<any> {
  const on = of.targets[0], models = await Promise.all(of.models.map(async (model: any) => {
    const {findings} = model.refused ? {findings: []} : await ask(`/coverage?model=${encodeURIComponent(model.model)}&tp=${of.tp}&gfx=${on.gfx}&cu_num=${on.cu_num}&engine=${of.engine}&grid=1`);
    const refused = model.refused ?? findings.find((it: any) => it.refused)?.detail;
    return {...model, refused, cells: model.cells.map((cell: any) => (refused ? null : cell))};
  }));
  return {...of, models};
}

function since({covered, month}: any, days: number, engine: string): string {
  if (month === undefined) return engine === 'vllm' ? `no figure from ${days} days ago` : kOnlyVllm(days);
  const change = points(covered, month), then = `${days} days ago (${share(month)})`;
  return change === 0 ? `unchanged since ${then}` : `${many(Math.abs(change), 'point')} ${change > 0 ? 'more' : 'less'} than ${then}`;
}

function spoken(cell: any, model: any, column: Column, of: any): string {
  const counts = [`${number(cell.found)} of ${many(cell.shapes, 'shape')} find a tuned row`, `${number(cell.missing)} missing`, cell.baseline > 0 && `${number(cell.baseline)} with the default's time only`, cell.unmeasured > 0 && `${number(cell.unmeasured)} unmeasured`];
  return [
    ...counts, since(cell, of.month_days, of.engine), cell.slower > 0 && `${many(cell.slower, 'shape')} slower than ${of.days} days ago`, cell.speedup !== undefined && `${ratio(cell.speedup)} over the default, by ${many(cell.measured, 'shape')}`,
    cell.covered_by_demand !== null && `${share(cell.covered_by_demand)} if ranges of M are weighted by their ${many(cell.demand, 'miss', 'misses')}`, column.name.includes(' / ') && `${column.name} share the rows of ${column.target}; this opens ${column.name.split(' / ')[0]}`, `weights: ${model.scheme}`,
  ].filter(Boolean).join(', ');
}

// The mean now and a month ago; the second only of cells that existed then, with their mean now.
function course(cells: any[]) {
  const old = cells.filter((it) => it.month !== undefined);
  return {now: cells.length > 0 ? mean(cells.map((it) => it.covered)) : null, month: old.length > 0 ? mean(old.map((it) => it.month)) : null, same: old.length > 0 ? mean(old.map((it) => it.covered)) : 0, old: old.length};
}
function monthNote({month, same, old}: ReturnType<typeof course>, all: number, {month_days: days, engine}: any): string {
  if (month === null) return engine === 'vllm' ? `no figure is ${days} days old yet` : kOnlyVllm(days);
  const change = `${signed(points(same, month))} points`;
  return old === all ? `${share(month)} ${days} days ago: ${change}` : `${change} in ${days} days (${share(month)} to ${share(same)}), for the ${number(old)} of ${many(all, 'cell')} that existed then`;
}

const cellsOf = (of: any, columns: Column[]): any[] => of.models.flatMap((model: any) => columns.flatMap(({place}) => model.cells[place] ?? []));

function gridOf(of: any, columns: Column[]): string[][] {
  const row = (name: string, head: string, cells: [string, string][]) => [head, ...cells.map(([text, label], i) => `${text} | ${name} on ${columns[i]?.name}: ${label}`)];
  const heads = columns.map((column): [string, string] => {
    const cells = cellsOf(of, [column]), it = course(cells);
    const moved = it.month !== null ? signed(points(it.same, it.month)) : '';
    const text = it.now === null ? kDash : `${share(it.now)} ${moved}`.trim();
    return [text, `${it.now === null ? 'none' : text}, mean of ${many(cells.length, 'model')}, ${monthNote(it, cells.length, of)}, opens the models, the lowest coverage first`];
  });
  const isEmpty = (model: any): number => Number(!columns.some(({place}) => model.cells[place]));  // these come last
  return [row('All models', 'All models', heads), ...[...of.models].sort((a: any, b: any) => isEmpty(a) - isEmpty(b)).map((model: any) => row(model.title, model.title + (model.refused ? 'does not start at TP 8' : model.scheme), columns.map((column): [string, string] => {
    const cell = model.cells[column.place];
    const change = cell?.month === undefined ? 0 : points(cell.covered, cell.month);
    const text = cell && [share(cell.covered), change && signed(change)].filter(Boolean).join(' ');
    if (cell) return [text, `${text}, ${spoken(cell, model, column, of)}`];
    return [kDash, `none, ${model.refused ? `does not start at TP 8: ${model.refused}` : `${kTitles[of.engine]} reads no tuned table for weights stored as ${model.scheme} on ${column.name}`}`];
  })))];
}

// The seconds a shape of finished tune jobs on the same architecture; null: fewer than ten shapes.
function paceOf(jobs: any[], gfx: string): number | null {
  const done = jobs.filter((it) => it.purpose === 'tune' && it.gfx === gfx && it.claimed && it.finished), shapes = sum(done.map((it) => it.shape_count));
  return shapes < 10 ? null : sum(done.map((it) => (Date.parse(it.finished) - Date.parse(it.claimed)) / 1000)) / shapes;
}

// How many shapes were measured again, and how many of these became slower.
function again({from, to, counts}: any, days: number, listed: boolean): string {
  const since = from.created ? `${moment(from.created)} UTC` : `revision ${from.revision}`, all = sum(['slower', 'faster', 'below_floor', 'within_noise'].map((it) => counts[it] ?? 0));
  if (from.revision && from.revision === to.revision) return `Nothing was stored between ${since} and now: no shape was measured again.`;
  const when = from.is_first && from.created ? `since ${since}` : `in the last ${days} days`;
  if (all === 0) return `No shape was measured again ${when}.`;
  return `${number(counts.slower)} of ${many(all, 'shape')} measured again ${when} became slower${counts.slower > 0 && !listed ? ', none in these models' : ''}.`;
}

async function homeOf({ask}: Asking, engine: string): Promise<Seen> {
  const [of, {jobs}, week] = [await startable(await ask(`/overview?tp=8&engine=${engine || 'vllm'}`), ask), await ask('/jobs?state=done&limit=500'), await ask('/differences?from=7d&to=now&limit=0')];
  const columns = columnsOf(of), open = (cell: any): number => cell.shapes - cell.found;
  const places = of.models.flatMap((model: any) => columns.flatMap((column) => (model.cells[column.place] ? [{model, column, cell: model.cells[column.place]}] : [])));
  const all = course(places.map((it: any) => it.cell)), pace = (it: any) => paceOf(jobs, it.column.gfx);
  const toTune = places.filter((it: any) => open(it.cell) > 0), slow = places.filter((it: any) => it.cell.slower > 0).sort((a: any, b: any) => b.cell.slower - a.cell.slower);
  const untimed = toTune.filter((it: any) => pace(it) === null), timed = toTune.filter((it: any) => pace(it) !== null);
  const secondsOf = (it: any) => (open(it.cell) === 0 ? 0 : pace(it) === null ? null : pace(it)! * open(it.cell));
  const openIn = (some: any[]) => sum(some.map((it) => open(it.cell))), count = openIn(places);
  const filled = columns.map((column) => ({name: column.name, its: places.filter((it: any) => it.column === column)})).filter(({its}) => its.length > 0);
  const isUntimed = ({its}: {its: any[]}) => its.some((it) => untimed.includes(it)), without = filled.filter(isUntimed);
  const hoursValue = without.length === 0 ? (count === 0 ? '0' : `at most ${hours(sum(timed.map(secondsOf)))}`) : without.length === filled.length ? 'not measured yet' : 'partly measured';
  const hoursLines = filled.map((it) => `${it.name}: ${isUntimed(it) ? 'no pace yet, plan a job' : hours(sum(it.its.map(secondsOf)))}`).join('');
  const work = ({cell}: any) => cell.untuned_flops + cell.untuned_flops_missed;
  const gaps = [...toTune].sort((a: any, b: any) => work(b) - work(a)).slice(0, 8);
  const missed = places.some((it: any) => it.cell.untuned_flops_missed > 0);
  const gap = (it: any) => {
    const details = [many(open(it.cell), 'open shape'), missed && many(it.cell.demand, 'miss', 'misses'), pace(it) !== null && `${hours(secondsOf(it))} GPU hours`];
    return [`${it.model.title} on ${it.column.name}${details.filter(Boolean).join(', ')}`, share(it.cell.covered), (it.cell.untuned_flops / 1e9).toFixed(1)];
  };
  return {
    path: engine === '' ? '/' : `/?engine=${engine}`,
    tables: {'Coverage by model and device': {rows: gridOf(of, columns), of: of.models.length + 1, whole: true}, ...(gaps.length > 0 && {'Largest gaps': gaps.map(gap)})},
    texts: {
      '.answers dd': [
        `${share(all.now)}${monthNote(all, places.length, of)}`,
        `${number(count)}${filled.map(({name, its}) => `${name}: ${number(openIn(its))}`).join('')}`,
        expect.stringContaining(hoursValue + hoursLines + (without.length === 0 ? 'at the pace of finished jobs' : 'Too few tune jobs have finished to say.')),
      ],
      '.answers dt': [`Covered now in ${kTitles[of.engine]}, mean of ${many(places.length, 'cell')}`, 'Open shapes, summed over models', 'GPU hours to close'],
      '.home-head h2': [`${kTitles[of.engine]} at TP 8: models on devices`],
      '.home section:has(ul.choices) > p': [again(week, of.days, slow.length > 0)],
      'ul.choices li': [...slow.slice(0, 12).map((it: any) => `${it.model.title} on ${it.column.name} ${many(it.cell.slower, 'shape')}`), `All changes since ${of.days} days ago`],
    },
  };
}

const home = (it: Asking) => Promise.all(['', 'vllm', 'sglang'].map((engine) => homeOf(it, engine)));

export const kHomeViews: ViewTable = {'': home};
