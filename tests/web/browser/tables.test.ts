// All tables sort, filter and page in the same way, and keep their state in the address.
import type {Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {api, at, cellsOf, pages, settled, without} from '../support/page';

const kAll = '/ui/kernels?scope=all&device=MI355X', kFamilies = 'Kernel families';
const kShape = '/ui/shape?family=a8w8_blockscale&gfx=gfx942&cu_num=304&M=16&N=1280&K=5120', kAlong = 'Tuned times over M';
const kRows = '/ui/kernels?device=MI300X&family=a8w8_blockscale';
const regionOf = (page: Page, name: string) => page.getByRole('region', {name, exact: true});
const headOf = (page: Page, table: string, column: string) => regionOf(page, table).getByRole('button', {name: column, exact: true});
const orderOf = (page: Page, table: string, column: string) => regionOf(page, table).getByRole('columnheader', {name: column, exact: true}).getAttribute('aria-sort');
const numbers = async (page: Page, table: string, column: number) => (await cellsOf(page, table)).map((row) => Number(row[column]?.replace(/[,+%]/g, '')));
const rising = (all: number[]) => [...all].sort((a, b) => a - b);

describe.skipIf(without)('tables', () => {
  const {visit} = pages();
  const open = (page: Page) => page.getByText('The numbers as a table').click();

  test('a head sorts, numbers from the greatest; it comes back with the address and goes with "back"', async () => {
    const page = await visit(kAll);
    const before = at(page);
    await headOf(page, kFamilies, 'Rows').click();
    await page.waitForURL((url) => url.searchParams.get('sort-kernel-families') === '-rows');
    const falling = await numbers(page, kFamilies, 2);
    expect(falling).toEqual(rising(falling).reverse());
    expect(await orderOf(page, kFamilies, 'Rows')).toBe('descending');
    await headOf(page, kFamilies, 'Rows').click();
    await page.waitForURL((url) => url.searchParams.get('sort-kernel-families') === 'rows');
    await page.reload();
    await settled(page);
    const again = await numbers(page, kFamilies, 2);
    expect(again).toEqual(rising(again));
    expect(again[0]).toBeLessThan(again.at(-1)!);
    expect(await orderOf(page, kFamilies, 'Rows')).toBe('ascending');
    await page.goBack();
    await page.goBack();
    await expect.poll(() => orderOf(page, kFamilies, 'Rows')).toBeNull();
    expect(at(page)).toBe(before);
  });

  test('a number that each device answers for itself sorts too, unknown ones last', async () => {
    const page = await visit(kAll);
    const over = async () => (await cellsOf(page, kFamilies)).map((row) => parseFloat(row[5] ?? ''));
    await headOf(page, kFamilies, 'Speed-up').click();
    await page.waitForURL((url) => url.searchParams.get('sort-kernel-families') === '-speed-up');
    const ratios = await over(), known = ratios.filter((it) => !Number.isNaN(it));
    expect(known.length).toBeGreaterThan(0);
    expect(ratios.slice(0, known.length)).toEqual(rising(known).reverse());
  });

  test('a text leaves rows out, over all pages', async () => {
    const page = await visit(kShape);
    const {rows} = await api('/rows/a8w8_blockscale?gfx=gfx942&cu_num=304&N=1280&K=5120&limit=1000');
    const name: string = rows[0].kernelName, left = rows.filter((it: any) => it.kernelName === name).length;
    expect(left).toBeLessThan(rows.length);
    await open(page);
    await page.getByLabel('Row contains', {exact: true}).fill(name);
    await page.waitForURL((url) => url.searchParams.get('find-tuned-times-over-m') === name);
    await page.getByRole('status').filter({hasText: `${left} of ${rows.length}`}).waitFor();
    expect(await regionOf(page, kAlong).locator('tbody tr').count()).toBe(Math.min(50, left));
    await page.reload();
    await settled(page);
    expect(await page.getByLabel('Row contains', {exact: true}).inputValue()).toBe(name);
  });

  test('two tables of a view have each their own, and another filter of the view leaves their order', async () => {
    const page = await visit(kShape);
    await open(page);
    await headOf(page, kAlong, 'M').click();
    await page.getByRole('navigation', {name: `Pages: ${kAlong}`}).getByRole('link', {name: 'Next'}).click();
    await page.waitForURL((url) => url.searchParams.get('page-tuned-times-over-m') === '2');
    const seconds = await numbers(page, kAlong, 0);
    expect(seconds).toEqual(rising(seconds).reverse());
    expect(await page.evaluate(() => document.getElementById('table-tuned-times-over-m')?.getBoundingClientRect().top)).toBeGreaterThan(-1);
    const list = await visit('/ui/kernels?device=MI355X');
    await headOf(list, kFamilies, 'Rows').click();
    await list.waitForURL((url) => url.searchParams.get('sort-kernel-families') === '-rows');
    await list.getByLabel('all devices').check();
    await list.waitForURL((url) => url.searchParams.get('scope') === 'all');
    expect(new URL(list.url()).searchParams.get('sort-kernel-families')).toBe('-rows');
  });

  test('rows are sorted by the server, over all rows, and pages go on in that order', async () => {
    const page = await visit(kRows);
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
    expect(await shown()).toEqual(await of(`${asked}&after=50`));
    expect(await page.evaluate(() => scrollY)).toBe(0);
  });

  test('rows with two kernels fit into a window of 1400 pixels; further columns are a choice', async () => {
    const {families} = await api('/tuned') as any;
    for (const {gfx, cu_num} of families.find((it: any) => it.family === 'fmoe').targets) {
      const page = await visit(`/ui/kernels?family=fmoe&device=${gfx}:${cu_num}`, {width: 1400}), table = page.getByRole('region', {name: 'Rows of fmoe'});
      expect(await table.evaluate((it) => it.scrollWidth - it.clientWidth), gfx).toBe(0);
      await page.getByText(/^More columns \(\d+\)$/).click();
      await page.getByLabel('run_1stage').check();
      await table.getByRole('columnheader', {name: 'run_1stage'}).waitFor();
    }
  });

  test('names of kernels are folded by what they share, and whole to who listens, copies or points at them', async () => {
    const page = await visit(`${kRows}&N=1280&K=5120`);
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
