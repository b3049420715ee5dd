// The map of a model on a device: its answers, its cells by keyboard, its rows by a filter, and a second device.
import type {Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {Clicks} from '../support/clicks';
import {number, us} from '../support/looks';
import {api, pages, settled, without} from '../support/page';

const kDeepSeek = 'model=deepseek-v3&tp=8&gfx=gfx950&cu_num=256';
const kMap = '/ui/model?model=deepseek-v3&device=MI355X&tab=map';

// Opens the map from the start page and chooses values of the context.
async function openMap(page: Page, chosen: Record<string, string>): Promise<void> {
  const clicks = new Clicks(page);
  await clicks.on(page.getByRole('navigation', {name: 'Places'}).getByRole('link', {name: 'Model', exact: true}));
  for (const [label, value] of Object.entries(chosen)) {
    const list = page.getByLabel(label, {exact: true});
    if (await list.inputValue() !== value) await clicks.choose(list, value);
  }
}

const tuned = (map: any, layer: any): number[] => layer.at.flatMap((at: number, i: number) => (['baseline', 'unmeasured', 'missing'].includes(map.states[layer.state[i]]) ? [] : [map.m[at]]));

describe.skipIf(without)('the map', () => {
  const {visit} = pages();
  const cell = (page: Page) => page.getByRole('grid', {name: 'Layers by M'}).getByRole('gridcell');
  const said = (page: Page) => cell(page).getAttribute('aria-label');

  test('which layer of DeepSeek-V3 at TP 8 costs most above the roofline on MI355X: three clicks', async () => {
    const page = await visit('/');
    await openMap(page, {Model: 'deepseek-v3', Device: 'MI355X'});
    const map = (await api(`/map?${kDeepSeek}&product=MI355X`)) as any;
    const cells = map.layers.flatMap((it: any) => it.at.map((at: number, i: number) => ({it, m: map.m[at], above: it.us[i] === null || it.row_m[i] !== map.m[at] ? 0 : it.us[i] - it.roofline_us[i]})));
    const worst = cells.reduce((best: any, one: any) => (one.it.count * one.above > best.it.count * best.above ? one : best));
    const [name, value] = Object.entries(worst.it.columns).find(([name, value]) => map.layers.some((it: any) => it.layer === worst.it.layer && it.columns[name] !== value)) ?? [];
    const label = worst.it.layer + (name ? ` (${name} ${value})` : '');
    const text = `Most time above the roofline: ${label}, ${worst.it.count} \u00d7 ${us(worst.above)} us at M ${number(worst.m)}`;
    await expect.poll(() => page.locator('.answer').textContent()).toBe(text);
    expect(await said(page)).toContain(`${label}, M ${number(worst.m)}, `);
    await page.locator('.answer').getByRole('link').click();
    await page.waitForURL((url) => url.pathname === '/ui/shape' && url.searchParams.get('N') === String(worst.it.columns.N));
  });

  test('what MI325X\'s own runs have that MI300X\'s lack: three clicks', async () => {
    const page = await visit('/');
    await openMap(page, {Device: 'MI300X', 'Compare with': 'MI325X'});
    const model = encodeURIComponent(new URL(page.url()).searchParams.get('model') ?? '');
    const [a, b] = await Promise.all(['MI300X', 'MI325X'].map((own) => api(`/map?model=${model}&tp=8&gfx=gfx942&cu_num=304&own=${own}`)));
    const lacks = (has: any, of: any) => of.layers.reduce((sum: number, layer: any, i: number) => sum + tuned(of, layer).filter((m) => !tuned(has, has.layers[i]).includes(m)).length, 0);
    // The test's rows are an import's, which names no product.
    expect([lacks(a, b), lacks(b, a)]).toEqual([0, 0]);
    await page.getByText('No run on MI300X or MI325X measured these shapes').waitFor();
  });

  test('one tab stop; arrows, Home and End move, Enter opens the shape', async () => {
    const page = await visit(kMap);
    const grid = page.getByRole('grid', {name: 'Layers by M'});
    await grid.focus();
    await page.keyboard.press('Control+Home');
    const {layers, m} = (await api(`/map?${kDeepSeek}`)) as any;
    const at = (row: number, i: number) => expect.poll(() => said(page)).toMatch(new RegExp(`^${layers[row].layer}( \\(.*\\))?, M ${number(m[layers[row].at.at(i)])}, `));
    await at(0, 0);
    for (const _ of '12') await page.keyboard.press('ArrowRight');
    await at(0, 2);
    await page.keyboard.press('ArrowDown');
    await at(1, 2);
    await page.keyboard.press('End');
    await at(1, -1);
    expect(await grid.getAttribute('aria-activedescendant')).toBe(await cell(page).getAttribute('id'));
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/ui/shape' && url.searchParams.get('N') === String(layers[1].columns.N));
  });

  test('a filter narrows the layers, and the address keeps it', async () => {
    const page = await visit(kMap);
    const {layers} = (await api(`/map?${kDeepSeek}`)) as any;
    const some = layers.filter((it: any) => it.layer.includes('down'));
    const rows = () => page.getByRole('grid').getAttribute('aria-rowcount');
    await page.getByLabel('Layer contains').fill('down');
    await expect.poll(rows).toBe(String(some.length));
    expect(new URL(page.url()).searchParams.get('layer')).toBe('down');
    await page.getByLabel('Layer contains').fill('nothing');
    await page.getByText('No layer contains "nothing".').waitFor();
  });

  test('a click pins a cell, with its whole kernel; a second click opens its shape', async () => {
    const page = await visit(kMap), cell = page.getByRole('group', {name: 'Active cell'});
    const {layers, m} = (await api(`/map?${kDeepSeek}`)) as any;
    const row = layers.findIndex((it: any) => it.row_m[0] !== null), its = layers[row];
    const {rows} = await api(`/rows/${its.family}?gfx=gfx950&cu_num=256&${new URLSearchParams({...its.columns, [its.m_column]: its.row_m[0]})}`);
    const box = (await page.locator('.map canvas').boundingBox())!, edges = await page.locator('.map-labels > div').evaluateAll((all) => all.map((it) => it.getBoundingClientRect().top + 5 + scrollY));
    const at = {x: box.x + 2, y: edges[row]!};
    await page.mouse.click(at.x, at.y);
    await cell.getByText('Pinned').waitFor();
    await cell.getByText(rows[0].kernelName, {exact: true}).waitFor();
    await page.mouse.move(box.x + box.width / 2, at.y);
    expect(await said(page)).toContain(`M ${m[its.at[0]]}, `);
    await page.keyboard.press('Escape');
    await page.mouse.move(box.x + box.width / 3, at.y);
    await expect.poll(() => said(page)).not.toContain(`M ${m[its.at[0]]}, `);
    for (const _ of '12') await page.mouse.click(at.x, at.y);
    await page.waitForURL((url) => url.pathname === '/ui/shape' && url.searchParams.get('N') === String(its.columns.N));
  });

  test('layers without any time are named, and the engine whose lookups found none', async () => {
    const page = await visit(kMap), {layers} = (await api(`/map?${kDeepSeek}`)) as any;
    const untimed = layers.filter((it: any) => it.us.every((us: any) => us === null));
    expect(untimed.length).toBeGreaterThan(0);
    await page.getByText(`Left out, because no row with a time answers: ${untimed.map((it: any) => `${it.layer} \u00d7 ${it.count}`).join(', ')}.`).waitFor();
    await page.route('**/map?*', async (route) => {
      const map = (await (await route.fetch()).json()) as any;
      await route.fulfill({json: {...map, layers: map.layers.map((it: any) => ({...it, us: it.us.map(() => null)}))}});
    });
    await page.goto(page.url());
    await page.getByText('No layer has a measured time for vLLM yet: what to tune first').waitFor();
  });

  test('a mouse shows a cell before it opens it; paper is light', async () => {
    const page = await visit(kMap, {dark: true});
    const canvas = page.locator('.map canvas'), box = (await canvas.boundingBox())!;
    await page.mouse.move(box.x + 2, box.y + 2);
    const {layers, m} = (await api(`/map?${kDeepSeek}`)) as any;
    await page.getByRole('group', {name: 'Active cell'}).getByText(`${layers[0].layer}, M ${m[layers[0].at[0]]}`).waitFor();
    const light = () => canvas.evaluate((it: HTMLCanvasElement) => {
      const {data} = it.getContext('2d')!.getImageData(0, 0, it.width, it.height);
      return data.reduce((sum, value, i) => sum + (i % 4 < 3 ? value : 0), 0) / (data.length * 0.75);
    });
    const dark = await light();
    await page.emulateMedia({media: 'print', colorScheme: 'dark'});
    await settled(page);
    expect(await light()).toBeGreaterThan(dark + 40);
  });

  test('with an empty registry: what to do', async () => {
    const page = await visit(kMap);
    await page.route('**/tuned', async (route) => route.fulfill({json: {...((await (await route.fetch()).json()) as object), families: []}}));
    for (const tab of ['map', 'tune']) {
      await page.goto(new URL(`/ui/model?tab=${tab}`, page.url()).href);
      await page.getByText('No device has tuned rows yet.').waitFor();
    }
  });
});
