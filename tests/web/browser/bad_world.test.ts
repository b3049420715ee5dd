// Wrong addresses, a server that stops answering, hostile names and API keys.
import {describe, expect, test} from 'vitest';
import {api, at, cellsOf, giveKey, hub, pages, without} from '../support/page';
import {kLongKernel, kNasty} from '../support/seed';

describe.skipIf(without)('a bad world', () => {
  const {visit, expectErrors} = pages();

  test.each([
    ['/ui/kernels?family=a8w8_blokscale', 'There is no family "a8w8_blokscale"', 'a8w8_blockscale'],
    ['/ui/shape?family=a8w8_blokscale', 'There is no family "a8w8_blokscale"', 'a8w8_blockscale'],
    ['/ui/model?model=gpt-9', 'There is no model "gpt-9"', 'gpt-oss-120b'],
  ])('%s: says so and offers what exists', async (path, said, offered) => {
    const page = await visit(path);
    const alert = page.getByRole('alert').first();
    expect(await alert.textContent()).toContain(said);
    await alert.getByRole('link', {name: offered, exact: true}).click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  test.each(['/?colour=red', '/ui/kernels?colour=red', '/ui/model?colour=red', '/ui/changes?colour=red', '/ui/fleet?colour=red', '/ui/changes?list=runs&colour=red', '/ui/audit?colour=red', '/ui/api?colour=red'])(
    '%s: names the filter that it does not know', async (path) => {
      const page = await visit(path);
      const alert = page.getByRole('alert').first();
      expect(await alert.textContent()).toContain('This view has no filter "colour"');
      await alert.getByRole('link', {name: 'Leave it out'}).click();
      await page.waitForURL((url) => !url.search.includes('colour'));
      await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    });

  test('a value that the server refuses is said as the server says it', async () => {
    expectErrors(/400/);
    const page = await visit('/ui/kernels?device=MI300X&family=a8w8_blockscale&M=many');
    const alert = page.getByRole('alert').first();
    await alert.waitFor();
    expect(await alert.textContent()).toContain('many');
  });

  test('a shape that nobody measured', async () => {
    expectErrors(/404/);
    const page = await visit('/ui/shape?family=a8w8_blockscale&gfx=gfx942&cu_num=304&M=16&N=7&K=9');
    await page.getByText('Nobody has measured this shape.').first().waitFor();
  });

  test('the server goes: what was there stays, said once; it comes back by itself', async () => {
    expectErrors(/ERR_INTERNET_DISCONNECTED|Failed to load/);
    const page = await visit('/ui/fleet');
    const rows = page.getByRole('region', {name: 'Devices'}).locator('tbody tr');
    expect(await rows.count()).toBe(1);
    await page.context().setOffline(true);
    await page.getByText('The server has not answered for').waitFor();
    expect(await rows.count()).toBe(1);
    expect(await page.getByRole('alert').count()).toBe(1);
    await page.context().setOffline(false);
    await page.getByText('The server has not answered for').waitFor({state: 'detached'});
  });

  test('names that are markup are text, and long ones break', async () => {
    let dialogs = 0;
    for (const path of ['/ui/changes?list=runs', '/ui/changes?run=2', '/ui/changes?from=run:2&to=run:3', '/ui/shape?family=a8w8_blockscale&gfx=gfx942&cu_num=80&M=16&N=2048&K=3072']) {
      const page = await visit(path, {width: 360});
      page.on('dialog', () => ++dialogs);
      expect(await page.locator('main script').count()).toBe(0);
      expect(await page.locator('main').textContent()).toContain(kNasty);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    }
    const page = await visit('/ui/shape?family=a8w8_blockscale&gfx=gfx942&cu_num=80&M=32&N=2048&K=3072', {width: 360});
    expect(await page.locator('main').textContent()).toContain(kLongKernel);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(dialogs).toBe(0);
  });

  test('planning asks for a key, says when it is wrong, and keeps it for the tab alone', async () => {
    expectErrors(/401/);
    const page = await visit('/ui/fleet');
    const plan = page.getByRole('button', {name: 'Plan a job'}).first();
    await plan.click();
    const dialog = page.getByRole('dialog');
    await giveKey(page, 'thub_wrong');
    await dialog.getByText(/^Not saved: /).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await dialog.getByLabel('Key').fill(hub.key);
    const before = (await api('/jobs?limit=500'))['jobs'].length;
    // Waits for the answer first, because other rows may already link to a job.
    const planned = page.waitForResponse((answer) => answer.url().includes('/jobs/plan'));
    await dialog.getByRole('button', {name: 'Save and continue'}).click();  // then the page plans the job
    expect((await planned).status()).toBe(200);
    expect(await page.evaluate(() => [sessionStorage.length, JSON.stringify(localStorage).includes('thub_')])).toEqual([1, false]);
    await page.getByRole('link', {name: /^job \d+, queued$/}).first().waitFor();
    expect((await api('/jobs?limit=500'))['jobs'].length).toBe(before + 1);
  });

  test('the audit asks for a key, says when it is wrong, and has the import page by page', async () => {
    expectErrors(/401/);
    const page = await visit('/ui/audit');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', {name: 'Enter a key'}).click();
    await giveKey(page, 'thub_wrong');
    await dialog.getByText(/^Not saved: /).waitFor();
    await giveKey(page);
    const rows = page.getByRole('region', {name: 'Audit'}).locator('tbody tr');
    await rows.first().waitFor();
    const audit = (await (await fetch(`${hub.url}/audit?limit=500`, {headers: {Authorization: `Bearer ${hub.key}`}})).json()) as {audit: {detail: string; action: string}[]};
    const imported = audit.audit.find((it) => it.action === 'import');
    expect(imported?.detail).toMatch(/^import aiter: run 1, /);
    expect(audit.audit.slice(-2).map((it) => it.action)).toEqual(['key create', 'key sign']);
    await expect.poll(() => cellsOf(page, 'Audit').then((all) => all.map((it) => it[3]))).toContain(audit.audit[0]?.detail);
    expect(await page.locator('main').textContent()).not.toContain('thub_');
    await page.setViewportSize({width: 360, height: 900});
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.locator('.menu summary').click();
    await page.getByRole('button', {name: 'API key: set'}).click();
    await dialog.getByRole('button', {name: 'Remove'}).click();
    await page.getByRole('button', {name: 'Enter a key'}).waitFor();
    expect(await rows.count()).toBe(0);
    // The next user of this tab must not see the rows.
    await page.getByRole('button', {name: 'Enter a key'}).click();
    await giveKey(page, 'thub_another');
    await dialog.getByText(/^Not saved: /).waitFor();
    expect(await rows.count()).toBe(0);
  });

  test('from the last page of the audit there is a way back', async () => {
    const page = await visit('/ui/audit?before=2');
    await page.getByRole('button', {name: 'Enter a key'}).click();
    await giveKey(page);
    const ways = page.getByRole('navigation', {name: 'Pages of the audit'});
    await ways.getByRole('link', {name: 'Newest'}).click();
    await page.waitForURL((url) => url.search === '');
    await expect.poll(() => ways.getByRole('link', {name: 'Newest'}).count()).toBe(0);
  });
});
