// What changed, as the page shows it: the two ends in the address, kinds of changes, and texts. Pure functions.
import type {ComparedKey, Comparison, Difference, Differences, StateEnd} from '../answers';
import {textsOf} from '../family';
import {cellText, count, micros, microsShort, moment, percent, plural} from '../format';

export type EndKind = 'ago' | 'date' | 'revision' | 'run' | 'facts' | 'now';
export interface End {
  kind: EndKind;
  value: string;
}

export const kEndForms: Record<EndKind, {title: string; hint: string; complete: RegExp}> = {
  ago: {title: 'days ago', hint: '7', complete: /^[1-9]\d{0,2}$/},
  date: {title: 'date', hint: '2026-11-23', complete: /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/},
  revision: {title: 'revision', hint: '81 or its pin', complete: /^\d+(-[0-9a-f]{32})?$/},
  run: {title: 'run', hint: '12 or 12,13', complete: /^\d+(,\d+)*$/},
  facts: {title: 'environment', hint: 'rocm:7.0', complete: /^\w+:[^,]+(,\w+:[^,]+)*$/},
  now: {title: 'now', hint: '', complete: /^$/},
};

// "7d", "2026-11-01", "rev:18" or "18", "run:3", "rocm:7.0", "now".
export function endOf(text: string): End {
  if (text === 'now') return {kind: 'now', value: ''};
  const [, days] = /^(\d*)d$/.exec(text) ?? [], [, name, value = ''] = /^(rev|run):(.*)$/.exec(text) ?? [];
  if (days !== undefined) return {kind: 'ago', value: days};
  if (name) return {kind: name === 'rev' ? 'revision' : 'run', value};
  if (kEndForms.revision.complete.test(text)) return {kind: 'revision', value: text};
  return {kind: /^[a-z_]+:/i.test(text) ? 'facts' : 'date', value: text};
}

const kPrefixes: Partial<Record<EndKind, string>> = {revision: 'rev:', run: 'run:', now: 'now'};
export const addressOf = ({kind, value}: End): string =>
  (kPrefixes[kind] ?? '') + value + (kind === 'ago' ? 'd' : '');

// As GET /differences names an end.
export const askedOf = (end: End): string => (end.kind === 'revision' ? end.value : addressOf(end));

// GET /compare compares the measurements of runs. Any other pair of ends compares served rows.
export const areSides = (...ends: End[]): boolean => ends.every(({kind}) => kind === 'run' || kind === 'facts');

export const kUsualEnds = {from: '7d', to: 'now'};

// What the place compares: the chosen part, or else the address's model, or else everything. Runs belong to no model.
export type Scope = 'all' | 'device' | 'model';
export function scopeOf({scope, from, to, run, list, model}: Record<string, string | undefined>): Scope {
  if (run || list) return 'all';
  if (areSides(endOf(from || kUsualEnds.from), endOf(to || kUsualEnds.to))) return scope === 'device' ? 'device' : 'all';
  return scope === 'all' || scope === 'device' ? scope : scope === 'model' || model ? 'model' : 'all';
}
export const kReads = {all: [], device: ['device'], model: ['model', 'device', 'tp']} as const;

// The reason why the ends cannot be compared yet; '': they can.
export function troubleOf(from: End, to: End): string {
  const open = [from, to].find(({kind, value}) => !kEndForms[kind].complete.test(value));
  if (open) return `Give the ${kEndForms[open.kind].title}, for example ${kEndForms[open.kind].hint}.`;
  const alone = [from, to].find(({kind, value}) => kind === 'facts' || value.includes(','));
  return alone && !areSides(from, to)
    ? `"${alone.value}" names runs: compare it with a run or with another environment.` : '';
}

export interface Kind {
  names: string[];  // of GET /differences and GET /compare
  title: string;
  what: string;
}

// The first four make the headline.
export const kKinds: Kind[] = [
  {names: ['slower'], title: 'slower', what: 'Slower than before, beyond noise.'},
  {names: ['faster'], title: 'faster', what: 'Faster than before, beyond noise.'},
  {names: ['not_measured_before', 'not_measured_in_base'], title: 'new', what: 'Not measured before.'},
  {names: ['not_measured_after', 'not_measured_in_head'], title: 'not measured after', what: 'Measured only before.'},
  {names: ['unstable'], title: 'unstable', what: 'The runs of one side differ from each other: measure again.'},
  {names: ['same_kernel'], title: 'slower, same kernel', what: 'The same kernel in a repetition, so it is noise.'},
  {names: ['skipped'], title: 'without a time', what: 'One side failed, or has no time.'},
  {names: ['below_floor'], title: 'below the floor', what: 'Too short before: the clock\u2019s error dominates.'},
  {names: ['within_noise', 'same'], title: 'within noise', what: 'Measured again, without a change that counts.'},
];
export const kindText = (name: string): string => kKinds.find(({names}) => names.includes(name))?.title ?? name;

// A row of GET /compare. If several families are compared, the target begins with the family's name.
export function differenceOf(of: ComparedKey, chosen: string): Difference {
  const [target = '', family = chosen] = of.target.split(' ').reverse();
  const [gfx = '', cu_num = ''] = target.split(':');
  const side = (us: number | undefined, kernel = '') => (us === undefined ? null : {us, kernel});
  const [before, after] = [side(of.base_us, of.base_kernel), side(of.head_us, of.head_kernel)];
  return {kind: of.change, family, gfx, cu_num: Number(cu_num) || null, key: {gfx, cu_num, ...textsOf(of.shape)}, before, after,
    lost_us: null, demand: 0, revision: 0, run: null,
    history: [before, after].flatMap((side) => (side ? [{us: side.us}] : []))};
}

const signed = (value: number, text: string): string =>
  (value === 0 ? text : `${value > 0 ? '+' : '\u2212'}${text}`);

export const addedText = (us: number | null): string =>
  (us === null ? cellText('') : signed(us, Math.abs(us) >= 10_000 ? microsShort(Math.abs(us)) : micros(Math.abs(us))));

// "+11.1 %".
export const changeText = (ratio: number): string => signed(ratio - 1, percent(Math.abs(ratio - 1), 1));

export const ratioOf = ({before, after}: Difference): number | null =>
  (before?.us && after?.us ? after.us / before.us : null);

// The common scale of a page's small plots: the smallest of some round factors that every ratio fits into.
const kScales = [1.1, 1.25, 1.5, 2];
export function scaleOf(rows: Difference[]): number {
  const ratios = rows.flatMap((row) => ratioOf(row) ?? []);
  return kScales.find((scale) => ratios.every((ratio) => Math.max(ratio, 1 / ratio) <= scale)) ?? 4;
}

// "60 slower, 300 faster, 4 new".
export function headlineOf(counts: Record<string, number>): string {
  const parts = kKinds.slice(0, 4).flatMap(({names, title}) => {
    const number = names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
    return number > 0 ? [`${count(number)} ${title}`] : [];
  });
  return parts.join(', ') || 'No change beyond noise';
}

// "Nothing was stored between 2026-11-20 20:54 UTC and now". Empty: the ends are different revisions.
export function nothingText({from, to}: Pick<Differences, 'from' | 'to'>): string {
  if (!from.revision || from.revision !== to.revision) return '';
  const {kind, value} = endOf(to.asked), since = from.created ? `${moment(from.created)} UTC` : `revision ${from.revision}`;
  const until = {ago: `${value} days ago`, now: 'now', revision: `revision ${value}`}[kind as string] ?? value;
  return `Nothing was stored between ${since} and ${until}`;
}

export function stateText({asked, tables, revision, created, is_first}: StateEnd): string {
  if (tables) return `the lock file (${plural(tables.length, 'table')})`;
  if (!revision) return 'the beginning, when nothing had been imported';
  return `${asked === 'now' ? 'now, ' : ''}revision ${count(revision)}${created ? ` of ${moment(created)} UTC` : ''}`
    + (is_first ? ', the first: the registry is younger than that' : '');
}

// "run 2, host node2, rocm 7.0: 1,200 shapes".
export function sideText({environment: {runs, ...said}, keys}: Comparison['base']): string {
  const facts = [`run ${runs}`, ...Object.entries(said).map(([name, value]) => `${name} ${value}`)];
  return `${facts.join(', ')}: ${plural(keys, 'shape')}`;
}

// How the environments differ. If they are the same, a slower time may be noise.
export function environmentsText({repetition, differing}: Comparison): string {
  if (repetition) return 'the same on both sides';
  return differing.length > 0 ? `different: ${differing.join(', ')}` : 'unknown: neither side names its environment';
}

// By kind, in words: the time that its shapes added, or their mean change.
export const addedByKind = ({lost_us: lost}: {lost_us: Record<string, number>}): Record<string, string> =>
  Object.fromEntries(Object.entries(lost).map(([kind, us]) => [kind, us ? `${addedText(us)} us` : '']));
export const meanByKind = ({speedups}: Comparison): Record<string, string> =>
  Object.fromEntries(Object.entries(speedups).map(([kind, {geometric_mean: mean}]) =>
    [kind, `${changeText(1 / mean)} on average`]));

// GET /compare has its own names of sorts. A speed-up is the inverse of a change.
const kCompareSorts: Record<string, string> = {before: 'base', after: 'head', target: 'target'};
export function compareSort(sort: string): string {
  const minus = sort.startsWith('-') ? '-' : '', by = sort.replace('-', '');
  if (by === 'ratio') return minus ? 'speedup' : '-speedup';
  return kCompareSorts[by] ? minus + kCompareSorts[by] : '';
}
