// A build engineer's questions. Each answer is at most three clicks from the start page; a choice in a list is a click.
import {beforeAll, describe, expect, test} from 'vitest';
import type {Page} from 'playwright-core';
import {clientOf} from '../support/client';
import {Clicks} from '../support/clicks';
import {us as micros} from '../support/looks';
import {api, cellsOf, hub, pages, settled, without} from '../support/page';

const kAsked = 'gfx=gfx942&cu_num=304&model=qwen3-vl-32b&tp=8&build=wheel';

describe.skipIf(without)('a build engineer asks', () => {
  const {visit} = pages();
  const put = (name: string, body: string) => clientOf(hub.url, hub.key).send(`/builds/${name}`, body, 'text/csv', 'PUT');
  const start = async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    await clicks.on(page.getByRole('link', {name: 'Build'}).first());
    await clicks.choose(page.getByLabel('Model', {exact: true}), 'qwen3-vl-32b');
    return clicks;
  };
  // This build has the kernel of one row. Rows of cktile need a rebuild, because their kernels are compiled in.
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
    // This tree has one built kernel, and another one only as source.
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

  test('what changed since this lock file: two clicks, and the file', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    const {revisions} = (await api('/revisions?limit=500')) as any;
    // The newest revision that is at least a week old. Later runs measured 1,200 keys again.
    const before = revisions.find((it: any) => Date.now() - Date.parse(it.created) > 7 * 86_400_000);
    const [number, token] = before.pin.split('-');
    const table = {family: 'a8w8_blockscale', query: 'gfx=gfx942&cu_num=228', revision: Number(number), token, sha256: '', file: 'a.csv'};
    const lock = JSON.stringify({hub: hub.url, tables: [table]});
    await clicks.on(page.getByRole('navigation', {name: 'Views'}).getByRole('link', {name: 'Changed'}));
    await page.getByLabel(/lock file/).setInputFiles({name: 'tunehub.lock', mimeType: 'application/json', buffer: Buffer.from(lock)});
    await page.getByText(/^Since the lock file: 1 table of revision/).waitFor();
    await settled(page);
    const answer = (await (await fetch(`${hub.url}/differences`, {method: 'POST', body: lock})).json()) as any;
    expect([answer.counts.slower, answer.counts.faster, answer.counts.appeared]).toEqual([60, 300, 0]);
    const rows = await cellsOf(page, 'What changed');
    expect(rows.map((row) => row[3])).toEqual(answer.differences.map((it: any) => micros(it.now.us)));
    await clicks.on(page.getByRole('link', {name: 'Next'}));
    await page.getByText('51 to 100 of 360').waitFor();
  });
});
