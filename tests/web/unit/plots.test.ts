// Plots and the words beside them: stops over time, rates below the roofline, coverage and time over weeks.
import {describe, expect, test} from 'vitest';
import type {ModelTime, Trend} from '../../../web/src/answers';
import {stepsOf, stopsOf} from '../../../web/src/components/time_stops';
import type {MapLayer, ModelMap} from '../../../web/src/model_map';
import {alike, coveredText, timeText} from '../../../web/src/places/history_words';
import {meanText, summaryOf, tflopsOf, timedOf, aboveText} from '../../../web/src/places/roofline_dots';

const kDay = 86_400_000, kNow = Date.parse('2026-03-31T12:00:00Z');
const at = (days: number) => kNow - days * kDay, text = (days: number) => new Date(at(days)).toISOString();

describe('a figure over time', () => {
  const points = [{at: 10, value: 5}, {at: 20, value: null}, {at: 30, value: 7}];
  test('has one stop a day: the last value, and what happened', () => {
    const some = [{at: at(3), value: 5}, {at: at(1), value: 6, href: '/six'}];
    const mark = (days: number, text: string, href?: string) => ({at: at(days) + 3_600_000, kind: 'import', text, href});
    const marks = [mark(5, 'first'), mark(3, 'second', '/run'), mark(2, 'third'), ...[1, 2, 3, 4].map((i) => mark(1, `m${i}`))];
    expect(stopsOf(some, marks, ({value}) => `is ${value}`, 0).map((it) => [it.place[1], it.href, ...it.text])).toEqual([
      [0, undefined, '26 Mar', 'first'], [5, '/run', '28 Mar', 'is 5', 'second'], [5, undefined, '29 Mar', 'is 5', 'third'],
      [6, '/six', '30 Mar', 'is 6', 'm1', 'm2', 'm3', 'and 1 more'],
    ]);
  });
  test('keeps its value until the next point, and has a gap where it is unknown', () => {
    expect(stepsOf(points, ({value}) => value)).toEqual([[[10, 5], [20, 5]], [[30, 7], [30, 7]]]);
  });
});

describe('the roofline', () => {
  const layer = (name: string, more: Partial<MapLayer>): MapLayer => ({
    layer: name, family: 'f', columns: {}, m_column: 'M', count: 10, flops: 2e9, at: [0, 1], state: [0, 0], row_m: [1, 64], us: [4, 20], roofline_us: [2, 15],
    default_us: [null, null], slower: [0, 0], demand: [0, 0], ...more,
  });
  const map = {m: [1, 64], states: ['exact'], layers: [
    layer('a', {}), layer('b', {flops: 6e9, count: 1, us: [null, 10], roofline_us: [1, 10]}), layer('c', {us: [5, 5], roofline_us: [null, null]}),
  ]} as unknown as ModelMap;
  test('the dots come by time above it, without those that have no time', () => {
    expect(timedOf(map).map((it) => [it.layer.layer, it.m, it.above])).toEqual([['a', 64, 50], ['a', 1, 20], ['b', 64, 0], ['c', 1, null], ['c', 64, null]]);
  });
  test('a rate is that of one product', () => {
    expect(tflopsOf(map.layers[0]!, 64, 20)).toBeCloseTo(2e8 * 64 / 20 / 1e6);
  });
  test('the means: shares by flops, and how much of the time is above', () => {
    const summary = summaryOf(timedOf(map));
    expect(summary.share).toBeCloseTo((2 * 0.5 + 2 * 0.75 + 6) / 10);
    expect(summary.above).toBeCloseTo(70 / 250);
    expect(meanText(summary)).toBe('85 % of the roofline on average; 28 % of the total time is above the roofline');
    expect(aboveText(summary.worst!)).toBe("10 \u00d7 5.00 us above it, 1.33\u00d7 the roofline's time");
    expect(summaryOf([])).toEqual({worst: undefined, share: null, above: null});
  });
});

describe('coverage over time', () => {
  const point = (days: number, covered: number | null, tp = 8) => ({at: text(days), revision: 1, covered, tp});
  test.each([
    [[point(40, 0.316), point(10, 0.4)], 'Covered now 46 %, 30 days ago 32 %: +14 points.'],
    [[point(40, 0.46)], 'Covered now 46 %, 30 days ago 46 %: unchanged.'],
    [[point(10, 0.5)], 'Covered now 46 %, on 21 Mar 50 %: \u22124 points. The first point is of 21 Mar.'],
    [[], 'Covered now 46 %. The hub has no earlier point: it makes one after imports and at each day\'s end.'],
  ])('%#: is compared with the state 30 days ago, or with the first one', (points, said) => {
    expect(coveredText(0.46, points, kNow)).toBe(said);
  });
  test('a share at another TP is of other shapes', () => {
    const trend: Trend = {revision: 2, points: [point(40, 0.1, 4), point(10, 0.4)], now: {covered: 0.5, tp: 8}, events: []};
    expect(alike(trend).map(({covered}) => covered)).toEqual([0.4]);
  });
});

describe('the time of a token', () => {
  const of = (...times: (number | null)[]): ModelTime => ({
    layers: 11, timed_in: {decode: 9, prefill: 0}, m: {decode: 64, prefill: 8192}, default: {decode: 20.2, prefill: null}, events: [],
    points: times.map((us, i) => ({at: text(40 - 20 * i), revision: i, decode: us === null ? null : {us, low: null, high: null}, prefill: null})),
  });
  test.each([
    [of(13, 12.5, 12), 'decode', '12.00 us a token now, 13.00 30 days ago: \u22127.7 %; by 9 of 11 layers. The default kernels take 20.20 us.'],
    [of(12, 12, 12), 'decode', '12.00 us a token now, 12.00 30 days ago: unchanged; by 9 of 11 layers. The default kernels take 20.20 us.'],
    [of(null, 12, 12.6), 'decode', '12.60 us a token now, 12.00 on 11 Mar: +5.0 %; by 9 of 11 layers. The default kernels take 20.20 us.'],
    [of(12, null), 'decode', 'No time yet: one of the 9 layers has no measured row now.'],
    [of(12), 'prefill', 'No layer has a measured time at M 8,192.'],
  ] as const)('%#: in a sentence', (time, phase, said) => {
    expect(timeText(time, phase, kNow)).toBe(said);
  });
});
