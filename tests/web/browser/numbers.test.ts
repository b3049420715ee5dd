// What the page says is what the API says.
import {readFileSync} from 'node:fs';
import type {Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {api, cellsOf, hub, pages, settled, without} from '../support/page';

const number = (value: number) => value.toLocaleString('en');
const ratio = (value: number) => `${value.toFixed(2)}\u00d7`;
const us = (value: number) => value.toLocaleString('en', {minimumFractionDigits: 2, maximumFractionDigits: 2});

// The cell of the target stands in the first row of its group alone.
const tunedRows = async (page: Page) => (await cellsOf(page, 'Tuned keys by target and family')).map((row) => row.slice(-9));

describe.skipIf(without)('numbers', () => {
  const {visit, expectErrors} = pages();

  test('families: the tuned keys of every target and family, and the revision that changed them', async () => {
    const page = await visit('/ui/families');
    const index = await api('/tuned');
    const shown = await tunedRows(page);
    const expected = index['families'].flatMap((family: any) =>
      family.targets.map((it: any) => [family.family, number(it.rows - it.unmeasured - it.baselines), number(it.baselines), number(it.unmeasured), String(it.revision)]));
    expect(shown.map(([family, tuned, baselines, unmeasured, , , revision]) => [family, tuned, baselines, unmeasured, revision]).sort()).toEqual(expected.sort());
  });

  test('families: a family of engines has its revision, and when that was', async () => {
    const page = await visit('/ui/families');
    const row = (await tunedRows(page)).find(([family]) => family === 'triton_fused_moe');
    const {targets} = (await api('/tuned'))['families'].find((it: any) => it.family === 'triton_fused_moe');
    expect(targets[0].revision).toBeGreaterThan(0);
    expect(row?.at(-3)).toBe(String(targets[0].revision));
    expect(row?.at(-2)).toMatch(/ago|just now/);
  });

  test('families: a target that nobody has touched since the import says so', async () => {
    const page = await visit('/ui/families');
    const row = page.locator('tbody', {has: page.getByText('gfx950:256')}).getByRole('row').filter({has: page.getByRole('rowheader', {name: 'a8w8_bpreshuffle', exact: true})});
    const cells = await row.locator('th, td').allTextContents();
    expect(cells.slice(-9)[0]).toBe('a8w8_bpreshuffle');
    expect(cells.at(-3)).toBe('1');
  });

  test('families: the models that a table covers, and the page behind the figure says the same', async () => {
    const page = await visit('/ui/families');
    const {tables} = (await api('/coverage/models?tp=8')) as any;
    const ours = tables.find((it: any) => it.family === 'a8w8_blockscale' && it.gfx === 'gfx942' && it.cu_num === 304);
    const covered = ours.models.filter((it: any) => it.missing === 0).length;
    expect(covered).toBeGreaterThan(0);
    const figure = `${covered} of ${ours.models.length}`;
    const link = page.getByRole('row', {name: /gfx942:304.*a8w8_blockscale/}).getByRole('link', {name: figure});
    expect((await tunedRows(page)).filter((row) => row[4] !== '\u2013').length).toBe(tables.length);
    await link.click();
    await page.getByRole('heading', {name: `a8w8_blockscale for every model: ${figure} covered`}).waitFor();
    await settled(page);
    // Each model of the list, opened, has the share that the list gave it.
    const models = await cellsOf(page, 'Models on a8w8_blockscale');
    expect(models.map((row) => row[0])).toEqual(ours.models.map((it: any) => it.model));
    expect(models.filter((row) => row[1] === '100.0 %').length).toBe(covered);
    for (const [model, share] of models) {
      await page.getByRole('link', {name: model, exact: true}).click();
      await page.waitForURL((url) => url.searchParams.get('model') === model);
      await settled(page);
      const families = await cellsOf(page, 'Coverage by family');
      expect(families.find((row) => row[0] === 'a8w8_blockscale')?.[1], model).toBe(share);
    }
  });

  test('families: what tuning is worth, where a default was measured', async () => {
    const page = await visit('/ui/families');
    const expected: string[] = [];
    for (const target of (await api('/speedups'))['by'].target) {
      const [gfx, cu_num] = target.name.split(':');
      for (const it of (await api(`/speedups?gfx=${gfx}&cu_num=${cu_num}`))['by'].family) {
        if (it.tuned_over_default.keys > 0) expected.push(`${it.name} ${ratio(it.tuned_over_default.geometric_mean)} (${it.tuned_over_default.keys})`);
      }
    }
    const shown = (await tunedRows(page)).filter((row) => row[5] !== '\u2013');
    expect(expected.length).toBe(2);
    expect(shown.map((row) => `${row[0]} ${row[5]}`).sort()).toEqual(expected.sort());
  });

  test('overview: what is missing most is not tuned, and says which job will tune it', async () => {
    const page = await visit('/');
    const [most] = (await api('/demand?tuned=no&limit=1'))['demand'];
    const rows = await cellsOf(page, /asked for most/);
    expect(rows[0]?.[0]).toBe(number(most.count));
    expect(rows[0]?.[3]).toContain(`N ${most.shape.N}`);
    expect(rows[0]?.[5]).toBe(`job ${most.job.id}, running`);
    // Misses of a shape with a measured row were more.
    expect((await api('/demand?limit=1'))['demand'][0].count).toBeGreaterThan(most.count);
  });

  test('overview: what changed counts each key once, and leads to its runs', async () => {
    const page = await visit('/');
    const {changes} = (await api('/changes')) as any;
    const rows = await cellsOf(page, 'Revisions of the last seven days');
    expect(rows.map((row) => row[4])).toEqual(changes.map((it: any) => it.families.map(({family, keys}: any) => `${family} (${number(keys)})`).join(', ')));
    for (const line of changes) {
      for (const {family, keys} of line.families) {
        const table = (await api('/tuned'))['families'].find((it: any) => it.family === family);
        expect(keys, `${family} of ${line.cause}`).toBeLessThanOrEqual(table.rows);
      }
    }
    const [line] = changes;
    await page.getByRole('region', {name: 'Revisions of the last seven days'}).getByRole('link', {name: String(line.runs[0]), exact: true}).first().click();
    await page.getByRole('heading', {name: `Run ${line.runs[0]}`}).waitFor();
  });

  test('results: each cell of a page, and how many rows there are', async () => {
    const page = await visit('/ui/results?family=a8w8_blockscale&target=gfx942%3A304');
    const rows = await api('/rows/a8w8_blockscale?gfx=gfx942&cu_num=304&limit=50');
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
    await pager.getByText('51 to 100').waitFor();
    await page.goBack();
    await pager.getByText('1 to 50').waitFor();
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

  test('shape: what else was measured, over M, and the run that each came from', async () => {
    const page = await visit('/ui/shape?family=a8w8_blockscale&gfx=gfx942&cu_num=80&M=16&N=4096&K=3072');
    const [won, kept] = await cellsOf(page, 'Every measurement of this key');
    expect([won?.[1], kept?.[1], kept?.[3]]).toEqual(['10.00', '40.00', ratio(4)]);
    expect(kept?.[5]).toBe('measureddefault');
    expect(won?.[7]).toContain('node3');
    await page.getByText('The numbers as a table').click();
    expect((await cellsOf(page, 'Tuned times over M')).map((row) => [row[0], row[1], row[2]])).toEqual(
      [['16', '10.00'], ['32', '20.00'], ['64', '30.00'], ['128', '15.00']].map((row) => [...row, 'tuned_kernel']));
    await page.getByText('4 tuned values of M').waitFor();
  });

  test('shape: what an engine finds by a device has no gfx, and so no lookup is asked for in vain', async () => {
    const {rows: [row]} = (await api('/rows/triton_fused_moe?limit=1')) as any;
    const key = Object.entries(row).filter(([name, value]) => ['engine', 'device', 'E', 'N', 'dtype', 'M'].includes(name) && value !== '');
    const page = await visit(`/ui/shape?family=triton_fused_moe&${new URLSearchParams(key as [string, string][])}`);
    await page.getByRole('heading', {name: 'Every measurement'}).waitFor();
    expect(await page.getByRole('heading', {name: 'What a lookup finds'}).count()).toBe(0);
  });

  test('coverage: the headline, the cells and the missing shapes', async () => {
    const page = await visit('/ui/coverage?model=qwen3-vl-32b&tp=4&target=gfx942%3A304&family=a8w8_blockscale');
    const coverage = await api('/coverage?model=qwen3-vl-32b&tp=4&gfx=gfx942&cu_num=304');
    const family = coverage['families'].find((it: any) => it.family === 'a8w8_blockscale');
    const covered = (await cellsOf(page, 'Coverage by family')).find((row) => row[0] === 'a8w8_blockscale')?.[1];
    expect(covered).toBe(`${(family.headline.covered_by_buckets * 100).toFixed(1)} %`);
    const texts = await page.getByRole('grid').locator('td:not(.unasked)').allTextContents();
    expect(texts.length).toBe(family.cells.length);
    const sum = texts.reduce((all, text) => all + Number(text.split('/')[1]), 0);
    expect(sum).toBe(family.totals.shapes);
    await page.getByRole('heading', {name: new RegExp(`^Missing shapes \\(${number(family.totals.missing)}`)}).waitFor();
  });

  test('coverage: a family without a row on the target stands there, at nothing', async () => {
    const page = await visit('/ui/coverage?model=qwen3-vl-32b&tp=8&target=gfx942%3A304');
    const rows = await cellsOf(page, 'Coverage by family');
    const index = await api('/tuned');
    const without = index['families'].filter((it: any) => !it.targets.some((target: any) => target.gfx === 'gfx942' && target.cu_num === 304)).map((it: any) => it.family);
    const shown = rows.filter((row) => without.includes(row[0]));
    expect(shown.length).toBeGreaterThan(0);
    for (const row of shown) expect([row[1], row[7]]).toEqual(['0.0 %', row[3]]);
    expect(rows.map((row) => row[0])).not.toContain('a4w4_blockscale');
    // While nobody chooses a family, one with something to see is shown.
    await page.getByRole('heading', {name: /^a8w8_blockscale: /}).waitFor();
  });

  // What of a coverage is on the screen.
  const shapesOf = (coverage: any) => coverage['families'].map((it: any) => [it.family, number(it.totals.shapes)]);
  const shownShapes = async (page: Page) => (await cellsOf(page, 'Coverage by family')).map((row) => [row[0], row[3]]);

  test('coverage: EP and DP attention are those of the API, with what an engine would say', async () => {
    const page = await visit('/ui/coverage?model=qwen3-235b-a22b&tp=8&ep=8&dp_attention=2&target=gfx942%3A304&family=a8w8');
    const asked = '/coverage?model=qwen3-235b-a22b&tp=8&gfx=gfx942&cu_num=304&family=a8w8';
    const [split, plain] = [await api(`${asked}&ep=8&dp_attention=2`), await api(asked)];
    const products = (of: any) => of['families'][0].pairs.map((it: any) => `${it.layer}  ${it.N} \u00d7 ${it.K}`);
    expect(products(split)).not.toEqual(products(plain));
    const shown = () => page.getByRole('grid').locator('tbody th').allTextContents();
    expect(await shown()).toEqual(products(split));
    // The figures of all models are of TP alone.
    const models = page.getByRole('heading', {name: /for every model/});
    expect(await models.count()).toBe(0);
    const said = () => page.locator('.notice').allTextContents();
    expect(await said()).toEqual(split['findings'].map((it: any) => `${it.detail}.`));
    await page.getByLabel('DP attention', {exact: true}).fill('');
    await page.getByLabel('EP', {exact: true}).fill('');
    await expect.poll(shown).toEqual(products(plain));
    expect(await said()).toEqual(plain['findings'].map((it: any) => `${it.detail}.`));
    expect(plain['findings'].length).toBeGreaterThan(0);
  });

  test('coverage: a pasted config.json, what an engine would refuse of it, and what is wrong with it', async () => {
    expectErrors(/422/);
    const {config} = JSON.parse(readFileSync(new URL('../../../configs/models/qwen3-235b-a22b.json', import.meta.url), 'utf8'));
    const body = JSON.stringify({...config, quantization_config: {quant_method: 'fp8', weight_block_size: [128, 128]}});
    const coverage = await (await fetch(`${hub.url}/coverage/config?tp=8&gfx=gfx942&cu_num=304`, {method: 'POST', body})).json();
    const refused = coverage.findings.filter((it: any) => it.refused);
    expect(refused.length).toBeGreaterThan(0);
    const page = await visit('/ui/coverage?model=qwen3-vl-32b&tp=8&target=gfx942%3A304');
    const box = page.getByRole('textbox', {name: 'A config.json instead of the model', exact: true});
    const paste = async (text: string) => {
      await box.fill(text);
      await box.blur();
      await settled(page);
    };
    await paste(body);
    await expect.poll(() => shownShapes(page)).toEqual(shapesOf(coverage));
    for (const {detail} of refused) await page.getByText(`An engine would not start: ${detail}.`).waitFor();
    await paste('{"hidden_size": 1}');
    const alert = page.getByRole('alert').filter({hasText: 'config.json'});
    await alert.getByText('lacks num_attention_heads').waitFor();
    await paste('');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(await shownShapes(page)).toEqual(shapesOf(await api('/coverage?model=qwen3-vl-32b&tp=8&gfx=gfx942&cu_num=304')));
  });

  test.each(['gfx942:80', 'the agent of this machine'])('speedups of %s: means, shares, buckets of M, and what has no baseline', async (name) => {
    const targets = (await api('/speedups'))['by'].target.map((it: any) => it.name);
    const target: string = name === 'gfx942:80' ? name : targets.find((it: string) => it.startsWith('cpu-'));
    const [gfx, cu_num] = target.split(':');
    const page = await visit(`/ui/speedups?target=${encodeURIComponent(target)}`);
    const speedups = await api(`/speedups?gfx=${gfx}&cu_num=${cu_num}`);
    const over = speedups['tuned_over_default'];
    expect(over.keys).toBeGreaterThan(2);
    expect((await cellsOf(page, 'Tuned, heuristic and default'))[0]).toEqual(
      ['tuned over default', String(over.keys), ratio(over.geometric_mean), ratio(over.median), `${(over.above_2x * 100).toFixed(0)} %`, ratio(over.worst)]);
    const left = speedups['without_default'] + speedups['tuned_alone'];
    expect(await page.getByText(`Default not measured (${number(left)})`).count()).toBe(left > 0 ? 1 : 0);
    expect((await cellsOf(page, 'Speed-up by M')).map((row) => [row[1], row[2]])).toEqual(
      speedups['by'].m_bucket.map((it: any) => [String(it.tuned_over_default.keys), it.tuned_over_default.keys > 0 ? ratio(it.tuned_over_default.geometric_mean) : '\u2013']));
    await page.getByRole('heading', {name: /^Tuned over default on /}).filter({hasText: target}).waitFor();
    await page.getByText('The numbers as a table').click();
    const bins = await cellsOf(page, 'Keys by speed-up');
    expect(bins.reduce((sum, row) => sum + Number(row[1]), 0)).toBe(over.keys);
  });

  test('speedups: the best and the worst, by their times', async () => {
    const page = await visit('/ui/speedups?target=gfx942%3A80');
    const cells = async (name: string) => (await cellsOf(page, name)).map((row) => [row[0], row[1], row[3], row[6]]);
    expect(await cells('Best speed-ups')).toEqual([['6.00\u00d7', '90.00', '15.00', 'M=128 N=4096 K=3072'], ['4.00\u00d7', '40.00', '10.00', 'M=16 N=4096 K=3072']]);
    expect(await cells('Worst speed-ups')).toEqual([['1.10\u00d7', '33.00', '30.00', 'M=64 N=4096 K=3072'], ['1.50\u00d7', '30.00', '20.00', 'M=32 N=4096 K=3072']]);
  });

  test('speedups: a table of winners alone is no speed-up', async () => {
    const page = await visit('/ui/speedups?target=gfx950%3A256');
    const speedups = await api('/speedups?gfx=gfx950&cu_num=256');
    await page.getByText(`Default not measured (${number(speedups['without_default'] + speedups['tuned_alone'])})`).waitFor();
    await page.getByText('No baseline is measured here').waitFor();
    expect(await page.locator('.chart').count()).toBe(0);
  });

  test('compare: counts and times', async () => {
    const page = await visit('/ui/compare?base=2&head=3');
    const comparison = await api('/compare?base=2&head=3');
    const summary = await cellsOf(page, 'Summary of the comparison');
    const seen = Object.entries<number>(comparison['counts']).filter(([name, n]) => n > 0 || name === 'slower' || name === 'faster');
    expect(summary.map((row) => [row[0], Number(row[1])])).toEqual([...seen.map(([name, n]) => [name.replace('_', ' '), n]), ['all with both times', comparison['compared']]]);
    const keys = await cellsOf(page, 'Compared keys');
    expect(keys.map((row) => [row[0], row[3], row[4]])).toEqual(
      comparison['shapes'].map((it: any) => [it.change.replace('_', ' '), it.base_us ? us(it.base_us) : '\u2013', it.head_us ? us(it.head_us) : '\u2013']));
    expect(keys.map((row) => row[0])).toContain('slower');
  });

  test('compare: the summary is of every key, not of those that are listed', async () => {
    const page = await visit('/ui/compare?base=5&head=6');
    const mean = 1 / Math.exp((60 * Math.log(1 / 1.2) + 300 * Math.log(1 / 0.85)) / 1200) - 1;
    const rows = (await cellsOf(page, 'Summary of the comparison')).map((row) => row.slice(1));
    expect(rows.at(-1)).toEqual(['1,200', `${(mean * 100).toFixed(1)} %`, '-15.0 % to +20.0 %']);
    expect(rows.slice(0, 2)).toEqual([['60', '+20.0 %', '+20.0 % to +20.0 %'], ['300', '-15.0 %', '-15.0 % to -15.0 %']]);
  });

  test('compare: a filter finds what stands behind the first thousand keys, and pages lead through all', async () => {
    const page = await visit('/ui/compare?base=5&head=6');
    await page.getByLabel('Show').selectOption('same');
    await page.getByRole('heading', {name: 'Keys: 840 same'}).waitFor();
    await page.getByRole('navigation', {name: 'Pages: Compared keys'}).getByText('1 to 50 of 840').waitFor();
    await page.goto(`${hub.url}/ui/compare?base=5&head=6&change=same&page=17`);
    await page.getByText('801 to 840 of 840').waitFor();
    expect((await cellsOf(page, 'Compared keys')).length).toBe(40);
    await page.getByRole('link', {name: 'Previous'}).click();
    await page.getByText('751 to 800 of 840').waitFor();
  });

  test('compare: sorting is over all keys', async () => {
    const page = await visit('/ui/compare?base=5&head=6&sort=-base');
    expect((await cellsOf(page, 'Compared keys'))[0]?.[3]).toBe('2,199.00');
  });

  test('compare: sorted by what one clicks, and back', async () => {
    const page = await visit('/ui/compare?base=2&head=3');
    const times = async () => (await cellsOf(page, 'Compared keys')).map((row) => row[3]).filter((it) => it !== '\u2013').map(Number);
    const button = page.getByRole('button', {name: 'Base, us'});
    await button.click();
    await page.waitForURL((url) => url.searchParams.get('sort') === '-base');
    await expect.poll(times).toEqual((await times()).sort((a, b) => b - a));
    await button.click();
    await page.waitForURL((url) => url.searchParams.get('sort') === 'base');
    await expect.poll(times).toEqual((await times()).sort((a, b) => a - b));
    await page.goBack();
    await page.waitForURL((url) => url.searchParams.get('sort') === '-base');
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
    const region = page.getByRole('region', {name: /^Quarantined rows \(1\) of batch/});
    expect(await region.textContent()).toContain(row.detail);
  });

  test('fleet: agents and jobs, with progress', async () => {
    const page = await visit('/ui/fleet?state=running');
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
