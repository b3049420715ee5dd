// What is worth tuning, from the start page, in three clicks at most.
import {describe, expect, test} from 'vitest';
import {Clicks} from '../support/clicks';
import {api, at, cellsOf, hub, pages, without} from '../support/page';

const kGroups = 'What to tune';
const percent = (share: number) => (share < 1 && Math.round(share * 100) === 100 ? '99 %' : `${(share * 100).toFixed(0)} %`);
const firstOf = (text: string | undefined) => /^[^ ]+( %)?/.exec(text ?? '')?.[0];

describe.skipIf(without)('what to tune', () => {
  const {visit} = pages();

  test('which tuned shapes are furthest from the roofline on MI300X: three clicks', async () => {
    const page = await visit('/');
    const clicks = new Clicks(page);
    await clicks.on(page.getByRole('gridcell', {name: /Qwen3-VL 32B on MI300X/}));
    await clicks.on(page.getByRole('link', {name: 'What tuning this is worth'}));
    await clicks.on(page.getByRole('link', {name: 'Furthest from the roofline first'}));
    expect(at(page)).toContain('state=slow');
    const answer = (await api('/worth?model=qwen3-vl-32b&tp=8&gfx=gfx942&cu_num=304&sort=share&state=slow')) as any;
    const shares = answer.groups.map((it: any) => it.roofline?.share).filter(Boolean);
    expect(shares.length).toBeGreaterThan(0);
    expect(shares).toEqual([...shares].sort((a: number, b: number) => a - b));
    const rows = await cellsOf(page, kGroups);
    expect(rows.length).toBe(answer.listed);
    expect(rows.map((row) => firstOf(row[4]))).toEqual(answer.groups.map((it: any) => (it.roofline ? firstOf(percent(it.roofline.share)) : '\u2013')));
    // Whose peaks these are stands on the page.
    expect(await page.locator('details.formula').textContent()).toContain('MI300X: 5300 GB/s');
  });

  test('what would tuning this cell be worth: two clicks, and it says where there is no basis', async () => {
    const page = await visit('/');
    const clicks = new Clicks(page);
    await clicks.on(page.getByRole('gridcell', {name: /DeepSeek V3 on MI355X/}));
    await clicks.on(page.getByRole('link', {name: 'What tuning this is worth'}));
    expect(at(page)).toBe('/ui/tune?model=deepseek-v3&tp=8&target=gfx950%3A256');
    const {totals, families} = (await api('/worth?model=deepseek-v3&tp=8&gfx=gfx950&cu_num=256')) as any;
    const facts = page.locator('dl.facts');
    const open = totals.shapes.missing + totals.shapes.baseline + totals.shapes.unmeasured;
    expect(await facts.textContent()).toContain(`${open.toLocaleString('en')} shapes`);
    // No default was ever measured on gfx950: nothing is made up.
    expect(totals.worth).toBeNull();
    expect(await facts.textContent()).toContain('no basis');
    await page.getByText('No default was ever measured on gfx950').waitFor();
    expect(await page.locator('.notice code').first().textContent()).toContain(`tunehub-agent bench --before -i untuned.csv --family`);
    const rows = await cellsOf(page, 'What to tune, by family');
    expect(rows.map((row) => row[0])).toEqual(families.map((it: any) => it.family));
    // The tuned time is estimated all the same, with its error.
    await page.getByText(/Time \u00b1\d+ % by [\d,]+ keys; worth held against nothing/).first().waitFor();
  });

  test('where is the largest gap, and what does closing it cost: one click, no basis before a job has finished', async () => {
    const page = await visit('/');
    const clicks = new Clicks(page);
    await clicks.on(page.getByRole('link', {name: 'What closing the largest is worth, and costs'}));
    const query = new URL(page.url()).searchParams;
    const [, gfx = '', cu_num = ''] = /^(.*):(\d+)$/.exec(query.get('target') ?? '') ?? [];
    const answer = (await api(`/worth?model=${query.get('model')}&tp=${query.get('tp')}&gfx=${gfx}&cu_num=${cu_num}`)) as any;
    expect(answer.totals.gpu_seconds).toBeNull();
    const facts = page.locator('dl.facts');
    expect(await facts.textContent()).toContain('costsno basis');
    await page.getByText('No job has ever finished').waitFor();
  });

  test('with a finished job: hours, and whose', async () => {
    const post = async (path: string, body: unknown) => {
      const response = await fetch(hub.url + path, {method: 'POST', headers: {Authorization: `Bearer ${hub.key}`, 'Content-Type': 'application/json'}, body: JSON.stringify(body)});
      expect(response.ok, `${path}: ${response.status}`).toBe(true);
      return (await response.json()) as any;
    };
    const target = {gfx: 'gfx90a', cu_num: 110};  // nobody else's
    const made = await post('/jobs', {...target, family: 'a8w8', shapes: [{M: 16, N: 1111, K: 2222, q_dtype_w: 'torch.int8'}]});
    const claimed = await post('/jobs/claim', {agent: 'tune-test', ...target});
    expect(claimed.id).toBe(made.id);
    await new Promise((done) => setTimeout(done, 1100));
    await post(`/jobs/${made.id}/complete`, {agent: 'tune-test', epoch: claimed.lease.epoch});
    const page = await visit('/');
    const clicks = new Clicks(page);
    await clicks.on(page.getByRole('link', {name: 'What closing the largest is worth, and costs'}));
    const costs = await cellsOf(page, 'What to tune, by family');
    expect(costs[0]?.at(-1)).toMatch(/s a shape, by 1 job of other targets/);
    expect(await page.locator('dl.facts').textContent()).toMatch(/costs[\d,.e-]+ GPU hours/);
  });

  test('a plan shows its jobs before it makes them', async () => {
    const page = await visit('/ui/tune?model=qwen3-8b&target=gfx942%3A304&family=bf16');
    await page.getByRole('button', {name: 'Plan bf16'}).click();
    const key = page.getByRole('dialog', {name: /key/i});
    await key.getByRole('textbox').fill(hub.key);
    await key.getByRole('textbox').press('Enter');
    const jobs = page.getByRole('dialog', {name: 'Plan bf16: the jobs'});
    await jobs.waitFor();
    const before = ((await api('/jobs?limit=500')) as any).jobs.length;
    const [row] = await cellsOf(page, 'Jobs that would be made');
    const {families} = (await api('/worth?model=qwen3-8b&tp=8&gfx=gfx942&cu_num=304&family=bf16')) as any;
    expect(Number(row?.[2]?.replaceAll(',', ''))).toBe(families[0].shapes.missing);
    await jobs.getByRole('button', {name: 'Cancel'}).click();
    expect(((await api('/jobs?limit=500')) as any).jobs.length).toBe(before);
  });

  test('speed-ups of what has no baseline: what is known, what is estimated, what to measure', async () => {
    const page = await visit('/ui/speedups?target=gfx950%3A256&model=deepseek-v3');
    const index = (await api('/tuned')) as any;
    const known = await cellsOf(page, 'Tuned keys without a measured default');
    const expected = index.families.flatMap(({family, targets}: any) => targets.flatMap((it: any) => (it.gfx === 'gfx950' && it.cu_num === 256 && it.rows - it.unmeasured - it.baselines > 0 ? [family] : [])));
    expect(known.map((row) => row[0]).sort()).toEqual(expected.sort());
    const estimated = await cellsOf(page, 'Known and estimated of deepseek-v3 at TP 8');
    expect(estimated.length).toBeGreaterThan(0);
    await page.getByRole('link', {name: 'What to measure, and to tune, first'}).waitFor();
  });
});
