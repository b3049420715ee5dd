// The colours of figures as users without red or green cones see them.
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';

const kTokens = readFileSync(new URL('../../../web/src/style/tokens.css', import.meta.url), 'utf8');

type Rgb = [number, number, number];
type Scheme = 'light' | 'dark';

// A colour of tokens.css, as shares of red, green and blue light.
function colour(name: string, scheme: Scheme): Rgb {
  const [, light = '', dark = ''] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(kTokens) ?? [];
  const hex = scheme === 'light' ? light : dark;
  expect(hex, name).not.toBe('');
  const channel = (at: number) => {
    const c = parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

// Matrices for linear RGB from Machado, Oliveira and Fernandes 2009, severity 1.0.
const kEyes: Record<string, Rgb[]> = {
  usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
};
const seen = (eyes: string, [r, g, b]: Rgb): Rgb => (kEyes[eyes] ?? []).map(([x, y, z]) => Math.min(1, Math.max(0, x * r + y * g + z * b))) as Rgb;

const luminance = ([r, g, b]: Rgb): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;
function contrast(a: Rgb, b: Rgb): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

// CIE 1976 L*a*b*, D65.
function lab([r, g, b]: Rgb): Rgb {
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116);
  const [x, y, z] = [f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505), f(luminance([r, g, b])), f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)];
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const distance = (a: Rgb, b: Rgb): number => Math.hypot(...lab(a).map((it, i) => it - (lab(b)[i] ?? 0)));

const kCases = (['light', 'dark'] as const).flatMap((scheme) => Object.keys(kEyes).map((eyes) => [scheme, eyes] as const));

describe.each(kCases)('%s, %s', (scheme, eyes) => {
  const of = (name: string) => seen(eyes, colour(name, scheme));

  test('the ends of a share are told apart, and the numbers between them can be read', () => {
    const [none, all] = [of('share-0'), of('share-1')];
    expect(contrast(none, all)).toBeGreaterThan(1.7);
    for (const share of [none, all]) expect(contrast(of('on-level'), share)).toBeGreaterThan(4.5);
  });

  test('the lines of a chart are told apart, and from the ground', () => {
    const series = [1, 2, 3].map((i) => of(`series-${i}`));
    for (const [a, b] of [[0, 1], [0, 2], [1, 2]] as const) expect(distance(series[a] as Rgb, series[b] as Rgb), `series ${a + 1}, ${b + 1}`).toBeGreaterThan(20);
    for (const it of series) expect(contrast(it, of('surface'))).toBeGreaterThan(3);
  });

  test('good and bad are told apart', () => {
    expect(distance(of('good'), of('bad'))).toBeGreaterThan(15);
  });
});
