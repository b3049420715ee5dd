// How the page formats the API's values. These rules are a copy, so that no test depends on the page's own code.
export const kDash = '\u2013';
export const kMinus = '\u2212';

const isKnown = (value: number | null | undefined): value is number => value !== null && value !== undefined && Number.isFinite(value);

export const number = (value: number): string => value.toLocaleString('en');
export const many = (value: number, one: string, more = `${one}s`): string => `${number(value)} ${value === 1 ? one : more}`;
export const us = (value: number | null | undefined): string => (isKnown(value) ? value.toLocaleString('en', {minimumFractionDigits: 2, maximumFractionDigits: 2}) : kDash);
export const ratio = (value: number | null | undefined): string => (isKnown(value) ? `${value.toFixed(2)}\u00d7` : kDash);
export const said = (value: unknown): string => (value === null || value === undefined || value === '' ? kDash : String(value));

// A share below 1 must not appear as 100 %.
export function share(value: number | null | undefined, digits = 0): string {
  if (!isKnown(value)) return kDash;
  const text = (value * 100).toFixed(digits);
  return value < 1 && Number(text) >= 100 ? `${digits === 0 ? '99' : `99.${'9'.repeat(digits)}`} %` : `${text} %`;
}

export function span(seconds: number): string {
  if (seconds >= 86_400) return `${Math.floor(seconds / 86_400)} d`;
  if (seconds >= 3_600) return `${Math.floor(seconds / 3_600)} h`;
  return seconds >= 60 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(Math.max(0, seconds))} s`;
}
export function age(time: string | number | null | undefined, now: number): string {
  if (!time) return kDash;
  const seconds = (now - new Date(time).getTime()) / 1000;
  return seconds < 5 ? 'just now' : `${span(seconds)} ago`;
}

// "2026-01-31 12:00"
export const moment = (time: string | number | null | undefined): string => (time ? new Date(time).toISOString().replace('T', ' ').slice(0, 16) : kDash);

export const target = ({gfx, cu_num}: {gfx: string; cu_num?: number | null}): string => (cu_num ? `${gfx}:${cu_num}` : gfx);
export const parts = (name: string): {gfx: string; cu_num: string} => ({gfx: name.split(':')[0] ?? '', cu_num: name.split(':')[1] ?? ''});

// Microseconds in short form, and changes of times with their sign.
export function short(value: number): string {
  if (value >= 10_000) return `${(value / 1000).toFixed(0)}k`;
  return value >= 1000 ? `${(value / 1000).toFixed(1)}k` : value.toFixed(value >= 100 ? 0 : 1);
}
export function lost(value: number | null): string {
  if (value === null) return kDash;
  const size = Math.abs(value) >= 10_000 ? short(Math.abs(value)) : us(Math.abs(value));
  return value === 0 ? size : (value > 0 ? '+' : kMinus) + size;
}

export function hours(seconds: number | null): string {
  if (seconds === null) return 'not known';
  return seconds >= 36_000 ? number(Math.round(seconds / 3600)) : String(Number((seconds / 3600).toPrecision(2)));
}

const kShapeRoles = ['engine', 'device', 'shape', 'tag'];
const bare = (value: string): string => (/^[A-Za-z]\w*\.[A-Za-z]\w*$/.test(value) ? value.replace(/^[^.]*\./, '') : value);

// "M 16, N 1280, K 5120"
export function shape(family: any, of: Record<string, any>): string {
  const names: string[] = family ? family.columns.filter((it: any) => kShapeRoles.includes(it.role)).map((it: any) => it.name) : Object.keys(of);
  return names.filter((name) => of[name] !== undefined && of[name] !== null && of[name] !== '').map((name) => `${name} ${bare(typeof of[name] === 'boolean' ? (of[name] ? 'True' : 'False') : String(of[name]))}`).join(', ');
}

export const sum = (of: number[]): number => of.reduce((all, it) => all + it, 0);
export const mean = (of: number[]): number => sum(of) / of.length;

// Groups by name. Groups are in the order of their first members.
export function grouped<T>(of: T[], nameOf: (it: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const it of of) groups.set(nameOf(it), [...(groups.get(nameOf(it)) ?? []), it]);
  return [...groups];
}
