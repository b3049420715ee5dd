// What a build engineer asks: from the start page, in three clicks at most. A choice in a list is one.
import {beforeAll, describe, expect, test} from 'vitest';
import type {Page} from 'playwright-core';
import {Clicks} from '../support/clicks';
import {api, cellsOf, hub, pages, without} from '../support/page';

const kAsked = 'gfx=gfx942&cu_num=304&model=qwen3-vl-32b&tp=8&build=wheel';

describe.skipIf(without)('a build engineer asks', () => {
  const {visit} = pages();
  const put = async (name: string, body: string) => {
    const answer = await fetch(`${hub.url}/builds/${name}`, {method: 'PUT', headers: {Authorization: `Bearer ${hub.key}`}, body});
    expect(answer.status).toBe(201);
  };
  const start = async () => {
    const page = await visit('/');
    const clicks = new Clicks(page);
    await clicks.on(page.getByRole('link', {name: 'Build'}).first());
    await clicks.choose(page.getByLabel('Model', {exact: true}), 'qwen3-vl-32b');
    return clicks;
  };
  // It has the kernel of one row alone; cktile's are compiled in and wait for a rebuild.
  beforeAll(async () => {
    const {rows} = await api('/rows/a8w8_blockscale?gfx=gfx942&cu_num=304&limit=1');
    const manifest = `# kind: compiled\nmodule,gfx,kernelId,kernelName\ngemm_a8w8_blockscale,gfx942,,${rows[0].kernelName}\n`;
    await put('wheel', manifest);
  });
  const counts = (page: Page) => page.locator('.counts li').evaluateAll((all) => all.map((it) => parseInt((it.textContent ?? '').replaceAll(',', ''), 10)));

  test('which URL for Qwen3-VL-32B at TP 8 on MI300X: two clicks', async () => {
    const {page} = await start();
    expect(await page.getByLabel('GPU', {exact: true}).inputValue()).toBe('gfx942:304');
    const {pinned} = await api(`/verdict?${kAsked}`);
    await page.getByText(`${hub.url}${pinned}`).first().waitFor();
    expect((await fetch(hub.url + pinned)).status).toBe(200);
  });

  test('is it safe, and what is left out: three clicks', async () => {
    const clicks = await start();
    await clicks.choose(clicks.page.getByLabel('Stored as', {exact: true}), 'fp8_block');
    const said = await api(`/verdict?${kAsked}&dtype=fp8_block`);
    await clicks.page.getByText(said['sentence']).waitFor();
    const names = ['missing', 'unmeasured', 'left_out', 'substituted', 'needs_rebuild', 'borrowed'];
    expect(said['counts'].left_out).toBeGreaterThan(0);
    expect(said['verdict']).toBe('not_safe');
    expect(await counts(clicks.page)).toEqual(names.map((it) => said['counts'][it]));
    const judged = await cellsOf(clicks.page, 'Tables that were judged');
    expect(judged.filter((row) => row[1] === 'yes').map((row) => row[0])).toEqual(['a8w8_blockscale']);
  });

  test('which rows need a rebuild of AITER: three clicks, row by row as the API has them', async () => {
    // A tree where one kernel is built, and another one stands in its sources alone.
    const {rows} = await api('/rows/a8w8_blockscale?gfx=gfx942&cu_num=304&limit=1000');
    const [built, unbuilt] = [...new Set(rows.map((it: any) => it.kernelName))].sort();
    const lines = [`gemm_a8w8_blockscale,gfx942,,${built},1,`, `gemm_a8w8_blockscale,gfx942,,${unbuilt},,`];
    await put('sources', ['# kind: tree', 'module,gfx,kernelId,kernelName,built,shape', ...lines, ''].join('\n'));
    const clicks = await start();
    await clicks.on(clicks.page.getByRole('link', {name: /need a rebuild$/}).first());
    const {list} = await api(`/verdict?${kAsked.replace('wheel', 'sources')}&list=needs_rebuild`);
    await clicks.page.getByRole('heading', {name: `${list.total} need a rebuild`}).waitFor();
    expect(list.total).toBe((await api(`/rows/a8w8_blockscale?gfx=gfx942&cu_num=304&limit=1&contains=${unbuilt}`))['total']);
    const shown = await cellsOf(clicks.page, 'Rows and shapes: need a rebuild');
    expect(shown.map((row) => [row[0], row[2], row[4]])).toEqual(list.items.map((it: any) => [it.family, it.in_table ? 'yes' : 'left out', it.row.kernelName]));
  });

  test("how to go back to last week's: two clicks", async () => {
    const {page} = await start();
    const {week_ago} = await api(`/verdict?${kAsked}`);
    await page.getByRole('heading', {name: "Go back to last week's"}).waitFor();
    const line = await page.getByRole('group', {name: "fetch last week's tables"}).textContent();
    expect(line).toContain(`revision=${week_ago.pin}`);
    expect((await fetch((/'([^']+)'/.exec(line ?? '') ?? [])[1] ?? '')).status).toBe(200);
  });
});
