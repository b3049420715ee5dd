// The address contains every filter: a reload restores it, "back" removes it.
import type {Locator, Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {at, pages, settled, without} from '../support/page';

const kRows = '/ui/kernels?device=MI300X&family=a8w8_blockscale';

// By view: the filters that the test sets in turn, with label, name in the address and value.
const kFilters: [view: string, filters: [label: string, name: string, value: string][]][] = [
  ['/ui/kernels?device=MI300X', [['all devices', 'scope', 'all']]],
  [kRows, [['Family', 'family', 'a8w8']]],
  [kRows, [['M', 'M', '16'], ['Row contains', 'contains', 'intrawave'], ['with a time', 'measured', 'only']]],
  ['/ui/kernels?device=MI300X&family=fmoe', [['act_type', 'act_type', 'ActivationType.Silu']]],
  ['/ui/kernels?device=MI300X&family=triton_fused_moe', [['device', 'key-device', 'AMD_Instinct_MI300X']]],
  ['/ui/changes', [['From', 'from', 'rev:'], ['To', 'to', 'run:'], ['Of', 'scope', 'device'], ['Family', 'family', 'a8w8_blockscale']]],
  ['/ui/model?model=deepseek-v3&device=MI300X&tab=map', [['Layer contains', 'layer', 'down']]],
  ['/ui/model?model=deepseek-v3&device=MI300X&tab=tune', [['Layer contains', 'layer', 'q'], ['Family', 'family', 'a8w8_blockscale']]],
  ['/ui/fleet', [['State', 'state', 'running'], ['Architecture', 'gfx', 'gfx942']]],
  ['/ui/api', [['Find', 'find', 'coverage']]],
];

// The context: each choice as a filter, and the place keeps its own filters.
const kContext: typeof kFilters = [
  [kRows, [['Device', 'device', 'MI355X']]],
  ['/ui/model?model=deepseek-v3&device=MI355X&tp=8&engine=vllm&stored=config', [['Model', 'model', 'qwen3-32b'], ['TP', 'tp', '4'], ['Device', 'device', 'MI300X'], ['Engine', 'engine', 'sglang'], ['Weights', 'stored', 'fp8'], ['Compare with', 'against', 'MI325X']]],
];

type Kind = 'select' | 'checkbox' | 'text';
const kindOf = (control: Locator) => control.evaluate((it): Kind => (it instanceof HTMLSelectElement ? 'select' : (it as HTMLInputElement).type === 'checkbox' ? 'checkbox' : 'text'));
const controlOf = (page: Page, label: string, form = 'Filters') => page.getByRole('form', {name: form}).getByLabel(label, {exact: true});

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

  const cases = [...kFilters.map((it) => ['Filters', ...it] as const), ...kContext.map((it) => ['Context', ...it] as const)];
  test.each(cases)('%s of %s go into the address, survive a reload and leave by "back"', async (form, view, filters) => {
    const page = await visit(view, {stay: true});
    const before: {place: string; shown: string}[] = [];
    for (const [label, name, value] of filters) {
      const control = controlOf(page, label, form);
      before.push({place: at(page), shown: await shown(control, value)});
      await choose(control, value);
      await page.waitForURL((url) => url.searchParams.get(name) === value);
      await settled(page);
    }
    const after = at(page);
    await page.reload();
    await settled(page);
    for (const [label, , value] of filters) await expect.poll(() => shown(controlOf(page, label, form), value), {message: label}).toBe(value);
    expect(at(page)).toBe(after);
    for (const [label, , value] of [...filters].reverse()) {
      const was = before.pop();
      await page.goBack();
      await settled(page);
      expect(at(page)).toBe(was?.place);
      await expect.poll(() => shown(controlOf(page, label, form), value), {message: label}).toBe(was?.shown);
    }
  });

  test('two set within a moment of each other are both in the address', async () => {
    const page = await visit(kRows);
    await controlOf(page, 'M').fill('16');
    await controlOf(page, 'all devices').check();
    await page.waitForURL((url) => url.searchParams.get('M') === '16');
    expect(new URL(page.url()).searchParams.get('scope')).toBe('all');
  });

  test('an end is a kind and its value', async () => {
    const page = await visit('/ui/changes');
    for (const [label, kind, value, text] of [['From', 'rev:', 'revision', '1'], ['To', 'run:', 'run', '3']] as const) {
      await controlOf(page, label).selectOption(kind);
      await controlOf(page, `${label}: ${value}`).fill(text);
      await page.waitForURL((url) => url.searchParams.get(label.toLowerCase()) === kind + text);
    }
    await page.getByText(/^From revision 1 of/).waitFor();
  });

  test('typing and leaving at once does not come back to the view', async () => {
    const page = await visit(kRows);
    await controlOf(page, 'M').fill('16');
    await page.getByRole('navigation', {name: 'Places'}).getByRole('link', {name: 'Fleet'}).click();
    await page.waitForTimeout(600);  // longer than the page waits for more typing
    expect(new URL(page.url()).pathname).toBe('/ui/fleet');
  });
});
