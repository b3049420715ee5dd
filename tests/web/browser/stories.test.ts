// Tasks of a first-time user, who starts at the start page and follows the screen's texts.
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {api, cellsOf, giveKey, hub, pages, settled, without} from '../support/page';

describe.skipIf(without)('stories', () => {
  const {visit} = pages();

  test('one TP, wherever one comes from', async () => {
    const page = await visit('/');
    const tp = page.getByLabel('TP', {exact: true});
    const usual = await tp.getAttribute('placeholder');
    expect((await api(`/coverage/models?tp=${usual}`))['tp']).toBe(Number(usual));
    await page.getByText(`Model at TP ${usual}`).waitFor();
    const views = page.getByRole('navigation', {name: 'Views'});
    await views.getByRole('link', {name: 'Coverage'}).click();
    await settled(page);
    await expect.poll(() => tp.getAttribute('placeholder')).toBe(usual);
    const shapes = async () => (await cellsOf(page, 'Coverage by family')).map((row) => row[3]);
    const model = await page.getByLabel('Model', {exact: true}).inputValue();
    const [gfx, cu_num] = (await page.getByLabel('Target', {exact: true}).inputValue()).split(':');
    const asked = await api(`/coverage?model=${model}&tp=${usual}&gfx=${gfx}&cu_num=${cu_num}`);
    expect(await shapes()).toEqual(asked['families'].map((it: any) => it.totals.shapes.toLocaleString('en')));
    // The overview and the search keep the chosen TP.
    await tp.fill('4');
    await page.waitForURL((url) => url.searchParams.get('tp') === '4');
    await views.getByRole('link', {name: 'Overview'}).click();
    await page.getByText('Model at TP 4').waitFor();
    await page.locator('main h1').click();
    await page.keyboard.press('/');
    await page.keyboard.type('qwen3-vl-32');
    await page.getByRole('option').first().getByText('Models').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/ui/coverage' && url.searchParams.get('tp') === '4');
  });

  test('a missing shape is planned, that one alone, and its row says so', async () => {
    const page = await visit('/');
    const table = page.getByRole('region', {name: /asked for most/});
    const row = table.locator('tbody tr', {hasText: 'M 80'});
    await row.getByRole('button', {name: 'Plan a job'}).click();
    const wanted = (await api('/demand?tuned=no'))['demand'].find((it: any) => it.shape.M === '80');
    const before = (await api('/jobs'))['jobs'].length;
    await giveKey(page);
    await row.getByRole('link', {name: /^job \d+, queued$/}).waitFor();
    const {jobs} = (await api('/jobs')) as any;
    expect(jobs.length).toBe(before + 1);
    expect((await api(`/jobs/${jobs[0].id}`))['shapes']).toEqual([wanted.to_tune]);
    expect(await row.getByRole('button').count()).toBe(0);
  });

  test('the heat table by keyboard: one stop, arrows, Home, End, Enter', async () => {
    const page = await visit('/ui/coverage?model=qwen3-vl-32b&tp=4&engine=any&target=gfx942%3A304&family=a8w8_blockscale');
    const grid = page.getByRole('grid');
    expect(await grid.locator('[tabindex="0"]').count()).toBe(1);
    await grid.locator('[tabindex="0"]').focus();
    const where = () => page.evaluate(() => { const it = document.activeElement as HTMLTableCellElement; return [(it.parentElement as HTMLTableRowElement).rowIndex - 1, it.cellIndex - 1]; });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await expect.poll(where).toEqual([1, 1]);
    await page.keyboard.press('Home');
    await expect.poll(where).toEqual([1, 0]);
    await page.keyboard.press('End');
    await expect.poll(async () => (await where())[1]).toBeGreaterThan(3);
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/ui/shape');
  });

  test('the CSV for a build', async () => {
    const page = await visit('/');
    await page.getByRole('navigation', {name: 'Views'}).getByRole('link', {name: 'Results'}).click();
    await page.getByLabel('Family', {exact: true}).selectOption('a8w8_blockscale');
    await page.getByLabel('Target', {exact: true}).selectOption('gfx942:304');
    await page.waitForURL((url) => url.searchParams.get('target') === 'gfx942:304');
    await page.getByRole('textbox', {name: 'N', exact: true}).fill('1280');
    await page.waitForURL((url) => url.searchParams.get('N') === '1280');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', {name: 'Download CSV'}).click()]);
    const served = await (await fetch(`${hub.url}/tuned/a8w8_blockscale?gfx=gfx942&cu_num=304&N=1280`)).text();
    expect(readFileSync((await download.path()) ?? '', 'utf8') === served).toBe(true);
    expect(served.length).toBeGreaterThan(1000);
    expect(download.suggestedFilename()).toBe('a8w8_blockscale_tuned_gemm.csv');
    const lines = await page.locator('.copy-line code').allTextContents();
    expect(lines[0]).toContain(`curl -fsS --compressed '${hub.url}/tuned/a8w8_blockscale?gfx=gfx942&cu_num=304&N=1280'`);
    expect(lines[1]).toBe('export AITER_CONFIG_GEMM_A8W8_BLOCKSCALE=/opt/tuned/a8w8_blockscale_tuned_gemm.csv');
  });

  test('why one given row won', async () => {
    const page = await visit('/');
    await page.keyboard.press('/');
    await page.keyboard.type('quick_kernel');
    await page.getByRole('option').first().getByText('Kernels').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', {name: 'why'}).first().click();
    await settled(page);
    expect(await page.locator('.because').textContent()).toContain('lowest time of 2 candidates');
    const run = page.locator('.winner .facts').first().getByRole('link');
    const shape = await api('/shapes/a8w8_blockscale?gfx=gfx942&cu_num=80&M=16&N=2048&K=3072');
    expect(await run.textContent()).toBe(String(shape['measurements'].find((it: any) => it.won).run));
    await run.click();
    await page.getByRole('heading', {name: 'Provenance'}).waitFor();
  });
});
