// What a kernel engineer asks, from the start page, in three clicks at most.
import {describe, expect, test} from 'vitest';
import {Clicks} from '../support/clicks';
import {api, at, cellsOf, hub, pages, without} from '../support/page';

describe.skipIf(without)('a kernel engineer', () => {
  const {visit} = pages();

  test('which shapes got slower since last week: two clicks', async () => {
    const page = await visit('/');
    const clicks = new Clicks(page);
    await clicks.on(page.getByRole('navigation', {name: 'Views'}).getByRole('link', {name: 'Changed'}));
    await clicks.on(page.getByRole('navigation', {name: 'Kinds of changes'}).getByRole('link', {name: /slower$/}));
    expect(at(page)).toBe('/ui/changed?kind=slower');
    const answer = (await api('/differences?since=7d&kind=slower')) as any;
    expect(answer.counts.slower).toBe(60);  // the seed's, and no other
    const rows = await cellsOf(page, 'What changed');
    expect(rows.length).toBe(answer.listed);
    expect(rows.map((row) => Number(row[3]?.replaceAll(',', '')))).toEqual(answer.differences.map((it: any) => Number(it.now.us.toFixed(2))));
    expect(rows.every((row) => row[4] === 'slower')).toBe(true);
    // What was lost is the greatest first.
    const lost = rows.map((row) => Number(row[1]?.replace(/[+,]/g, '')));
    expect(lost).toEqual([...lost].sort((a, b) => b - a));
  });

  test('which shapes of DeepSeek-V3 at TP 8 are missing on MI355X, worst first: two clicks', async () => {
    const page = await visit('/');
    const clicks = new Clicks(page);
    await clicks.on(page.getByRole('gridcell', {name: /DeepSeek V3 on MI355X/}));
    const query = 'model=deepseek-v3&tp=8&gfx=gfx950&cu_num=256';
    const {families} = (await api(`/coverage?${query}`)) as any;
    const [worst] = families.filter((it: any) => it.totals.missing > 0);
    await clicks.on(page.getByRole('region', {name: 'Coverage by family'}).getByRole('link', {name: worst.family, exact: true}));
    await page.getByRole('heading', {name: new RegExp(`^Missing shapes \\(${worst.totals.missing.toLocaleString('en')}`)}).waitFor();
    const csv = await (await fetch(`${hub.url}/coverage?${query}&family=${worst.family}&format=csv&state=missing,baseline,unmeasured`)).text();
    const [head = '', ...lines] = csv.trim().split('\n');
    const names = head.split(',');
    const shape = [worst.m, ...worst.columns];
    const open = lines.map((line) => Object.fromEntries(line.split(',').map((it, i) => [names[i], it])));
    const work = (it: any) => shape.reduce((all, name) => all * (Number(it[name]) || 1), 1);
    const expected = open.sort((a, b) => Number(b['demand']) - Number(a['demand']) || work(b) - work(a));
    const rows = await cellsOf(page, 'Missing shapes');
    expect(rows.length).toBe(Math.min(50, expected.length));
    expect(rows.map((row) => row.slice(0, shape.length))).toEqual(expected.slice(0, 50).map((it) => shape.map((name) => it[name] ?? '')));
  });
});
