// Plots: pointer, keys, zoom, links, colours. And the questions that they answer, each in at most three clicks.
import type {Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {Clicks} from '../support/clicks';
import {number, share, us} from '../support/looks';
import {api, at, cellsOf, pages, settled, without} from '../support/page';

const kRoofline = '/ui/model?model=deepseek-v3&device=MI355X&tp=8&engine=vllm&stored=config&tab=roofline';
const kHistory = kRoofline.replace('roofline', 'history');
const kAsked = 'model=deepseek-v3&tp=8&gfx=gfx950&cu_num=256';

const plotOf = (page: Page, name: RegExp) => page.getByRole('application', {name});
const saidIn = (page: Page, name: RegExp) => plotOf(page, name).getByRole('status').textContent();
// The pixels of the line in the light and in the dark colour.
const pixels = (page: Page) => page.locator('.plot canvas').first().evaluate((it) => {
  const {data} = (it as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, (it as HTMLCanvasElement).width, (it as HTMLCanvasElement).height);
  const found = {light: 0, dark: 0};
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] === 0x17 && data[i + 1] === 0x69 && data[i + 2] === 0xb5) ++found.light;
    if (data[i] === 0x74 && data[i + 1] === 0xb3 && data[i + 2] === 0xee) ++found.dark;
  }
  return found;
});

// The cells with a time and a roofline, those with the most time above it first.
async function cells(product = 'MI355X'): Promise<{layer: any; m: number; us: number; roof: number; above: number}[]> {
  const map = (await api(`/map?${kAsked}&product=${product}`)) as any;
  return map.layers.flatMap((layer: any) => layer.us.flatMap((time: number | null, i: number) => {
    const roof = layer.roofline_us[i];
    return time === null || roof === null || layer.row_m[i] !== map.m[layer.at[i]] ? [] : [{layer, m: map.m[layer.at[i]], us: time, roof, above: layer.count * (time - roof)}];
  })).sort((a: any, b: any) => b.above - a.above);
}

describe.skipIf(without)('questions', () => {
  const {visit} = pages();

  test('is Qwen3-VL-235B FP8 better covered than a month ago, and by how much: two clicks', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    await clicks.on(page.getByRole('gridcell', {name: /^(?=.*Qwen3-VL-235B)(?=.*FP8)(?=.*MI355X)/i}).first());
    await clicks.on(page.getByRole('link', {name: 'History', exact: true}));
    const {model} = Object.fromEntries(new URL(page.url()).searchParams);
    const {points, now} = (await api(`/trends?gfx=gfx950&cu_num=256&model=${model}&days=180`)) as any;
    const {coverage} = (await api(`/map?${kAsked.replace('deepseek-v3', model ?? '').replace('tp=8', `tp=${now.tp}`)}`)) as any;
    expect(share(coverage.covered)).toBe(share(now.covered));  // the hub keeps the largest TP that the model can have
    const then = points.findLast((it: any) => it.tp === now.tp && Date.parse(it.at) <= Date.now() - 30 * 86_400_000);
    const change = Math.round(now.covered * 100) - Math.round(then.covered * 100);
    await page.getByText(`Covered now ${share(now.covered)}, 30 days ago ${share(then.covered)}: ${change === 0 ? 'unchanged' : `${change > 0 ? '+' : '\u2212'}${Math.abs(change)} points`}.`).waitFor();
  });

  test('which lookup is furthest above the roofline, and how near are the kernels on average: two clicks', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    await clicks.on(page.getByRole('gridcell', {name: /^DeepSeek V3 on .*MI355X/}).first());
    await clicks.on(page.getByRole('link', {name: 'Roofline', exact: true}));
    const device = new URL(page.url()).searchParams.get('device')!;
    const all = await cells(device), [worst] = all, sum = (of: (it: any) => number) => all.reduce((total, it) => total + of(it), 0);
    const mean = sum((it) => it.layer.flops * it.roof / it.us) / sum((it) => it.layer.flops), above = sum((it) => it.above) / sum((it) => it.layer.count * it.us);
    const times = `${worst!.layer.count} \u00d7 ${us(worst!.us - worst!.roof)} us above it, ${(worst!.us / worst!.roof).toFixed(2)}\u00d7 the roofline's time`;
    await expect.poll(() => page.locator('.answer').textContent()).toBe(`Furthest above the roofline: ${worst!.layer.layer} at M ${number(worst!.m)}, ${times}`);
    await page.getByText(`${device}: ${share(mean)} of the roofline on average; ${share(above)} of the total time is above the roofline.`).waitFor();
  });
});

describe.skipIf(without)('a plot', () => {
  const {visit} = pages();

  test('says each point to the keyboard, and Enter opens it', async () => {
    const page = await visit(kRoofline), [worst, next] = await cells();
    await plotOf(page, /^TFLOPS/).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => saidIn(page, /^TFLOPS/)).toContain(`${next!.layer.layer}, M ${number(next!.m)}, `);
    await page.keyboard.press('Home');
    await expect.poll(() => saidIn(page, /^TFLOPS/)).toContain(`${worst!.layer.layer}, M ${number(worst!.m)}, `);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/ui/shape' && url.searchParams.get('family') === worst!.layer.family);
  });

  test('shows a point at the pointer, zooms by dragging, and shows all again', async () => {
    const page = await visit(kHistory), plot = plotOf(page, /^Coverage/), all = plot.getByRole('button', {name: 'Show all'});
    const box = (await plot.locator('.u-over').boundingBox())!, y = box.y + box.height / 2;
    const {now} = (await api('/trends?gfx=gfx950&cu_num=256&model=deepseek-v3&days=180')) as any;
    await page.mouse.move(box.x + box.width - 2, y);
    await expect.poll(() => saidIn(page, /^Coverage/)).toContain(`${share(now.covered)} covered`);
    await page.mouse.move(box.x + box.width * 0.5, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.8, y, {steps: 4});
    await page.mouse.up();
    await all.click();
    await expect.poll(() => all.count()).toBe(0);
    expect(at(page)).toBe(kHistory);
  });

  test('of coverage over time is there only for what the hub keeps; another context leads to it', async () => {
    for (const [was, is, times] of [['engine=vllm', 'engine=sglang', 'SGLang at TP 8'], ['tp=8', 'tp=4', 'vLLM at TP 4'], ['stored=config', 'stored=bf16', 'vLLM at TP 8']] as const) {
      const page = await visit(kHistory.replace(was, is));
      await page.getByText(`The hub keeps coverage over time only for vLLM at TP 8, and weights as the config says. The times are for ${times}.`).waitFor();
      expect(await plotOf(page, /^Coverage/).count()).toBe(0);
      expect(await page.getByText('Covered now').count()).toBe(0);
      await page.locator('.answer').getByRole('link').click();
      await plotOf(page, /^Coverage: vLLM at TP 8/).waitFor();
    }
  });

  test('has a table with the same points', async () => {
    const page = await visit(kHistory);
    await page.getByText('The numbers as a table').first().click();
    const {points, now} = (await api('/trends?gfx=gfx950&cu_num=256&model=deepseek-v3&days=180')) as any;
    expect((await cellsOf(page, 'Coverage: vLLM at TP 8')).map((row) => row[1])).toEqual([now, ...points.reverse()].map((it: any) => share(it.covered)));
  });

  test('has the colours of the theme, and light ones on paper', async () => {
    const page = await visit(kHistory);
    const isLight = {light: expect.toSatisfy((count: number) => count > 100), dark: 0};
    await expect.poll(() => pixels(page)).toEqual(isLight);
    await page.emulateMedia({colorScheme: 'dark'});
    await expect.poll(() => pixels(page)).toEqual({light: 0, dark: isLight.light});
    await page.emulateMedia({colorScheme: 'dark', media: 'print'});
    await expect.poll(() => pixels(page)).toEqual(isLight);
  });
});
