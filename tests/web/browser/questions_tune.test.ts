// Questions about the next shapes to tune, and about the queue.
import {describe, expect, test} from 'vitest';
import {Clicks} from '../support/clicks';
import {number} from '../support/looks';
import {api, cellsOf, giveKey, pages, post, without} from '../support/page';

describe.skipIf(without)('what to tune', () => {
  const {visit} = pages();

  test('what is missing over all tables, worst first: three clicks', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    await clicks.on(page.getByRole('navigation', {name: 'Places'}).getByRole('link', {name: 'Model', exact: true}));
    await clicks.on(page.getByRole('navigation', {name: 'Tabs'}).getByRole('link', {name: 'To tune'}));
    const {model, device} = Object.fromEntries(new URL(page.url()).searchParams);
    const {products} = (await api('/tuned')) as any;
    const [gfx, cu_num] = Object.keys(products).find((it) => products[it].split(' / ').includes(device))!.split(':');
    const map = (await api(`/map?model=${model}&tp=8&gfx=${gfx}&cu_num=${cu_num}`)) as any;
    const rows = await cellsOf(page, 'What to tune');
    const sum = (column: number) => rows.reduce((all, row) => all + Number(row[column]?.replaceAll(',', '')), 0);
    expect(sum(2)).toBe(map.coverage.missing);
    expect(new Set(rows.map((row) => map.layers.find((it: any) => row[0]?.includes(it.family)).family)).size).toBe(new Set(map.layers.map((it: any) => it.family)).size);
    await page.getByText(`${number(sum(1))} shapes not tuned.`).waitFor();
  });

  test('which shapes of a layer are missing: one click, by range of M', async () => {
    const page = await visit('/ui/model?model=deepseek-v3&device=MI300X&tp=8&tab=tune');
    const {layers, m, states} = (await api('/map?model=deepseek-v3&tp=8&gfx=gfx942&cu_num=304')) as any;
    const its = layers.find((it: any) => it.layer === 'experts');
    await page.getByRole('region', {name: 'What to tune'}).getByRole('link', {name: 'experts', exact: true}).click();
    const rows = () => cellsOf(page, 'Shapes that are not tuned');
    const missing = its.at.flatMap((at: number, i: number) => (states[its.state[i]] === 'missing' ? [number(m[at])] : []));
    await expect.poll(async () => (await rows()).flatMap((row) => row[3]!.trim().split(' '))).toEqual(missing);
    expect((await rows())[0]?.[1]).toBe('M 1\u201316');
    await page.getByRole('region', {name: 'Shapes that are not tuned'}).getByRole('link', {name: missing[0], exact: true}).click();
    await page.waitForURL((url) => url.pathname === '/ui/shape' && url.searchParams.get('family') === 'fmoe');
  });

  test('hours are known once jobs with ten shapes have finished on the architecture', async () => {
    const target = {gfx: 'gfx90a', cu_num: 110};  // no other test uses it
    const shapes = Array.from({length: 10}, (_, i) => ({M: 16 * (i + 1), N: 1111, K: 2222, q_dtype_w: 'torch.int8'}));
    const made = await post('/jobs', {...target, family: 'a8w8', shapes});
    const claimed = await post('/jobs/claim', {agent: 'tune-test', ...target});
    expect(claimed.id).toBe(made.id);
    await post(`/jobs/${made.id}/complete`, {agent: 'tune-test', epoch: claimed.lease.epoch});
    const page = await visit('/ui/model?model=deepseek-v3&device=MI300X&tab=tune');
    await page.getByText('not known yet', {exact: true}).first().waitFor();
    await visit('/ui/model?model=RedHatAI%2FMeta-Llama-3.1-8B-Instruct-quantized.w8a8&device=gfx90a%3A110&tab=tune').then((page) =>
      page.getByText(/ s a shape, from 1 finished job with 10 shapes/).waitFor());
  });

  test('a plan shows its jobs before it makes them', async () => {
    const page = await visit('/ui/model?model=deepseek-v3&device=MI300X&tab=tune&family=a8w8_blockscale');
    await page.getByRole('button', {name: 'Plan a8w8_blockscale'}).click();
    await giveKey(page);
    const jobs = page.getByRole('dialog', {name: 'Plan a8w8_blockscale?'});
    await jobs.waitFor();
    const before = ((await api('/jobs?limit=500')) as any).jobs.length;
    const [row] = await cellsOf(page, 'Jobs that would be made');
    const {families} = (await api('/coverage?model=deepseek-v3&tp=8&gfx=gfx942&cu_num=304&family=a8w8_blockscale')) as any;
    expect(Number(row?.[2]?.replaceAll(',', ''))).toBe(families[0].totals.missing);
    await jobs.getByRole('button', {name: 'Cancel'}).click();
    expect(((await api('/jobs?limit=500')) as any).jobs.length).toBe(before);
  });
});

const job = (...ms: number[]) => ({family: 'a8w8_blockscale', gfx: 'gfx950', cu_num: 256, shapes: ms.map((M) => ({M, N: 1313, K: 2626}))});

describe.skipIf(without)('the queue', () => {
  const {visit} = pages();

  test('what the agents do and when the queue is empty, one click from the start', async () => {
    await post('/jobs', job(16, 32));
    await post('/jobs', job(64, 128, 256));
    const claimed = await post('/jobs/claim', {agent: 'mi355x-1', gfx: 'gfx950', cu_num: 256});
    await post(`/jobs/${claimed.id}/complete`, {agent: 'mi355x-1', epoch: claimed.lease.epoch});
    const page = await visit('/');
    await new Clicks(page).on(page.getByRole('navigation', {name: 'Places'}).getByRole('link', {name: 'Fleet'}));
    const {targets, open_by_hour: open} = (await api('/queue')) as any;
    const of = targets.find((it: any) => it.gfx === 'gfx950');
    expect(of).toMatchObject({queued: 1, running: 0, shapes: 3, done: {jobs: 1, shapes: 2}});
    const row = (await cellsOf(page, 'What waits, by device')).find((it) => it[0]?.includes('gfx950'));
    expect(row?.slice(2)).toEqual(['3', '1', '0', String(of.parked), '1 job, 2 shapes']);
    expect(row?.[1]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d, in \d+ s/);
    await page.getByText(`${open[0]} a day ago, ${Math.max(...open)} at most since`).waitFor();
  });
});
