// On paper: nothing is cut, and nothing is missing that is only asked for on a screen.
import {describe, expect, test} from 'vitest';
import {kViews} from '../support/browser.mjs';
import {pages, settled, without} from '../support/page';

const kWidth = 718;  // A4 between its usual margins, at 96 to the inch

describe.skipIf(without)('on paper', () => {
  const {visit} = pages();

  test.each(kViews)('$name is not cut, and its tables keep their heads', async (view) => {
    const page = await visit(view.path, {width: kWidth});
    const heads = () => page.locator('main thead th').evaluateAll((all) => all.map((it) => (it as HTMLElement).innerText.trim().toLowerCase()));
    const before = await heads();
    await page.emulateMedia({media: 'print'});
    await settled(page);
    const cut = await page.evaluate(() => [...document.querySelectorAll('main *')]
      .filter((it) => {
        const {overflowX, overflowY} = getComputedStyle(it);
        const clips = (overflow: string) => overflow === 'auto' || overflow === 'hidden' || overflow === 'scroll';
        return !it.closest('.hidden, .plot') && it.clientWidth > 1 && (clips(overflowX) && it.scrollWidth > it.clientWidth + 1 || clips(overflowY) && it.scrollHeight > it.clientHeight + 1);
      })
      .map((it) => `${it.tagName}.${it.className} ${it.scrollWidth}x${it.scrollHeight} in ${it.clientWidth}x${it.clientHeight}`));
    expect(cut).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(kWidth);
    expect(await heads()).toEqual(before);
    expect((await page.pdf({format: 'A4'})).length).toBeGreaterThan(1000);
  });
});
