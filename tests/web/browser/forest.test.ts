// The forest plot of a shape, and the drift of devices: what they show, by keyboard, on paper and on a phone.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {describe, expect, test} from 'vitest';
import {us} from '../support/looks';
import {api, cellsOf, pages, without} from '../support/page';

const kAxe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const kPlot = 'Times of the candidates that compete. Arrow keys move.';
const {visit} = pages();

// The key whose candidates this machine's CPU measured.
async function sampledKey(): Promise<string> {
  const name: string = ((await api('/speedups')) as any).by.target.map((it: any) => it.name).find((it: string) => it.startsWith('cpu-'));
  const [gfx, cu_num] = name.split(':');
  return `gfx=${gfx}&cu_num=${cu_num}&M=16&N=128&K=512&q_dtype_w=torch.int8`;
}

describe.skipIf(without)('a forest plot', () => {
  test('has a line for each of the twelve fastest candidates, with its interval', async () => {
    const key = await sampledKey(), {measurements} = (await api(`/shapes/a8w8?${key}`)) as any;
    const timed = measurements.filter((it: any) => it.compared_by && (it.competes || it.standing === 'unconfirmed'));
    const won = timed.find((it: any) => it.won);
    const page = await visit(`/ui/shape?family=a8w8&${key}`);
    const lines = page.getByRole('group', {name: kPlot}).getByRole('img');
    const texts = await lines.evaluateAll((all) => all.map((it) => it.getAttribute('aria-label') ?? ''));
    expect(texts.length).toBe(Math.min(12, timed.length));
    const {low, high, steady} = won.compared_by, within = steady ? `${us(low)} to ${us(high)}` : 'unsteady';
    expect(texts[0]).toContain(`${us(won.compared_by.us)} us (${within}, n ${won.evidence.samples.length}), served`);
    expect(texts.filter((it) => /, default/.test(it)).length).toBeLessThanOrEqual(1);
    await lines.first().focus();
    const spoken = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await page.keyboard.press('ArrowDown');
    expect(await spoken()).toBe(texts[1]);
    await page.keyboard.press('End');
    expect(await spoken()).toBe(texts.at(-1));
    await page.keyboard.press('Tab');  // the plot is one stop
    expect(texts).not.toContain(await spoken());
    const [row] = await cellsOf(page, 'Every measurement of this shape');
    expect(row?.[1]).toContain(`n ${won.evidence.samples.length}`);
  });

  test.each([[1280, false], [360, true]])('%i pixels, dark: %s: accessible, and within the page', async (width, dark) => {
    const page = await visit(`/ui/shape?family=a8w8&${await sampledKey()}`, {width, dark});
    const violations = (await page.evaluate(`${kAxe}; axe.run(document, {resultTypes: ['violations']}).then((it) => it.violations)`)) as any[];
    expect(violations.map((it) => `${it.id}: ${it.nodes[0].html}`)).toEqual([]);
    const plot = await page.locator('.forest svg').boundingBox();
    expect((plot?.x ?? 0) + (plot?.width ?? 0)).toBeLessThanOrEqual(width);
  });

  test('is light on paper, and is left out where nothing competes', async () => {
    const page = await visit(`/ui/shape?family=a8w8&${await sampledKey()}`, {dark: true});
    await page.emulateMedia({colorScheme: 'dark', media: 'print'});
    expect(await page.locator('.forest .hollow, .forest circle').first().evaluate((it) => getComputedStyle(it).fill)).toBe('rgb(23, 105, 181)');
    const alone = await visit('/ui/shape?family=a8w8_blockscale&gfx=gfx942&cu_num=304&M=16&N=1280&K=5120');
    expect(await alone.locator('.forest').count()).toBe(0);
  });
});
