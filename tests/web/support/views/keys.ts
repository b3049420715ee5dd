// The expected tables and texts of Results and Speedups, made from the API's answers.
import type {Asking, Seen, ViewTable} from '../look';
import {kDash, many, number, parts, ratio, said, share, sum, target, us} from '../looks';

const kPage = 50;

const cellOf = (type: string, value: unknown): string => {
  if (typeof value === 'number' && type === 'error') return value !== 0 && Math.abs(value) < 0.01 ? String(Number(value.toPrecision(2))) : value.toFixed(2);
  if (typeof value === 'number' && type === 'number') return us(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : said(value);
};

// The columns of the default view, without columns that the target fixes.
const listed = (family: any, {gfx, cu_num}: Record<string, string>): any[] =>
  family.columns.filter((it: any) => it.role !== 'derived' && it.identity !== 'unnamed' && !(it.name === 'gfx' && gfx) && !(it.name === 'cu_num' && cu_num));

async function rowsOf({ask}: Asking, family: any, of: string, asked: string, more = '', page = 1): Promise<Seen> {
  const {gfx, cu_num} = parts(of);
  const it = await ask(`/rows/${family.name}?gfx=${gfx}${cu_num && `&cu_num=${cu_num}`}${asked}&limit=${kPage}${page > 1 ? `&offset=${kPage * (page - 1)}` : ''}`);
  const rows = it.rows.map((row: any) => ['why', ...listed(family, {gfx, cu_num}).map(({name, type}) => cellOf(type, row[name])), row.standing + (row.baseline ? 'baseline' : '')]);
  return {
    path: `/ui/results?family=${family.name}&target=${of}${more}${page > 1 ? `&page=${page}` : ''}`,
    tables: it.total > 0 ? {[`Rows of ${family.name}`]: {rows, of: it.total, from: 1 + kPage * (page - 1), pager: 'Pages of the table'}} : {},
    texts: {'main section .with > p.lead, main section > p.lead': it.total > 0 ? [`${number(it.total)} rows of revision ${it.revision} (the same bytes for ever). "Why" leads to every measurement behind a row.`] : []},
  };
}

async function results(it: Asking): Promise<Seen[]> {
  const tables = it.index.families.flatMap(({family, targets}: any) => targets.map((of: any) => ({family: it.families.find((one) => one.name === family), of: target(of), rows: of.rows})));
  const seen: Seen[] = [];
  for (const {family, of} of it.random.some<any>(tables, 5)) {
    const time = family.columns.find((one: any) => one.role === 'objective')?.name;
    seen.push(await rowsOf(it, family, of, ''));
    if (time && it.random.chance(0.5)) seen.push(await rowsOf(it, family, of, `&sort=-${time}&measured=only`, `&sort=-${time}&measured=only`));
  }
  const long = tables.find(({rows}: any) => rows > kPage);
  return long ? [...seen, await rowsOf(it, long.family, long.of, '', '', 2)] : seen;
}

const kSides = [['tuned over default', 'tuned_over_default'], ['heuristic over default', 'heuristic_over_default'], ['tuned over heuristic', 'tuned_over_heuristic']] as const;

const partOf = (name: string, it: any): string[] => [
  name, number(it.tuned_over_default.keys), ratio(it.tuned_over_default.geometric_mean), share(it.tuned_over_default.above_2x), ratio(it.heuristic_over_default.geometric_mean), ratio(it.tuned_over_heuristic.geometric_mean),
];

// The bins, including empty ones.
function binsOf(histogram: any[]): string[][] {
  const rows: string[][] = [];
  let end: number | null = null;
  for (const {log2_from, log2_to, keys} of histogram) {
    const step = log2_to - log2_from;
    for (; end !== null && end < log2_from - step / 2; end += step) rows.push([`${ratio(2 ** end)} to ${ratio(2 ** (end + step))}`, '0']);
    rows.push([`${ratio(2 ** log2_from)} to ${ratio(2 ** log2_to)}`, number(keys)]);
    end = log2_to;
  }
  return rows;
}

const timeOf = (text: string | undefined): string => us(text ? Number(text) : null);

// The ten best and the ten worst records. No record is in both lists.
function endsOf(lines: Record<string, string>[]): Record<string, string[][]> {
  const all = lines.filter((it) => it['tuned_over_default']).sort((a, b) => Number(b['tuned_over_default']) - Number(a['tuned_over_default']));
  const best = Math.min(10, Math.ceil(all.length / 2)), worst = Math.min(10, all.length - best);
  const row = (it: Record<string, string>) => [ratio(Number(it['tuned_over_default'])), timeOf(it['default_us']), timeOf(it['heuristic_us']), timeOf(it['tuned_us']), said(it['family']), said(it['target']), said(it['shape'])];
  return {'Best speed-ups': all.slice(0, best).map(row), 'Worst speed-ups': all.slice(all.length - worst).reverse().map(row)};
}

async function measured({csv}: Asking, it: any, asked: string): Promise<Pick<Seen, 'tables' | 'texts'>> {
  const spread = it.tuned_over_default;
  const by = (title: string, rows: any[]) => (rows.length > 1 ? {[`Speed-up by ${title}`]: rows.map((one) => partOf(one.name, one))} : {});
  const sentence = `${many(spread.keys, 'key')}: geometric mean ${ratio(spread.geometric_mean)}, median ${ratio(spread.median)}, ${share(spread.above_2x)} more than twice as fast, worst ${ratio(spread.worst)}.`;
  return {
    tables: {
      'Tuned, heuristic and default': kSides.map(([title, name]) => [title, number(it[name].keys), ratio(it[name].geometric_mean), ratio(it[name].median), share(it[name].above_2x), ratio(it[name].worst)]),
      ...(spread.keys > 0 && {'Keys by speed-up': binsOf(spread.histogram)}),
      'Speed-up by M': it.by.m_bucket.map((one: any) => partOf(one.m_from === one.m_to ? String(one.m_from) : `${one.m_from}${kDash}${one.m_to}`, one)),
      ...by('family', it.by.family), ...by('target', it.by.target), ...by('model', it.by.model),
      ...endsOf(await csv(`/speedups?format=csv${asked}`)),
    },
    texts: {'main figcaption p': spread.keys > 0 ? [sentence] : []},
  };
}

async function speedup(asking: Asking, query: string, asked: string): Promise<Seen> {
  const it = await asking.ask(`/speedups?${asked}`);
  const of = new URLSearchParams(query).get('target') ?? '';
  const without = it.without_default + it.tuned_alone;
  const rows = asking.index.families.flatMap(({family, targets}: any) => targets.map((one: any) => ({family, tuned: one.rows - one.unmeasured - one.baselines, name: target(one), unmeasured: one.unmeasured})));
  const known = rows.filter((one: any) => one.tuned > 0 && (of === '' || one.name === of)).sort((a: any, b: any) => b.tuned - a.tuned);
  const isKnown = it.tuned_over_default.keys > 0 || it.tuned_over_heuristic.keys > 0;
  const shown: Pick<Seen, 'tables' | 'texts'> = isKnown ? await measured(asking, it, asked) : {tables: {'Tuned keys without a measured default': known.map((one: any) => [one.family, asking.product(one.name), number(one.tuned), number(one.unmeasured)])}};
  return {
    path: `/ui/speedups?${query}`,
    tables: shown.tables ?? {},
    texts: {
      ...shown.texts,
      'main .with > p.lead': [`${many(it.tuned_over_default.keys, 'key')} with a measured default at revision ${it.revision}.`],
      'main p.notice': without > 0 ? [`Default not measured (${number(without)}): left out, not guessed.`] : [],
    },
  };
}

async function speedups(it: Asking): Promise<Seen[]> {
  const {family} = it.random.pick(it.of.places);
  const all = [await speedup(it, '', ''), await speedup(it, `family=${family.name}`, `&family=${family.name}`)];
  for (const of of it.of.targets) all.push(await speedup(it, `target=${target(of)}`, `&gfx=${of.gfx}&cu_num=${of.cu_num}`));
  return all;
}

export const kKeyViews: ViewTable = {results, speedups};
