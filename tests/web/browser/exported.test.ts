// The dashboard of a static export, in a subfolder of a plain file server.
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, afterEach, beforeAll, describe, expect, test} from 'vitest';
import {cellsOf, hub, pages, settled, without} from '../support/page';
import {exportedSite, type Site} from '../support/site';

const kMakes = 900_000;  // ms for the export on a busy machine
const kRows = 'Rows of a8w8_blockscale', kBlockscale = 'family=a8w8_blockscale&device=MI300X';
const kModel = 'model=deepseek-v3&device=MI355X&tp=8&engine=vllm&stored=config';

describe.skipIf(without)('an export', () => {
  const {visit} = pages();
  let site: Site;
  beforeAll(async () => {
    site = await exportedSite(hub);
  }, kMakes);
  afterAll(() => site?.close());
  afterEach(() => expect(site.missed.splice(0), 'files that are not there').toEqual([]));
  const open = (query = '') => visit(site.url + query);
  const both = async (view: string, query: string) => [await open(`?view=${view}&${query}`), await visit(`/ui/${view}?${query}`)] as const;

  test('every view opens by its address, says what it is, and stays below its folder', async () => {
    const views = {'': 'Home', model: / on MI/, kernels: 'Kernels', shape: 'Shape', changes: 'Changes', fleet: 'Fleet', audit: 'Audit', api: 'API'};
    const asked: string[] = [];
    const page = await open();
    page.on('request', (request) => asked.push(request.url()));
    for (const [view, heading] of Object.entries(views)) {
      await page.goto(site.url + (view && `?view=${view}`));
      await settled(page);
      await expect.poll(() => page.locator('main h1').textContent()).toMatch(heading);
      await expect.poll(() => page.getByRole('note').textContent()).toMatch(/^Read-only copy of revision \d+, made \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
      expect(await page.getByRole('alert').count(), view).toBe(0);
    }
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((url) => !url.startsWith(site.url))).toEqual([]);
  });

  test('Changes and Fleet say that they need a server, and nothing offers to write', async () => {
    for (const view of ['changes', 'fleet', 'api']) {
      const page = await open(`?view=${view}`);
      expect(await page.locator('main').textContent()).toContain('This view needs a server.');
    }
    for (const query of ['', `?view=model&tab=tune&${kModel}`, `?view=kernels&${kBlockscale}`]) {
      expect(await (await open(query)).getByRole('button', {name: /plan|revert|^key/i}).count()).toBe(0);
    }
  });

  test('what the page reads is far smaller than the tables', () => {
    const sizeOf = (part: string) => readdirSync(join(site.folder, part), {recursive: true})
      .map((name) => statSync(join(site.folder, part, String(name))))
      .reduce((sum, it) => sum + (it.isFile() ? it.size : 0), 0);
    expect(sizeOf('data')).toBeLessThan(sizeOf('tables') / 2);
    expect(sizeOf('.'), 'bytes of the export of AITER\'s tables').toBeLessThan(20_000_000);
  });

  test('the map of a model, and what to tune for it, are those of the server', async () => {
    for (const [tab, table] of [['map', 'Share of the roofline by layer'], ['tune', 'What to tune']] as const) {
      const [copy, served] = await both('model', `tab=${tab}&${kModel}`);
      if (tab === 'map') for (const page of [copy, served]) await page.getByText('As a table', {exact: true}).click();
      // The server also knows jobs, and the misses after the export.
      const cells = async (page: typeof copy) => (await cellsOf(page, table)).map((row) => row.slice(0, 3));
      await expect.poll(() => cells(copy)).toEqual(await cells(served));
      expect((await cells(copy)).length).toBeGreaterThan(tab === 'map' ? 3 : 0);
    }
  });

  test('the kernel families are those of the server', async () => {
    const [copy, served] = await both('kernels', 'device=MI300X&scope=all');
    const cells = async (page: typeof copy) => (await cellsOf(page, 'Kernel families')).map((row) => row.filter((cell) => !/ago|just now/.test(cell)));
    await expect.poll(() => cells(copy)).toEqual(await cells(served));
    expect((await cells(copy)).length).toBeGreaterThan(20);
  });

  test.each(['&M=16&measured=only', '&contains=INTRAWAVE_V1', '&N=7', '&sort=-us', '&sort=kernelName&page=3'])('rows with the filter "%s" are the rows of the server', async (filter) => {
    const [copy, served] = await both('kernels', kBlockscale + filter);
    await expect.poll(() => cellsOf(copy, kRows)).toEqual(await cellsOf(served, kRows));
    const of = (page: typeof copy) => page.locator('main :is(.answer, .empty)').textContent();
    expect(parseInt((await of(copy)) ?? '', 10)).toEqual(parseInt((await of(served)) ?? '', 10));
  });

  test('the pages of a table follow one another, and back leads back', async () => {
    const [copy, served] = await both('kernels', kBlockscale);
    for (const page of [copy, served]) {
      await page.getByRole('link', {name: 'Next'}).click();
      await settled(page);
    }
    await expect.poll(() => cellsOf(copy, kRows)).toEqual(await cellsOf(served, kRows));
    expect(await copy.getByRole('navigation', {name: 'Pages of the table'}).textContent()).toContain('51 to 100 of 17,706');
    await copy.goBack();
    await settled(copy);
    expect(new URL(copy.url()).searchParams.get('page')).toBeNull();
  });

  test('the file to download is the table of the server', async () => {
    const page = await open(`?view=kernels&${kBlockscale}`);
    const link = page.getByRole('link', {name: 'Download CSV'});
    expect(await link.getAttribute('href')).toBe('/team/tunehub/tables/a8w8_blockscale/gfx942_304.csv');
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const served = await (await fetch(`${hub.url}/tuned/a8w8_blockscale?gfx=gfx942&cu_num=304`)).text();
    expect(readFileSync(await download.path(), 'utf8')).toBe(served);
    expect(await page.locator('.download').textContent()).toContain(`${site.url}tables/a8w8_blockscale/gfx942_304.csv`);
  });

  test('a row leads to its shape, with its neighbours, and says what a server shows beside', async () => {
    const page = await open(`?view=kernels&${kBlockscale}&N=1280&K=5120&M=16`);
    await page.getByRole('link', {name: 'why'}).click();
    await settled(page);
    expect(await page.locator('main h1').textContent()).toBe('a8w8_blockscale, M 16, N 1280, K 5120');
    expect(await page.locator('.winner').textContent()).toContain('17.4656');
    expect(await page.getByRole('heading', {name: 'Time over M'}).count()).toBe(1);
    expect(await page.locator('main').textContent()).toContain('A server also shows every measurement');
  });

  test('what nobody asked beforehand is refused in words', async () => {
    const page = await open(`?view=model&tab=map&${kModel.replace('tp=8', 'tp=4')}`);
    const said = page.getByRole('alert').first();
    expect(await said.textContent()).toMatch(/This is a static export of revision \d+, made \d{4}-\d\d-\d\d\. It does not contain \/map\?\S+, which needs a server/);
  });
});
