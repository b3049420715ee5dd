// The expected tables and texts of a model's Map and To tune, made from GET /map.
import type {Asking, Seen, ViewTable} from '../look';
import {grouped, hours, kDash, many, mean, number, share, sum, target, us} from '../looks';
import {pairOf, type Of} from './models';

interface Cell { m: number; own: boolean; state: string; us: number | null; roof: number | null; misses: number; gap: number }
interface Layer { name: string; label: string; family: string; shape: string; count: number; flops: number; cells: Cell[] }

const isTuned = (it: Cell): boolean => !['missing', 'unmeasured', 'baseline'].includes(it.state);

const short = (value: unknown): string => String(value).replace(/^[A-Za-z]\w*\.(?=[A-Za-z]\w*$)/, '');

// Layers of one name in one family have the columns that differ.
function labelOf(map: any, of: any): string {
  const alike = map.layers.filter((it: any) => it.layer === of.layer && it.family === of.family);
  const differing = Object.keys(of.columns).filter((name) => alike.some((it: any) => it.columns[name] !== of.columns[name]));
  return differing.length > 0 ? `${of.layer} (${differing.map((name) => `${name} ${short(of.columns[name])}`).join(', ')})` : of.layer;
}

function layersOf(map: any): Layer[] {
  return map.layers.map((it: any) => ({
    name: it.layer, label: labelOf(map, it), family: it.family, count: it.count, flops: it.flops, shape: Object.entries(it.columns).map(([name, value]) => `${name} ${short(value)}`).join(', '),
    cells: it.at.map((at: number, i: number) => {
      const time = it.us[i], roof = it.roofline_us[i];
      return {m: map.m[at], own: it.row_m[i] === map.m[at], state: map.states[it.state[i]], us: time, roof, misses: it.demand[i], gap: time === null || roof === null ? NaN : it.count * (time - roof)};
    }),
  }));
}

const meanOf = (cells: Cell[]): number | null => {
  const known = cells.filter((it) => !Number.isNaN(it.gap));
  return known.length > 0 ? sum(known.map((it) => it.roof ?? 0)) / sum(known.map((it) => it.us ?? 0)) : null;
};

function bucketsOf(m: number[], {cells}: Layer): string[] {
  const ends = [16, 64, 256, 1024, 4096, Infinity];
  return ends.flatMap((to, i) => {
    const from = ends[i - 1] ?? 0, some = cells.filter((it) => it.m > from && it.m <= to), open = some.filter((it) => !isTuned(it)).length;
    if (!m.some((it) => it > from && it <= to)) return [];
    const mean = meanOf(some);
    return [[mean !== null && share(mean), open > 0 && `${number(open)} of ${number(some.length)} not tuned`].filter(Boolean).join(', ')];
  });
}

const path = (model: string, to: Of, more: string): string => `/ui/model?model=${model}&device=${target(to)}&tp=8&${more}`;

const worstText = (map: any, layers: Layer[]): string => {
  const [worst] = layers.flatMap((layer) => layer.cells.filter(({gap, own}) => own && !Number.isNaN(gap)).map((cell) => ({layer, cell}))).sort((a, b) => b.cell.gap - a.cell.gap);
  if (worst) return `Most time above the roofline: ${worst.layer.label}, ${worst.layer.count} \u00d7 ${us(worst.cell.gap / worst.layer.count)} us at M ${number(worst.cell.m)}`;
  return map.product ? 'No layer has a measured time for vLLM yet: what to tune first' : 'The peak rates of this device are not known, so the map has no roofline.';
};

function mapOf(model: string, to: Of, it: any): Seen {
  const layers = layersOf(it), {covered, shapes, missing} = it.coverage, refused = it.findings.some((one: any) => one.refused);
  return {
    path: path(model, to, 'tab=map'),
    tables: {'Share of the roofline by layer': layers.map((layer) => [`${layer.name}${layer.family}, ${layer.shape}`, number(layer.count), share(meanOf(layer.cells)), ...bucketsOf(it.m, layer)])},
    texts: {
      'main .answers > div:nth-child(-n+2)': [`Covered: vLLM at TP 8${refused ? `${kDash}does not start` : `${share(covered)}each doubling of M counts the same, whatever its time or traffic`}`, `Missing${refused ? kDash : number(missing)}of ${many(shapes, 'shape')}`],
      'main .answer': [worstText(it, layers)],
    },
  };
}

// Values of M that are neighbours on the layer's grid as ranges.
function rangesOf(cells: Cell[]): string {
  const runs: number[][] = [];
  cells.forEach((it, i) => isTuned(it) || (i > 0 && !isTuned(cells[i - 1]!) ? runs.at(-1)! : runs[runs.push([]) - 1]!).push(it.m));
  const texts = runs.map((run) => (run.length > 1 ? `${run[0]}${kDash}${run.at(-1)}` : String(run[0])));
  return texts.length <= 6 ? texts.join(', ') : `${texts.slice(0, 5).join(', ')} and ${texts.length - 5} more`;
}

// Seconds a shape, from tune jobs with at least ten shapes: of the family, or else of all families.
function paceOf(jobs: any[], family: string): number | null {
  const done = jobs.filter((it) => it.purpose === 'tune'), own = done.filter((it) => it.family === family);
  const used = [own, done].find((some) => sum(some.map((it) => it.shape_count)) >= 10);
  return used ? sum(used.map((it) => (Date.parse(it.finished) - Date.parse(it.claimed)) / 1000)) / sum(used.map((it) => it.shape_count)) : null;
}

// The mean over ranges of M, each from one power of two to the next.
function meanPass(cells: Cell[], passes: number): number {
  const ranges = grouped(cells, (cell) => String(Math.ceil(Math.log2(cell.m))));
  return mean(ranges.map(([, some]) => mean(some.map((cell) => (isTuned(cell) ? 0 : passes * (cell.us ?? cell.roof ?? 0))))));
}

function tuneOf(model: string, to: Of, it: any, jobs: any[]): Seen {
  const rows = grouped(layersOf(it), (layer) => layer.family + layer.shape).flatMap(([, [first, ...more]]) => {
    const open = first!.cells.filter((cell) => !isTuned(cell)), passes = sum([first!, ...more].map((layer) => layer.count));
    const times = open.map((cell) => passes * (cell.us ?? cell.roof ?? 0)), missed = sum(open.map((cell, i) => cell.misses * times[i]!));
    const pace = paceOf(jobs, first!.family);
    const row = [
      `${[first!, ...more].map((layer) => layer.label).join(', ')}${first!.family}, ${first!.shape}`, number(open.length), number(open.filter((cell) => cell.state === 'missing').length), number(sum(open.map((cell) => cell.misses))), times.every((it) => it === 0) ? kDash : us(meanPass(first!.cells, passes)), pace === null ? 'not known yet' : hours(pace * open.length), rangesOf(first!.cells),
    ];
    return open.length > 0 ? [{rank: [missed, meanPass(first!.cells, passes), first!.flops] as const, row}] : [];
  });
  rows.sort((a, b) => b.rank[0] - a.rank[0] || b.rank[1] - a.rank[1] || b.rank[2] - a.rank[2]);
  return {path: path(model, to, 'tab=tune'), tables: rows.length > 0 ? {'What to tune': rows.map(({row}) => row)} : {}};
}

const seenOf = (view: typeof tuneOf) => async (it: Asking): Promise<Seen[]> => {
  const pairs = [await pairOf(it), await pairOf(it)];
  return Promise.all(pairs.map(async ({model, to}) => {
    const [product] = it.index.products[target(to)]?.split(' / ') ?? [];
    const {jobs} = await it.ask(`/jobs?state=done&gfx=${to.gfx}&limit=100`);
    return view(model, to, await it.ask(`/map?model=${model}&tp=8&gfx=${to.gfx}&cu_num=${to.cu_num}${product ? `&product=${product}` : ''}`), jobs);
  }));
};

export const kMapViews: ViewTable = {map: seenOf(mapOf), tune: seenOf(tuneOf)};
