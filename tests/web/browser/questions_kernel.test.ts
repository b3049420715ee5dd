// A kernel engineer's questions about rows and shapes. Each answer is at most three clicks from the start page.
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {Clicks} from '../support/clicks';
import {share, us} from '../support/looks';
import {api, cellsOf, hub, pages, settled, without} from '../support/page';

describe.skipIf(without)('a kernel engineer', () => {
  const {visit} = pages();
  const toKernels = async () => {
    const page = await visit('/?device=MI308X'), clicks = new Clicks(page);
    await clicks.on(page.getByRole('navigation', {name: 'Places'}).getByRole('link', {name: 'Kernels'}));
    return {page, clicks};
  };

  test('which shapes got slower since last week: two clicks', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    await clicks.on(page.getByRole('navigation', {name: 'Places'}).getByRole('link', {name: 'Changes'}));
    await clicks.on(page.getByRole('navigation', {name: 'Kinds of changes'}).getByRole('link', {name: /^60 slower/}));
    expect(new URL(page.url()).searchParams.get('kind')).toBe('slower');
    const answer = (await api('/differences?from=7d&kind=slower')) as any;
    expect(answer.counts.slower).toBe(60);  // all of them from the seed
    const rows = await cellsOf(page, 'What changed');
    expect(rows.map((row) => row[2])).toEqual(answer.differences.map((it: any) => us(it.before.us)));
  });

  test('how sure is this winner, and what would replace it: three clicks', async () => {
    const {page, clicks} = await toKernels();
    await clicks.on(page.getByRole('link', {name: 'A8W8 GEMM, 1x128 and 128x128 block scales', exact: true}));
    await clicks.on(page.getByRole('link', {name: 'why'}).first());
    const query = new URL(page.url()).search.replace(/family=[^&]*&|&?device=[^&]*/g, '').replace(/^\?/, '');
    const {measurements} = await api(`/shapes/a8w8_blockscale?${query}`);
    const [first, next] = measurements.filter((it: any) => it.competes).sort((a: any, b: any) => a.us - b.us);
    expect(await page.locator('.answer').textContent()).toContain(`${us(first.us)} us`);
    const bounds = [first, next].map(({us}) => [us * 0.95, us * 1.05]) as [number[], number[]];
    expect(bounds[0][1]).toBeLessThan(bounds[1][0]!);
    expect(await page.locator('.because').textContent()).toContain(`faster than the next by ${share(1 - first.us / next.us, 1)}, more than the times' spread of`);
  });

  test('how much faster than its default a family is on this device alone: one click', async () => {
    const {page} = await toKernels();
    const {by} = await api('/speedups?gfx=gfx942&cu_num=80');
    const rows = await cellsOf(page, 'Kernel families');
    for (const row of rows) {
      const over = by.family.find(({name}: any) => row[0]?.endsWith(name))?.tuned_over_default;
      expect(row[4]).toBe(over?.keys ? `${over.geometric_mean.toFixed(2)}\u00d7` : '\u2013');
    }
  });

  test('which row a lookup of the next M finds', async () => {
    const page = await visit('/ui/shape?family=a8w8_blockscale&gfx=gfx942&cu_num=304&M=16&N=1280&K=5120');
    const {row} = await api('/lookup/a8w8_blockscale?gfx=gfx942&cu_num=304&M=17&N=1280&K=5120');
    const near = (await cellsOf(page, 'Lookups near this M')).find(([m]) => m === '17');
    expect(near?.slice(1, 3)).toEqual([String(row.M), us(row.us)]);
    await page.getByRole('region', {name: 'Lookups near this M'}).getByRole('link', {name: String(row.M), exact: true}).first().click();
    await page.waitForURL((url) => url.searchParams.get('M') === String(row.M));
  });

  test('a shape of an engine\'s file: its columns are not the context\'s, and no lookup is asked for in vain', async () => {
    const page = await visit('/ui/kernels?device=MI300X&family=triton_fused_moe&key-device=AMD_Instinct_MI300X&E=8&N=2048');
    await page.getByRole('link', {name: 'why'}).click();
    await page.getByRole('heading', {name: 'Every measurement'}).waitFor();
    const query = new URL(page.url()).searchParams;
    expect([query.get('device'), query.get('key-device'), query.get('key-engine')]).toEqual(['MI300X', 'AMD_Instinct_MI300X', 'vllm']);
    expect(await page.getByRole('heading', {name: /^Lookups/}).count()).toBe(0);
  });

  test('which kernels win most rows of a device, over all pages', async () => {
    const page = await visit('/ui/kernels?device=gfx942:228&family=a8w8_blockscale');
    await page.getByText('Kernels that win', {exact: true}).click();
    await page.getByRole('region', {name: 'Kernels that win'}).waitFor();
    const rows = await cellsOf(page, 'Kernels that win');
    expect(rows.map((row) => [...row.slice(0, 3), Number(row[4]?.replace(',', ''))])).toEqual([['kernel_7.1', '1,140', '95.0 %', 1200], ['kernel_kept', '60', '5.0 %', 60]]);
  });

  test('a shape without rows offers the nearest that have rows', async () => {
    const page = await visit('/ui/kernels?device=gfx942:228&family=a8w8_blockscale&M=7&N=250&K=1024');
    await page.getByText('Nearest: M 7, N 256, K 1024; ').waitFor();
    await page.getByRole('link', {name: 'M 7, N 256, K 1024', exact: true}).click();
    await page.getByText('1 row on').waitFor();
    // Another family keeps the filters of columns that it has, too.
    await page.getByLabel('Family', {exact: true}).selectOption('a8w8');
    await page.waitForURL((url) => url.searchParams.get('family') === 'a8w8' && url.searchParams.get('N') === '256');
    // No value of this shape has a row alone.
    await page.goto(`${hub.url}/ui/kernels?device=gfx942:228&family=a8w8_blockscale&M=1900&N=250&K=1000`);
    await page.getByRole('link', {name: 'M 1200, N 256, K 1024', exact: true}).waitFor();
  });

  test('the search box offers families for a shape that no row has, and they the nearest shapes', async () => {
    const page = await visit('/');
    await page.keyboard.press('/');
    await page.keyboard.type('1281x5121');
    await page.getByRole('option', {name: /^Nearest a8w8_blockscale: nearest to N 1281, K 5121/}).click();
    await page.waitForURL((url) => url.pathname === '/ui/kernels' && url.searchParams.get('N') === '1281');
    await page.getByRole('link', {name: 'N 1280, K 5120', exact: true}).click();
    await page.getByText(/rows on all devices/).waitFor();
  });

  test('with all devices, no control names one device', async () => {
    const page = await visit('/ui/kernels?device=MI300X&family=a8w8_blockscale&scope=all');
    const device = page.getByLabel('Device', {exact: true});
    expect(await device.evaluate((it: HTMLSelectElement) => it.selectedOptions[0]?.text)).toBe('all devices');
    await device.selectOption('MI355X');
    await page.waitForURL((url) => url.searchParams.get('device') === 'MI355X' && !url.searchParams.has('scope'));
  });

  test('the curve has every tuned M, beyond one page of rows', async () => {
    const page = await visit('/ui/shape?family=a8w8_blockscale&gfx=gfx942&cu_num=228&M=7&N=256&K=1024');
    await page.getByText(/^1,200 tuned values of M from M 1 \(.*\) to M 1200 \(/).waitFor();
  });

  test('the roofline is that of the device in the address', async () => {
    const {rows} = await api('/rows/a8w8_blockscale?gfx=gfx950&cu_num=256&limit=1&measured=only'), [{M, N, K}] = rows;
    const key = `family=a8w8_blockscale&gfx=gfx950&cu_num=256&M=${M}&N=${N}&K=${K}`;
    for (const product of ['MI355X', 'MI350X']) {
      const page = await visit(`/ui/shape?${key}&device=${product}`);
      await page.locator('.answer').getByText(`of the roofline of ${product}`).waitFor();
    }
  });

  test('a missing shape says so once, and plans a job', async () => {
    const page = await visit('/ui/shape?family=a8w8_blockscale&gfx=gfx90a&cu_num=104&M=16&N=1717&K=2626', {key: hub.key});
    const near = await cellsOf(page, 'Lookups near this M');
    expect(near.find(([m]) => m === '16')?.[3]).toBe("no row: AITER's own default kernel or rule runs");
    await page.getByRole('button', {name: 'Plan a job'}).click();
    await page.getByText('planned', {exact: true}).waitFor();
    const {jobs} = await api('/jobs?gfx=gfx90a&limit=500');
    expect(jobs.filter((it: any) => it.cu_num === 104).map((it: any) => it.shape_count)).toEqual([1]);
  });

  test('the CSV for a build', async () => {
    const page = await visit('/ui/kernels?device=MI300X');
    await page.getByRole('link', {name: 'A8W8 GEMM, 1x128 and 128x128 block scales', exact: true}).click();
    await page.getByRole('textbox', {name: 'N', exact: true}).fill('1280');
    await page.waitForURL((url) => url.searchParams.get('N') === '1280');
    await settled(page);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', {name: 'Download CSV'}).click()]);
    const served = await (await fetch(`${hub.url}/tuned/a8w8_blockscale?gfx=gfx942&cu_num=304&N=1280`)).text();
    expect(readFileSync((await download.path()) ?? '', 'utf8') === served).toBe(true);
    expect(served.length).toBeGreaterThan(1000);
    expect(download.suggestedFilename()).toBe('a8w8_blockscale_tuned_gemm.csv');
    const lines = await page.locator('.copy-line code').allTextContents();
    expect(lines[0]).toContain(`curl -fsS --compressed '${hub.url}/tuned/a8w8_blockscale?gfx=gfx942&cu_num=304&N=1280'`);
    expect(lines[1]).toBe('export AITER_CONFIG_GEMM_A8W8_BLOCKSCALE=/opt/tuned/a8w8_blockscale_tuned_gemm.csv');
  });

  test('a family without rows on this device names the devices that have rows', async () => {
    const page = await visit('/ui/kernels?device=MI300A&family=fmoe');
    await page.locator('.empty').getByRole('link', {name: /gfx950:256/}).click();
    await page.getByRole('region', {name: 'Rows of fmoe'}).waitFor();
  });

  test('why a row won, found by its kernel, and the run that measured it', async () => {
    const page = await visit('/');
    await page.keyboard.press('/');
    await page.keyboard.type('quick_kernel');
    await page.getByRole('option').first().getByText('Kernel', {exact: true}).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', {name: 'why'}).first().click();
    await settled(page);
    expect(await page.locator('.because').textContent()).toContain('Lowest time of 2 candidates');
    const {measurements} = await api('/shapes/a8w8_blockscale?gfx=gfx942&cu_num=80&M=16&N=2048&K=3072');
    const {run} = measurements.find((it: any) => it.won);
    await page.locator('.winner').getByRole('link', {name: String(run), exact: true}).click();
    await page.getByRole('heading', {name: `Run ${run}`}).waitFor();
  });
});
