// When the queue is empty: asked by who pays for the hosts.
import {describe, expect, test} from 'vitest';
import {Clicks} from '../support/clicks';
import {api, cellsOf, hub, pages, without} from '../support/page';

async function post(path: string, body: object): Promise<any> {
  const answer = await fetch(hub.url + path, {
    method: 'POST',
    headers: {Authorization: `Bearer ${hub.key}`, 'Content-Type': 'application/json'},
    body: JSON.stringify(body),
  });
  expect(answer.ok, `${path} ${answer.status}`).toBe(true);
  return answer.json();
}

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
