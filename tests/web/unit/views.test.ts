// Pure functions of the views.
import {describe, expect, test} from 'vitest';
import type {AuditRow, Comparison, Receipt, Run, RunDetail} from '../../../web/src/answers';
import {operationsOf, typeText} from '../../../web/src/views/api_operations';
import {acceptText, countsOf, fromText, issuesOf, originOf, partsOf, productOf, replacedBy, revertText, sidesOf, stateOf, toolchainOf, unconfirmedOf, writerOf} from '../../../web/src/places/runs_rows';
import {addressOf, areSides, askedOf, changeText, compareSort, differenceOf, endOf, environmentsText, headlineOf, nothingText, scaleOf as barScaleOf, scopeOf, sideText, stateText, troubleOf} from '../../../web/src/places/changes_rows';


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
    expect([state(true, null), state(false, null), state(false, '2026')]).toEqual(['active', 'replaced', 'reverted']);
  });
  test('a replaced run names the next import of its source that nobody reverted', () => {
    const runs = [[5, 'b', null], [4, 'a', null], [3, 'a', null], [2, 'a', '2026'], [1, 'a', null]].map(([id, source, reverted]) => ({id, source, reverted, active: id === 4}) as Run);
    expect(runs.map((run) => replacedBy(run, runs)?.id)).toEqual([undefined, undefined, 4, undefined, 3]);
  });
  test('the newest of those chosen is compared with the others', () => {
    expect(sidesOf([3])).toBeNull();
    expect(sidesOf([10, 9])).toEqual({base: '9', head: '10'});
    expect(sidesOf([3, 12, 5])).toEqual({base: '3,5', head: '12'});
  });
  test('what a revert or an acceptance would change', () => {
    const families = [{family: 'a', changed: 1, emptied: 0}, {family: 'b', changed: 1200, emptied: 1000}];
    expect(revertText({changed: 0, families: []})).toBe('No shape would get another row.');
    expect(revertText({changed: 1201, families})).toBe('1,201 shapes would get the earlier row: a 1; b 1,200, of which 1,000 would have no row.');
    expect(acceptText({accepted: 2, changed: 1, families: families.slice(0, 1)})).toBe('2 rows would compete. 1 shape would get one: a 1.');
    const batches = [{receipt: {unconfirmed_count: 2}}, {receipt: {files: [{file: 'a', unconfirmed_count: 3}]}}];
    expect([false, true].map((confirmed) => unconfirmedOf({confirmed, reverted: null, batches} as unknown as RunDetail))).toEqual([5, 0]);
  });
  test('one row per file, or one', () => {
    expect(partsOf({files: [{file: 'a.csv', status: 'ok'}, {file: 'b.csv', status: 'ok'}]} as Receipt).map((it) => it.name)).toEqual(['a.csv', 'b.csv']);
    const part = {name: 'a.csv', rejected: [{row: 2, column: 'M', code: 'bad', detail: 'd'}], quarantined: 3, unmeasured_count: 258};
    expect(issuesOf([part], 'rejected')).toEqual([{row: 2, column: 'M', code: 'bad', detail: 'd', file: 'a.csv'}]);
    expect(issuesOf([part], 'quarantined')).toEqual([]);
    expect(countsOf.slice(-4).map((it) => it.of(part))).toEqual([1, 3, 258, undefined]);
    expect(partsOf({family: 'gemm'}).map((it) => it.name)).toEqual(['gemm']);
  });
});

describe('changes', () => {
  test('of everything, unless the address has a model or a choice', () => {
    const scopes = [{}, {device: 'MI300X'}, {model: 'm'}, {model: 'm', scope: 'all'}, {scope: 'model'}, {scope: 'device'}, {model: 'm', run: '3'}, {model: 'm', list: 'runs'}, {model: 'm', from: 'run:1', to: 'run:2'}];
    expect(scopes.map(scopeOf)).toEqual(['all', 'all', 'model', 'all', 'model', 'device', 'all', 'all', 'all']);
  });
  test('one revision at both ends: nothing was stored', () => {
    const text = (revision: number | undefined, asked: string, created: string | null = '2026-11-20T20:54:29Z') => nothingText({from: {asked: '7d', revision, created}, to: {asked, revision: 2}});
    expect([text(1, 'now'), text(undefined, 'now')]).toEqual(['', '']);
    expect([text(2, 'now'), text(2, '3d'), text(2, '2', null)]).toEqual(['Nothing was stored between 2026-11-20 20:54 UTC and now', 'Nothing was stored between 2026-11-20 20:54 UTC and 3 days ago', 'Nothing was stored between revision 2 and revision 2']);
  });
  test.each([
    ['now', 'now', '', 'now'], ['7d', 'ago', '7', '7d'], ['d', 'ago', '', 'd'], ['2026-11-01', 'date', '2026-11-01', '2026-11-01'],
    ['rev:18', 'revision', '18', '18'], ['18', 'revision', '18', '18'], ['run:2,3', 'run', '2,3', 'run:2,3'], ['rocm:7.0', 'facts', 'rocm:7.0', 'rocm:7.0'],
  ])('the end %s', (text, kind, value, asked) => {
    const end = endOf(text);
    expect([end, askedOf(end)]).toEqual([{kind, value}, asked]);
    expect(endOf(addressOf(end))).toEqual(end);
  });
  test.each([
    ['7d', 'now', ''], ['run:2', 'run:3', ''], ['run:2,3', 'rocm:7.0', ''], ['2026-1', 'now', 'Give the date, for example 2026-11-23.'],
    ['7d', 'rev:', 'Give the revision, for example 81 or its pin.'], ['run:2,3', 'now', '"2,3" names runs: compare it with a run or with another environment.'],
  ])('from %s to %s: %s', (from, to, trouble) => {
    expect(troubleOf(endOf(from), endOf(to))).toBe(trouble);
    expect(areSides(endOf(from), endOf(to))).toBe(/^r/.test(from) && /^r/.test(to) && to !== 'rev:');
  });
  test('a row of a comparison of several families is a difference', () => {
    const row = differenceOf({target: 'a8w8 gfx942:80', shape: {M: '16'}, change: 'not_measured_in_head', base_us: 8}, '');
    expect(row).toMatchObject({kind: 'not_measured_in_head', family: 'a8w8', gfx: 'gfx942', cu_num: 80, key: {gfx: 'gfx942', cu_num: '80', M: '16'}, before: {us: 8}, after: null});
    expect(barScaleOf([row])).toBe(1.1);
    expect(barScaleOf([{...row, after: {us: 11, kernel: ''}}])).toBe(1.5);
    expect(barScaleOf([{...row, after: {us: 0.1, kernel: ''}}])).toBe(4);
  });
  test('texts', () => {
    expect([1.111, 1, 0.5].map(changeText)).toEqual(['+11.1 %', '0.0 %', '\u221250.0 %']);
    expect(headlineOf({slower: 60, not_measured_in_head: 2, within_noise: 900})).toBe('60 slower, 2 not measured after');
    expect(headlineOf({slower: 0, within_noise: 900})).toBe('No change beyond noise');
    expect(stateText({asked: 'now', revision: 18, created: null})).toBe('now, revision 18');
    expect(stateText({asked: '7d', revision: 1, created: '2026-01-31T12:00:00Z', is_first: true})).toBe('revision 1 of 2026-01-31 12:00 UTC, the first: the registry is younger than that');
    expect(stateText({asked: 'lock', tables: [{revision: 1, created: null}, {revision: 2, created: null}]})).toBe('the lock file (2 tables)');
    expect(['-before', 'after', 'ratio', '-ratio', '-lost', ''].map(compareSort)).toEqual(['-base', 'head', '-speedup', 'speedup', '', '']);
  });
});

describe('the sides of a comparison', () => {
  test.each([
    [{runs: '2', host: 'a', rocm: '6.4'}, 1, 'run 2, host a, rocm 6.4: 1 shape'],
    [{runs: '2,3'}, 1200, 'run 2,3: 1,200 shapes'],
  ])('%o', (environment, keys, text) => {
    expect(sideText({environment, keys} as unknown as Comparison['base'])).toBe(text);
  });
  test.each([
    [true, [], 'the same on both sides'],
    [false, ['async_copy', 'triton'], 'different: async_copy, triton'],
    [false, [], 'unknown: neither side names its environment'],
  ])('environments: %s %o', (repetition, differing, text) => {
    expect(environmentsText({repetition, differing} as unknown as Comparison)).toBe(text);
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
