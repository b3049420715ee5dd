// What the page says is what the API says.
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {api, hub, pages, settled, without} from '../support/page';

const number = (value: number) => value.toLocaleString('en');
const us = (value: number) => value.toLocaleString('en', {minimumFractionDigits: 2, maximumFractionDigits: 2});

describe.skipIf(without)('numbers', () => {
  const {visit} = pages();

  test('overview: the tuned keys of every target and family', async () => {
    const page = await visit('/');
    const index = await api('/tuned');
    const shown = await page.locator('table.grouped tbody tr').evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('th[scope=row], td.number')].map((it) => it.textContent).join(' ')));
    const expected = index['families'].flatMap((family: any) =>
      family.targets.map((it: any) => `${family.family} ${number(it.rows - it.unmeasured)} ${number(it.unmeasured)} ${family.revision}`));
    expect([...shown].sort()).toEqual([...expected].sort());
  });

  test('overview: what is missing most', async () => {
    const page = await visit('/');
    const [most] = (await api('/demand?limit=1'))['demand'];
    const row = page.getByRole('region', {name: /asked for most/}).locator('tbody tr').first();
    expect(await row.locator('td').first().textContent()).toBe(number(most.count));
    expect(await row.textContent()).toContain(`N ${most.shape.N}`);
  });

  test('results: each cell of a page, and how many rows there are', async () => {
    const page = await visit('/ui/results?family=a8w8_blockscale&target=gfx942%3A304');
    const rows = await api('/rows/a8w8_blockscale?gfx=gfx942&cu_num=304&limit=100');
    await page.getByText(`${number(rows['total'])} rows of revision`).waitFor();
    const shown = await page.locator('table.data tbody tr').evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((it) => it.textContent)));
    const head = await page.locator('table.data thead th').allTextContents();
    expect(shown.length).toBe(rows['rows'].length);
    for (const [i, row] of rows['rows'].entries()) {
      for (const name of ['M', 'N', 'K', 'kernelName', 'libtype']) expect(shown[i]?.[head.indexOf(name)]).toBe(String(row[name]));
      expect(shown[i]?.[head.indexOf('us')]).toBe(us(row.us));
    }
  });

  test('results: pages go on where the one before ended', async () => {
    const page = await visit('/ui/results?family=a8w8_blockscale&target=gfx942%3A304');
    const pager = page.getByRole('navigation', {name: 'Pages of the table'});
    await pager.getByRole('link', {name: 'Next'}).click();
    await pager.getByText('101 to 200').waitFor();
    await page.goBack();
    await pager.getByText('1 to 100').waitFor();
  });

  test('results: the CSV link gives exactly the bytes of the API', async () => {
    const page = await visit('/ui/results?family=a8w8_blockscale&target=gfx942%3A304&N=1280');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', {name: 'Download CSV'}).click()]);
    const saved = readFileSync((await download.path()) ?? '');
    const served = Buffer.from(await (await fetch(`${hub.url}/tuned/a8w8_blockscale?gfx=gfx942&cu_num=304&N=1280`)).arrayBuffer());
    expect(served.length).toBeGreaterThan(1000);
    expect(saved.equals(served)).toBe(true);
    expect(download.suggestedFilename()).toBe('a8w8_blockscale_tuned_gemm.csv');
  });

  test('shape: every measurement, the winner first', async () => {
    const page = await visit('/ui/shape?family=a8w8_blockscale&gfx=gfx942&cu_num=80&M=16&N=2048&K=3072');
    const shape = await api('/shapes/a8w8_blockscale?gfx=gfx942&cu_num=80&M=16&N=2048&K=3072');
    const rows = page.getByRole('region', {name: 'Every measurement of this key'}).locator('tbody tr');
    expect(await rows.count()).toBe(shape['measurements'].length);
    expect(await rows.first().textContent()).toContain('won');
    expect(await page.locator('.because').textContent()).toBe('It has the lowest time of 2 candidates: 6.00 us, 33.3 % less than the next best (9.00 us).');
  });

  test('coverage: the headline, the cells and the missing shapes', async () => {
    const page = await visit('/ui/coverage?model=qwen3-vl-32b&tp=4&target=gfx942%3A304&family=a8w8_blockscale');
    const coverage = await api('/coverage?model=qwen3-vl-32b&tp=4&gfx=gfx942&cu_num=304');
    const family = coverage['families'].find((it: any) => it.family === 'a8w8_blockscale');
    const covered = await page.locator('tr.won td.number').first().textContent();
    expect(Number.parseFloat(covered ?? '')).toBeCloseTo(family.headline.covered * 100, 0);
    const texts = await page.getByRole('grid').locator('td:not(.unasked)').allTextContents();
    expect(texts.length).toBe(family.cells.length);
    const sum = texts.reduce((all, text) => all + Number(text.split('/')[1]), 0);
    expect(sum).toBe(family.totals.shapes);
    await page.getByRole('heading', {name: new RegExp(`^Missing shapes \\(${number(family.totals.missing)}`)}).waitFor();
  });

  test('speedups: the means, and how many keys have no baseline', async () => {
    const page = await visit('/ui/speedups?target=gfx942%3A80');
    const speedups = await api('/speedups?gfx=gfx942&cu_num=80');
    const without = speedups['without_default'] + speedups['tuned_alone'];
    await page.getByText(`No baseline measured (${number(without)})`).waitFor();
  });

  test('compare: counts and times', async () => {
    const page = await visit('/ui/compare?base=2&head=3');
    const comparison = await api('/compare?base=2&head=3');
    const summary = await page.getByRole('region', {name: 'Summary of the comparison'}).locator('tbody tr').allTextContents();
    expect(summary[0]).toMatch(new RegExp(`^regressions.*${comparison['counts'].slower}$`));
    expect(summary[1]).toMatch(new RegExp(`^improvements.*${comparison['counts'].faster}$`));
    const keys = page.getByRole('region', {name: 'Compared keys'}).locator('tbody tr');
    expect(await keys.count()).toBe(comparison['shapes'].length);
    expect(await keys.first().textContent()).toContain(us(comparison['shapes'][0].base_us));
  });

  test('runs: the receipt of an import, file by file', async () => {
    const page = await visit('/ui/runs?run=1');
    const run = await api('/runs/1');
    const files = run['batches'][0].receipt.files;
    const rows = page.getByRole('region', {name: /^Receipt of batch/}).locator('tbody tr');
    expect(await rows.count()).toBe(files.length);
    expect(await rows.first().textContent()).toContain(files[0].file);
    expect(await rows.first().textContent()).toContain(number(files[0].rows));
  });

  test('runs: a quarantined row with its reason', async () => {
    const page = await visit('/ui/runs?run=2');
    const [row] = (await api('/runs/2'))['batches'][0].receipt.quarantined;
    const region = page.getByRole('region', {name: 'Quarantined rows (1)'});
    expect(await region.textContent()).toContain(row.detail);
  });

  test('fleet: agents and jobs, with progress', async () => {
    const page = await visit('/ui/fleet');
    expect(await page.getByRole('region', {name: 'Agents'}).locator('tbody tr').count()).toBe((await api('/agents'))['agents'].length);
    const job = page.getByRole('region', {name: 'Jobs'}).locator('tbody tr').first();
    await job.getByText('1 of 2 shapes').waitFor();
  });

  test('api: every operation that there is', async () => {
    const page = await visit('/ui/api');
    const document = await api('/openapi.json');
    const operations = Object.values(document['paths'] as Record<string, object>).flatMap((it) => Object.keys(it));
    expect(await page.locator('details.operation').count()).toBe(operations.length);
  });

  test('search: "/" leads to a kernel, a model and a shape', async () => {
    const page = await visit('/ui/fleet');
    for (const [text, kind, path] of [['qwen3-vl-32', 'Models', '/ui/coverage?model=qwen3-vl-32b'], ['1280x5120', 'Shapes', '/ui/results?family=a8w8_blockscale&N=1280&K=5120'], ['quick_kernel', 'Kernels', '/ui/results?family=a8w8_blockscale&contains=quick_kernel']] as const) {
      await page.locator('main h1').click();
      await page.keyboard.press('/');
      await page.keyboard.type(text);
      const option = page.getByRole('option').first();
      await option.getByText(kind).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.pathname + url.search.replaceAll('%3A', ':') === path);
      await settled(page);
    }
  });
});
