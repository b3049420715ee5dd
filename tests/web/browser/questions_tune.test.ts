// Questions about the next shapes to tune, and about the queue.
import {describe, expect, test} from 'vitest';
import {Clicks} from '../support/clicks';
import {number} from '../support/looks';
import {api, at, cellsOf, giveKey, hub, pages, post, without} from '../support/page';

const openOf = ({missing, baseline, unmeasured}: any): number => missing + baseline + unmeasured;

describe.skipIf(without)('what to tune', () => {
  const {visit} = pages();

  test('what to tune next of a model on MI355X: two clicks', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    await clicks.on(page.getByRole('gridcell', {name: /DeepSeek V3 on MI355X/}));
    await clicks.on(page.getByRole('link', {name: 'What to tune next'}));
    expect(at(page)).toBe('/ui/tune?model=deepseek-v3&tp=8&target=gfx950%3A256');
    const {families} = (await api('/coverage?model=deepseek-v3&tp=8&gfx=gfx950&cu_num=256')) as any;
    const sum = (what: (totals: any) => number) => families.reduce((total: number, it: any) => total + what(it.totals), 0);
    await page.getByText(`${number(sum(openOf))} of ${number(sum((it) => it.shapes))} shapes not tuned.`).waitFor();
    await page.getByText('No tuning job is among the last 100 that finished on gfx950').waitFor();
  });

  test('with a finished job: hours, and whose', async () => {
    const target = {gfx: 'gfx90a', cu_num: 110};  // no other test uses it
    const made = await post('/jobs', {...target, family: 'a8w8', shapes: [{M: 16, N: 1111, K: 2222, q_dtype_w: 'torch.int8'}]});
    const claimed = await post('/jobs/claim', {agent: 'tune-test', ...target});
    expect(claimed.id).toBe(made.id);
    await new Promise((done) => setTimeout(done, 1100));
    await post(`/jobs/${made.id}/complete`, {agent: 'tune-test', epoch: claimed.lease.epoch});
    const page = await visit('/'), clicks = new Clicks(page);
    await clicks.on(page.getByRole('link', {name: 'What to tune next for the largest'}));
    const gfx = /target=([^%]+)/.exec(at(page))?.[1];
    await page.getByText(`No tuning job is among the last 100 that finished on ${gfx}`).waitFor();
    await page.goto(`${hub.url}/ui/tune?model=RedHatAI%2FMeta-Llama-3.1-8B-Instruct-quantized.w8a8&target=gfx90a%3A110`);
    await page.getByText(/Tuning them takes [\d,.e-]+ GPU hours/).waitFor();
    const costs = await cellsOf(page, 'What to tune, by family');
    expect(costs.map((row) => row.at(-1))).toContainEqual(expect.stringMatching(/s a shape, by 1 job of (this family|other families)/));
  });

  test('a plan shows its jobs before it makes them', async () => {
    const page = await visit('/ui/tune?model=deepseek-v3&target=gfx942%3A304&family=a8w8_blockscale');
    await page.getByRole('button', {name: 'Plan a8w8_blockscale'}).click();
    await giveKey(page);
    const jobs = page.getByRole('dialog', {name: 'Plan a8w8_blockscale: the jobs'});
    await jobs.waitFor();
    const before = ((await api('/jobs?limit=500')) as any).jobs.length;
    const [row] = await cellsOf(page, 'Jobs that would be made');
    const {families} = (await api('/coverage?model=deepseek-v3&tp=8&gfx=gfx942&cu_num=304&family=a8w8_blockscale')) as any;
    expect(Number(row?.[2]?.replaceAll(',', ''))).toBe(families[0].totals.missing);
    await jobs.getByRole('button', {name: 'Cancel'}).click();
    expect(((await api('/jobs?limit=500')) as any).jobs.length).toBe(before);
  });

  test('speed-ups of what has no baseline: what is known, and how to measure both sides', async () => {
    const page = await visit('/ui/speedups?target=gfx950%3A256&model=deepseek-v3');
    const index = (await api('/tuned')) as any;
    const known = await cellsOf(page, 'Tuned keys without a measured default');
    const expected = index.families.flatMap(({family, targets}: any) => targets.flatMap((it: any) => (it.gfx === 'gfx950' && it.cu_num === 256 && it.rows - it.unmeasured - it.baselines > 0 ? [family] : [])));
    expect(known.map((row) => row[0]).sort()).toEqual(expected.sort());
    await page.getByText('tunehub-agent bench --before -i untuned.csv --family').waitFor();
    await page.getByText('No baseline is measured here').waitFor();
    expect(await page.locator('.chart').count()).toBe(0);
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
    await new Clicks(page).on(page.getByRole('navigation', {name: 'Views'}).getByRole('link', {name: 'Fleet'}));
    const {targets, open_by_hour: open} = (await api('/queue')) as any;
    const of = targets.find((it: any) => it.gfx === 'gfx950');
    expect(of).toMatchObject({queued: 1, running: 0, shapes: 3, done: {jobs: 1, shapes: 2}});
    const row = (await cellsOf(page, 'What waits, by target')).find((it) => it[0]?.includes('gfx950'));
    expect(row?.slice(2)).toEqual(['3', '1', '0', String(of.parked), '1 job, 2 shapes']);
    expect(row?.[1]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d, in \d+ s/);
    await page.getByText(`${open.at(-1)} jobs now,`).waitFor();
  });
});
