// Questions about a row, a run and a name.
import {describe, expect, test} from 'vitest';
import {us as micros} from '../support/looks';
import {api, at, giveKey, hub, pages, settled, without} from '../support/page';

const {visit} = pages();

describe.skipIf(without)('a kernel engineer', () => {
  test('every sample is a dot on one scale, and how to measure it again is said where it is known', async () => {
    const target = ((await api('/speedups')) as any).by.target.map((it: any) => it.name).find((it: string) => it.startsWith('cpu-'));
    const [gfx, cu_num] = target.split(':');
    const page = await visit(`/ui/shape?family=a8w8&gfx=${gfx}&cu_num=${cu_num}&M=16&N=128&K=512&q_dtype_w=torch.int8`);
    const shape = await api(`/shapes/a8w8?gfx=${gfx}&cu_num=${cu_num}&M=16&N=128&K=512&q_dtype_w=torch.int8`);
    const won = shape['measurements'].find((it: any) => it.won);
    const {samples} = won.evidence;
    expect(samples.length).toBeGreaterThan(1);
    const row = page.getByRole('region', {name: 'Every measurement of this key'}).locator('tbody tr').first();
    expect(await row.locator('circle.sample').count()).toBe(samples.length);
    const text = `${micros(won.us)} us; ${samples.length} samples from ${micros(Math.min(...samples))} to ${micros(Math.max(...samples))} us`;
    expect(await row.getByRole('img').getAttribute('aria-label')).toBe(text);
    const commands = await page.locator('.copy-line code').allTextContents();
    expect(commands[0]).toContain(`${hub.url}/tuned/a8w8?gfx=${gfx}&cu_num=${cu_num}&M=16`);
    expect(commands[1]).toBe('tunehub-agent bench --after -i row.csv --family a8w8 -o again.csv --device cpu');
    const fetched = await fetch((/'([^']+)'/.exec(commands[0] ?? '') ?? [])[1] ?? '');
    expect((await fetched.text()).split('\n')[1]).toContain(won.candidate.kernelName);
    // An imported row does not say which program measured it.
    const imported = await visit('/ui/shape?family=a8w8_blockscale&gfx=gfx942&cu_num=304&M=16&N=1280&K=5120');
    expect(await imported.getByRole('heading', {name: 'Measure it again'}).count()).toBe(0);
  });
});

describe.skipIf(without)('runs', () => {
  test('two that are chosen lead to their comparison, three to the newest against the others', async () => {
    const page = await visit('/ui/runs');
    for (const id of [3, 2]) await page.getByLabel(`Compare run ${id}`, {exact: true}).check();
    await page.waitForURL((url) => url.searchParams.get('chosen') === '3,2');
    await page.getByRole('link', {name: 'Compare run 2 with 3'}).waitFor();
    await page.getByLabel('Compare run 5', {exact: true}).check();
    const link = page.getByRole('link', {name: 'Compare run 2,3 with 5'});
    await page.getByLabel('Compare run 5', {exact: true}).uncheck();
    await expect.poll(() => link.count()).toBe(0);
    await page.getByRole('link', {name: 'Compare run 2 with 3'}).click();
    await page.waitForURL((url) => url.pathname === '/ui/compare');
    expect(at(page)).toBe('/ui/compare?base=2&head=3');
  });

  test('a revert says what it would change, and changes nothing until it is meant', async () => {
    const page = await visit('/ui/runs?run=3');
    await page.getByRole('button', {name: 'Key', exact: true}).click();
    await giveKey(page);
    const before = (await api('/tuned'))['revision'];
    await page.getByRole('button', {name: 'Revert this run'}).click();
    await page.getByRole('dialog').getByText('1 key would get what stood there before: a8w8_blockscale 1.').waitFor();
    await page.getByRole('dialog').getByRole('button', {name: 'Cancel'}).click();
    expect((await api('/tuned'))['revision']).toBe(before);
    expect((await api('/runs/3'))['reverted']).toBeNull();
    const dry = await fetch(`${hub.url}/runs/3/revert?dry_run=1`, {method: 'POST', headers: {Authorization: `Bearer ${hub.key}`}});
    expect(await dry.json()).toMatchObject({reverted: 3, dry_run: true, batch: null, changed: 1, families: [{family: 'a8w8_blockscale', changed: 1, emptied: 0}], revision: before});
  });
});

describe.skipIf(without)('search', () => {
  test('leads to what is named, from any view', async () => {
    const page = await visit('/');
    for (const [text, group, path] of [
      ['deepseek v3', 'Models', '/ui/coverage?model=deepseek-v3'],
      ['run 3', 'Runs', '/ui/runs?run=3'],
      ['DeepSeek-V3', 'Models', '/ui/coverage?model=deepseek-v3'],
      ['MI300X', 'Products', '/ui/coverage?target=gfx942%3A304'],
      ['deepseekv3', 'Models', '/ui/coverage?model=deepseek-v3'],
      ['revision 2', 'Revisions', '/ui/changed?revision=2'],
      ['node2', 'Runs', '/ui/runs?run=3'],
      ['qwen3-vl-32', 'Models', '/ui/coverage?model=qwen3-vl-32b'],
      ['1280x5120', 'Shapes', '/ui/results?family=a8w8_blockscale&N=1280&K=5120'],
    ] as const) {
      await page.keyboard.press('/');
      await page.keyboard.type(text);
      const option = page.getByRole('option').first();
      await option.getByText(group, {exact: true}).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.pathname + url.search === path);
      await settled(page);
      expect(await page.getByRole('alert').count(), text).toBe(0);
    }
  });
});
