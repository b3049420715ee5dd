// The pages of docs/ that a hub serves: readable on a phone and in the dark, without accessibility violations, and linked
// from the dashboard's menu. tests/docs/served.py follows every link.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {describe, expect, test} from 'vitest';
import {pages, without} from '../support/page';

const kAxe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// Among them: pictures, wide tables, long lines of code, the list of pages itself, a page below a folder.
const kPages = ['', 'getting-started.html', 'dashboard.html', 'api.html', 'recipes/index.html', 'reference/settings.html', 'reference/http.html'];

describe.skipIf(without)('documents', () => {
  const {visit} = pages();

  test.each(kPages)('/docs/%s has no accessibility violation and fits into 360 pixels', async (name) => {
    for (const [dark, width] of [[false, 1280], [true, 360]] as const) {
      const page = await visit(`/docs/${name}`, {dark, width});
      const violations = await page.evaluate(`${kAxe}; axe.run(document, {resultTypes: ['violations']}).then((it) => it.violations)`) as
        {id: string; nodes: {html: string; failureSummary: string}[]}[];
      expect(violations.map((it) => `${it.id}: ${it.nodes.map((node) => `${node.html} ${node.failureSummary}`).slice(0, 3).join(' | ')}`)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(await page.locator('img').evaluateAll((all) => all.filter((it) => !(it as HTMLImageElement).naturalWidth).length)).toBe(0);
    }
  });

  test('the menu of the dashboard leads there', async () => {
    const page = await visit('/');
    await page.locator('details.menu summary').click();
    await page.getByRole('link', {name: 'Documents'}).click();
    await page.getByRole('heading', {name: 'Documents', level: 1}).waitFor();
    expect(new URL(page.url()).pathname).toBe('/docs/');
  });
});
