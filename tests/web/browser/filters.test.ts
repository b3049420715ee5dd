// The address contains every filter: a reload restores it, "back" removes it.
import type {Locator, Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {at, pages, settled, without} from '../support/page';

const kRows = '/ui/results?family=a8w8_blockscale';
const kCoverage = '/ui/coverage?model=qwen3-vl-32b&tp=4&target=gfx942%3A304&engine=any';

// By view: the filters that the test sets in turn, with label, name in the address and value.
const kFilters: [view: string, filters: [label: string, name: string, value: string][]][] = [
  ['/ui/results', [['Family', 'family', 'a8w8']]],
  [kRows, [['Target', 'target', 'gfx942:304'], ['M', 'M', '16'], ['Row contains', 'contains', 'intrawave']]],
  ['/ui/results?family=fmoe', [['act_type', 'act_type', 'ActivationType.Silu']]],
  ['/ui/results?family=bf16', [['measured only', 'measured', 'only']]],
  ['/', [['TP', 'tp', '4']]],
  ['/ui/coverage', [['Model', 'model', 'deepseek-v3'], ['TP', 'tp', '4'], ['EP', 'ep', '2'], ['DP attention', 'dp_attention', '4'], ['Engine', 'engine', 'sglang'], ['Target', 'target', 'gfx942:304']]],
  [kCoverage, [['Family', 'family', 'a8w8_blockscale']]],
  [kCoverage, [['Device', 'device', 'MI325X']]],
  ['/ui/trends', [['Target', 'target', 'gfx950:256'], ['Model', 'model', 'qwen3-32b'], ['Days', 'days', '30']]],
  ['/ui/trends', [['or family', 'family', 'a8w8_blockscale']]],
  ['/ui/tune', [['Model', 'model', 'qwen3-vl-32b'], ['TP', 'tp', '4'], ['Target', 'target', 'gfx942:80']]],
  ['/ui/tune?model=deepseek-v3&target=gfx942%3A304', [['Family', 'family', 'a8w8_blockscale']]],
  ['/ui/speedups', [['Target', 'target', 'gfx942:80'], ['Family', 'family', 'a8w8_blockscale'], ['Model', 'model', 'qwen3-32b']]],
  ['/ui/changed', [['Since', 'since', '30d'], ['Target', 'target', 'gfx942:228'], ['Family', 'family', 'a8w8_blockscale'], ['Model', 'model', 'qwen3-32b'], ['TP', 'tp', '4']]],
  ['/ui/changed', [['or revision', 'revision', '1']]],
  ['/ui/compare?head=3', [['Base', 'base', '2']]],
  ['/ui/compare?base=2', [['Head', 'head', 'rocm:7.0']]],
  ['/ui/compare?base=2&head=3', [['Family', 'family', 'a8w8_blockscale'], ['Target', 'target', 'gfx942:80'], ['Slower above, ratio', 'ratio', '1.5'], ['plus, us', 'slack_us', '2'], ['Ignore below, us', 'ignore_below_us', '8'], ['Show', 'change', 'slower']]],
  ['/ui/fleet', [['State', 'state', 'running'], ['Target', 'gfx', 'gfx942']]],
  ['/ui/api', [['Find', 'find', 'coverage']]],
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

  test.each(kFilters)('%s: filters go into the address, survive a reload and leave by "back"', async (view, filters) => {
    const page = await visit(view, {stay: true});
    const before: {place: string; shown: string}[] = [];
    for (const [label, name, value] of filters) {
      const control = controlOf(page, label);
      before.push({place: at(page), shown: await shown(control, value)});
      await choose(control, value);
      await page.waitForURL((url) => url.searchParams.get(name) === value);
      await settled(page);
    }
    const after = at(page);
    await page.reload();
    await settled(page);
    for (const [label, , value] of filters) await expect.poll(() => shown(controlOf(page, label), value), {message: label}).toBe(value);
    expect(at(page)).toBe(after);
    for (const [label, , value] of [...filters].reverse()) {
      const was = before.pop();
      await page.goBack();
      await settled(page);
      expect(at(page)).toBe(was?.place);
      await expect.poll(() => shown(controlOf(page, label), value), {message: label}).toBe(was?.shown);
    }
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
