// The positions of values along an axis, and its labels.
import {describe, expect, test} from 'vitest';
import {linear, logarithmic, rangeOf} from '../../../web/src/components/plot_scale';

describe('an axis', () => {
  test('has steps of 1, 2 or 5 times a power of ten, as few as there is room for', () => {
    expect(linear([0, 100], 10).ticks).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    expect(linear([0, 100], 6).ticks).toEqual([0, 20, 40, 60, 80, 100]);
    expect(linear([0, 100], 2).ticks).toEqual([0, 50, 100]);
    expect(linear([0, 1], 10).ticks).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
    expect(linear([-24, 0], 6).ticks).toEqual([-20, -15, -10, -5, 0]);
  });
  test('of powers shows as many of them as there is room for', () => {
    expect(logarithmic([1, 16], 10).ticks).toEqual([1, 2, 4, 8, 16]);
    expect(logarithmic([0.8, 2500], 10, 10).ticks).toEqual([1, 10, 100, 1000]);
    expect(logarithmic([1, 65536], 5).ticks).toEqual([1, 32, 1024, 32768]);
    expect(logarithmic([3, 3.5], 5).ticks).toEqual([3, 3.1, 3.2, 3.3, 3.4, 3.5]);  // the range has no power of two
  });
  test('places values from 0 to 1, also where there is but one', () => {
    expect([10, 15, 20].map(linear([10, 20], 4).at)).toEqual([0, 0.5, 1]);
    expect([1, 4, 16].map(logarithmic([1, 16], 4).at)).toEqual([0, 0.5, 1]);
    expect(linear([7, 7], 4).at(7)).toBe(0);
  });
  test('leaves room around the values, and none below 0', () => {
    expect(rangeOf([10, 20])).toEqual([9, 21]);
    expect(rangeOf([0, 20])).toEqual([0, 22]);
    expect(rangeOf([-5, 5])).toEqual([-6, 6]);
    expect(rangeOf([8])).toEqual([7.2, 8.8]);
    expect(rangeOf([10, 20], true)).toEqual([10 / 1.2, 24]);
  });
});
