// Numbers and times as texts. Pure functions.
const kDash = '\u2013';
// The formatters are constants, because toLocaleString makes a new one per call: too slow for thousands of rows.
const kWhole = new Intl.NumberFormat('en');
const kTwoDigits = new Intl.NumberFormat('en', {minimumFractionDigits: 2, maximumFractionDigits: 2});

export const count = (value: number): string => kWhole.format(value);

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

// "family" -> "Family".
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

// Microseconds with two decimals, as tuners print them, so that a column's numbers align.
export function micros(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return kDash;
  return kTwoDigits.format(value);
}

// An error ratio. A small error must not appear as zero.
export function error(value: number): string {
  return value !== 0 && Math.abs(value) < 0.01 ? String(Number(value.toPrecision(2))) : value.toFixed(2);
}

// Microseconds for narrow places.
export function microsShort(value: number): string {
  if (value >= 10_000) return `${(value / 1000).toFixed(0)}k`;
  if (value >= 1000) return `${(value / 1000).toFixed(1)}k`;
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

export function percent(share: number | null | undefined, digits = 0): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return kDash;
  // A share below 1 must not appear as 100 %.
  const text = (share * 100).toFixed(digits);
  if (share < 1 && Number(text) === 100) return `${(100 - 10 ** -digits).toFixed(digits)} %`;
  return `${text} %`;
}

export function times(ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined || !Number.isFinite(ratio)) return kDash;
  return `${ratio.toFixed(2)}\u00d7`;
}

const kUnits: [number, string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

// A duration in its largest unit: "3 min".
export function span(seconds: number): string {
  for (const [length, name] of kUnits) {
    if (seconds >= length) return `${Math.floor(seconds / length)} ${name}`;
  }
  return '0 s';
}

export function age(time: string | number, now: number): string {
  const then = typeof time === 'number' ? time : Date.parse(time);
  if (Number.isNaN(then)) return kDash;
  const seconds = (now - then) / 1000;
  return seconds < 5 ? 'just now' : `${span(seconds)} ago`;
}

// "2026-01-31 12:00" in UTC, as all times of the server.
export function moment(time: string | null | undefined): string {
  if (!time) return kDash;
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toISOString().slice(0, 16).replace('T', ' ');
}

export function targetName(target: {gfx: string; cu_num: number | null}): string {
  return target.cu_num ? `${target.gfx}:${target.cu_num}` : target.gfx;
}

// Splits "gfx942:304". Without a number it means any number of CUs.
export function targetParts(name: string): {gfx: string; cu_num: string} {
  const [, gfx = name, cu_num = ''] = /^(.*):(\d+)$/.exec(name) ?? [];
  return {gfx, cu_num};
}

export function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return kDash;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
