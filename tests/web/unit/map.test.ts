// A model's map: the worst layers, places and keys of its cells, and what to tune first.
import {describe, expect, test} from 'vitest';
import {rangesOf, worstOf, type MapLayer, type ModelMap} from '../../../web/src/model_map';
import {hit, layoutOf, moved, nearestAt} from '../../../web/src/places/map_layout';
import {compare, nameOf, onlyThere, spoken} from '../../../web/src/places/map_words';
import {tuneRows} from '../../../web/src/places/tune_rows';

const kStates: ModelMap['states'] = ['exact', 'gl0', 'gl1', 'tier', 'nearest', 'baseline', 'unmeasured', 'missing'];

// Letters of `states`: e exact, g gl0, b baseline, m missing.
function layer(name: string, states: string, more: Partial<MapLayer> = {}): MapLayer {
  const state = [...states].map((it) => ({e: 0, g: 1, b: 5, m: 7})[it] ?? 7), each = <T,>(it: T): T[] => state.map(() => it);
  return {
    layer: name, family: 'gemm', columns: {N: name, K: '7'}, m_column: 'M', count: 1, flops: 1, at: state.map((_, i) => i), state, row_m: state.map((_, i) => [1, 2, 4, 64, 80, 8192][i] ?? null), us: state.map((it) => (it === 7 ? null : 4)), roofline_us: each(2), default_us: each(null), slower: each(0), demand: each(0), ...more,
  };
}
const mapOf = (...layers: MapLayer[]): ModelMap => ({revision: 1, model: 'm', product: 'P', m: [1, 2, 4, 64, 80, 8192], states: kStates, layers, unread: [], findings: [], coverage: null});

describe('a map', () => {
  test('the worst cell is the one with the most time above the roofline in a whole pass', () => {
    const map = mapOf(layer('a', 'eem', {us: [5, 4, null]}), layer('b', 'ee', {count: 10}), layer('c', 'e', {roofline_us: [null]}));
    expect([worstOf(map), worstOf(map, 2), worstOf(map, 4)].map((it) => it && [it.layer.layer, it.m, it.gap])).toEqual([['b', 1, 20], ['b', 2, 20], undefined]);
  });

  test('M that are neighbours on the grid are one range', () => {
    const all = [1, 2, 4, 64, 80];
    expect([rangesOf(all, []), rangesOf(all, [1]), rangesOf(all, [1, 4, 64]), rangesOf(all, all), rangesOf(all, [1, 4, 80], 2)]).toEqual(['', '1', '1, 4\u201364', '1\u201380', '1 and 2 more']);
  });

  test('each place is the cell that was drawn there, and a place without a cell is none', () => {
    const layers = [layer('a', 'eeeeee', {flops: 9}), layer('b', 'ee')], map = mapOf(...layers), layout = layoutOf(map, layers);
    const [tall = 0, low = 0] = layout.top.slice(1).map((edge, i) => edge - (layout.top[i] ?? 0));
    expect(tall).toBeGreaterThan(low);
    expect(low).toBeGreaterThanOrEqual(34);
    expect(layout.left.at(-1)).toBeCloseTo(1);
    layout.left.slice(1).forEach((right, i) => expect(hit(layout, layers, right - 1e-6, tall - 1)).toEqual({row: 0, i}));
    expect(hit(layout, layers, 0, tall + 1)).toEqual({row: 1, i: 0});
    expect(hit(layout, layers, 0.999, tall + 1)).toBeNull();
  });

  test('keys move to the neighbour, and to the nearest M of another layer', () => {
    const layers = [layer('a', 'eeeeee'), layer('b', 'ee')];
    const go = (key: string, control = false) => moved(layers, {row: 0, i: 4}, key, control);
    expect([go('ArrowRight'), go('ArrowLeft'), go('ArrowDown'), go('ArrowUp'), go('Home'), go('End'), go('End', true), go('x')]).toEqual([{row: 0, i: 5}, {row: 0, i: 3}, {row: 1, i: 1}, {row: 0, i: 4}, {row: 0, i: 0}, {row: 0, i: 5}, {row: 1, i: 1}, null]);
    expect(nearestAt(layer('b', 'ee', {at: [0, 5]}), 4)).toBe(1);
  });

  test('a cell in words', () => {
    const its = layer('qkv', 'gm', {row_m: [16, null], slower: [1, 0], demand: [0, 1200]}), map = mapOf(its);
    expect(spoken(map, its, 0)).toBe('qkv, M 1, 4.00 us, 50 % of the roofline, padded to M 16, slower than a week ago');
    expect(spoken(map, its, 1)).toBe('qkv, M 2, missing: the default kernel runs, 1,200 misses');
  });

  test('layers of one name are told apart by the columns that differ', () => {
    const layers = [layer('gate_up', 'e', {columns: {N: '512', K: '7'}}), layer('gate_up', 'e', {columns: {N: '4608', K: '7'}}), layer('o', 'e')], map = mapOf(...layers);
    expect(layers.map((it) => nameOf(map, it))).toEqual(['gate_up (N 512)', 'gate_up (N 4608)', 'o']);
  });

  test('two maps: the M that only the second has', () => {
    expect(compare(mapOf(layer('a', 'emm')), mapOf(layer('b', 'eee'), layer('a', 'mem'))).map(onlyThere)).toEqual([[2]]);
  });
});

describe('what to tune', () => {
  test('rows with misses come by time times misses, the others by mean time; the two are never added', () => {
    const rows = tuneRows(mapOf(
      layer('long', 'mmm', {roofline_us: [50, 50, 50]}), layer('missed', 'mme', {demand: [3, 0, 9]}), layer('tuned', 'e'), layer('base', 'be', {us: [40, 4]})));
    expect(rows.map((it) => [it.layers[0], it.open, it.missing, it.misses, it.us, it.missed_us, it.ranges])).toEqual([['missed', 2, 2, 3, 4 / 3, 6, '1\u20132'], ['long', 3, 3, 0, 50, 0, '1\u20134'], ['base', 1, 0, 0, 20, 0, '1']]);
  });

  test('a layer with many values of M does not come before a layer whose pass takes longer', () => {
    const fine = layer('fine', 'mmmmmm', {roofline_us: [10, 10, 10, 10, 10, 10]}), coarse = layer('coarse', 'mm', {at: [0, 5], roofline_us: [5, 25]});
    const measured = layer('half', 'em', {at: [3, 4], roofline_us: [40, 40]});  // M 64 and 80: two ranges
    expect(tuneRows(mapOf(fine, coarse, measured)).map((it) => [it.layers[0], it.us])).toEqual([['half', 20], ['coarse', 15], ['fine', 10]]);
  });

  test('two values of M between powers of two count as one', () => {
    const map = {...mapOf(layer('a', 'mmm', {roofline_us: [9, 1, 2]})), m: [64, 80, 128]};
    expect(tuneRows(map).map((it) => it.us)).toEqual([5.25]);
  });

  test('layers with one shape are one row, and another table for the same layers counts once', () => {
    const columns = {N: '1', K: '7'};
    const rows = tuneRows(mapOf(layer('q', 'm', {columns, count: 2}), layer('k', 'm', {columns, count: 3}), layer('q', 'm', {family: 'other', count: 2})));
    expect(rows.map((it) => [it.family, it.layers, it.us, it.other])).toEqual([['gemm', ['q', 'k'], 10, false], ['other', ['q'], 4, true]]);
  });
});
