// All tables sort, filter and page in the same way, and keep their state in the address.
import type {Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {api, at, cellsOf, hub, pages, settled, without} from '../support/page';

const kMissing = '/ui/coverage?model=qwen3-vl-32b&tp=8&target=gfx942%3A304&engine=any&family=bf16';
const regionOf = (page: Page, name: string) => page.getByRole('region', {name, exact: true});
const headOf = (page: Page, table: string, column: string) => regionOf(page, table).getByRole('button', {name: column, exact: true});
const orderOf = (page: Page, table: string, column: string) => regionOf(page, table).getByRole('columnheader', {name: column, exact: true}).getAttribute('aria-sort');
const numbers = async (page: Page, table: string, column: number) => (await cellsOf(page, table)).map((row) => Number(row[column]?.replace(/[,+%]/g, '')));
const rising = (all: number[]) => [...all].sort((a, b) => a - b);

describe.skipIf(without)('tables', () => {
  const {visit} = pages();

  test('a head sorts, numbers from the greatest; it comes back with the address and goes with "back"', async () => {
    const page = await visit(kMissing);
    const before = at(page);
    await headOf(page, 'Missing shapes', 'M').click();
    await page.waitForURL((url) => url.searchParams.get('sort-missing-shapes') === '-m');
    const falling = await numbers(page, 'Missing shapes', 0);
    expect(falling).toEqual(rising(falling).reverse());
    expect(await orderOf(page, 'Missing shapes', 'M')).toBe('descending');
    await headOf(page, 'Missing shapes', 'M').click();
    await page.waitForURL((url) => url.searchParams.get('sort-missing-shapes') === 'm');
    await expect.poll(async () => (await numbers(page, 'Missing shapes', 0))[0]).toBe(1);
    await page.reload();
    await settled(page);
    const again = await numbers(page, 'Missing shapes', 0);
    expect(again).toEqual(rising(again));
    expect(await orderOf(page, 'Missing shapes', 'M')).toBe('ascending');
    await page.goBack();
    await page.goBack();
    await expect.poll(() => orderOf(page, 'Missing shapes', 'M')).toBeNull();
    expect(at(page)).toBe(before);
  });

  test('a text leaves rows out, over all pages', async () => {
    const page = await visit(kMissing);
    const csv = await (await fetch(`${hub.url}/coverage?model=qwen3-vl-32b&tp=8&gfx=gfx942&cu_num=304&family=bf16&format=csv&state=missing,baseline,unmeasured`)).text();
    const [head = '', ...lines] = csv.trim().split('\n');
    const n = head.split(',').indexOf('N');
    const value = lines[0]?.split(',')[n] ?? '';
    const region = regionOf(page, 'Missing shapes');
    await page.getByLabel('Row contains', {exact: true}).fill(value);
    await page.waitForURL((url) => url.searchParams.get('find-missing-shapes') === value);
    const left = lines.filter((line) => line.toLowerCase().replaceAll(',', ' ').includes(value)).length;
    expect(left).toBeLessThan(lines.length);
    await page.getByRole('status').filter({hasText: `of ${lines.length.toLocaleString('en')}`}).waitFor();
    expect(await region.locator('tbody tr').count()).toBe(Math.min(50, left));
    await page.reload();
    await settled(page);
    expect(await page.getByLabel('Row contains', {exact: true}).inputValue()).toBe(value);
  });

  test('families: grouped by target at first, and row by row where one sorts', async () => {
    const page = await visit('/ui/families');
    const table = 'Tuned keys by target and family';
    expect(await regionOf(page, table).locator('th[rowspan]:not([rowspan="1"])').count()).toBeGreaterThan(0);
    await headOf(page, table, 'Tuned keys').click();
    await page.waitForURL((url) => url.searchParams.get('sort-tuned-keys-by-target-and-family') === '-tuned-keys');
    const falling = await numbers(page, table, 2);
    expect(falling).toEqual(rising(falling).reverse());
    // The lines of unlisted tables are in a separate table.
    const described = (await api('/tuned'))['families'].filter((it: any) => it.family !== 'unlisted');
    const rows = described.flatMap((it: any) => it.targets);
    expect(falling.length).toBe(rows.length);
    await headOf(page, table, 'Models covered').click();
    await page.waitForURL((url) => url.searchParams.get('sort-tuned-keys-by-target-and-family') === '-models-covered');
    const shares = (await cellsOf(page, table)).flatMap((row) => {
      const [, covered, of] = /^(\d+) of (\d+)$/.exec(row[5] ?? '') ?? [];
      return covered && of ? [Number(covered) / Number(of)] : [];
    });
    expect(shares).toEqual(rising(shares).reverse());
    expect(await orderOf(page, table, 'Models covered')).toBe('descending');
    // The page requests this column for one target at a time.
    const over = async () => (await cellsOf(page, table)).map((row) => row[6] ?? '');
    expect((await over())[0]).toBe('\u2013');
    await headOf(page, table, 'Over default').click();
    await page.waitForURL((url) => url.searchParams.get('sort-tuned-keys-by-target-and-family') === '-over-default');
    const ratios = (await over()).map((it) => parseFloat(it));
    const known = ratios.filter((it) => !Number.isNaN(it));
    expect(known.length).toBeGreaterThan(0);
    expect(ratios.slice(0, known.length)).toEqual(rising(known).reverse());
  });

  test('two tables of a view have each their own, and another filter of the view leaves their order', async () => {
    const page = await visit(kMissing);
    await headOf(page, 'Missing shapes', 'M').click();
    await headOf(page, 'Coverage by family', 'Shapes').click();
    await page.getByRole('navigation', {name: 'Pages: Missing shapes'}).getByRole('link', {name: 'Next'}).click();
    await page.waitForURL((url) => url.searchParams.get('page-missing-shapes') === '2');
    const query = new URL(page.url()).searchParams;
    expect([query.get('sort-missing-shapes'), query.get('sort-coverage-by-family')]).toEqual(['-m', '-shapes']);
    const shapes = await numbers(page, 'Coverage by family', 3);
    expect(shapes).toEqual(rising(shapes).reverse());
    expect(await page.evaluate(() => document.getElementById('table-missing-shapes')?.getBoundingClientRect().top)).toBeGreaterThan(-1);
    await page.getByLabel('Target', {exact: true}).selectOption('gfx950:256');
    await page.waitForURL((url) => url.searchParams.get('target') === 'gfx950:256');
    const after = new URL(page.url()).searchParams;
    expect([after.get('sort-missing-shapes'), after.get('page-missing-shapes')]).toEqual(['-m', null]);
  });

  test('results are sorted by the server, over all rows, and pages go on in that order', async () => {
    const page = await visit('/ui/results?family=a8w8_blockscale&target=gfx942%3A304');
    const table = 'Rows of a8w8_blockscale';
    await headOf(page, table, 'us').click();
    await page.waitForURL((url) => url.searchParams.get('sort') === '-us');
    await settled(page);
    const asked = '/rows/a8w8_blockscale?gfx=gfx942&cu_num=304&sort=-us&limit=50';
    const of = async (path: string) => (await api(path))['rows'].map((it: any) => it.us.toFixed(2));
    const shown = async () => {
      const column = (await regionOf(page, table).locator('thead th').allTextContents()).indexOf('us');
      return (await numbers(page, table, column)).map((it) => it.toFixed(2));
    };
    expect(await shown()).toEqual(await of(asked));
    await page.getByRole('navigation', {name: 'Pages of the table'}).getByRole('link', {name: 'Next'}).click();
    await page.waitForURL((url) => url.searchParams.get('page') === '2');
    await settled(page);
    expect(await shown()).toEqual(await of(`${asked}&offset=50`));
    expect(await page.evaluate(() => scrollY)).toBe(0);
  });

  test('names of kernels are folded by what they share, and whole to who listens, copies or points at them', async () => {
    const page = await visit('/ui/results?family=a8w8_blockscale&target=gfx942%3A304&N=1280&K=5120');
    const {rows} = await api('/rows/a8w8_blockscale?gfx=gfx942&cu_num=304&N=1280&K=5120&limit=50');
    const row = regionOf(page, 'Rows of a8w8_blockscale').locator('tbody tr').filter({has: page.locator('.same')}).first();
    const cell = row.locator('td.kernel');
    const name = await cell.textContent();
    expect(rows.map((it: any) => it.kernelName)).toContain(name);
    const width = () => cell.locator('.same').first().evaluate((it) => it.getBoundingClientRect().width);
    const folded = await width();
    await cell.hover();
    expect(await width()).toBeGreaterThan(folded);
    await page.mouse.move(0, 0);
    await row.getByRole('link', {name: 'why'}).focus();
    expect(await width()).toBeGreaterThan(folded);
    expect(await page.evaluate(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('td.kernel:has(.same)') as Node);
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(range);
      return getSelection()?.toString();
    })).toBe(name);
  });
});
