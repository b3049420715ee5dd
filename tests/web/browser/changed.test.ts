// What changed: a lock file, and the ways there and on.
import {describe, expect, test} from 'vitest';
import {api, cellsOf, hub, pages, settled, without} from '../support/page';

// As the page asks: in its time zone-less words.
const kLock = async () => {
  const {revisions} = (await api('/revisions?limit=500')) as any;
  const [number, token] = revisions[revisions.length - 1].pin.split('-');
  const table = {family: 'a8w8_blockscale', query: 'gfx=gfx942&cu_num=228', revision: Number(number), token, sha256: '', file: 'a.csv'};
  return JSON.stringify({hub: hub.url, tables: [table]});
};

describe.skipIf(without)('what changed', () => {
  const {visit} = pages();

  test('a lock file of before anything was measured: every key appeared, page by page', async () => {
    const page = await visit('/');
    await page.getByRole('navigation', {name: 'Views'}).getByRole('link', {name: 'Changed'}).click();
    await settled(page);
    const lock = await kLock();
    await page.getByLabel(/lock file/).setInputFiles({name: 'tunehub.lock', mimeType: 'application/json', buffer: Buffer.from(lock)});
    await page.getByText('Since the lock file: 1 table of revision').waitFor();
    await settled(page);
    const answer = (await (await fetch(`${hub.url}/differences`, {method: 'POST', body: lock})).json()) as any;
    expect(answer.matching).toBe(1200);
    const rows = await cellsOf(page, 'What changed');
    expect(rows.map((row) => row[3])).toEqual(answer.differences.map((it: any) => it.now.us.toLocaleString('en', {minimumFractionDigits: 2, maximumFractionDigits: 2})));
    await page.getByRole('link', {name: 'Next'}).click();
    await page.waitForURL((url) => url.searchParams.get('page') === '2');
    await page.getByText('51 to 100 of 1,200').waitFor();
  });

  test('the box of this week leads there, and a row to its key', async () => {
    const page = await visit('/');
    await page.getByRole('link', {name: /became slower, faster/}).click();
    await settled(page);
    await page.getByRole('region', {name: 'What changed'}).getByRole('link', {name: /^M / }).first().click();
    await page.waitForURL((url) => url.pathname === '/ui/shape');
  });
});
