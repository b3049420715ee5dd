// A manager's questions. Each answer is at most three clicks from the start page.
import {describe, expect, test} from 'vitest';
import {Clicks} from '../support/clicks';
import {api, at, cellsOf, hub, pages, without} from '../support/page';

const kGrid = "Share of each model's shapes that find a tuned row, by product";

describe.skipIf(without)('a manager', () => {
  const {visit} = pages();

  test('is that better than a month ago: no click, and one for the course', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    const {month_days: days} = (await api('/overview?tp=8')) as any;
    const cell = page.getByRole('gridcell', {name: new RegExp(`on MI355X.* points? more than ${days} days ago`)}).first();
    expect(await cell.locator('svg').count()).toBe(1);
    await clicks.on(page.getByText(`All models against ${days} days ago:`).getByRole('link', {name: /MI355X/}));
    expect(at(page)).toBe('/ui/trends?target=gfx950%3A256');
    const trend = (await api('/trends?gfx=gfx950&cu_num=256')) as any;
    expect(trend.now.covered).toBeGreaterThan(trend.points[0].covered);
    expect(trend.points.map((it: any) => it.kind)).toEqual(['import', 'day']);
    expect((await cellsOf(page, 'Imports, reverts and toolchains')).at(-1)?.[1]).toBe('import');
  });

  test('the course of one model, from its coverage: two clicks', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    await clicks.on(page.getByRole('gridcell', {name: /DeepSeek V3 on MI355X/}));
    await clicks.on(page.getByRole('link', {name: 'Over time'}));
    expect(at(page)).toBe('/ui/trends?model=deepseek-v3&target=gfx950%3A256');
  });

  test('whose figures these are, where rows name no product, and how they are made: no click', async () => {
    const page = await visit('/');
    const head = page.getByRole('group', {name: kGrid}).getByRole('columnheader', {name: /MI300X/});
    expect(await head.locator('abbr').getAttribute('title')).toBe('rows of gfx942:304 count for MI325X, too');
    await page.getByText('rows name gfx and CU count alone').waitFor();
    expect(await page.locator('details.formula').textContent()).toContain('the share is the mean of the ranges');
  });

  test('with nothing imported: what to do first, with the command', async () => {
    const page = await visit('/');
    await page.route('**/overview?*', async (route) => {
      const answer = (await (await route.fetch()).json()) as any;
      await route.fulfill({json: {...answer, targets: [], models: answer.models.map((it: any) => ({...it, cells: []}))}});
    });
    await page.reload();
    await page.getByText('The registry is empty.').waitFor();
    const commands = await page.locator('.empty pre').allTextContents();
    expect(commands.join('\n')).toContain(`tunehub-agent import aiter/configs --hub ${hub.url}`);
    expect(commands.join('\n')).toContain('tunehub-server key create --scope admin');
  });

  test('which model is worst on MI355X, and that model there: two clicks', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    const grid = page.getByRole('group', {name: kGrid});
    await clicks.on(grid.getByRole('gridcell', {name: /the mean of all models on MI355X/}));
    const {targets, models} = (await api('/overview?tp=8')) as any;
    const place = targets.findIndex((it: any) => it.products.includes('MI355X'));
    const shares = models.flatMap((it: any) => it.cells[place]?.covered ?? []);
    const worst = models.find((it: any) => it.cells[place]?.covered === Math.min(...shares));
    expect(await grid.locator('tbody th').nth(1).textContent()).toContain(worst.title);
    await clicks.on(grid.getByRole('gridcell', {name: new RegExp(`${worst.title.replace(/[.()]/g, '.')} on MI355X`)}));
    expect(at(page)).toBe(`/ui/coverage?model=${encodeURIComponent(worst.model)}&tp=8&target=gfx950%3A256`);
    // The view lists all shapes of the cell's count, by family.
    const sum = (column: number, rows: string[][]) => rows.reduce((all, row) => all + Number(row[column]?.replaceAll(',', '')), 0);
    const families = await cellsOf(page, 'Coverage by family');
    expect(sum(3, families)).toBeGreaterThanOrEqual(worst.cells[place].shapes);
  });

  test('what did tuning bring, measured: one click', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    const line = page.getByText('What tuning brought, measured:');
    await clicks.on(line.getByRole('link', {name: /gfx942:80/}));
    expect(at(page)).toBe('/ui/speedups?target=gfx942%3A80');
  });
});
