// The dashboard of a static export, in a subfolder of a plain file server.
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, afterEach, beforeAll, describe, expect, test} from 'vitest';
import {at, cellsOf, hub, pages, settled, without} from '../support/page';
import {exportedSite, type Site} from '../support/site';

const kMakes = 900_000;  // ms for the export on a busy machine
const kRows = 'Rows of a8w8_blockscale';
const kBlockscale = 'family=a8w8_blockscale&target=gfx942%3A304';

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
    const views = {'': 'Overview', coverage: 'Coverage', changed: 'Changed', trends: 'Trends', speedups: 'Speedups', compare: 'Compare', results: 'Results', fleet: 'Fleet', runs: 'Runs', audit: 'Audit', api: 'API'};
    const asked: string[] = [];
    const page = await open();
    page.on('request', (request) => asked.push(request.url()));
    for (const [view, heading] of Object.entries(views)) {
      await page.goto(site.url + (view && `?view=${view}`));
      await settled(page);
      await expect.poll(() => page.locator('main h1').textContent()).toBe(heading);
      await expect.poll(() => page.getByRole('note').textContent()).toMatch(/^Read-only copy of revision \d+, made \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
      expect(await page.getByRole('alert').count(), view).toBe(0);
    }
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((url) => !url.startsWith(site.url))).toEqual([]);
  });

  test('what the page reads is far smaller than the tables', () => {
    const sizeOf = (part: string) => readdirSync(join(site.folder, part), {recursive: true})
      .map((name) => statSync(join(site.folder, part, String(name))))
      .reduce((sum, it) => sum + (it.isFile() ? it.size : 0), 0);
    expect(sizeOf('data')).toBeLessThan(sizeOf('tables') / 2);
  });

  test('the tuned keys are those that the server says', async () => {
    const kTuned = 'Tuned keys by target and family';
    const [copy, served] = [await open('?view=families'), await visit('/ui/families')];
    // The copy has fewer models than the server, so its counts differ: "1 of 3".
    const cells = async (page: typeof copy) => (await cellsOf(page, kTuned)).map((row) => row.filter((cell) => !/ago|just now/.test(cell)).map((cell) => cell.replace(/^\d+ of \d+$/, '\u2013')));
    await expect.poll(() => cells(copy)).toEqual(await cells(served));
    expect((await cells(copy)).length).toBeGreaterThan(20);
  });

  test.each(['&M=16&measured=only', '&contains=INTRAWAVE_V1', '&N=7', '&sort=-us', '&sort=kernelName&page=3'])('rows with the filter "%s" are the rows of the server', async (filter) => {
    const [copy, served] = await both('results', kBlockscale + filter);
    await expect.poll(() => cellsOf(copy, kRows)).toEqual(await cellsOf(served, kRows));
    const of = (page: typeof copy) => page.locator('main .lead, main .empty').nth(1).textContent();
    expect(parseInt((await of(copy)) ?? '', 10)).toEqual(parseInt((await of(served)) ?? '', 10));
  });

  test('the pages of a table follow one another, and back leads back', async () => {
    const [copy, served] = await both('results', kBlockscale);
    for (const page of [copy, served]) {
      await page.getByRole('link', {name: 'Next'}).click();
      await settled(page);
    }
    await expect.poll(() => cellsOf(copy, kRows)).toEqual(await cellsOf(served, kRows));
    expect(await copy.getByRole('navigation', {name: 'Pages of the table'}).textContent()).toContain('51 to 100 of 17,706');
    await copy.goBack();
    await settled(copy);
    expect(at(copy)).toBe(`/team/tunehub/?view=results&${kBlockscale}`);
  });

  test('the file to download is the table of the server', async () => {
    const page = await open(`?view=results&${kBlockscale}`);
    const link = page.getByRole('link', {name: 'Download CSV'});
    expect(await link.getAttribute('href')).toBe('/team/tunehub/tables/a8w8_blockscale/gfx942_304.csv');
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const served = await (await fetch(`${hub.url}/tuned/a8w8_blockscale?gfx=gfx942&cu_num=304`)).text();
    expect(readFileSync(await download.path(), 'utf8')).toBe(served);
    expect(await page.locator('.download').textContent()).toContain(`${site.url}tables/a8w8_blockscale/gfx942_304.csv`);
  });

  test('coverage and its list of missing shapes are those of the server', async () => {
    const kQuery = 'model=RedHatAI%2FQwen3-32B-FP8-dynamic&target=gfx942%3A304&family=a8w8_bpreshuffle';
    const [copy, served] = await both('coverage', kQuery);
    for (const table of ['Coverage by family', 'Missing shapes']) {
      await expect.poll(() => cellsOf(copy, table)).toEqual(await cellsOf(served, table));
    }
    const href = await copy.getByRole('link', {name: 'Download as CSV'}).getAttribute('href');
    const servedCsv = await served.getByRole('link', {name: 'Download as CSV'}).getAttribute('href');
    expect(await (await fetch(href ?? '')).text()).toBe(await (await fetch(hub.url + servedCsv)).text());
  });

  test('speed-ups, of all and of one target, are those of the server', async () => {
    for (const query of ['', 'target=gfx942%3A80&family=a8w8_blockscale', 'model=qwen3-vl-32b']) {
      const [copy, served] = await both('speedups', query);
      await expect.poll(() => cellsOf(copy, 'Tuned, heuristic and default')).toEqual(await cellsOf(served, 'Tuned, heuristic and default'));
      expect(await copy.locator('main .lead').nth(1).textContent()).toBe(await served.locator('main .lead').nth(1).textContent());
    }
  });

  test('a course over time is that of the server', async () => {
    for (const query of ['target=gfx950%3A256&model=deepseek-v3', 'target=gfx950%3A256&family=a8w8_blockscale']) {
      const [copy, served] = await both('trends', query);
      const points = async (page: typeof copy) => (await cellsOf(page, 'Points')).map((row) => row.slice(1));
      await expect.poll(() => points(copy)).toEqual(await points(served));
      expect((await points(copy)).length).toBe(3);
    }
  });

  test('a run is there with its receipt, and nothing offers to write', async () => {
    const page = await open('?view=runs&run=3');
    await expect.poll(() => page.locator('main h1').textContent()).toBe('Run 3');
    expect((await cellsOf(page, /^Receipt of batch/)).length).toBeGreaterThan(0);
    await page.goto(site.url);
    await settled(page);
    expect(await page.getByRole('button', {name: /^(Plan a job|Revert this run|Key|Key: set)$/}).count()).toBe(0);
  });

  test('a row leads to its key, with its neighbours, and says what a server knows beside', async () => {
    const page = await open(`?view=results&${kBlockscale}&N=1280&K=5120&M=16`);
    await page.getByRole('link', {name: 'why'}).click();
    await settled(page);
    expect(await page.locator('main h1').textContent()).toBe('a8w8_blockscale, M 16, N 1280, K 5120');
    expect(await page.locator('.winner').textContent()).toContain('17.4656');
    expect(await page.getByRole('heading', {name: 'Time over M'}).count()).toBe(1);
    expect(await page.locator('main').textContent()).toContain('are answered by a server');
  });

  test('what nobody asked beforehand is refused in words', async () => {
    const page = await open('?view=coverage&tp=4');
    const said = page.getByRole('alert');
    expect(await said.textContent()).toContain('This copy does not have the coverage.');
    expect(await said.textContent()).toMatch(/This is a static export of revision \d+, made \d{4}-\d\d-\d\d: \/coverage\?\S+ was not asked for/);
    for (const view of ['changed', 'compare', 'fleet', 'api']) {
      const other = await open(`?view=${view}`);
      expect(await other.locator('main').textContent()).toContain('This view needs a server.');
    }
  });
});
