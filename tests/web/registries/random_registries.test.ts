// Every view shows the API's numbers for a random registry. A failure names its registry's seed. TUNEHUB_SEEDS is the
// number of registries, which `tests/run --long` raises. TUNEHUB_RANDOM_SEED is the first seed.
import {readFileSync} from 'node:fs';
import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import {kViews} from '../support/browser.mjs';
import {askingOf, compare, type Asking, type Seen} from '../support/look';
import {pages, settled, without} from '../support/page';
import {randomRegistry, type Registry} from '../support/random_registry';
import {kSaid} from '../support/views';
import {runPage} from '../support/views/changes';
import {key} from '../support/views/shape';

const kCount = Number(process.env['TUNEHUB_SEEDS'] ?? 1);
const kFirst = Number(process.env['TUNEHUB_RANDOM_SEED'] ?? 1);
const kSeeds = Array.from({length: kCount}, (_, i) => kFirst + i);
const kPatience = 400_000;  // ms; only a hang takes as long

// While the tests check a registry, the next one is filled.
const made = new Map<number, Promise<Registry>>();
function registryOf(seed: number): Promise<Registry> {
  const known = made.get(seed) ?? randomRegistry(seed);
  known.catch(() => {});  // the test that awaits the promise reports its error
  made.set(seed, known);
  return known;
}

test('every view of the page is looked at', () => {
  const source = readFileSync(new URL('../../../web/src/views.ts', import.meta.url), 'utf8');
  const views = [...source.matchAll(/\{name: '(\w*)', title/g)].map((it) => it[1] ?? '');
  expect([...new Set(kViews.map(({path}) => /^\/ui\/(\w+)/.exec(path)?.[1] ?? ''))].sort()).toEqual(views.sort());
  const names = kViews.map(({name}) => (name === 'home' ? '' : name)).filter((name) => name !== 'rows');  // a part of Kernels
  expect(Object.keys(kSaid).sort()).toEqual(names.sort());
});

describe.skipIf(without).each(kSeeds)('the registry of TUNEHUB_RANDOM_SEED=%d', (seed) => {
  const {visit} = pages();
  let it: Asking;
  beforeAll(async () => {
    it = await askingOf(await registryOf(seed));
    if (seed + 1 < kFirst + kCount) void registryOf(seed + 1);
  }, kPatience);
  afterAll(async () => {
    await (await made.get(seed))?.stop();
  }, kPatience);

  const look = async (all: Seen[]) => {
    const {url, key: secret} = it.of.hub;
    let page: Page | undefined;
    for (const seen of all) {
      if (page) {
        await page.goto(url + seen.path);
        await settled(page);
      }
      page ??= await visit(url + seen.path, {now: it.now, key: secret});
      // Some parts of a page need another part's answer before they send their request. They appear after the first
      // quiet moment.
      const shown = page;
      await vi.waitFor(() => compare(shown, seen, `TUNEHUB_RANDOM_SEED=${seed}`), kPatience / 2);
    }
  };

  test.each(Object.entries(kSaid).map(([name, views]) => [name || 'home', views] as const))('%s: what the API says', async (_, views) => look(await views(it)), kPatience);

  test('runs: two batches of a run with as many quarantined rows are two tables', async () => look([await runPage(it, it.of.stories.run)]), kPatience);

  test('shape: a time of 0 is neither the second nor a place on the scale', async () => look([await key(it, it.of.stories.family, it.of.stories.key)]), kPatience);
});
