// Each view opens by its address, passes axe, keeps its ARIA snapshot, and works by keyboard, on a phone and on paper.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {describe, expect, test} from 'vitest';
import {kViews} from '../support/browser.mjs';
import {hub, pages, settled, without} from '../support/page';
import {kPaperWidth, sheetsOf} from '../support/paper';

const kAxe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  nodes: {html: string; failureSummary: string}[];
}

// Replaces texts that differ between runs: times, ids, this machine's CPU with its speed-ups, and other tests' writes.
function steady(snapshot: string): string {
  return snapshot
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
    .replace(/\d+ (s|min|h|d) ago|just now/g, 'AGE')
    .replace(/-[0-9a-f]{32}\b/g, '-TOKEN')
    .replace(/ \(silent\)/g, '')
    .replace(/(http:\/\/127\.0\.0\.1|0\.0\.0\.0):\d+/g, 'HUB')
    .replace(/cpu-[\w-]+(:|%3A|&cu_num=)\d+/g, 'CPU')
    .replace(/[\d.]+\u00d7 \(\d+\)/g, 'RATIO (n)')
    .replace(/CPU, [\d.]+\u00d7 over/g, 'CPU, RATIO over')
    .replace(/^ *- option "(sources|wheel) \(TIME\)"\n/gm, '')
    .replace(/Plan a job|job \d+, queued/g, 'JOB')
    .replace(/(- cell "JOB"):\n +- (button|link) "JOB"(:\n +- \/url: \S+)?/g, '$1')
    .replace(/about \d+ (s|min|h|d) left/g, 'about TIME left')
    .replace(/RW[\w+/]{54}/g, 'PUBLIC-KEY')
    .replace(/\b[0-9a-f]{64}\b/g, 'SHA-256')
    .replace(/ on \d+ [A-Z][a-z]{2}\b/g, ' on DAY')
    .replace(/(- button "[^"]*") \[disabled\]/g, '$1');  // until the list of jobs has come
}

// Keeps only the first of each repeated element, because other tests compare counts and numbers. A row's name already
// contains the text of its cells.
function withoutRepetition(snapshot: string): string {
  const seen: Map<string, number>[] = [];
  let left_out = Infinity;
  return snapshot.split('\n').filter((line) => {
    const depth = line.search(/\S/) / 2;
    if (depth > left_out) return false;
    left_out = Infinity;
    seen.length = depth + 1;
    const role = /^ *- '?(option|row|columnheader|listitem|rowgroup|group)\b/.exec(line)?.[1];
    if (!role || line.includes('[selected]')) return !/^ *- '?cell "[^:]*$/.test(line);
    const counts = (seen[depth] ??= new Map<string, number>());
    const count = (counts.get(role) ?? 0) + 1;
    counts.set(role, count);
    const most = role === 'rowgroup' ? 2 : 1;  // a table has a head and a body
    if (count > most) left_out = depth;
    return count <= most;
  }).join('\n');
}

const {visit} = pages();

describe.skipIf(without).each(kViews)('view $name', (view) => {
  // Loads the view twice: at the usual width and light, and narrow and dark. The page's clock shows the seed's time,
  // because five minutes later the seed's agent would count as silent.
  const load = (options: object) => visit(view.path, {now: hub.seeded, ...options});
  const isAccessible = async (dark: boolean) => {
    const page = await load({dark, stay: true});
    const violations = await page.evaluate(`${kAxe}; axe.run(document, {resultTypes: ['violations']}).then((it) => it.violations)`) as Violation[];
    expect(violations.map((it) => `${it.id}: ${it.nodes.map((node) => `${node.html} ${node.failureSummary}`).slice(0, 3).join(' | ')}`)).toEqual([]);
  };

  test('opens by its address, with its title', async () => {
    const page = await load({});
    await expect.poll(() => page.locator('main h1').textContent()).toBe(view.heading);
    await expect.poll(() => page.title()).toBe(`${view.heading} \u00b7 tunehub`);
    // Pictures show more under the pointer. If that violates the Content-Security-Policy, the console has an error.
    for (const more of await page.getByRole('main').getByRole('button').all()) await more.hover({force: true});
    await settled(page);
    await page.mouse.move(0, 0);
  });

  test('reads as it did', async () => {
    const page = await load({stay: true});
    await expect(withoutRepetition(steady(await page.locator('main').ariaSnapshot()))).toMatchFileSnapshot(`../snapshots/${view.name}.aria.yml`);
  });

  test('has no accessibility violation, dark: false', () => isAccessible(false));

  test('can be walked by keyboard: every stop is seen, and the way leads through', async () => {
    const page = await load({stay: true});
    const stops: string[] = [];
    for (let i = 0; i < 40; ++i) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => {
        const it = document.activeElement;
        if (!it || it === document.body) return null;
        const style = getComputedStyle(it);
        const box = it.getBoundingClientRect();
        return {name: `${it.tagName} ${(it.getAttribute('aria-label') ?? it.textContent ?? '').slice(0, 30)}`, seen: style.outlineStyle !== 'none' && box.width > 0};
      });
      if (!stop) break;
      expect(stop.seen, `focus on ${stop.name} is not seen`).toBe(true);
      stops.push(stop.name);
    }
    expect(stops[0]).toContain('Skip to the content');
    expect(stops.some((it) => it.startsWith('A Kernels'))).toBe(true);
    expect(new Set(stops).size).toBeGreaterThan(8);
  });

  test('is not cut on paper, and its tables keep their heads', async () => {
    const page = await load({stay: true, width: kPaperWidth});
    const heads = () => page.locator('main thead th').evaluateAll((all) => all.map((it) => (it as HTMLElement).innerText.trim().toLowerCase()));
    const before = await heads();
    await page.emulateMedia({media: 'print'});
    await settled(page);
    const cut = await page.evaluate(() => [...document.querySelectorAll('main *')]
      .filter((it) => {
        const {overflowX, overflowY} = getComputedStyle(it);
        const clips = (overflow: string) => overflow === 'auto' || overflow === 'hidden' || overflow === 'scroll';
        return !it.closest('.hidden, .plot') && it.clientWidth > 1 && (clips(overflowX) && it.scrollWidth > it.clientWidth + 1 || clips(overflowY) && it.scrollHeight > it.clientHeight + 1);
      })
      .map((it) => `${it.tagName}.${it.className} ${it.scrollWidth}x${it.scrollHeight} in ${it.clientWidth}x${it.clientHeight}`));
    expect(cut).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(kPaperWidth);
    expect(await heads()).toEqual(before);
    // A wrapped number looks like two numbers.
    const broken = await page.locator('td.number').evaluateAll((all) => all.filter((it) => /^[\d.,+\u2212]+$/.test(it.textContent ?? '')).filter((it) => {
      const range = document.createRange();
      range.selectNodeContents(it);
      return new Set([...range.getClientRects()].map((line) => line.top)).size > 1;
    }).map((it) => it.textContent));
    expect(broken).toEqual([]);
    const pdf = await page.pdf({format: 'A4'});
    expect(pdf.length).toBeGreaterThan(1000);
    // Space below a view must not make an empty sheet.
    const sheets = sheetsOf(pdf);
    expect(sheets.length).toBeGreaterThan(0);
    expect(sheets.findIndex((text) => text.trim() === ''), `a blank one of ${sheets.length} sheets`).toBe(-1);
  });

  test('fits into 360 pixels', async () => {
    const page = await load({dark: true, width: 360});
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    // A definition list must not shrink to the width of one letter.
    const facts = await page.locator('dd').evaluateAll((all) => all.map((it) => it.clientWidth));
    expect(facts.filter((width) => width < 100)).toEqual([]);
  });

  test('has no accessibility violation, dark: true', () => isAccessible(true));
});

describe.skipIf(without)('the frame', () => {
  test('skips to the content', async () => {
    const page = await visit('/');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
  });

  test('keeps the theme that was chosen', async () => {
    const page = await visit('/');
    const menu = () => page.locator('.menu summary').click();
    await menu();
    const theme = page.getByRole('button', {name: /^Theme/});
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await theme.click();
    await theme.click();
    await expect.poll(() => theme.textContent()).toBe('Theme: dark');
    await expect.poll(ground).not.toBe(light);
    await page.reload();
    await menu();
    await expect.poll(() => theme.textContent()).toBe('Theme: dark');
  });

  test('says that there is no such view, and which there are', async () => {
    const alert = (await visit('/ui/colours')).getByRole('alert');
    expect(await alert.textContent()).toContain('There is no view "colours"');
    expect(await alert.getByRole('link').count()).toBeGreaterThan(5);
  });
});
