// What a build engineer asks of changes, from the start page, in three clicks at most.
import {describe, expect, test} from 'vitest';
import {Clicks} from '../support/clicks';
import {api, cellsOf, hub, pages, settled, without} from '../support/page';

const micros = (us: number) => us.toLocaleString('en', {minimumFractionDigits: 2, maximumFractionDigits: 2});

describe.skipIf(without)('a build engineer', () => {
  const {visit} = pages();

  test('what changed since this lock file: two clicks, and the file', async () => {
    const page = await visit('/');
    const clicks = new Clicks(page);
    const {revisions} = (await api('/revisions?limit=500')) as any;
    // The newest that is a week old: since then 1,200 keys were measured again.
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
