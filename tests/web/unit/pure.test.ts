// Pure functions of the dashboard.
import {describe, expect, test} from 'vitest';
import {isNumeric, keyOf, shapeText, shortValue} from '../../../web/src/family';
import {age, cellText, error, micros, microsShort, moment, percent, plural, span, targetParts, times} from '../../../web/src/format';
import {step} from '../../../web/src/components/grid';
import {changed, isLoopback, parse, print} from '../../../web/src/query';
import type {Family} from '../../../web/src/answers';

const family = {
  name: 'gemm',
  heat_map: {x: 'M', y: ['N']},
  columns: [
    {name: 'gfx', role: 'target', type: 'gfx'},
    {name: 'cu_num', role: 'target', type: 'integer'},
    {name: 'M', role: 'shape', type: 'integer'},
    {name: 'dtype', role: 'shape', type: 'enum', values: ['torch.int8']},
    {name: 'us', role: 'objective', type: 'number'},
    {name: '_tag', role: 'tag', type: 'text'},
  ],
} as Family;

test('which hosts only programs on the same machine reach', () => {
  expect(['localhost', '127.0.0.1', '127.1.2.3', '[::1]', 'hub', 'localhost.example', '127.example', '10.0.0.1'].map(isLoopback)).toEqual([true, true, true, true, false, false, false, false]);
});

describe('query', () => {
  const defaults = {family: '', target: '', M: ''};

  test('what is printed is parsed again', () => {
    for (const values of [{}, {M: '16'}, {target: 'gfx942:304'}, {family: 'a&b=c', target: '<é> +%'}]) {
      const all = {...defaults, ...values};
      expect(parse(defaults, print(changed(defaults, all)))).toEqual({values: all, unknown: []});
    }
  });

  test('defaults are left out, and unknown names are listed once', () => {
    expect(print(changed(defaults, {...defaults, M: '16'}))).toBe('M=16');
    expect(parse(defaults, 'colour=red&M=1&colour=blue&toString=x').unknown).toEqual(['colour', 'toString']);
  });
});

describe('format', () => {
  test.each([[17.4656, '17.47'], [1234.5, '1,234.50'], [0, '0.00'], [null, '–'], [Infinity, '–'], [undefined, '–']])('micros of %s is %s', (value, text) => {
    expect(micros(value)).toBe(text);
  });
  test.each([[0, '0.00'], [0.004, '0.004'], [0.00123, '0.0012'], [0.01, '0.01'], [0.125, '0.13'], [1, '1.00']])('an error of %s is %s', (value, text) => {
    expect(error(value)).toBe(text);
  });
  test.each([[9.94, '9.9'], [123.4, '123'], [1234, '1.2k'], [45_678, '46k']])('short micros of %s is %s', (value, text) => {
    expect(microsShort(value)).toBe(text);
  });
  test('what is not all does not read as all', () => {
    expect(percent(0.9996)).toBe('99 %');
    expect(percent(0.99996, 1)).toBe('99.9 %');
    expect(percent(1)).toBe('100 %');
    expect(percent(null)).toBe('–');
  });
  test.each([[3, '3 s'], [59.9, '59 s'], [60, '1 min'], [7300, '2 h'], [200_000, '2 d'], [0.5, '0 s']])('%s seconds are %s', (seconds, text) => {
    expect(span(seconds)).toBe(text);
  });
  test('times', () => {
    expect(age('2026-01-31T12:00:00Z', Date.parse('2026-01-31T12:03:00Z'))).toBe('3 min ago');
    expect(age('yesterday', 0)).toBe('–');
    expect(moment('2026-01-31T13:00:00+01:00')).toBe('2026-01-31 12:00');
    expect(moment(null)).toBe('–');
    expect(times(1.5)).toBe('1.50×');
    expect(plural(1, 'row')).toBe('1 row');
    expect(plural(1200, 'row')).toBe('1,200 rows');
  });
  test('targets', () => {
    expect(targetParts('gfx942:304')).toEqual({gfx: 'gfx942', cu_num: '304'});
    expect(targetParts('cpu-x86-64-v3')).toEqual({gfx: 'cpu-x86-64-v3', cu_num: ''});
    expect(targetParts('')).toEqual({gfx: '', cu_num: ''});
  });
  test('cells', () => {
    expect([cellText(true), cellText(0), cellText(null), cellText('')]).toEqual(['True', '0', '–', '–']);
  });
});

describe('family', () => {
  test('the key of a row, without what is empty', () => {
    expect(keyOf(family, {gfx: 'gfx942', cu_num: 304, M: 16, dtype: 'torch.int8', us: 3, _tag: null})).toEqual({gfx: 'gfx942', cu_num: '304', M: '16', dtype: 'torch.int8'});
  });
  test('a shape in words', () => {
    expect(shapeText(family, {gfx: 'gfx942', M: '16', dtype: 'torch.int8', _tag: ''})).toBe('M 16, dtype int8');
    expect(shapeText(undefined, {N: '1', K: '2'})).toBe('N 1, K 2');
  });
  test('types lose their module, and nothing else does', () => {
    expect(['torch.bfloat16', 'ActivationType.Silu', '0.5', 'a.b.c', 'x'].map(shortValue)).toEqual(['bfloat16', 'Silu', '0.5', 'a.b.c', 'x']);
  });
  test('numbers stand right', () => {
    expect(family.columns.filter(isNumeric).map((it) => it.name)).toEqual(['cu_num', 'M', 'us']);
  });
});

describe('grid', () => {
  const size = {names: ['b', 'b', 'b'], columns: 4};
  test.each([
    ['ArrowRight', false, {row: 1, column: 2}],
    ['ArrowLeft', false, {row: 1, column: 0}],
    ['ArrowUp', false, {row: 0, column: 1}],
    ['ArrowDown', false, {row: 2, column: 1}],
    ['Home', false, {row: 1, column: 0}],
    ['End', false, {row: 1, column: 3}],
    ['Home', true, {row: 0, column: 0}],
    ['End', true, {row: 2, column: 3}],
    ['PageDown', false, {row: 2, column: 1}],
    ['a', false, null],
  ])('%s with control %s leads to %o', (key, control, place) => {
    expect(step({row: 1, column: 1}, key, control, size)).toEqual(place);
  });
  test('ends are ends', () => {
    expect(step({row: 2, column: 3}, 'ArrowRight', false, size)).toEqual({row: 2, column: 3});
    expect(step({row: 0, column: 0}, 'ArrowUp', false, size)).toEqual({row: 0, column: 0});
  });
});
