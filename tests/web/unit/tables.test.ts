// Tables whose rows are all on the page: sorting, filters and folded names.
import {describe, expect, test} from 'vitest';
import {foldsOf, found, nextSort, numberIn, slugOf, sorted, sortingOf, textOf} from '../../../web/src/components/table_rows';

describe('sorting', () => {
  const us = (texts: string[], falling = false) => sorted(texts, (it) => it, true, falling);
  test('numbers as they are written, what is none last either way', () => {
    expect(us(['1,200.50', '\u2013', '+3.00', '\u22124.00', '90 %'])).toEqual(['\u22124.00', '+3.00', '90 %', '1,200.50', '\u2013']);
    expect(us(['1,200.50', '\u2013', '3'], true)).toEqual(['1,200.50', '3', '\u2013']);
    expect(numberIn('2.50\u00d7')).toBe(2.5);
  });
  test('texts whatever their case, numbers in them as numbers', () => {
    expect(sorted(['M 128', 'm 16', 'M 2', ''], (it) => it, false, false)).toEqual(['M 2', 'm 16', 'M 128', '']);
  });
  test('equal ones keep their order', () => {
    const rows = [{n: 1, i: 0}, {n: 0, i: 1}, {n: 1, i: 2}];
    expect(sorted(rows, (it) => it.n, true, true).map((it) => it.i)).toEqual([0, 2, 1]);
  });
  test('the first click has numbers fall and texts rise, the next one turns round', () => {
    expect(nextSort(sortingOf(''), 'us', true)).toBe('-us');
    expect(nextSort(sortingOf('-us'), 'us', true)).toBe('us');
    expect(nextSort(sortingOf('-us'), 'family', false)).toBe('family');
    expect(nextSort(sortingOf('family'), 'family', false)).toBe('-family');
  });
});

describe('what a cell says', () => {
  test('through elements, lists and fragments', () => {
    const element = (children: unknown) => ({type: 'a', props: {children}, key: null}) as never;
    expect(textOf([element(['M 16', element(' kept')]), null, false, 3])).toBe('M 16  kept   3');
  });
  test('a name in the address', () => expect(slugOf('Receipt of batch 7 (all)')).toBe('receipt-of-batch-7-all'));
});

describe('filters', () => {
  test('every word, in any order', () => {
    const rows = ['a8w8 m 16', 'a8w8 m 32', 'bf16 m 16'];
    expect(found(rows, rows, '16 A8')).toEqual(['a8w8 m 16']);
    expect(found(rows, rows, ' ')).toEqual(rows);
  });
});

describe('kernel names', () => {
  const fold = (...names: string[]) => {
    const folds = foldsOf(names);
    return names.map((name) => {
      const it = folds.get(name);
      return it ? name.slice(it.head, name.length - it.tail) : name;
    });
  };
  test('what differs is left', () => {
    expect(fold('a8w8_blockscale_1x128x128_256x16_intrawave_v1', 'a8w8_blockscale_1x128x128_256x64_intrawave_v1')).toEqual(['256x16_', '256x64_']);
  });
  test('names of another kind do not count, nor fronts that are short, nor one name alone', () => {
    expect(fold('a8w8_blockscale_x_1', 'a8w8_blockscale_x_2', '_ZN5aiter_x', 'tk_1', 'tk_2')).toEqual(['1', '2', '_ZN5aiter_x', 'tk_1', 'tk_2']);
  });
  test('of a name that is another one\u2019s front something is left', () => {
    expect(fold('kernel_blockscale_one', 'kernel_blockscale_one_two')).toEqual(['one', 'one_two']);
  });
});
