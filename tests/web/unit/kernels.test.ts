// Pure functions of Kernels and of a shape's page.
import {describe, expect, test} from 'vitest';
import type {Family, Lookup, Measurement, Run} from '../../../web/src/answers';
import {isShown, toggled} from '../../../web/src/family';
import {targetNames} from '../../../web/src/known';
import {linesOf, nearestShapes, winnersIn} from '../../../web/src/places/kernel_lines';
import {forestOf} from '../../../web/src/places/shape_forest_lines';
import {againOf, alongAxis, because, byTime, candidateText, defaultOf, foundText, intervalText, isWorthTuning, kernelsOf, nearOf, rooflineOf, sentenceOf, standingText} from '../../../web/src/places/shape_story';

const measurement = (id: number, us: number | null, more: Partial<Measurement> = {}): Measurement => ({
  id, run: 1, provider: 'aiter', us, low: null, high: null, compared_by: us === null ? null : {us, low: null, high: null, steady: true}, error: 0, standing: 'measured', reason: null, is_default: false, reverted: false, competes: true, won: null, baseline: false, candidate: {}, line: '', ...more,
});
const sampled = (id: number, us: number, spread: number, more: Partial<Measurement> = {}) =>
  measurement(id, us, {low: us - spread, high: us + spread, compared_by: {us, low: us - spread, high: us + spread, steady: true}, evidence: {samples: [us, us, us]}, ...more});

describe('how sure a winner is', () => {
  const of = (winner: Measurement, ...others: Measurement[]) => because([winner, ...others], winner).join(': ');
  test('beyond the spread: by how much, and how large the spread is', () => {
    expect(of(sampled(1, 10, 0.1, {won: 'sure'}), sampled(2, 12.5, 0.15), measurement(3, 20))).toBe("Sure: faster than the next by 20.0 %, more than the times' spread of 2.0 %, and two runs agree");
    expect(of(sampled(1, 10, 0.1, {won: 'likely'}), sampled(2, 12.5, 0.15))).toMatch(/^Likely: faster than the next by 20.0 %.*, in one run$/);
    expect(of(measurement(1, 6, {won: 'lowest_time'}), measurement(2, 9))).toBe("Lowest time of 2 candidates: faster than the next by 33.3 %, more than the times' spread of 8.3 % (\u00b15 % for a time without samples)");
  });
  test('no difference is stated where the intervals overlap', () => {
    expect(of(sampled(1, 10, 0.1, {won: 'tied'}), sampled(2, 10.15, 0.1), sampled(3, 11, 0.1))).toBe('Tied: the intervals of 2 candidates overlap: the one measured first stays');
    expect(of(measurement(1, 6, {won: 'lowest_time'}), measurement(2, 6.2), measurement(3, 9))).toBe('Lowest time of 3 candidates: the next, 6.20 us, may be as fast: the intervals overlap');
    const unsteady = measurement(4, 9, {compared_by: {us: 9, low: null, high: null, steady: false}});
    expect(of(measurement(1, 6, {won: 'lowest_time'}), unsteady)).toContain('may be as fast');
    expect(of(sampled(1, 10, 0.1, {won: 'sure'}), unsteady, sampled(2, 12.5, 0.15))).toContain('by 20.0 %');
  });
  test('the next is of the same provider, competes and is credible', () => {
    const others = [measurement(2, 9), measurement(3, 6.1, {provider: 'tunehub'}), measurement(4, 6.1, {competes: false}), measurement(5, 0.1, {standing: 'unmeasured'})];
    expect(of(measurement(1, 6, {won: 'lowest_time'}), ...others)).toContain('by 33.3 %');
  });
  test.each(['only_candidate', 'lower_error', 'tie_break', 'tied', 'likely', 'sure', 'only_measured', 'nothing_measured', 'latest_declared', 'something_new'])('%s has a sentence', (won) => {
    expect(of(measurement(1, 6, {won}))).toMatch(/^[A-Z][\w ]*: \w.*[^.]$/);
  });
  test('a default alone may be beaten', () => {
    expect(of(measurement(1, 6, {won: 'only_candidate', is_default: true, baseline: true}))).toMatch(/^Only the default: /);
  });
});

describe('the measurements of a shape', () => {
  test('the winner first, then what competes, what has no time last', () => {
    const all = [measurement(1, 9), measurement(2, null), measurement(3, 8, {competes: false}), measurement(4, 7, {won: 'lowest_time'}), measurement(5, 7.5), measurement(6, 0.1, {standing: 'unmeasured'})];
    expect(byTime(all).map((it) => it.id)).toEqual([4, 5, 1, 2, 6, 3]);
  });
  test('each says what it counts for', () => {
    const all = [measurement(1, 6, {won: 'sure'}), measurement(2, 7), measurement(3, 7, {competes: false}), measurement(4, 7, {competes: false, reverted: true}), measurement(5, 3, {standing: 'unconfirmed', competes: false}), measurement(6, null, {standing: 'unmeasured'})];
    expect(all.map(standingText)).toEqual(['served', 'competes', 'replaced by another measurement of this kernel', 'its run is reverted', 'waits for a confirmation by another run', 'competes without a time']);
  });
  test('the default is the latest that was measured, a competing one first', () => {
    const winner = measurement(1, 6, {won: 'lowest_time'});
    expect(defaultOf([winner, measurement(2, 9, {is_default: true, run: 2}), measurement(5, 30, {is_default: true, run: 3, competes: false})], winner)?.id).toBe(2);
    expect(defaultOf([winner], winner)).toBeUndefined();
  });
  test('samples without a time have no interval', () => {
    expect(intervalText(measurement(1, null, {evidence: {samples: [5, 5]}}))).toBe('');
    expect(intervalText(sampled(1, 5, 0.1))).toBe('4.90 to 5.10, n 3');
  });
  test('how it is measured again, if the tuner is known', () => {
    const winner = measurement(1, 6, {won: 'lowest_time'}), run = (tuner?: string) => ({provenance: tuner ? {tuner} : {}}) as unknown as Run;
    expect(againOf('a8w8', {gfx: 'cpu-x86'}, winner, run('tunehub builtin'))).toMatch(/--family a8w8 -o again.csv --device cpu$/);
    expect(againOf('a8w8', {gfx: 'gfx942'}, winner, run('aiter csrc/x.py'))).toMatch(/ --tuner aiter$/);
    expect([againOf('a8w8', {gfx: 'gfx942'}, winner, run('by hand')), againOf('a8w8', {gfx: 'gfx942'}, winner, run())]).toEqual(['', '']);
  });
  test('the roofline of the chosen product judges, or else the slowest one', () => {
    const all = [{product: 'A', us: 2, bound: 'memory'}, {product: 'B', us: 3, bound: 'memory'}];
    expect([rooflineOf(all, 'A'), rooflineOf(all, 'C'), rooflineOf(all), rooflineOf([])].map((it) => it?.product)).toEqual(['A', 'B', 'B', undefined]);
  });
});

describe('the forest plot of a shape', () => {
  const winner = sampled(1, 10, 0.2, {won: 'sure', candidate: {lib: 'ck', splitK: '0'}});
  test('the served row first, then the rest by time', () => {
    const all = [
      measurement(2, 12, {is_default: true, candidate: {lib: 'ck', splitK: '1'}}), winner, sampled(3, 11, 0.1, {candidate: {lib: 'ck', splitK: '2'}}),
      measurement(4, 3, {standing: 'unconfirmed', competes: false}), measurement(5, 9, {provider: 'tunehub'}), measurement(6, 8, {competes: false, compared_by: null}),
      measurement(7, 9.9, {compared_by: {us: 9.9, low: null, high: null, steady: false}, evidence: {samples: [9.9, 9.9], clock: 'slowed'}}),
    ];
    const {lines, more, range} = forestOf(all, winner);
    expect(lines.map(({us, interval, hollow}) => [us, interval?.map((it) => Number(it.toFixed(2))) ?? null, hollow])).toEqual([
      [10, [9.8, 10.2], false], [3, [2.85, 3.15], true], [9.9, null, false], [11, [10.9, 11.1], false], [12, [11.4, 12.6], true]]);
    expect(lines[0]?.spoken).toBe('10.00 us (9.80 to 10.20, n 3), served: lib ck, splitK 0');
    expect(lines[2]?.spoken).toContain('9.90 us (unsteady, n 2)');
    expect(lines[4]?.spoken).toBe('12.00 us, default, no samples: \u00b15 %: lib ck, splitK 1');
    expect(lines[1]?.spoken).toContain('unconfirmed');
    expect(more).toBe(0);
    expect(range.map((it) => Number(it.toFixed(2)))).toEqual([2.85, 12.6]);
  });
  test('at most twelve lines, whose labels have only what differs', () => {
    const rivals = Array.from({length: 20}, (_, i) => sampled(i + 2, 11 + i, 0.1, {candidate: {lib: 'ck', splitK: String(i)}}));
    const {lines, more} = forestOf([...rivals, winner], winner);
    expect([lines.length, more]).toEqual([12, 9]);
    const slow = sampled(30, 99, 0.1, {is_default: true});
    expect(forestOf([...rivals, winner, slow], winner).lines.map(({us}) => us).slice(-2)).toEqual([20, 99]);
    expect(lines[2]?.label).toBe('12.00 us (11.90 to 12.10, n 3): splitK 1');
  });
  test('nothing to draw if the winner has no time', () => {
    expect(forestOf([measurement(1, null, {won: 'nothing_measured'}), measurement(2, 5)], measurement(1, null)).lines).toEqual([]);
  });
});

describe('a shape among its neighbours', () => {
  test('the best row at each M, without times that are not credible', () => {
    const points = alongAxis([{M: 32, us: 3}, {M: 16, us: 5}, {M: 16, us: 4}, {M: 64, us: 1, standing: 'unmeasured'}, {M: 8, us: 'inf'}], 'M', 'us');
    expect(points.map((it) => [it.x, it.us])).toEqual([[16, 4], [32, 3]]);
    expect(sentenceOf(points, 'M')).toBe('2 tuned values of M from M 16 (4.00 us) to M 32 (3.00 us).');
  });
  test('candidates and kernels in words', () => {
    const family = {columns: [{name: 'kernelName1', type: 'kernel'}, {name: 'kernelName2', type: 'kernel'}, {name: 'us', type: 'number'}]} as Family;
    expect(kernelsOf(family, {kernelName1: 'a', kernelName2: 'b', us: 3})).toBe('a + b');
    expect(kernelsOf(family, {kernelName1: '', us: 3})).toBe('\u2013');
    expect(candidateText(measurement(1, 2, {candidate: {libtype: 'ck', kernelName: ''}}))).toBe('libtype ck');
  });
  test('lookups around it', () => {
    expect([nearOf(16), nearOf(1)]).toEqual([[8, 15, 16, 17, 32], [0, 0, 1, 2, 2]]);
    const found = (step: string) => foundText({step, row: null, wanted: null});
    expect([found('gl1'), found('default'), found('odd')]).toEqual(['row of M rounded up in large steps', "no row: AITER's own default kernel or rule runs", 'odd']);
  });
  test('are worth tuning unless they find a measured row of the shape that a job would tune', () => {
    const found = (row: object | null) => ({row, wanted: {exact: {M: '17'}, to_tune: {M: 32, N: 1280}}}) as unknown as Lookup;
    const is = (row: object | null) => isWorthTuning(found(row));
    expect([is(null), is({M: 32, N: 1280, standing: 'unmeasured'}), is({M: 32, N: 1280, baseline: true}), is({M: 64, N: 1280, standing: 'measured'})]).toEqual([true, true, true, true]);
    expect([is({M: 32, N: 1280, standing: 'measured'}), isWorthTuning({...found(null), wanted: null})]).toEqual([false, false]);
  });
});

describe('families', () => {
  const rows = (gfx: string, cu_num: number, rows: number) => ({gfx, cu_num, rows, unmeasured: 0, baselines: 0});
  const index = {revision: 3, unlisted: [], products: {'gfx942:304': 'MI300X / MI325X'}, families: [
    {family: 'a', rows: 7, revision: 3, targets: [rows('gfx942', 304, 6), rows('gfx950', 256, 1)]}, {family: 'b', rows: 9, revision: 0, targets: [rows('gfx950', 256, 9)]},
    {family: 'unlisted', rows: 5, revision: 1, targets: [rows('gfx950', 256, 5)]},
  ]};
  test('of one device or of all, those with the most rows first', () => {
    const of = (target: string) => linesOf(index, [{name: 'a', title: 'A GEMM'} as Family], target).map((line) => [line.title, line.target, line.rows]);
    expect(of('gfx950:256')).toEqual([['b', 'gfx950:256', 9], ['A GEMM', 'gfx950:256', 1]]);
    expect(of('').length).toBe(3);
    expect(targetNames(index)).toEqual(['gfx950:256', 'gfx942:304']);
  });
  test('the kernels of rows, those with most rows first, with their M and median time', () => {
    const of = {heat_map: {x: 'M', y: []}, columns: [{name: 'kernelName', role: 'config', type: 'kernel'}, {name: 'us', role: 'objective', type: 'number'}]} as unknown as Family;
    const row = (M: number, kernelName: string, us: number | null) => ({M, kernelName, us});
    expect(winnersIn(of, [row(64, 'b', 9), row(16, 'a', 1), row(8, 'a', 5), row(128, 'a', 3), row(1, 'c', null)])).toEqual([
      {kernel: 'a', rows: 3, from: 8, to: 128, us: 3}, {kernel: 'b', rows: 1, from: 64, to: 64, us: 9}, {kernel: 'c', rows: 1, from: 1, to: 1, us: null},
    ]);
  });
  test('the nearest shapes that exist, each once: by the ratios of all columns; another word is not near', () => {
    const rows = [{N: 1024, K: 5120, a: 'x'}, {N: 1280, K: 5120, a: 'x'}, {N: 1280, K: 5120, a: 'x'}, {N: 1280, K: 4096, a: 'x'}, {N: 1281, K: 5121, a: 'y'}];
    expect(nearestShapes({N: '1281', K: '5121', a: 'x'}, rows, 2)).toEqual([{N: '1280', K: '5120', a: 'x'}, {N: '1280', K: '4096', a: 'x'}]);
    expect([nearestShapes({N: 'x'}, rows), nearestShapes({N: '1281', a: 'y'}, rows)]).toEqual([[], [{N: '1281', a: 'y'}]]);
  });
  const family = {columns: [{name: 'gfx', role: 'target'}, {name: 'cu_num', role: 'target'}, {name: 'M', role: 'shape'}, {name: 'kernelId', role: 'config', identity: 'unnamed'}, {name: 'bw', role: 'derived'}]} as Family;
  const shown = (values: Record<string, string>) => family.columns.filter((it) => isShown(family, values, it.name)).map((it) => it.name);
  test('the usual columns of a table: not those that a filter fixes, until somebody chooses them', () => {
    expect(shown({target: '', M: ''})).toEqual(['gfx', 'cu_num', 'M']);
    expect(shown({target: 'gfx942:304', M: ''})).toEqual(['M']);
    expect(shown({target: 'gfx942', M: '16'})).toEqual(['cu_num']);
    expect(shown({target: 'gfx942', M: '16', hide: 'M,bw'})).toEqual(['cu_num', 'M', 'bw']);
  });
  test('a second choice of a column undoes the first', () => {
    expect([toggled(family, toggled(family, '', 'bw'), 'bw'), toggled(family, 'nonsense', 'M')]).toEqual(['', 'M']);
  });
});
