// Printed views: each sheet repeats a table's head, and charts fit. all_views.test.ts prints each view.
import {describe, expect, test} from 'vitest';
import {kViews} from '../support/browser.mjs';
import {pages, settled, without} from '../support/page';
import {kPaperWidth, sheetsOf} from '../support/paper';

describe.skipIf(without)('on paper', () => {
  const {visit} = pages();

  // Low sheets, so that a few rows fill more than one sheet.
  test.each([
    {name: 'rows', heads: ['Why', 'libtype', 'kernelName', 'Evidence']},
    {name: 'tune', heads: ['Layer', 'Shapes', 'Misses', 'GPU hours']},
  ])('$name: a table has all its heads on each of its pages, and no head without a row', async ({name, heads}) => {
    const page = await visit(kViews.find((it) => it.name === name)?.path ?? '', {width: 1400});
    const linesOf = (text: string) => text.split('\n').map((it) => it.trim()).filter((it) => it !== '');
    const isHead = (line: string) => line.startsWith(`${heads[0]}  `);
    const sheets = sheetsOf(await page.pdf({width: '210mm', height: '100mm'})).map(linesOf).filter((lines) => lines.some(isHead));
    expect(sheets.length).toBeGreaterThan(1);
    for (const lines of sheets) {
      const at = lines.findIndex(isHead);
      const said = lines.slice(Math.max(0, at - 1), at + 1).join(' ');
      expect(heads.filter((it) => !it.split(' ').every((word) => said.includes(word))), said).toEqual([]);
      expect(lines.findLastIndex(isHead), 'a head at the end of a sheet').toBeLessThan(lines.length - 1);
    }
  });

  test.each(['roofline', 'history', 'shape'])('%s: a chart that was drawn for a wide screen is not cut by the paper', async (name) => {
    const page = await visit(kViews.find((it) => it.name === name)?.path ?? '', {width: 1400});
    await page.emulateMedia({media: 'print'});
    await settled(page);
    // Both in one call, because a page does not draw again while it is printed.
    const [chart, paper] = await page.evaluate((width) => {
      document.body.style.width = `${width}px`;
      return [document.querySelector('.plot :is(svg, canvas)')?.getBoundingClientRect().width ?? 0, width];
    }, kPaperWidth);
    expect(chart).toBeGreaterThan(100);
    expect(chart).toBeLessThanOrEqual(paper);
  });
});
