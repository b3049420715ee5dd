// What changed: the ways there and on.
import {describe, expect, test} from 'vitest';
import {pages, settled, without} from '../support/page';

describe.skipIf(without)('what changed', () => {
  const {visit} = pages();

  test('the box of this week leads there, and a row to its key', async () => {
    const page = await visit('/');
    await page.getByRole('link', {name: /became slower, faster/}).click();
    await settled(page);
    await page.getByRole('region', {name: 'What changed'}).getByRole('link', {name: /^M / }).first().click();
    await page.waitForURL((url) => url.pathname === '/ui/shape');
  });
});
