// Every filter is in the address: it comes back with a reload, and goes with "back".
import type {Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {at, pages, settled, without} from '../support/page';

interface Filter {
  view: string;
  label: string;
  name: string;
  value: string;
  kind: 'select' | 'text' | 'check';
}

const kFilters: Filter[] = [
  {view: '/ui/results', label: 'Family', name: 'family', value: 'a8w8', kind: 'select'},
  {view: '/ui/results?family=a8w8_blockscale', label: 'Target', name: 'target', value: 'gfx942:304', kind: 'select'},
  {view: '/ui/results?family=a8w8_blockscale', label: 'M', name: 'M', value: '16', kind: 'text'},
  {view: '/ui/results?family=fmoe', label: 'act_type', name: 'act_type', value: 'ActivationType.Silu', kind: 'select'},
  {view: '/ui/results?family=a8w8_blockscale', label: 'Row contains', name: 'contains', value: 'intrawave', kind: 'text'},
  {view: '/ui/results?family=bf16', label: 'measured only', name: 'measured', value: 'only', kind: 'check'},
  {view: '/ui/coverage', label: 'Model', name: 'model', value: 'qwen3-vl-32b', kind: 'select'},
  {view: '/ui/coverage', label: 'TP', name: 'tp', value: '4', kind: 'text'},
  {view: '/ui/coverage', label: 'Target', name: 'target', value: 'gfx942:304', kind: 'select'},
  {view: '/ui/coverage?model=qwen3-vl-32b&tp=4&target=gfx942%3A304', label: 'Family', name: 'family', value: 'a8w8_blockscale', kind: 'select'},
  {view: '/ui/speedups', label: 'Target', name: 'target', value: 'gfx942:80', kind: 'select'},
  {view: '/ui/speedups', label: 'Family', name: 'family', value: 'a8w8_blockscale', kind: 'select'},
  {view: '/ui/speedups', label: 'Model', name: 'model', value: 'qwen3-32b', kind: 'select'},
  {view: '/ui/compare?base=2&head=3', label: 'Family', name: 'family', value: 'a8w8_blockscale', kind: 'select'},
  {view: '/ui/compare?base=2&head=3', label: 'Target', name: 'target', value: 'gfx942:80', kind: 'select'},
  {view: '/ui/compare?base=2&head=3', label: 'Slower above, ratio', name: 'ratio', value: '1.5', kind: 'text'},
  {view: '/ui/compare?base=2&head=3', label: 'plus, us', name: 'slack_us', value: '2', kind: 'text'},
  {view: '/ui/compare?base=2&head=3', label: 'Ignore below, us', name: 'ignore_below_us', value: '8', kind: 'text'},
  {view: '/ui/compare?base=2&head=3', label: 'Show', name: 'change', value: 'slower', kind: 'select'},
  {view: '/ui/fleet', label: 'State', name: 'state', value: 'running', kind: 'select'},
  {view: '/ui/fleet', label: 'Target', name: 'gfx', value: 'gfx942', kind: 'select'},
  {view: '/ui/api', label: 'Find', name: 'find', value: 'coverage', kind: 'text'},
];

const control = (page: Page, filter: Filter) => page.getByRole('form', {name: 'Filters'}).getByLabel(filter.label, {exact: true});

async function choose(page: Page, filter: Filter) {
  const it = control(page, filter);
  if (filter.kind === 'select') await it.selectOption(filter.value);
  else if (filter.kind === 'check') await it.check();
  else await it.fill(filter.value);
}

async function shown(page: Page, filter: Filter): Promise<string> {
  const it = control(page, filter);
  return filter.kind === 'check' ? ((await it.isChecked()) ? filter.value : '') : it.inputValue();
}

describe.skipIf(without).each(kFilters)('$view: $label', (filter) => {
  const {visit} = pages();
  test('goes into the address, survives a reload and leaves by "back"', async () => {
    const page = await visit(filter.view);
    const before = {place: at(page), shown: await shown(page, filter)};
    await choose(page, filter);
    await page.waitForURL((url) => url.searchParams.get(filter.name) === filter.value);
    const after = at(page);
    await page.reload();
    await settled(page);
    expect(await shown(page, filter)).toBe(filter.value);
    expect(at(page)).toBe(after);
    await page.goBack();
    await settled(page);
    expect(at(page)).toBe(before.place);
    expect(await shown(page, filter)).toBe(before.shown);
  });
});
