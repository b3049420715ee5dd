// The expected tables and texts of Kernels, made from the API's answers.
import type {Asking, Seen, ViewTable} from '../look';
import {age, kDash, many, number, parts, ratio, said, sum, target, us} from '../looks';

const kPage = 50;

async function list({ask, index, families, product, now}: Asking, on: string): Promise<Seen> {
  const all = index.families.filter(({family}: any) => family !== 'unlisted').flatMap(({family, targets}: any) => targets.map((of: any) => ({...of, family, at: target(of)})));
  const lines = all.filter(({at, gfx, cu_num}: any) => on === '' || at === on || (!cu_num && gfx === parts(on).gfx)).sort((a: any, b: any) => b.rows - a.rows);
  const rows = await Promise.all(lines.map(async (it: any) => {
    const {by} = await ask(`/speedups?gfx=${it.gfx}${it.cu_num ? `&cu_num=${it.cu_num}` : ''}`);
    const over = by.family.find(({name}: any) => name === it.family)?.tuned_over_default;
    const {title} = families.find(({name}) => name === it.family);
    return [`${title} ${it.family}`, ...(on === '' ? [product(it.at)] : []), number(it.rows), number(it.baselines), number(it.unmeasured), ratio(over?.keys ? over.geometric_mean : null), over?.keys ? number(over.keys) : kDash, age(it.changed, now), 'Download URL'];
  }));
  const [baselines, unmeasured] = ['baselines', 'unmeasured'].map((name) => sum(lines.map((it: any) => it[name])));
  const open = [unmeasured! > 0 && `${many(unmeasured!, 'row has', 'rows have')} no time`, baselines! > 0 && `for ${many(baselines!, 'row')} only the default was measured`].filter(Boolean).join(', ');
  const where = on === '' ? many(new Set(lines.map(({at}: any) => at)).size, 'device') : product(on);
  return {
    path: `/ui/kernels?${on === '' ? 'scope=all' : `device=${on}`}`,
    tables: {
      'Kernel families': {rows, of: rows.length},
      ...(index.unlisted.length > 0 && {'Unlisted tables': index.unlisted.map((it: any) => [it.table, `aiter/configs/${it.path}`, number(it.rows), it.competes ? 'yes' : 'no: nothing names its shape columns'])}),
    },
    texts: {
      'main p.answer': [`${number(sum(lines.map((it: any) => it.rows)))} rows of ${many(new Set(lines.map(({family}: any) => family)).size, 'kernel family', 'kernel families')} on ${where}.`],
'main .filters .faint': [open ? `${open}.` : 'Each row is tuned.'],
    },
  };
}

const cellOf = (type: string, value: unknown): string => {
  if (typeof value === 'number' && type === 'error') return value !== 0 && Math.abs(value) < 0.01 ? String(Number(value.toPrecision(2))) : value.toFixed(2);
  if (typeof value === 'number' && type === 'number') return us(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value !== null && typeof value === 'object') return JSON.stringify(value);
  return type !== 'kernel' && /^[A-Za-z]\w*\.[A-Za-z]\w*$/.test(String(value)) ? String(value).split('.')[1]! : said(value);
};

// The columns of the default view, without columns of the shape in which all rows agree and columns that the device fixes.
// A family with two kernels also leaves out their parameters and errors.
const isMoe = (family: any): boolean => family.columns.some((it: any) => it.name === 'kernelName2');
const listed = (family: any, {gfx, cu_num}: Record<string, string>, rows: any[]): any[] =>
  family.columns.filter((it: any) => !(isMoe(family) && (it.role === 'error' || (it.role === 'config' && !it.name.startsWith('kernelName')))) && !(rows.length > 1 && ['engine', 'device', 'shape', 'tag'].includes(it.role)
    && ![family.heat_map.x, ...family.heat_map.y].includes(it.name) && rows.every((row) => row[it.name] === rows[0][it.name])) && it.role !== 'derived' && it.identity !== 'unnamed' && !(it.name === 'gfx' && gfx) && !(it.name === 'cu_num' && cu_num));

async function rowsOf({ask, product}: Asking, family: any, of: string, asked: string, page = 1): Promise<Seen> {
  const {gfx, cu_num} = parts(of);
  const it = await ask(`/rows/${family.name}?gfx=${gfx}${cu_num && `&cu_num=${cu_num}`}${asked}&limit=${kPage}${page > 1 ? `&after=${kPage * (page - 1)}` : ''}`);
  const standing = (row: any): string => (row.baseline ? 'only the default measured' : row.standing === 'unmeasured' ? 'without a time' : row.standing);
  const shown = listed(family, {gfx, cu_num}, it.rows), types = shown.filter((one) => isMoe(family) && ['shape', 'tag'].includes(one.role) && one.type !== 'integer');
  const cells = (row: any) => shown.filter((one) => one === types[0] || !types.includes(one)).map((one) => (one === types[0] ? types : [one]).map(({name, type}) => cellOf(type, row[name])).filter((it, _, all) => all.length === 1 || it !== kDash).join(', '));
  const rows = it.rows.map((row: any) => ['why', ...cells(row), standing(row)]);
  return {
    path: `/ui/kernels?device=${of}&family=${family.name}${asked}${page > 1 ? `&page=${page}` : ''}`,
    tables: it.total > 0 ? {[`Rows of ${family.name}`]: {rows, of: it.total, from: 1 + kPage * (page - 1), pager: 'Pages of the table'}} : {},
    texts: {'main p.answer': it.total > 0 ? [`${many(it.total, 'row')} on ${product(of)}, revision ${it.revision} (pinned table).`] : []},
  };
}

async function kernels(it: Asking): Promise<Seen[]> {
  const tables = it.index.families.flatMap(({family, targets}: any) => targets.map((of: any) => ({family: it.families.find((one) => one.name === family), of: target(of), rows: of.rows})));
  const seen = [await list(it, ''), await list(it, it.random.pick<any>(tables).of)];
  const moe = tables.filter((one: any) => isMoe(one.family)).slice(0, 1);
  for (const {family, of} of [...it.random.some<any>(tables, 5), ...moe]) {
    const time = family.columns.find((one: any) => one.role === 'objective')?.name;
    seen.push(await rowsOf(it, family, of, ''));
    if (time && it.random.chance(0.5)) seen.push(await rowsOf(it, family, of, `&sort=-${time}&measured=only`));
  }
  const long = tables.find(({rows}: any) => rows > kPage);
  return long ? [...seen, await rowsOf(it, long.family, long.of, '', 2)] : seen;
}

export const kKernelViews: ViewTable = {kernels};
