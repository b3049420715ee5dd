// The expected tables and texts of Overview and Families, made from the API's answers.
import type {Asking, Seen, ViewTable} from '../look';
import {age, grouped, kDash, kMinus, many, mean, moment, number, ratio, share, shape, sum, target} from '../looks';

interface Column {
  name: string;
  target: string;
  alike: string[];
  place: number;
}

// If a target has one or two products, each gets a column. Of more products only the first gets one. A target without
// products has its own column.
const columnsOf = (overview: any): Column[] => overview.targets.flatMap((it: any, place: number) => {
  const names: string[] = it.products.length > 0 ? it.products : [target(it)];
  return names.slice(0, names.length > 2 ? 1 : 2).map((name) => ({name, target: target(it), alike: names.filter((one) => one !== name), place}));
});

const pointsOf = (cell: any): number | null => cell.points !== undefined ? cell.points : (cell.month === undefined ? null : Math.round(cell.covered * 100) - Math.round(cell.month * 100));
const since = (points: number, days: number): string => (points === 0 ? `as ${days} days ago` : `${many(Math.abs(points), 'point')} ${points > 0 ? 'more' : 'less'} than ${days} days ago`);

function shown(cell: any): string {
  const points = pointsOf(cell);
  const marks = [
    points ? `${points > 0 ? '+' : kMinus}${number(Math.abs(points))}` : '', cell.slower ? `\u25bc${number(cell.slower)}` : '', cell.unmeasured ? `?${number(cell.unmeasured)}` : '',
    cell.speedup === undefined ? '' : ratio(cell.speedup),
  ];
  return [share(cell.covered), ...marks].filter(Boolean).join(' ');
}

function spoken(cell: any, title: string, {name, target: rows, alike}: Column, days: number): string {
  const points = pointsOf(cell);
  const words = [
    `${number(cell.found)} of ${many(cell.shapes, 'shape')} tuned`, `${number(cell.missing)} missing`, cell.baseline > 0 && `${number(cell.baseline)} baseline only`,
    cell.unmeasured > 0 && `${number(cell.unmeasured)} unmeasured`, points !== null && since(points, days), cell.slower > 0 && `${many(cell.slower, 'key')} slower than a week ago`,
    cell.speedup !== undefined && `${ratio(cell.speedup)} over the default, by ${many(cell.measured, 'key')}`, cell.covered_by_demand !== null && `${share(cell.covered_by_demand)} weighted by ${many(cell.demand, 'miss', 'misses')}`,
    alike.length > 0 && `rows of ${rows} count for ${alike.join(', ')}, too`,
  ];
  return `${title} on ${name}: ${words.filter(Boolean).join(', ')}`;
}

function meanOf({models}: any, place: number): any {
  const cells = models.flatMap((it: any) => it.cells[place] ?? []);
  if (cells.length === 0) return null;
  const both = cells.filter((it: any) => it.trend?.length > 0 && it.month !== undefined);
  return {covered: mean(cells.map((it: any) => it.covered)), points: both.length > 0 ? pointsOf({covered: mean(both.map((it: any) => it.covered)), month: mean(both.map((it: any) => it.month))}) : null};
}

function gridOf(of: any, columns: Column[]): string[][] {
  const all = columns.map((column) => {
    const cell = meanOf(of, column.place);
    if (!cell) return 'none';
    const points = pointsOf(cell);
    return `${shown(cell)} | ${shown(cell)}, the mean of all models on ${column.name}${points === null ? '' : `, ${since(points, of.month_days)}`}; opens the models, the largest gap there first`;
  });
  return [['All models', ...all], ...of.models.map((model: any) => [
    model.title + (model.refused ? 'cannot be split so' : model.scheme),
    ...columns.map((column) => {
      const cell = model.cells[column.place];
      return cell ? `${shown(cell)} | ${shown(cell)}, ${spoken(cell, model.title, column, of.month_days)}` : 'none';
    }),
  ])];
}

// The first column of each target.
const ownOf = (columns: Column[]): Column[] => columns.filter((it, i) => columns.findIndex((one) => one.place === it.place) === i);

function gapsOf(of: any, columns: Column[]): string[] {
  const gaps = of.models.flatMap((model: any) => ownOf(columns).map((column) => ({model, column, cell: model.cells[column.place]}))).filter(({cell}: any) => cell && cell.found < cell.shapes);
  const order = ({column, cell}: any) => [-cell.untuned_flops_missed, Number(column.name === column.target), -cell.untuned_flops];
  gaps.sort((a: any, b: any) => order(a).map((it, i) => it - (order(b)[i] ?? 0)).find((it) => it !== 0) ?? 0);
  const first = gaps.slice(0, 3);
  if (first.length === 0) return [];
  const texts = first.map(({model, column, cell}: any) => `${model.title} on ${column.name}, ${share(cell.covered)}`);
  return [`${many(first.length, 'largest gap')}: ${texts.join('')}What to tune next for the largest`];
}

function monthOf(of: any, columns: Column[]): string {
  const lines = ownOf(columns).flatMap((column) => {
    const points = meanOf(of, column.place)?.points ?? null;
    return points === null ? [] : [{name: [column.name, ...column.alike].join(' / '), points}];
  });
  if (lines.length === 0) return 'How it was over time';
  const [moved, as] = [lines.filter(({points}) => points !== 0), lines.filter(({points}) => points === 0)];
  const heading = moved.length > 0 ? 'as then:' : `as ${of.month_days} days ago:`;
  return [
    `All models against ${of.month_days} days ago: `, ...moved.map(({name, points}) => `${name}, ${since(points, of.month_days)}`),
    as.length > 0 ? heading : '', ...as.map(({name}) => name),
  ].join('');
}

function slowerOf(of: any, columns: Column[]): string[] {
  const lines = of.models.flatMap((model: any) => ownOf(columns).filter(({place}) => model.cells[place]?.slower > 0).map(({name, place}) => `${model.title} on ${name}, ${many(model.cells[place].slower, 'key')}`));
  return lines.length > 0 ? [`Slower than a week ago: ${lines.join('')}`] : [];
}

async function broughtOf({ask, product}: Asking): Promise<string[]> {
  const measured = (await ask('/speedups')).by.target.filter((it: any) => it.tuned_over_default.keys > 0);
  const lines = measured.map(({name, tuned_over_default: it}: any) => `${product(name)}, ${ratio(it.geometric_mean)} over the default by ${many(it.keys, 'key')}`);
  return lines.length > 0 ? [`What tuning brought, measured: ${lines.join('')}`] : [];
}

async function missingOf({ask, families, product, now}: Asking): Promise<Record<string, string[][]>> {
  const {demand} = await ask('/demand?tuned=no&limit=10');
  const rows = demand.map((it: any) => {
    const [asked, usable] = [it.shape, it.to_tune].map((one) => shape(families.find(({name}) => name === it.family), one));
    const job = it.job ? `job ${it.job.id}, ${it.job.state}` : it.gfx && it.cu_num ? 'Plan a job' : 'needs a target';
    return [number(it.count), it.gfx ? product(it) : 'any', it.family, asked === usable ? asked : `${asked}tuned as ${usable}`, age(it.last_seen, now), job];
  });
  return rows.length > 0 ? {'Shapes that were asked for most and are not tuned': rows} : {};
}

async function overview(it: Asking): Promise<Seen[]> {
  const tp = it.random.pick([8, 8, 4, 2]);
  const [of, {changes}] = [await it.ask(`/overview?tp=${tp}`), await it.ask('/changes?days=7&limit=8')];
  const columns = columnsOf(of);
  const changed = changes.map(({first, last, latest, cause, runs, run_count, families}: any) => [
    first === last ? String(first) : `${first}${kDash}${last}`, moment(latest), cause, [...runs, ...(run_count > runs.length ? [`of ${number(run_count)}`] : [])].join(' '),
    families.map((one: any) => `${one.family} (${number(one.keys)})`).join(', '),
  ]);
  return [{
    path: tp === 8 ? '/' : `/?tp=${tp}`,
    tables: {"Share of each model's shapes that find a tuned row, by product": {rows: gridOf(of, columns), of: of.models.length + 1, whole: true}, ...await missingOf(it), 'Revisions of the last seven days': changed},
    texts: {
      'p.gaps': [monthOf(of, columns), ...gapsOf(of, columns), ...slowerOf(of, columns), ...await broughtOf(it)],
      '.heat thead th': [`Model at TP ${tp}`, ...columns.map(({name, target: rows, alike}) => name + (alike.length > 0 ? '*' : '') + (name === rows ? '' : rows))],
    },
  }];
}

// Speed-ups over the default by family and target, computed from the list of shape keys.
async function overDefault({csv}: Asking): Promise<Map<string, string>> {
  const keys = (await csv('/speedups?format=csv')).filter((it) => it['tuned_over_default']);
  const ratios = grouped(keys, (it) => `${it['family']} ${it['target']}`);
  return new Map(ratios.map(([name, all]) => [name, `${ratio(Math.exp(mean(all.map((it) => Math.log(Number(it['tuned_over_default']))))))} (${number(all.length)})`]));
}

async function families(it: Asking): Promise<Seen[]> {
  const [{tables}, over] = [await it.ask('/coverage/models?tp=8'), await overDefault(it)];
  const pairs = it.index.families.flatMap((family: any) => family.targets.map((of: any) => ({family: family.family, name: target(of), tuned: of.rows - of.unmeasured - of.baselines, ...of})));
  const groups = grouped<any>(pairs, (one) => one.name).sort((a, b) => sum(b[1].map((one) => one.tuned)) - sum(a[1].map((one) => one.tuned)));
  const rows = groups.flatMap(([name, all]) => all.map((one, i) => {
    const table = tables.find((of: any) => of.family === one.family && target(of) === name);
    const covered = table ? `${table.models.filter((model: any) => model.missing === 0).length} of ${table.models.length}` : kDash;
    const head = it.index.products[name] ? it.index.products[name] + name : name;
    return [...(i === 0 ? [`${head}coverage`] : []), one.family, number(one.tuned), number(one.baselines), number(one.unmeasured), covered, over.get(`${one.family} ${name}`) ?? kDash, String(one.revision), age(one.changed, it.now), 'CSV'];
  }));
  return [{path: '/ui/families', tables: {'Tuned keys by target and family': rows}}];
}

export const kOverviewViews: ViewTable = {'': overview, families};
