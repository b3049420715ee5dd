// The page shows the numbers of the HTTP interface.
import {readFileSync} from 'node:fs';
import type {Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {number} from '../support/looks';
import {api, cellsOf, hub, pages, settled, without} from '../support/page';

describe.skipIf(without)('numbers', () => {
  const {visit, expectErrors} = pages();

  test('families: the models that a table covers lead to their list', async () => {
    const page = await visit('/ui/families');
    const {tables} = (await api('/coverage/models?tp=8')) as any;
    const ours = tables.find((it: any) => it.family === 'a8w8_blockscale' && it.gfx === 'gfx942' && it.cu_num === 304);
    const covered = ours.models.filter((it: any) => it.missing === 0).length;
    expect(covered).toBeGreaterThan(0);
    const figure = `${covered} of ${ours.models.length}`;
    const link = page.getByRole('row', {name: /gfx942:304.*a8w8_blockscale/}).getByRole('link', {name: figure});
    await link.click();
    await page.getByRole('heading', {name: `a8w8_blockscale for every model: ${figure} covered`}).waitFor();
  });

  test('overview: what changed leads to its runs', async () => {
    const page = await visit('/');
    const {changes: [line]} = (await api('/changes')) as any;
    await page.getByRole('region', {name: 'Revisions of the last seven days'}).getByRole('link', {name: String(line.runs[0]), exact: true}).first().click();
    await page.getByRole('heading', {name: `Run ${line.runs[0]}`}).waitFor();
  });

  test('shape: what an engine finds by a device has no gfx, and so no lookup is asked for in vain', async () => {
    const {rows: [row]} = (await api('/rows/triton_fused_moe?limit=1')) as any;
    const key = Object.entries(row).filter(([name, value]) => ['engine', 'device', 'E', 'N', 'dtype', 'M'].includes(name) && value !== '');
    const page = await visit(`/ui/shape?family=triton_fused_moe&${new URLSearchParams(key as [string, string][])}`);
    await page.getByRole('heading', {name: 'Every measurement'}).waitFor();
    expect(await page.getByRole('heading', {name: 'What a lookup finds'}).count()).toBe(0);
  });

  test('coverage: while nobody chooses a family, one with something to see is shown', async () => {
    const page = await visit('/ui/coverage?model=qwen3-vl-32b&tp=8&engine=any&target=gfx942%3A304');
    await page.getByRole('heading', {name: /^a8w8_blockscale: /}).waitFor();
  });

  // Families and their shape counts in the API's answer, formatted as the page does.
  const shapesOf = (coverage: any) => coverage['families'].map((it: any) => [it.family, number(it.totals.shapes)]);
  const shownShapes = async (page: Page) => (await cellsOf(page, 'Coverage by family')).map((row) => [row[0], row[3]]);

  test('coverage: EP and DP attention are those of the API, with what an engine would say', async () => {
    const page = await visit('/ui/coverage?model=qwen3-235b-a22b&tp=8&ep=8&dp_attention=2&engine=any&target=gfx942%3A304&family=a8w8');
    const asked = '/coverage?model=qwen3-235b-a22b&tp=8&gfx=gfx942&cu_num=304&family=a8w8';
    const [split, plain] = [await api(`${asked}&ep=8&dp_attention=2`), await api(asked)];
    const products = (of: any) => of['families'][0].pairs.map((it: any) => `${it.layer}  ${it.N} \u00d7 ${it.K}`);
    expect(products(split)).not.toEqual(products(plain));
    const shown = () => page.getByRole('grid').locator('tbody th').allTextContents();
    expect(await shown()).toEqual(products(split));
    // The counts over all models exist only for TP.
    const models = page.getByRole('heading', {name: /for every model/});
    expect(await models.count()).toBe(0);
    const said = () => page.locator('.notice').allTextContents();
    // The page requests all families. A request for one family would use another top-k with EP.
    const all = await api('/coverage?model=qwen3-235b-a22b&tp=8&gfx=gfx942&cu_num=304&engine=any&ep=8&dp_attention=2');
    expect(all['findings'].some((it: any) => it.code === 'ep_topk')).toBe(true);
    expect(await said()).toEqual(all['findings'].map((it: any) => `${it.detail}.`));
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
    const coverage = await (await fetch(`${hub.url}/coverage/config?tp=8&gfx=gfx942&cu_num=304&engine=any`, {method: 'POST', body})).json();
    const refused = coverage.findings.filter((it: any) => it.refused);
    expect(refused.length).toBeGreaterThan(0);
    const page = await visit('/ui/coverage?model=qwen3-vl-32b&tp=8&engine=any&target=gfx942%3A304');
    const box = page.getByRole('textbox', {name: 'A config.json instead of the model', exact: true});
    const paste = async (text: string) => {
      await box.fill(text);
      await box.blur();
      await settled(page);
    };
    await paste(body);
    await expect.poll(() => shownShapes(page)).toEqual(shapesOf(coverage));
    for (const {detail} of refused) await page.getByText(`An engine would not start: ${detail}.`).waitFor();
    await paste('{"model_type": "llama", "hidden_size": 1}');
    const alert = page.getByRole('alert').filter({hasText: 'config.json'});
    await alert.getByText('lacks num_attention_heads').waitFor();
    await paste('');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(await shownShapes(page)).toEqual(shapesOf(await api('/coverage?model=qwen3-vl-32b&tp=8&gfx=gfx942&cu_num=304&engine=any')));
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
});
