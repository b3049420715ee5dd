// What tuning is worth, in words and figures. All of it is pure.
import type {EstimatedWorth, FamilyWorth, HeldOut, Need, WorthBasis, WorthGroup, WorthSums} from '../answers';
import {count, percent, plural} from '../format';

export const kNeeds: {value: Need; text: string}[] = [
  {value: 'missing', text: 'missing'},
  {value: 'baseline', text: 'baseline only'},
  {value: 'unmeasured', text: 'unmeasured'},
  {value: 'slow', text: 'tuned'},
];

const kDash = '\u2013';

// Microseconds per token: small numbers, so three digits that say something.
export function perToken(us: number | null | undefined): string {
  if (us === null || us === undefined || !Number.isFinite(us)) return kDash;
  const text = Math.abs(us) >= 100 ? Math.round(us).toLocaleString('en') : Number(us.toPrecision(3)).toString();
  return text.replace('-', '\u2212');
}

export function worthText(worth: EstimatedWorth | null): string {
  if (!worth) return 'no basis';
  if (worth.us !== null) return perToken(worth.us);
  return `${perToken(worth.low)} to ${perToken(worth.high)}`;
}

export const openShapes = ({shapes}: Pick<WorthSums, 'shapes'>): number => shapes.missing + shapes.baseline + shapes.unmeasured;

function rangeText({from, to, shapes}: WorthGroup['ranges'][number]): string {
  return shapes === 1 ? count(from) : `${count(from)}\u2013${count(to)}`;
}

// "missing 1–64, 4,096; tuned 128–2,048"
export function rangesText(ranges: WorthGroup['ranges']): string {
  const parts = kNeeds.flatMap(({value, text}) => {
    const own = ranges.filter((it) => it.state === value);
    return own.length > 0 ? [`${text} ${own.map(rangeText).join(', ')}`] : [];
  });
  return parts.join('; ');
}

// "±8 % by 120 keys"
export function errorText(error: HeldOut | null): string {
  if (!error) return 'held against nothing';
  const size = error.error === null ? 'unbounded' : `\u00b1${percent(error.error)}`;
  return `${size} by ${plural(error.keys, 'key')}`;
}

export function basisText(basis: WorthBasis): string {
  return `${plural(basis.shapes, 'shape')}, such as M ${count(basis.m)}: ${basis.words}`;
}

export function hours(seconds: number | null): string {
  if (seconds === null) return 'no basis';
  const value = seconds / 3600;
  return value >= 10 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(2)).toString();
}

const kCosts: Record<string, string> = {
  family_on_target: 'of this family on this target',
  target: 'of other families on this target',
  any: 'of other targets',
};

// On what the hours are based.
export function costText({cost}: Pick<FamilyWorth, 'cost'>): string {
  if (cost.seconds_per_shape === undefined) return 'no job has ever finished';
  return `${Number(cost.seconds_per_shape.toPrecision(3))} s a shape, by ${plural(cost.jobs, 'job')} ${kCosts[cost.basis] ?? ''}`;
}

// What is known, in a sentence.
export function knownText({tuned, with_default}: Pick<FamilyWorth, 'tuned' | 'with_default'>): string {
  if (tuned === 0) return 'nothing is tuned';
  return `${plural(tuned, 'tuned key')}, ${with_default === 0 ? 'no default' : plural(with_default, 'default')} measured`;
}

export const shapeTitle = ({shape}: WorthGroup): string => Object.entries(shape).map(([name, value]) => `${name} ${value}`).join(', ');

// "M=16 N=1280 K=5120" as an address of the shape view has it.
export const keyOfText = (key: string): Record<string, string> => Object.fromEntries(key.split(' ').flatMap((cell) => {
  const [name = '', value = ''] = cell.split(/=(.*)/);
  return value ? [[name, value]] : [];
}));
