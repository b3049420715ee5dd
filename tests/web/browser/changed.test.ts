// What changed since last week, and since a build's lock file: from the start page, in three clicks at most.
import {describe, expect, test} from 'vitest';
import {api, at, cellsOf, hub, pages, settled, without} from '../support/page';

// As the page asks: in its time zone-less words.
const kLock = async () => {
  const {revisions} = (await api('/revisions?limit=500')) as any;
  const [number, token] = revisions[revisions.length - 1].pin.split('-');
  const table = {family: 'a8w8_blockscale', query: 'gfx=gfx942&cu_num=228', revision: Number(number), token, sha256: '', file: 'a.csv'};
  return JSON.stringify({hub: hub.url, tables: [table]});
};

describe.skipIf(without)('what changed', () => {
  const {visit} = pages();

  test('which shapes got slower since last week: two clicks', async () => {
    const page = await visit('/');
    await page.getByRole('navigation', {name: 'Views'}).getByRole('link', {name: 'Changed'}).click();
    await settled(page);
    await page.getByRole('navigation', {name: 'Kinds of changes'}).getByRole('link', {name: /slower$/}).click();
    await settled(page);
    expect(at(page)).toBe('/ui/changed?kind=slower');
    const answer = (await api('/differences?since=7d&kind=slower')) as any;
    expect(answer.counts.slower).toBeGreaterThan(0);
    const rows = await cellsOf(page, 'What changed');
    expect(rows.length).toBe(answer.listed);
    expect(rows.map((row) => Number(row[3]?.replaceAll(',', '')))).toEqual(answer.differences.map((it: any) => Number(it.now.us.toFixed(2))));
    expect(rows.every((row) => row[0] === 'slower')).toBe(true);
  });

  test('what changed since this lock file: one click, and the file', async () => {
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
