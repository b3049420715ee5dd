// Pure functions of the views.
import {describe, expect, test} from 'vitest';
import type {Agent, AuditRow, Change, Comparison, CoverageCounts, Family, FamilyCoverage, Job, Lookup, Measurement, Overview, OverviewCell, Receipt, Run, Speedups, Trend} from '../../../web/src/answers';
import {targetNames} from '../../../web/src/known';
import {operationsOf, typeText} from '../../../web/src/views/api_operations';
import {countsOf, fromText, issuesOf, originOf, partsOf, productOf, revertText, sidesOf, stateOf, toolchainOf, writerOf} from '../../../web/src/views/runs_rows';
import {environmentsText, groupsOf, sideText} from '../../../web/src/views/compare_rows';
import {heatRows} from '../../../web/src/views/coverage_cells';
import {driftCourse, driftText, groupsOf as groupsOfAgents, progressOf, reasonText, secondsLeft} from '../../../web/src/views/fleet_rows';
import {columnsOf, heatCell, meanOf, pairsOf, planText, pointsOf, revisionsOf, signed, sinceMonth} from '../../../web/src/views/overview_cells';
import {isShown, toggled} from '../../../web/src/family';
import {forestOf} from '../../../web/src/views/shape_forest_lines';
import {againOf, alongAxis, because, byTime, candidateText, defaultOf, intervalText, isWorthTuning, kernelsOf, pointsAt, remarkOf, resultOf, rooflineText, scaleOf, secondOf, sentenceOf, slowestOf, spreadOf} from '../../../web/src/views/shape_story';
import {ageText, drawn, rowsOf as trendRows, sentenceOf as trendSentence, shapesText} from '../../../web/src/views/trend_rows';
import {lineOf} from '../../../web/src/components/grid';
import {binsOf, binText, extremes, keysByM} from '../../../web/src/views/speedups_rows';
import {costOf, costText, gapsOf, hours, secondsFor, type Cost} from '../../../web/src/views/tune_words';

const measurement = (id: number, us: number | null, more: Partial<Measurement> = {}): Measurement => ({
  id, run: 1, provider: 'aiter', us, low: null, high: null, compared_by: us === null ? null : {us, low: null, high: null, steady: true}, error: 0, standing: 'measured', reason: null, is_default: false, reverted: false, competes: true, won: null, baseline: false, candidate: {}, line: '', ...more,
});

describe('why a row won', () => {
  test('the winner first, then what competes, what has no time last', () => {
    const all = [measurement(1, 9), measurement(2, null), measurement(3, 8, {competes: false}), measurement(4, 7, {won: 'lowest_time'}), measurement(5, 7.5)];
    expect(byTime(all).map((it) => it.id)).toEqual([4, 5, 1, 2, 3]);
  });
  test('the next best is of the same provider and competes', () => {
    const winner = measurement(1, 6, {won: 'lowest_time'});
    const others = [measurement(2, 9), measurement(3, 6.5, {provider: 'tunehub'}), measurement(4, 6.1, {competes: false})];
    expect(because([winner, ...others], winner)).toBe('It has the lowest time of 2 candidates: 6.00 us, 33.3 % less than the next best (9.00 us).');
  });
  test('a time that nobody believes is no rival, however small it is', () => {
    const winner = measurement(1, 6, {won: 'lowest_time'});
    const all = [winner, measurement(2, 9), measurement(3, 0.1, {standing: 'unmeasured', reason: 'above_peak'}), measurement(4, 0, {standing: 'unmeasured', reason: 'us_zero'})];
    expect(byTime(all).map((it) => it.id)).toEqual([1, 2, 4, 3]);
    expect(secondOf(all, winner)?.id).toBe(2);
    expect(because(all, winner)).toBe('It has the lowest time of 2 candidates: 6.00 us, 33.3 % less than the next best (9.00 us).');
  });
  test.each(['only_candidate', 'lower_error', 'tie_break', 'tied', 'likely', 'sure', 'only_measured', 'nothing_measured', 'latest_declared', 'something_new'])('%s has a sentence', (won) => {
    const winner = measurement(1, 6, {won});
    expect(because([winner], winner)).toMatch(/^[A-Z].*\.$/);
  });
  test('a baseline is said to wait for its tuning', () => {
    const winner = measurement(1, 6, {won: 'only_candidate', is_default: true, baseline: true});
    expect(because([winner], winner)).toContain('waits to be tuned');
    expect(remarkOf(winner)).toBe('default');
  });
  test('the best per place on the axis, without times nobody trusts', () => {
    const points = alongAxis([{M: 32, us: 3}, {M: 16, us: 5}, {M: 16, us: 4}, {M: 64, us: 1, standing: 'unmeasured'}, {M: 8, us: 'inf'}], 'M', 'us');
    expect(points.map((it) => [it.x, it.us])).toEqual([[16, 4], [32, 3]]);
    expect(sentenceOf(points, 'M', 32)).toBe('2 tuned values of M from M 16 (4.00 us) to M 32 (3.00 us); this key, M 32, takes 3.00 us.');
  });
});

describe('the forest plot of a shape', () => {
  const sampled = (id: number, us: number, spread: number, more: Partial<Measurement> = {}) =>
    measurement(id, us, {low: us - spread, high: us + spread, compared_by: {us, low: us - spread, high: us + spread, steady: true}, evidence: {samples: [us, us, us]}, ...more});
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
  test('samples without a time have no interval', () => {
    expect(intervalText(measurement(1, null, {evidence: {samples: [5, 5]}}))).toBe('');
    expect(intervalText(sampled(1, 5, 0.1))).toBe('4.90 to 5.10, n 3');
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
  test('no share by which a time is lower if the intervals overlap', () => {
    const near = measurement(2, 6.2), far = measurement(3, 9), first = measurement(1, 6, {won: 'lowest_time'});
    expect(because([first, near, far], first)).toBe('It has the lowest time of 3 candidates: 6.00 us; the next best (6.20 us) may be as fast.');
    const unsteady = measurement(4, 9, {compared_by: {us: 9, low: null, high: null, steady: false}});
    expect(because([first, unsteady], first)).toBe('It has the lowest time of 2 candidates: 6.00 us; the next best (9.00 us) may be as fast.');
    expect(because([winner, far], {...winner, won: 'tied'})).toMatch(/^Tied: /);
    expect(because([winner, far], {...winner, won: 'likely'})).toMatch(/^Likely: /);
    expect(because([winner, far], winner)).toMatch(/^Sure: /);
  });
});

describe('what a winner beat', () => {
  const winner = measurement(1, 6, {won: 'lowest_time'});
  test('the second competes; the default is the latest that was measured', () => {
    const all = [winner, measurement(2, 9, {is_default: true, run: 2}), measurement(3, 8), measurement(4, 7, {competes: false}), measurement(5, 30, {is_default: true, run: 3, competes: false})];
    expect(secondOf(all, winner)?.id).toBe(3);
    expect(defaultOf(all, winner)?.id).toBe(2);
    expect(secondOf([winner], winner)).toBeUndefined();
    expect(defaultOf([winner], winner)).toBeUndefined();
  });
  test('what became of a measurement: a run that was taken back is no better one that came', () => {
    expect([winner, measurement(2, 7), measurement(3, 7, {competes: false}), measurement(4, 7, {competes: false, reverted: true})].map(resultOf)).toEqual(['won', 'kept', 'superseded', 'reverted']);
  });
  test('its samples, in words, and the scale of them all', () => {
    const one = measurement(2, 9, {evidence: {samples: [8.5, 9, 11]}});
    expect(spreadOf(one)).toEqual({samples: [8.5, 9, 11], text: '9.00 us; 3 samples from 8.50 to 11.00 us'});
    expect(spreadOf(winner).text).toBe('6.00 us, without samples');
    expect(scaleOf([winner, one, measurement(3, null)])).toEqual([6, 11]);
    expect(scaleOf([])).toBeNull();
  });
  test('how it is measured again, where it is known what measured it', () => {
    const run = (tuner?: string) => ({provenance: tuner ? {tuner} : {}}) as unknown as Run;
    expect(againOf('a8w8', {gfx: 'cpu-x86'}, winner, run('tunehub builtin'))).toMatch(/--family a8w8 -o again.csv --device cpu$/);
    expect(againOf('a8w8', {gfx: 'gfx942'}, winner, run('aiter csrc/x.py'))).toMatch(/ --tuner aiter$/);
    expect(againOf('a8w8', {gfx: 'gfx942'}, winner, run('by hand'))).toBe('');
    expect(againOf('a8w8', {gfx: 'gfx942'}, winner, run())).toBe('');
  });
});

describe('what a lookup finds', () => {
  const found = (row: object | null) => ({row, wanted: {exact: {M: '17'}, to_tune: {M: 32, N: 1280}}}) as unknown as Lookup;
  test('is worth tuning where that row is not there, or not measured', () => {
    expect(isWorthTuning(found(null))).toBe(true);
    expect(isWorthTuning(found({M: 32, N: 1280, standing: 'measured'}))).toBe(false);
    expect(isWorthTuning(found({M: 32, N: 1280, standing: 'unmeasured'}))).toBe(true);
    expect(isWorthTuning(found({M: 32, N: 1280, standing: 'measured', baseline: true}))).toBe(true);
    expect(isWorthTuning(found({M: 64, N: 1280, standing: 'measured'}))).toBe(true);
    expect(isWorthTuning({...found(null), wanted: null})).toBe(false);
  });
});

describe('a key among its neighbours', () => {
  test('what else was measured for it stands beside the tuned times', () => {
    const tuned = alongAxis([{M: 16, us: 4}, {M: 32, us: 3}, {M: 64, us: 6}], 'M', 'us');
    const all = [measurement(1, 3, {won: 'lowest_time'}), measurement(2, 5), measurement(3, null), measurement(4, 9, {standing: 'quarantined'})];
    expect(pointsAt(tuned, 32, all)).toEqual([
      {x: 16, tuned: 4, measured: null}, {x: 32, tuned: 3, measured: null}, {x: 32, tuned: null, measured: 5}, {x: 64, tuned: 6, measured: null},
    ]);
    expect(pointsAt(tuned, NaN, all).length).toBe(3);
  });
  test('candidates and kernels in words', () => {
    const family = {columns: [{name: 'kernelName1', type: 'kernel'}, {name: 'kernelName2', type: 'kernel'}, {name: 'us', type: 'number'}]} as Family;
    expect(kernelsOf(family, {kernelName1: 'a', kernelName2: 'b', us: 3})).toBe('a + b');
    expect(kernelsOf(family, {kernelName1: '', us: 3})).toBe('\u2013');
    expect(candidateText(measurement(1, 2, {candidate: {libtype: 'ck', kernelName: ''}}))).toBe('libtype ck');
  });
});

describe('coverage', () => {
  const of = {
    family: 'gemm', columns: ['N', 'K'], m: 'M',
    buckets: [{from: 1, to: 1}, {from: 3, to: 4}],
    pairs: [{N: 10, K: 20, layer: 'qkv'}, {N: 30, K: 40}],
    cells: [
      {bucket: 0, pair: 0, shapes: 1, exact: 1, padded: 0, baseline: 0, unmeasured: 0, missing: 0, demand: 0},
      {bucket: 1, pair: 0, shapes: 4, exact: 1, padded: 2, baseline: 0, unmeasured: 0, missing: 1, demand: 0},
      {bucket: 1, pair: 1, shapes: 3, exact: 0, padded: 0, baseline: 1, unmeasured: 1, missing: 1, demand: 0},
    ],
  } as unknown as FamilyCoverage;
  test('every cell has its numbers, its words and its shape', () => {
    const rows = heatRows(of, (key) => JSON.stringify(key));
    expect(rows.map((row) => row.cells.map((cell) => cell && [cell.text, cell.tone]))).toEqual([[['1/1', 'level-4'], ['1+2/4', 'level-1']], [null, ['0/3', 'missing']]]);
    expect(rows[0]?.cells[1]?.label).toBe('M 3–4, 10 × 20: 1 exact, 2 padded, 1 missing of 4');
    expect(rows[1]?.cells[1]?.label).toContain('1 baseline only, 1 unmeasured');
    expect(rows[0]?.cells[1]?.href).toBe('{"M":"4","N":"10","K":"20"}');
    expect(rows[0]?.title).toContain('qkv');
  });
});

describe('overview', () => {
  const index = {revision: 3, families: [
    {family: 'a', rows: 5, revision: 3, targets: [{gfx: 'gfx942', cu_num: 304, rows: 6, unmeasured: 1, baselines: 1, revision: 2, changed: 'T'}]},
    {family: 'b', rows: 9, revision: 0, targets: [{gfx: 'gfx950', cu_num: 256, rows: 9, unmeasured: 0, baselines: 0}]},
  ], products: {'gfx942:304': 'MI300X / MI325X'}, unlisted: []};
  test('by target, the busiest first, with when its own rows changed', () => {
    const groups = pairsOf(index);
    expect(groups.map((it) => it.target)).toEqual(['gfx950:256', 'gfx942:304']);
    expect(groups[1]).toMatchObject({products: 'MI300X / MI325X', pairs: [{tuned: 4, unmeasured: 1, baselines: 1, revision: 2, changed: 'T'}]});
    expect(groups[0]).toMatchObject({pairs: [{revision: 0, changed: ''}]});
    expect(targetNames(index)).toEqual(['gfx950:256', 'gfx942:304']);
  });
  test('revisions of one line', () => {
    expect(revisionsOf({first: 3, last: 5} as Change)).toBe('3\u20135');
    expect(revisionsOf({first: 2, last: 2} as Change)).toBe('2');
  });
  test('what became of a plan, in words', () => {
    const planned = (jobs: {id: number}[], of: object) => planText({jobs: jobs.map((it) => ({...it, family: 'a', shapes: 1, weight: 0})), families: {a: {tuned: 0, unreachable: 0, queued: 0, ...of}}}, 'a');
    expect(planned([{id: 7}], {})).toBe('planned');
    expect(planned([], {queued: 1})).toBe('is planned already');
    expect(planned([], {unreachable: 1})).toBe('no lookup on this target asks for it');
    expect(planned([], {tuned: 1})).toBe('is tuned by now');
  });
});

describe('results', () => {
  const family = {columns: [{name: 'M', role: 'shape'}, {name: 'kernelId', role: 'config', identity: 'unnamed'}, {name: 'bw', role: 'derived'}]} as Family;
  test('the usual columns, and a choice that is undone by choosing again', () => {
    expect(family.columns.map((it) => isShown(family, {}, it.name))).toEqual([true, false, false]);
    expect(isShown(family, {hide: 'bw,M'}, 'bw')).toBe(true);
    expect(isShown(family, {hide: 'bw,M'}, 'M')).toBe(false);
    expect(toggled(family, toggled(family, '', 'bw'), 'bw')).toBe('');
    expect(toggled(family, 'nonsense', 'M')).toBe('M');
  });
  test('a column that a filter fixes is left out until it is chosen', () => {
    const targeted = {columns: [{name: 'gfx', role: 'target'}, {name: 'cu_num', role: 'target'}, ...family.columns]} as Family;
    const shown = (values: Record<string, string>) => targeted.columns.filter((it) => isShown(targeted, values, it.name)).map((it) => it.name);
    expect(shown({target: '', M: ''})).toEqual(['gfx', 'cu_num', 'M']);
    expect(shown({target: 'gfx942:304', M: ''})).toEqual(['M']);
    expect(shown({target: 'gfx942', M: '16'})).toEqual(['cu_num']);
    expect(shown({target: 'gfx942', M: '16', hide: 'M'})).toEqual(['cu_num', 'M']);
  });
});

describe('fleet', () => {
  const job = {id: 1, state: 'running', shape_count: 4, progress: {done: 1, total: 4}, claimed: '2026-01-31T12:00:00Z'} as Job;
  const now = Date.parse('2026-01-31T12:01:00Z');
  test('time left, by what it took so far', () => {
    expect(secondsLeft(job, now)).toBe(180);
    expect(secondsLeft({...job, progress: null}, now)).toBeNull();
    expect(secondsLeft({...job, state: 'done'}, now)).toBeNull();
  });
  test('progress never passes the end', () => {
    expect(progressOf({...job, progress: {done: 9, total: 4}})).toEqual({done: 4, total: 4});
    expect(progressOf({...job, state: 'done', progress: null})).toEqual({done: 4, total: 4});
  });
  test('by host and device, those at work first', () => {
    const agent = (host: string, job: number | null, doing: string, last_seen = '2026-01-31T12:00:30Z') => ({host, gfx: 'gfx942', cu_num: 304, job, doing, last_seen}) as Agent;
    const groups = groupsOfAgents([agent('a', null, 'idle'), agent('b', 1, 'job 1'), agent('b', 2, 'job 2'), agent('b', 3, 'job 3', '2026-01-31T11:50:00Z')], now);
    expect(groups.map(({host, agents, working, silent, doing}) => [host, agents, working, silent, doing])).toEqual([['b', 3, 2, 1, 'job 1, job 2, job 3'], ['a', 1, 0, 0, 'idle']]);
  });
  test('the drift of a device in words and as a line', () => {
    const day = (day: string, ratio: number) => ({day, ratio, keys: 3});
    const slower = {device: 'a', since: '2026-01-01', days: [day('2026-01-07', 0.998), day('2026-01-13', 1.004)]};
    expect(driftText(slower)).toBe('+0.4 % over 12 days');
    expect(driftCourse(slower).map((it) => it && Math.round(it))).toEqual([0, ...Array(5).fill(null), -2, ...Array(5).fill(null), 4]);
    expect(driftText({...slower, days: [day('2026-01-02', 0.95)]})).toBe('\u22125.0 % over 1 day');
    const fresh = {...slower, days: [day('2026-01-01', 1.05)]};
    expect(driftText(fresh)).toBe('+5.0 % within a day');
    expect(driftCourse(fresh).map((it) => it && Math.round(it))).toEqual([50]);
  });
  test('failures in words', () => {
    expect(reasonText({reason: 'lease expired', agent: 'a'})).toBe('lease expired on a');
    expect(reasonText('plain')).toBe('plain');
  });
});

describe('audit', () => {
  test('says whose key wrote, or that no key did', () => {
    const row = (owner: string | null, key: number | null) => writerOf({owner, key} as AuditRow);
    expect(row('kernels', 7)).toBe('kernels, key 7');
    expect(row(null, 7)).toBe('key 7');
    expect(row(null, null)).toBe('the server');
  });
});

describe('runs', () => {
  const run = (provenance: Run['provenance'], source: string | null = null) => ({provenance, source}) as Run;
  test('where it came from', () => {
    expect(originOf(run({}))).toBe('unknown provenance');
    expect(originOf(run({host: 'n1', gpu: 'MI300X', gfx: 'gfx942'}))).toBe('n1, MI300X');
    expect(originOf(run({}, 'aiter'))).toBe('import of aiter');
  });
  test('columns of the list', () => {
    const it = run({host: 'n1', gpu: 'MI300X', gfx: 'gfx942', tuner: 'aiter', rocm: '7.0', aiter: 'abc', campaign: 'spring'});
    expect([fromText(it), productOf(it), toolchainOf(it)]).toEqual(['n1, aiter, spring', 'MI300X', 'rocm 7.0, aiter abc']);
    expect([fromText(run({}, 'aiter')), productOf(run({gfx: 'gfx942'})), toolchainOf(run({}))]).toEqual(['import of aiter', 'gfx942', '']);
    const state = (active: boolean, reverted: string | null) => stateOf({active, reverted} as Run);
    expect([state(true, null), state(false, null), state(false, '2026')]).toEqual(['active', 'superseded', 'reverted']);
  });
  test('the newest of those chosen is compared with the others', () => {
    expect(sidesOf([3])).toBeNull();
    expect(sidesOf([10, 9])).toEqual({base: '9', head: '10'});
    expect(sidesOf([3, 12, 5])).toEqual({base: '3,5', head: '12'});
  });
  test('what a revert would change', () => {
    expect(revertText({changed: 0, families: []})).toBe('No key would get another row.');
    expect(revertText({changed: 1201, families: [{family: 'a', changed: 1, emptied: 0}, {family: 'b', changed: 1200, emptied: 1000}]})).toBe(
      '1,201 keys would get what stood there before: a 1; b 1,200, of which 1,000 would have no row at all.');
  });
  test('one row per file, or one', () => {
    expect(partsOf({files: [{file: 'a.csv', status: 'ok'}, {file: 'b.csv', status: 'ok'}]} as Receipt).map((it) => it.name)).toEqual(['a.csv', 'b.csv']);
    const part = {name: 'a.csv', rejected: [{row: 2, column: 'M', code: 'bad', detail: 'd'}], quarantined: 3, unmeasured_count: 258};
    expect(issuesOf([part], 'rejected')).toEqual([{row: 2, column: 'M', code: 'bad', detail: 'd', file: 'a.csv'}]);
    expect(issuesOf([part], 'quarantined')).toEqual([]);
    expect(countsOf.slice(-3).map((it) => it.of(part))).toEqual([1, 3, 258]);
    expect(partsOf({family: 'gemm'}).map((it) => it.name)).toEqual(['gemm']);
  });
});

describe('compare', () => {
  test('ranges and means are of the change of time, by the server\u2019s figures', () => {
    const speedups = {
      all: {keys: 2, geometric_mean: 1.25, least: 0.8, greatest: 2},
      slower: {keys: 1, geometric_mean: 0.8, least: 0.8, greatest: 0.8},
      faster: {keys: 1, geometric_mean: 2, least: 2, greatest: 2},
    };
    const of = {compared: 2, counts: {slower: 1, faster: 1, new: 7}, speedups, shapes: []} as unknown as Comparison;
    expect(groupsOf(of).map((it) => [it.name, it.range, it.mean, it.count])).toEqual([
      ['slower', '+25.0 % to +25.0 %', '+25.0 %', 1],
      ['new', '\u2013', '\u2013', 7],
      ['faster', '-50.0 % to -50.0 %', '-50.0 %', 1],
      ['all with both times', '-50.0 % to +25.0 %', '-20.0 %', 2],
    ]);
    expect(groupsOf({...of, speedups: {}, counts: {}, compared: 0})[0]?.mean).toBe('\u2013');
  });
});

describe('the sides of a comparison', () => {
  test.each([
    [{runs: '2', host: 'a', rocm: '6.4'}, 1, 'run 2, host a, rocm 6.4: 1 key'],
    [{runs: '2,3'}, 1200, 'run 2,3: 1,200 keys'],
  ])('%o', (environment, keys, text) => {
    expect(sideText({environment, keys} as unknown as Comparison['base'])).toBe(text);
  });
  test.each([
    [true, [], 'one: base and head have the same facts'],
    [false, ['async_copy', 'triton'], 'two: these facts differ: async_copy, triton'],
    [false, [], 'unknown: neither side has facts'],
  ])('environments: %s %o', (repetition, differing, text) => {
    expect(environmentsText({repetition, differing} as unknown as Comparison)).toBe(text);
  });
});

describe('speedups', () => {
  test('bins without a key are drawn too', () => {
    const bin = (log2_from: number, keys: number) => ({log2_from, log2_to: log2_from + 0.25, keys});
    expect(binsOf({keys: 3, histogram: [bin(-0.25, 1), bin(0.5, 2)]})).toEqual([bin(-0.25, 1), bin(0, 0), bin(0.25, 0), bin(0.5, 2)]);
    expect(binsOf({keys: 0})).toEqual([]);
    expect(binText(bin(1, 2))).toBe('2.00\u00d7 to 2.38\u00d7');
  });
  test('buckets of M have a name', () => {
    const of = {by: {m_bucket: [{m_from: 1, m_to: 1}, {m_from: 17, m_to: 32}]}} as unknown as Speedups;
    expect(keysByM(of).map((it) => it.name)).toEqual(['1', '17\u201332']);
  });
  test('best and worst, nobody twice', () => {
    const rows = ['3', '1', '2', ''].map((it) => ({tuned_over_default: it}));
    const {best, worst} = extremes(rows, 10);
    expect(best.map((it) => it.tuned_over_default)).toEqual(['3', '2']);
    expect(worst.map((it) => it.tuned_over_default)).toEqual(['1']);
  });
});

describe('api', () => {
  const document = {
    tags: [{name: 't', description: 'd'}, {name: 'u', description: ''}],
    paths: {'/x/{id}': {get: {summary: 'One.', tags: ['t'], parameters: [{$ref: '#/components/parameters/Id'}], responses: {404: {$ref: '#/components/responses/NotFound'}}}, post: {tags: ['u'], security: [{}]}}},
    components: {parameters: {Id: {name: 'id', in: 'path', schema: {type: 'integer', minimum: 1}}}, responses: {NotFound: {description: 'None.'}}},
  };
  test('operations by tag, with references followed', () => {
    const groups = operationsOf(document, '');
    expect(groups.map((it) => it.operations.length)).toEqual([1, 1]);
    expect(groups[0]?.operations[0]).toMatchObject({parameters: [{name: 'id'}], responses: [{status: '404', description: 'None.'}], needsKey: false});
    expect(groups[1]?.operations[0]?.needsKey).toBe(true);
    expect(operationsOf(document, 'one.').length).toBe(1);
  });
  test('types in words', () => {
    expect(typeText({type: 'integer', minimum: 1, maximum: 9, default: 3})).toBe('integer 1..9, usually 3');
    expect(typeText({enum: ['a', 'b']})).toBe('a, b');
    expect(typeText(undefined)).toBe('');
  });
});

describe('a course over time', () => {
  const cell = (more: Partial<OverviewCell>): OverviewCell => ({covered: 0.44, shapes: 10, found: 4, baseline: 0, unmeasured: 0, missing: 6, demand: 0, covered_by_demand: null, untuned_flops: 0, untuned_flops_missed: 0, slower: 0, measured: 0, ...more});
  const overview = (cells: (OverviewCell | null)[]): Overview => ({
    revision: 1, tp: 8, days: 7, month_days: 30, sample_days: 3, engine: 'vllm', targets: [{gfx: 'gfx950', cu_num: 256, products: ['MI355X']}],
    models: cells.map((it, i) => ({model: `m${i}`, title: `M${i}`, scheme: '', cells: [it]})),
  });
  const column = columnsOf(overview([]).targets)[0]!;

  test('points since a month ago are those of the shares as they are shown', () => {
    expect(pointsOf(cell({covered: 0.444, month: 0.406}))).toBe(3);
    expect(pointsOf(cell({covered: 0.444}))).toBe(null);
    expect([3, -2, 0].map(signed)).toEqual(['+3', '\u22122', '\u00b10']);
    expect([1, -2, 0].map((it) => sinceMonth(it, 30))).toEqual(['1 point more than 30 days ago', '2 points less than 30 days ago', 'as 30 days ago']);
  });
  test('a cell says in words what its line shows', () => {
    const drawn = heatCell(cell({month: 0.41, trend: [41, 41, 44]}), 'A model', column, '/')!;
    expect(drawn.note).toBe('+3');
    expect(drawn.label).toContain('3 points more than 30 days ago');
    expect(drawn.line?.split(' ').length).toBe(3);
    const young = heatCell(cell({}), 'A model', column, '/')!;
    expect([young.note, young.line]).toEqual(['', undefined]);
  });
  test('the mean of all models is of those that were there a month ago', () => {
    const cells = [cell({covered: 0.5, month: 0.4, trend: [40, 50]}), cell({covered: 0.3, month: 0.3, trend: [30, 30]}), cell({covered: 1, trend: [100]}), null];
    const mean = meanOf(overview(cells), column)!;
    expect(mean.cell.trend).toEqual([35, 60]);
    expect(mean.points).toBe(5);
    expect(meanOf(overview([cell({})]), column)!.points).toBe(null);
  });
  test('a line has a place for each number that is known, and no noise looks like a mountain', () => {
    expect(lineOf([null, 40, 60])).toBe('22.0,9.5 42.5,1.5');
    expect(lineOf([50, 51])).toBe('1.5,5.9 42.5,5.1');
    for (const none of [[null, 40], [], undefined, [40, 40, 40]]) expect(lineOf(none)).toBe(undefined);
  });

  const kDay = 86_400_000, kNow = Date.parse('2026-03-01T12:00:00Z');
  const at = (days: number) => new Date(kNow - days * kDay).toISOString();
  const trend = {
    revision: 9, gfx: 'gfx950', cu_num: 256, days: 30, left_out: 0, most_events: 200, events: [],
    points: [
      {revision: 1, pin: '1', at: at(40), kind: 'import', filled_in: true, models_version: 1, covered: 0.4, shapes: 10, found: 4, tuned: 7, since: at(41)},
      {revision: 5, pin: '5', at: at(10), kind: 'day', filled_in: false, models_version: 1, covered: 0.5, shapes: 10, found: 5, tuned: 8, since: at(40)},
    ],
    now: {covered: 0.525, shapes: 10, found: 5, tuned: 9, since: at(2.5)},
  } as Trend;
  test('its rows end with now, and the first begins with the days that are shown', () => {
    const rows = trendRows(trend, kNow);
    expect(rows.map((it) => [it.what, it.revision, ageText(it), shapesText(it)])).toEqual([['import, filled in', 1, '1 d', '4 of 10'], ['day', 5, '30 d', '5 of 10'], ['now', 9, '2 d', '5 of 10']]);
    expect(drawn(rows, 30, kNow).map((it) => (kNow - it.at) / kDay)).toEqual([30, 10, 0]);
    expect(trendSentence(rows, 30, true)).toBe('52.5 % now, 40.0 % 30 days ago: 12.5 points more.');
    expect(trendSentence(rows.slice(1), 30, false)).toBe('9 tuned keys now, 8 tuned keys 10 d ago.');
    expect(trendSentence(rows.slice(2), 30, true)).toBe('52.5 % now; no point is stored yet.');
  });
});

describe('what to tune', () => {
  const counts = (missing: number, demand = 0, more: Partial<CoverageCounts> = {}): CoverageCounts => ({shapes: 4, exact: 4 - missing, padded: 0, baseline: 0, unmeasured: 0, missing, demand, ...more});
  const coverage = (family: string, flops: number[], cells: FamilyCoverage['cells']) => ({
    family, columns: ['N', 'K'], m: 'M', buckets: [{from: 1, to: 1}, {from: 2, to: 2}, {from: 3, to: 4}], pairs: flops.map((it, i) => ({N: i, K: 7, layer: 'qkv', flops_per_token: it})), cells,
  }) as unknown as FamilyCoverage;
  test('gaps come by untuned flops times misses, then by untuned flops', () => {
    const gaps = gapsOf([
      coverage('a', [8, 100, 6], [{bucket: 0, pair: 0, ...counts(2, 5)}, {bucket: 0, pair: 1, ...counts(1)}, {bucket: 0, pair: 2, ...counts(0, 90)}]),
      coverage('b', [400], [{bucket: 0, pair: 0, ...counts(0, 90)}, {bucket: 1, pair: 0, ...counts(2, 0, {exact: 0, baseline: 1, unmeasured: 1})}]),
    ]);
    expect(gaps.map((it) => [it.family, it.shape, it.open, it.missed, it.flops])).toEqual([['a', 'N 0, K 7', 2, 5, 4], ['b', 'N 0, K 7', 4, 0, 200], ['a', 'N 1, K 7', 1, 0, 25]]);
  });
  test('neighbouring buckets of M are one range', () => {
    const rangesOf = (...open: number[]) => gapsOf([coverage('a', [1], open.map((bucket) => ({bucket, pair: 0, ...counts(1)})))])[0]?.ranges;
    expect([rangesOf(0), rangesOf(0, 2), rangesOf(1, 2), rangesOf(0, 1, 2)]).toEqual(['1', '1, 3\u20134', '2\u20134', '1\u20134']);
  });
  test('a shape takes what finished jobs took, those of the family first', () => {
    const job = (family: string, seconds: number, shape_count: number, more: Partial<Job> = {}) => ({
      family, purpose: 'tune', shape_count, claimed: '2026-11-01T00:00:00Z', finished: new Date(Date.UTC(2026, 10, 1) + 1000 * seconds).toISOString(), ...more,
    }) as Job;
    const jobs = [job('a', 30, 2), job('a', 10, 2), job('b', 90, 1), job('b', 5, 1, {purpose: 'verify'})];
    expect(costOf(jobs, 'a')).toEqual({seconds: 10, jobs: 2, own: true});
    expect(costOf(jobs, 'c')).toEqual({seconds: 26, jobs: 3, own: false});
    expect(costOf([], 'a')).toBeNull();
    expect([costOf(jobs, 'a'), costOf(jobs, 'c'), null].map(costText)).toEqual(['10 s a shape, by 2 jobs of this family', '26 s a shape, by 3 jobs of other families', '\u2013']);
    expect([[null, 3], [null, 0], [costOf(jobs, 'a'), 9], [costOf(jobs, 'a'), 360_000]].map(([cost, shapes]) => hours(secondsFor(cost as Cost | null, shapes as number)))).toEqual(['not known', '0', '0.025', '1,000']);
  });
  test('the slowest roofline judges', () => {
    const rooflines = [{product: 'A', us: 2, bound: 'memory'}, {product: 'B', us: 3, bound: 'memory'}];
    expect(slowestOf(rooflines)?.product).toBe('B');
    expect(slowestOf([])).toBeUndefined();
    expect(rooflineText(rooflines[1]!, 6)).toBe('50 %: 3.00 us on B, by memory');
  });
});
