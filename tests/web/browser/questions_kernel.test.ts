// A kernel engineer's questions. Each answer is at most three clicks from the start page.
import {describe, expect, test} from 'vitest';
import {Clicks} from '../support/clicks';
import {api, at, cellsOf, pages, settled, without} from '../support/page';

describe.skipIf(without)('a kernel engineer', () => {
  const {visit} = pages();

  test('which shapes got slower since last week: two clicks', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    await clicks.on(page.getByRole('navigation', {name: 'Views'}).getByRole('link', {name: 'Changed'}));
    await clicks.on(page.getByRole('navigation', {name: 'Kinds of changes'}).getByRole('link', {name: /slower$/}));
    expect(at(page)).toBe('/ui/changed?kind=slower');
    const answer = (await api('/differences?since=7d&kind=slower')) as any;
    expect(answer.counts.slower).toBe(60);  // all of them from the seed
    const rows = await cellsOf(page, 'What changed');
    expect(rows.every((row) => row[4] === 'slower')).toBe(true);
  });

  test('which shapes of DeepSeek-V3 at TP 8 are missing on MI355X, worst first: two clicks', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    await clicks.on(page.getByRole('gridcell', {name: /DeepSeek V3 on MI355X/}));
    const query = 'model=deepseek-v3&tp=8&gfx=gfx950&cu_num=256';
    const {families} = (await api(`/coverage?${query}`)) as any;
    const [worst] = families.filter((it: any) => it.totals.missing > 0);
    await clicks.on(page.getByRole('region', {name: 'Coverage by family'}).getByRole('link', {name: worst.family, exact: true}));
    await page.getByRole('heading', {name: new RegExp(`^Missing shapes \\(${worst.totals.missing.toLocaleString('en')}`)}).waitFor();
  });

  test('the box of this week leads to what changed, and a row to its key', async () => {
    const page = await visit('/');
    await page.getByRole('link', {name: /became slower, faster/}).click();
    await settled(page);
    await page.getByRole('region', {name: 'What changed'}).getByRole('link', {name: /^M / }).first().click();
    await page.waitForURL((url) => url.pathname === '/ui/shape');
  });
});
