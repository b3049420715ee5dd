// Pure functions of Home and Fleet.
import {describe, expect, test} from 'vitest';
import type {Agent, Differences, Job, Overview, OverviewCell} from '../../../web/src/answers';
import {lineOf, step, type GridPlace} from '../../../web/src/components/grid';
import {costOf, costText, guessText, hours, secondsFor} from '../../../web/src/cost';
import {storedOtherwise, targetNames} from '../../../web/src/known';
import {devicesOf, driftCourse, driftNote, driftText, isSilent, progressOf, reasonText, secondsLeft} from '../../../web/src/places/fleet_rows';
import {againText, changeOf, columnsOf, courseOf, largestGaps, linesOf, monthNote, openIn, ordered, placesOf, signed, slowerPlaces, whyEmpty} from '../../../web/src/places/home_cells';

const cell = (more: Partial<OverviewCell> = {}): OverviewCell => ({covered: 0.44, shapes: 10, found: 4, baseline: 0, unmeasured: 0, missing: 6, demand: 0, covered_by_demand: null, untuned_flops: 0, untuned_flops_missed: 0, slower: 0, measured: 0, ...more});
const kTargets = [{gfx: 'gfx942', cu_num: 304, products: ['MI300X', 'MI325X']}, {gfx: 'gfx950', cu_num: 256, products: ['MI355X']}, {gfx: 'sm_90', cu_num: 132, products: ['H100']}, {gfx: 'gfx1250', cu_num: 96, products: []}];
const overview = (models: (OverviewCell | null)[][], targets = kTargets): Overview => ({
  revision: 1, tp: 8, days: 7, month_days: 30, engine: 'vllm', targets, models: models.map((cells, i) => ({model: `m${i}`, title: `M${i}`, scheme: 'fp8', cells})),
});
const placesIn = (of: Overview) => placesOf(of, columnsOf(of, false));

describe('the matrix', () => {
  test('a column a target, with all its products; other makers only if asked, or if there is nothing else', () => {
    const names = (of: Overview, all: boolean) => columnsOf(of, all).map((it) => it.name);
    expect(names(overview([]), false)).toEqual(['MI300X / MI325X', 'MI355X']);
    expect(names(overview([]), true)).toEqual(['MI300X / MI325X', 'MI355X', 'H100', 'gfx1250:96']);
    expect(names(overview([], kTargets.slice(2)), false)).toEqual(['H100', 'gfx1250:96']);
  });
  test('a link opens the product of the address, or the first of its column', () => {
    const devices = (chosen?: string) => columnsOf(overview([]), false, chosen).map(({device}) => device);
    expect([devices(), devices('MI325X'), devices('MI9')]).toEqual([['MI300X', 'MI355X'], ['MI325X', 'MI355X'], ['MI300X', 'MI355X']]);
  });
  test('every cell within six keys, in a grid of sixty models of which every third begins alike', () => {
    const names = Array.from({length: 60}, (_, i) => (i < 36 ? `${String.fromCharCode(97 + i % 12)}-${i}` : `Qwen${i}`)).sort();
    const keys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End', ...'abcdefghijklq123456789'];
    const far = new Map([['0 0', 0]]);
    for (let rim: GridPlace[] = [{row: 0, column: 0}]; rim.length > 0;) {
      rim = rim.flatMap((at) => [...keys.map((key) => step(at, key, false, {names, columns: 8})), step(at, 'End', true, {names, columns: 8})].flatMap((next) => {
        if (!next || far.has(`${next.row} ${next.column}`)) return [];
        far.set(`${next.row} ${next.column}`, far.get(`${at.row} ${at.column}`)! + 1);
        return [next];
      }));
    }
    expect(far.size).toBe(480);
    expect(Math.max(...far.values())).toBeLessThanOrEqual(6);
  });
  test('letters of one name stay on its row, a digit is a column unless it belongs to a name', () => {
    const grid = {names: ['All models', 'DeepSeek R1', 'DeepSeek V3', 'Qwen3 32B'], columns: 3};
    const type = (text: string) => [...text].reduce((at, key, i) => step(at, key, false, grid, text.slice(0, i)) ?? at, {row: 0, column: 0});
    expect(type('deepseekv')).toEqual({row: 2, column: 0});
    expect(type('qwen3')).toEqual({row: 3, column: 0});
    expect(step({row: 1, column: 0}, 'd', false, grid)).toEqual({row: 2, column: 0});
    expect(step({row: 1, column: 0}, '3', false, grid)).toEqual({row: 1, column: 2});
    for (const key of ['9', '/', 'Tab', 'x']) expect(step({row: 1, column: 0}, key, false, grid)).toBe(null);
    expect(step({row: 1, column: 0}, 'd', true, grid)).toBe(null);
  });
  test('a cell says what its number does not, and an empty one why', () => {
    const of = overview([[cell({month: 0.41, baseline: 1, slower: 2, speedup: 1.5, measured: 3, covered_by_demand: 0.2, demand: 1}), cell(), null, null]]);
    const [first, second] = placesIn(of).map((place) => linesOf(place, of));
    expect(first).toEqual(['4 of 10 shapes find a tuned row, 6 missing, 1 with the default\'s time only', '3 points more than 30 days ago (41 %)', '2 shapes slower than 7 days ago',
      '1.50\u00d7 over the default, by 3 shapes', '20 % if ranges of M are weighted by their 1 miss', 'MI300X / MI325X share the rows of gfx942:304; this opens MI300X', 'weights: fp8']);
    expect(second).toEqual(['4 of 10 shapes find a tuned row, 6 missing', 'no figure from 30 days ago', 'weights: fp8']);
    const [column] = columnsOf(of, false), [model] = of.models;
    expect(whyEmpty(model!, column!, of)).toBe('vLLM reads no tuned table for weights stored as fp8 on MI300X / MI325X');
    expect(whyEmpty({...model!, refused: '10 heads cannot be split'}, column!, of)).toBe('does not start at TP 8: 10 heads cannot be split');
  });
  test('before a job has finished there is a range from the one pace that was measured, and what it is of', () => {
    expect(guessText(3600)).toMatch(/^Too few tune jobs have finished to say\. For scale: 0\.5 to 1\.1 GPU hours for 3,600 shapes .* on an H200\. AITER's scripts on AMD may take longer\.$/);
  });
  test('a model and its other formats', () => {
    const models = ['Qwen3 32B', 'Qwen3-32B-FP8', 'Qwen3-32B-FP8-dynamic', 'Qwen3-VL 32B', 'Llama 3.1 8B', 'Meta-Llama-3.1-8B-Instruct-quantized.w8a8', 'GLM-5', 'GLM-5-FP8'].map((title) => ({model: title, title}));
    const others = (name: string) => storedOtherwise(name, models).map(({title}) => title);
    expect(['Qwen3 32B', 'Llama 3.1 8B', 'GLM-5-FP8', 'Qwen3-VL 32B'].map(others)).toEqual([['Qwen3-32B-FP8', 'Qwen3-32B-FP8-dynamic'], ['Meta-Llama-3.1-8B-Instruct-quantized.w8a8'], ['GLM-5'], []]);
  });
  test('the lowest of a product first, models without a number last', () => {
    const of = overview([[null, cell()], [cell({covered: 0.5}), cell()], [cell({covered: 0.1}), cell()]]);
    const columns = columnsOf(of, false), names = (by?: (typeof columns)[0]) => ordered([{...of.models[0]!, model: 'none', cells: [null, null]}, ...of.models], columns, by).map((it) => it.model);
    expect(names(columns[0])).toEqual(['m2', 'm1', 'none', 'm0']);
    expect(names()).toEqual(['m0', 'm1', 'm2', 'none']);
  });
});

describe('a month ago', () => {
  test('points are those of the shares as they are shown', () => {
    expect(changeOf(cell({covered: 0.444, month: 0.406}))).toBe(3);
    expect(changeOf(cell())).toBe(null);
    expect([3, -2, 0].map(signed)).toEqual(['+3', '\u22122', '\u00b10']);
  });
  test('only what existed then is compared with then', () => {
    const course = courseOf(placesIn(overview([[cell({covered: 0.5, month: 0.4}), cell({covered: 0.3, month: 0.3})], [cell({covered: 1}), null]])));
    expect([course.now, course.month, course.same].map((it) => it?.toFixed(2))).toEqual(['0.60', '0.35', '0.40']);
    const of = overview([]), none = courseOf(placesIn(overview([[cell()]])));
    expect(monthNote(course, 3, of)).toBe('+5 points in 30 days (35 % to 40 %), for the 2 of 3 cells that existed then');
    expect(monthNote({...course, then: 3}, 3, of)).toBe('35 % 30 days ago: +5 points');
    expect(monthNote(none, 1, of)).toBe('no figure is 30 days old yet');
    expect(monthNote(none, 1, {...of, engine: 'sglang'})).toBe('the hub keeps coverage of 30 days ago only for vLLM');
  });
});

describe('gaps', () => {
  test('nothing tuned and more work comes before a third tuned; misses multiply the work', () => {
    const of = overview([[cell({covered: 0.38, untuned_flops: 5}), cell({covered: 0, untuned_flops: 9})], [cell({untuned_flops: 4, untuned_flops_missed: 8}), cell({found: 10, untuned_flops: 99})]]);
    expect(largestGaps(placesIn(of), 9).map(({cell: it}) => it.untuned_flops)).toEqual([4, 9, 5]);
    expect(largestGaps(placesIn(of), 1).length).toBe(1);
    expect(slowerPlaces(placesIn(overview([[cell({slower: 1}), cell({slower: 4})], [cell()]]))).map(({cell: it}) => it.slower)).toEqual([4, 1]);
  });
  const job = (more: Partial<Job>): Job => ({purpose: 'tune', gfx: 'gfx942', family: 'a', shape_count: 8, claimed: '2026-01-31T12:00:00Z', finished: '2026-01-31T12:00:16Z', ...more} as Job);
  test('hours only from finished tune jobs of the same architecture with ten shapes', () => {
    const jobs = [job({}), job({family: 'b', finished: '2026-01-31T12:00:48Z'})];
    expect(costOf(jobs, 'gfx942', 'a')).toEqual({seconds: 4, jobs: 2, shapes: 16, own: false});
    expect(costOf([...jobs, job({})], 'gfx942', 'a')).toEqual({seconds: 2, jobs: 2, shapes: 16, own: true});
    for (const thin of [[job({})], [job({}), job({purpose: 'verify'})], [job({}), job({gfx: 'cpu'})], [job({}), job({finished: null})]]) expect(costOf(thin, 'gfx942')).toBe(null);
    expect(costText(costOf(jobs, 'gfx942'))).toBe('4 s a shape, from 2 finished jobs with 16 shapes');
    expect(costText(null)).toContain('10 shapes must finish');
    expect([secondsFor(null, 3), secondsFor(null, 0), secondsFor(costOf(jobs, 'gfx942'), 3)]).toEqual([null, 0, 12]);
    expect([null, 0, 1800, 45 * 3600].map(hours)).toEqual(['not known yet', '0', '0.5', '45']);
  });
  test('no slower shape is told apart from no shape that was measured again', () => {
    const first = {asked: '7d', revision: 1, created: '2026-01-20T20:54:29Z', is_first: true}, to = {asked: 'now', revision: 3};
    const text = (counts: Record<string, number>, from = {...first, is_first: false}, listed = false) => againText({from, to, counts} as unknown as Differences, 7, listed);
    expect(text({}, {...first, revision: 3})).toBe('Nothing was stored between 2026-01-20 20:54 UTC and now: no shape was measured again.');
    expect(text({not_measured_before: 9, not_measured_after: 8})).toBe('No shape was measured again in the last 7 days.');
    expect(text({faster: 2, within_noise: 30, below_floor: 8, not_measured_before: 9}, first)).toBe('0 of 40 shapes measured again since 2026-01-20 20:54 UTC became slower.');
    expect(text({slower: 3, faster: 1})).toBe('3 of 4 shapes measured again in the last 7 days became slower, none in these models.');
    expect(text({slower: 1}, undefined, true)).toBe('1 of 1 shape measured again in the last 7 days became slower.');
  });
});

test('a line has a place for each number that is known, and no noise looks like a mountain', () => {
  expect(lineOf([null, 40, 60])).toBe('66.0,31.0 130.0,2.0');
  expect(lineOf([50, 51])).toBe('2.0,17.9 130.0,15.1');
  for (const none of [[null, 40], [], undefined, [40, 40, 40]]) expect(lineOf(none)).toBe(undefined);
});

test('the target with the most rows first', () => {
  const target = (gfx: string, rows: number) => ({gfx, cu_num: 1, rows, unmeasured: 0, baselines: 0});
  expect(targetNames({revision: 1, families: [{family: 'a', rows: 5, revision: 1, targets: [target('x', 2), target('y', 3)]}], products: {}, unlisted: []})).toEqual(['y:1', 'x:1']);
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
  const day = (day: string, ratio: number) => ({day, ratio, keys: 3});
  test('a line for each device, those at work first, with its own drift; a device without an agent last', () => {
    const agent = (agent: string, job: number | null, last_seen = '2026-01-31T12:00:30Z') => ({agent, host: 'b', gfx: 'gfx942', cu_num: 304, job, last_seen}) as Agent;
    const drift = ['b MI300X 0000:02:00.0', 'c MI300X 0000:01:00.0'].map((device) => ({device, since: '2026-01-01', days: [day('2026-01-02', 1)]}));
    const lines = devicesOf([agent('b/0000:01:00.0', null), agent('b/0000:02:00.0', 1)], [job], drift);
    expect(lines.map(({name, job, drift}) => [name, job?.id, drift?.device])).toEqual([['b/0000:02:00.0', 1, drift[0]!.device], ['b/0000:01:00.0', undefined, undefined], [drift[1]!.device, undefined, drift[1]!.device]]);
    expect([isSilent(agent('a', 1), now), isSilent(agent('a', 1, '2026-01-31T11:50:00Z'), now)]).toEqual([false, true]);
  });
  test('the drift of a device in words and as a line', () => {
    const slower = {device: 'a', since: '2026-01-01', days: [day('2026-01-07', 0.998), day('2026-01-13', 1.004)]};
    expect([driftText(slower), driftNote(slower)]).toEqual(['+0.4 %', 'over 12 days, by 3 shapes']);
    expect(driftCourse(slower).map((it) => it && Math.round(it))).toEqual([0, ...Array(5).fill(null), -2, ...Array(5).fill(null), 4]);
    const fresh = {...slower, days: [day('2026-01-01', 0.95)]};
    expect([driftText(fresh), driftNote(fresh)]).toEqual(['\u22125.0 %', 'within a day, by 3 shapes']);
    expect(driftCourse(fresh).map((it) => it && Math.round(it))).toEqual([-50]);
  });
  test('failures in words', () => {
    expect(reasonText({reason: 'lease expired', agent: 'a'})).toBe('lease expired on a');
    expect(reasonText('plain')).toBe('plain');
  });
});
