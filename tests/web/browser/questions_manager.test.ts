// What a manager asks, from the start page, in three clicks at most.
import {describe, expect, test} from 'vitest';
import {Clicks} from '../support/clicks';
import {api, at, cellsOf, hub, pages, without} from '../support/page';

const percent = (share: number) => (share < 1 && Math.round(share * 100) === 100 ? '99 %' : `${(share * 100).toFixed(0)} %`);
const ratio = (value: number) => `${value.toFixed(2)}\u00d7`;

const kGrid = "Share of each model's work that finds a tuned row, by product";

describe.skipIf(without)('a manager', () => {
  const {visit} = pages();

  test('how well are our models covered on each GPU: no click', async () => {
    const page = await visit('/');
    const {targets, models} = (await api('/overview?tp=8')) as any;
    // Products whose rows cannot be told apart have a column each, with the same figures.
    const columns = targets.flatMap((it: any, place: number) => (it.products.length > 0 ? it.products : [`${it.gfx}:${it.cu_num}`]).map((name: string) => ({name, place})));
    const grid = page.getByRole('group', {name: kGrid});
    const heads = await grid.locator('thead th').allTextContents();
    expect(heads.length).toBe(columns.length + 1);
    for (const [i, {name}] of columns.entries()) expect(heads[i + 1]).toContain(name);
    for (const name of ['MI300X', 'MI325X', 'MI355X']) expect(heads.join(' ')).toContain(name);
    const rows = await grid.locator('tbody tr').evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((it) => it.firstChild?.textContent ?? '')));
    expect(rows.slice(1)).toEqual(models.map(({cells}: any) => columns.map(({place}: any) => (cells[place] ? percent(cells[place].covered) : ''))));
    expect(models.some((it: any) => it.cells.some((cell: any) => cell?.covered > 0.1))).toBe(true);
    // The first row is the mean of those below it.
    const mean = (place: number) => {
      const cells = models.flatMap((it: any) => it.cells[place] ?? []);
      return cells.reduce((sum: number, it: any) => sum + it.covered, 0) / cells.length;
    };
    expect(rows[0]).toEqual(columns.map(({place}: any) => percent(mean(place))));
  });

  test('is that better than a month ago: no click, and one for the course', async () => {
    const page = await visit('/');
    const clicks = new Clicks(page);
    const {targets, models, month_days: days} = (await api('/overview?tp=8')) as any;
    const place = targets.findIndex((it: any) => it.products.includes('MI355X'));
    const known = models.flatMap((it: any) => (it.cells[place]?.month === undefined ? [] : [{title: it.title, ...it.cells[place]}]));
    const points = ({plain, month}: any) => Math.round(plain * 100) - Math.round(month * 100);
    const text = (value: number) => (value === 0 ? `as ${days} days ago` : `${Math.abs(value)} point${Math.abs(value) === 1 ? '' : 's'} ${value > 0 ? 'more' : 'less'} than ${days} days ago`);
    const best = known.reduce((a: any, b: any) => (points(b) > points(a) ? b : a));
    expect(points(best), 'the seed has tuned shapes').toBeGreaterThan(0);
    const cell = page.getByRole('gridcell', {name: new RegExp(`${best.title.replace(/[.()]/g, '.')} on MI355X`)});
    expect(await cell.getAttribute('aria-label')).toContain(text(points(best)));
    expect(await cell.locator('small').textContent()).toContain(`+${points(best)}`);
    expect(await cell.locator('svg').count()).toBe(1);
    const mean = (name: string) => known.reduce((sum: number, it: any) => sum + it[name], 0) / known.length;
    const line = page.getByText(`All models against ${days} days ago:`);
    const link = line.getByRole('link', {name: /MI355X/});
    expect(await link.textContent()).toContain(`MI355X, ${text(points({plain: mean('plain'), month: mean('month')}))}`);
    await clicks.on(link);
    expect(at(page)).toBe('/ui/trends?target=gfx950%3A256');
    const trend = (await api('/trends?gfx=gfx950&cu_num=256')) as any;
    const share = (it: any) => `${(it.covered * 100).toFixed(1)} %`;
    const rows = await cellsOf(page, 'Points');
    expect(rows.map((row) => [row[2], row[3], row[7]])).toEqual([trend.now, ...[...trend.points].reverse()].map((it: any, i: number) => [(i === 0 ? trend : it).revision.toLocaleString('en'), share(it), it.tuned.toLocaleString('en')]));
    expect(trend.now.covered).toBeGreaterThan(trend.points[0].covered);
    expect(trend.points.map((it: any) => it.kind)).toEqual(['import', 'day']);
    await page.getByText(`${share(trend.now)} now, ${share(trend.points[0])} `).waitFor();
    expect((await cellsOf(page, 'Imports, reverts and toolchains')).at(-1)?.[1]).toBe('import');
  });

  test('the course of one model, from its coverage: two clicks', async () => {
    const page = await visit('/');
    const clicks = new Clicks(page);
    await clicks.on(page.getByRole('gridcell', {name: /DeepSeek V3 on MI355X/}));
    await clicks.on(page.getByRole('link', {name: 'Over time'}));
    expect(at(page)).toBe('/ui/trends?model=deepseek-v3&target=gfx950%3A256');
    const trend = (await api('/trends?gfx=gfx950&cu_num=256&model=deepseek-v3')) as any;
    const rows = await cellsOf(page, 'Points');
    expect(rows[0]?.slice(3, 5)).toEqual([`${(trend.now.covered * 100).toFixed(1)} %`, `${trend.now.found.toLocaleString('en')} of ${trend.now.shapes.toLocaleString('en')}`]);
  });

  test('whose figures these are, where rows name no product, and how they are made: no click', async () => {
    const page = await visit('/');
    const head = page.getByRole('group', {name: kGrid}).getByRole('columnheader', {name: /MI300X/});
    expect(await head.locator('abbr').getAttribute('title')).toBe('rows of gfx942:304 count for MI325X, too');
    await page.getByText('rows name gfx and CU count alone').waitFor();
    expect(await page.locator('details.formula').textContent()).toContain('Share = \u03a3 flops \u00d7 covered / \u03a3 flops');
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
    const page = await visit('/');
    const clicks = new Clicks(page);
    const grid = page.getByRole('group', {name: kGrid});
    await clicks.on(grid.getByRole('gridcell', {name: /the mean of all models on MI355X/}));
    const {targets, models} = (await api('/overview?tp=8')) as any;
    const place = targets.findIndex((it: any) => it.products.includes('MI355X'));
    const shares = models.flatMap((it: any) => it.cells[place]?.covered ?? []);
    const worst = models.find((it: any) => it.cells[place]?.covered === Math.min(...shares));
    expect(await grid.locator('tbody th').nth(1).textContent()).toContain(worst.title);
    await clicks.on(grid.getByRole('gridcell', {name: new RegExp(`${worst.title.replace(/[.()]/g, '.')} on MI355X`)}));
    expect(at(page)).toBe(`/ui/coverage?model=${worst.model}&tp=8&target=gfx950%3A256`);
    // All that the cell counts stands there, family by family.
    const sum = (column: number, rows: string[][]) => rows.reduce((all, row) => all + Number(row[column]?.replaceAll(',', '')), 0);
    const families = await cellsOf(page, 'Coverage by family');
    expect(sum(3, families)).toBeGreaterThanOrEqual(worst.cells[place].shapes);
  });

  test('what did tuning bring, measured: one click', async () => {
    const page = await visit('/');
    const clicks = new Clicks(page);
    const {target} = ((await api('/speedups')) as any).by;
    const measured = target.filter((it: any) => it.tuned_over_default.keys > 0);
    expect(measured.length).toBe(2);
    const line = page.getByText('What tuning brought, measured:');
    for (const {name, tuned_over_default: over} of measured) {
      expect(await line.textContent()).toContain(`${ratio(over.geometric_mean)} over the default by ${over.keys} keys`);
      expect(await line.textContent()).toContain(name);
    }
    await clicks.on(line.getByRole('link', {name: /gfx942:80/}));
    expect(at(page)).toBe('/ui/speedups?target=gfx942%3A80');
    const over = measured.find((it: any) => it.name === 'gfx942:80').tuned_over_default;
    expect((await cellsOf(page, 'Tuned, heuristic and default'))[0]?.slice(1, 3)).toEqual([String(over.keys), ratio(over.geometric_mean)]);
  });
});
