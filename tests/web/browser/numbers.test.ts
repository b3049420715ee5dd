// The page shows the numbers of the HTTP interface.
import {describe, expect, test} from 'vitest';
import {api, cellsOf, hub, pages, without} from '../support/page';

describe.skipIf(without)('numbers', () => {
  const {visit} = pages();

  test('compare: a kind finds what stands behind the first thousand shapes, and pages lead through all', async () => {
    const page = await visit('/ui/changes?from=run:5&to=run:6');
    await page.getByRole('navigation', {name: 'Kinds of changes'}).getByRole('link', {name: /^840 within noise/}).click();
    await page.getByRole('navigation', {name: 'Pages: What changed'}).getByText('1 to 50 of 840').waitFor();
    await page.goto(`${hub.url}/ui/changes?from=run:5&to=run:6&kind=same&page=17`);
    await page.getByText('801 to 840 of 840').waitFor();
    expect((await cellsOf(page, 'What changed')).length).toBe(40);
    await page.getByRole('link', {name: 'Previous'}).click();
    await page.getByText('751 to 800 of 840').waitFor();
  });

  test('compare: sorted by what one clicks, and back', async () => {
    const page = await visit('/ui/changes?from=run:2&to=run:3');
    const times = async () => (await cellsOf(page, 'What changed')).map((row) => row[2]).filter((it) => it !== '\u2013').map(Number);
    const button = page.getByRole('button', {name: 'Before, us'});
    await button.click();
    await page.waitForURL((url) => url.searchParams.get('sort') === '-before');
    await expect.poll(times).toEqual((await times()).sort((a, b) => b - a));
    await button.click();
    await page.waitForURL((url) => url.searchParams.get('sort') === 'before');
    await expect.poll(times).toEqual((await times()).sort((a, b) => a - b));
    await page.goBack();
    await page.waitForURL((url) => url.searchParams.get('sort') === '-before');
  });
});
