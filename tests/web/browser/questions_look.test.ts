// Questions about a row, a run and a name.
import {describe, expect, test} from 'vitest';
import {api, at, giveKey, hub, pages, settled, without} from '../support/page';

const {visit} = pages();

describe.skipIf(without)('a kernel engineer', () => {
  test('how to measure a row again, if its tuner is known', async () => {
    const target = ((await api('/speedups')) as any).by.target.map((it: any) => it.name).find((it: string) => it.startsWith('cpu-'));
    const [gfx, cu_num] = target.split(':');
    const page = await visit(`/ui/shape?family=a8w8&gfx=${gfx}&cu_num=${cu_num}&M=16&N=128&K=512&q_dtype_w=torch.int8`);
    const shape = await api(`/shapes/a8w8?gfx=${gfx}&cu_num=${cu_num}&M=16&N=128&K=512&q_dtype_w=torch.int8`);
    const won = shape['measurements'].find((it: any) => it.won);
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
    const page = await visit('/ui/changes?list=runs');
    for (const id of [3, 2]) await page.getByLabel(`Compare run ${id}`, {exact: true}).check();
    await page.waitForURL((url) => url.searchParams.get('chosen') === '3,2');
    await page.getByRole('link', {name: 'Compare run 2 with 3'}).waitFor();
    await page.getByLabel('Compare run 5', {exact: true}).check();
    const link = page.getByRole('link', {name: 'Compare run 2,3 with 5'});
    await page.getByLabel('Compare run 5', {exact: true}).uncheck();
    await expect.poll(() => link.count()).toBe(0);
    await page.getByRole('link', {name: 'Compare run 2 with 3'}).click();
    await page.waitForURL((url) => url.searchParams.get('from') === 'run:2' && url.searchParams.get('to') === 'run:3');
    await page.getByText(/^run 2, gfx/).waitFor();
  });

  test('a revert says what it would change, and changes nothing until it is meant', async () => {
    const page = await visit('/ui/changes?run=3');
    const before = (await api('/tuned'))['revision'];
    await page.getByRole('button', {name: 'Revert this run'}).click();
    await giveKey(page);
    await page.getByRole('dialog').getByText('1 shape would get the earlier row: a8w8_blockscale 1.').waitFor();
    await page.getByRole('dialog').getByRole('button', {name: 'Cancel'}).click();
    expect((await api('/tuned'))['revision']).toBe(before);
    expect((await api('/runs/3'))['reverted']).toBeNull();
    const dry = await fetch(`${hub.url}/runs/3/revert?dry_run=1`, {method: 'POST', headers: {Authorization: `Bearer ${hub.key}`}});
    expect(await dry.json()).toMatchObject({reverted: 3, dry_run: true, batch: null, changed: 1, families: [{family: 'a8w8_blockscale', changed: 1, emptied: 0}], revision: before});
  });
});
