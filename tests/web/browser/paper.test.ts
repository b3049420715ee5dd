// Printed views: no content is cut, and every table keeps its heads.
import {execFileSync} from 'node:child_process';
import {describe, expect, test} from 'vitest';
import {kViews} from '../support/browser.mjs';
import {pages, settled, without} from '../support/page';

const kWidth = 718;  // A4 between its usual margins, at 96 to the inch
const sheetsOf = (pdf: Buffer) => execFileSync('pdftotext', ['-layout', '-', '-'], {input: pdf}).toString().split('\f').slice(0, -1);

describe.skipIf(without)('on paper', () => {
  const {visit} = pages();

  test.each(kViews)('$name is not cut, and its tables keep their heads', async (view) => {
    const page = await visit(view.path, {width: kWidth});
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
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(kWidth);
    expect(await heads()).toEqual(before);
    // A number that wraps reads as two numbers.
    const broken = await page.locator('td.number').evaluateAll((all) => all.filter((it) => /^[\d.,+\u2212]+$/.test(it.textContent ?? '')).filter((it) => {
      const range = document.createRange();
      range.selectNodeContents(it);
      return new Set([...range.getClientRects()].map((line) => line.top)).size > 1;
    }).map((it) => it.textContent));
    expect(broken).toEqual([]);
    const pdf = await page.pdf({format: 'A4'});
    expect(pdf.length).toBeGreaterThan(1000);
    // Space below a view must not make a blank sheet.
    const sheets = sheetsOf(pdf);
    expect(sheets.length).toBeGreaterThan(0);
    expect(sheets.findIndex((text) => text.trim() === ''), `a blank one of ${sheets.length} sheets`).toBe(-1);
  });

  // The sheets are low, so that few rows fill more than one.
  test.each([
    {name: 'results', heads: ['Row', 'libtype', 'kernelName', 'Standing']},
    {name: 'tune', heads: ['Layer', 'Missed', 'MFLOP', 'hours']},
  ])('$name: a table has all its heads on each of its pages, and no head without a row', async ({name, heads}) => {
    const page = await visit(kViews.find((it) => it.name === name)?.path ?? '', {width: 1400});
    const linesOf = (text: string) => text.split('\n').map((it) => it.trim()).filter((it) => it !== '');
    const isHead = (line: string) => line.startsWith(`${heads[0]}  `);
    const sheets = sheetsOf(await page.pdf({width: '210mm', height: '100mm'})).map(linesOf).filter((lines) => lines.some(isHead));
    expect(sheets.length).toBeGreaterThan(1);
    for (const lines of sheets) {
      const at = lines.findIndex(isHead);
      const said = lines.slice(Math.max(0, at - 1), at + 1).join(' ');
      expect(heads.filter((it) => !said.includes(it)), said).toEqual([]);
      expect(lines.findLastIndex(isHead), 'a head at the end of a sheet').toBeLessThan(lines.length - 1);
    }
  });

  test.each(['trends', 'shape', 'speedups', 'fleet'])('%s: a chart that was drawn for a wide screen is not cut by the paper', async (name) => {
    const page = await visit(kViews.find((it) => it.name === name)?.path ?? '', {width: 1400});
    await page.emulateMedia({media: 'print'});
    await settled(page);
    // In one call: a page does not draw again while it is printed.
    const [chart, paper] = await page.evaluate((width) => {
      document.body.style.width = `${width}px`;
      return [document.querySelector('.plot svg')?.getBoundingClientRect().width ?? 0, width];
    }, kWidth);
    expect(chart).toBeGreaterThan(100);
    expect(chart).toBeLessThanOrEqual(paper);
  });
});
