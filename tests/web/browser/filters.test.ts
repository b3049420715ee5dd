// The address holds every filter: a reload restores it, "back" removes it.
import type {Locator, Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {at, pages, settled, without} from '../support/page';

const kRows = '/ui/results?family=a8w8_blockscale';
const kCoverage = '/ui/coverage?model=qwen3-vl-32b&tp=4&target=gfx942%3A304&engine=any';
const kCompare = '/ui/compare?base=2&head=3';

// The view; the filter's label, its name in the address, and a value.
const kFilters: [view: string, label: string, name: string, value: string][] = [
  ['/ui/results', 'Family', 'family', 'a8w8'],
  [kRows, 'Target', 'target', 'gfx942:304'],
  [kRows, 'M', 'M', '16'],
  ['/ui/results?family=fmoe', 'act_type', 'act_type', 'ActivationType.Silu'],
  [kRows, 'Row contains', 'contains', 'intrawave'],
  ['/ui/results?family=bf16', 'measured only', 'measured', 'only'],
  ['/', 'TP', 'tp', '4'],
  ['/ui/coverage', 'Model', 'model', 'qwen3-vl-32b'],
  ['/ui/coverage', 'TP', 'tp', '4'],
  ['/ui/coverage', 'EP', 'ep', '2'],
  ['/ui/coverage', 'DP attention', 'dp_attention', '4'],
  ['/ui/coverage', 'Engine', 'engine', 'sglang'],
  ['/ui/coverage', 'Target', 'target', 'gfx942:304'],
  [kCoverage, 'Family', 'family', 'a8w8_blockscale'],
  [kCoverage, 'Device', 'device', 'MI325X'],
  ['/ui/trends', 'Target', 'target', 'gfx950:256'],
  ['/ui/trends', 'Model', 'model', 'qwen3-32b'],
  ['/ui/trends', 'or family', 'family', 'a8w8_blockscale'],
  ['/ui/trends', 'Days', 'days', '30'],
  ['/ui/tune', 'Model', 'model', 'qwen3-vl-32b'],
  ['/ui/tune', 'TP', 'tp', '4'],
  ['/ui/tune', 'Target', 'target', 'gfx942:80'],
  ['/ui/tune?model=deepseek-v3&target=gfx942%3A304', 'Family', 'family', 'a8w8_blockscale'],
  ['/ui/speedups', 'Target', 'target', 'gfx942:80'],
  ['/ui/speedups', 'Family', 'family', 'a8w8_blockscale'],
  ['/ui/speedups', 'Model', 'model', 'qwen3-32b'],
  ['/ui/changed', 'Since', 'since', '30d'],
  ['/ui/changed', 'or revision', 'revision', '1'],
  ['/ui/changed', 'Target', 'target', 'gfx942:228'],
  ['/ui/changed', 'Family', 'family', 'a8w8_blockscale'],
  ['/ui/changed', 'Model', 'model', 'qwen3-32b'],
  ['/ui/changed?model=qwen3-32b', 'TP', 'tp', '4'],
  ['/ui/compare?head=3', 'Base', 'base', '2'],
  ['/ui/compare?base=2', 'Head', 'head', 'rocm:7.0'],
  [kCompare, 'Family', 'family', 'a8w8_blockscale'],
  [kCompare, 'Target', 'target', 'gfx942:80'],
  [kCompare, 'Slower above, ratio', 'ratio', '1.5'],
  [kCompare, 'plus, us', 'slack_us', '2'],
  [kCompare, 'Ignore below, us', 'ignore_below_us', '8'],
  [kCompare, 'Show', 'change', 'slower'],
  ['/ui/fleet', 'State', 'state', 'running'],
  ['/ui/fleet', 'Target', 'gfx', 'gfx942'],
  ['/ui/api', 'Find', 'find', 'coverage'],
];

type Kind = 'select' | 'checkbox' | 'text';
const kindOf = (control: Locator) => control.evaluate((it): Kind => (it instanceof HTMLSelectElement ? 'select' : (it as HTMLInputElement).type === 'checkbox' ? 'checkbox' : 'text'));
const controlOf = (page: Page, label: string) => page.getByRole('form', {name: 'Filters'}).getByLabel(label, {exact: true});

async function choose(control: Locator, value: string) {
  const kind = await kindOf(control);
  if (kind === 'select') await control.selectOption(value);
  else if (kind === 'checkbox') await control.check();
  else await control.fill(value);
}

async function shown(control: Locator, value: string): Promise<string> {
  if ((await kindOf(control)) !== 'checkbox') return control.inputValue();
  return (await control.isChecked()) ? value : '';
}

describe.skipIf(without)('filters', () => {
  const {visit} = pages();

  test.each(kFilters)('%s: %s goes into the address, survives a reload and leaves by "back"', async (view, label, name, value) => {
    const page = await visit(view, {stay: true});
    const control = controlOf(page, label);
    const before = {place: at(page), shown: await shown(control, value)};
    await choose(control, value);
    await page.waitForURL((url) => url.searchParams.get(name) === value);
    const after = at(page);
    await page.reload();
    await settled(page);
    await expect.poll(() => shown(control, value)).toBe(value);
    expect(at(page)).toBe(after);
    await page.goBack();
    await settled(page);
    expect(at(page)).toBe(before.place);
    await expect.poll(() => shown(control, value)).toBe(before.shown);
  });

  test('two set within a moment of each other are both in the address', async () => {
    const page = await visit(kRows);
    await controlOf(page, 'M').fill('16');
    await controlOf(page, 'Target').selectOption('gfx942:304');
    await page.waitForURL((url) => url.searchParams.get('M') === '16');
    expect(new URL(page.url()).searchParams.get('target')).toBe('gfx942:304');
  });

  test('typing and leaving at once does not come back to the view', async () => {
    const page = await visit(kRows);
    await controlOf(page, 'M').fill('16');
    await page.getByRole('navigation', {name: 'Views'}).getByRole('link', {name: 'Fleet'}).click();
    await page.waitForTimeout(600);  // longer than the page waits for more typing
    expect(at(page)).toBe('/ui/fleet');
  });
});
