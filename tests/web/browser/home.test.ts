// Home, the search box and Fleet: questions that start here.
import type {Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {Clicks} from '../support/clicks';
import {api, at, cellsOf, giveKey, hub, pages, settled, without} from '../support/page';
import {startable} from '../support/views/home';

const cellIn = (page: Page, model: string, device: string) => page.getByRole('link', {name: new RegExp(`^${model.replace(/[.()]/g, '.')} on (.* / )?${device}( / .*)?: `)});

// Serves the hub's answers to `path` after `change`.
async function serve(page: Page, path: string, change: (answer: any) => object) {
  await page.route(path, async (route) => route.fulfill({json: change(await (await route.fetch()).json())}));
}

const kShown = async (engine = 'vllm'): Promise<any> => startable(await api(`/overview?tp=8&engine=${engine}`), api);

const kEmpty = (of: any) => ({...of, targets: [], models: of.models.map((it: any) => ({...it, cells: []}))});

describe.skipIf(without)('Home', () => {
  const {visit} = pages();

  test('a column a target, with both names; NVIDIA and CPUs behind a switch that the address keeps', async () => {
    const page = await visit('/'), heads = () => page.getByRole('columnheader').allTextContents();
    expect(await heads()).toContain('MI300X / MI325Xgfx942:304lowest first');
    expect((await heads()).some((it) => it.startsWith('cpu'))).toBe(false);
    await page.getByLabel('Other devices, too').check();
    await page.waitForURL('**/?others=1');
    await page.reload();
    await settled(page);
    expect((await heads()).some((it) => it.startsWith('cpu'))).toBe(true);
  });

  test('is Qwen3-VL-235B FP8 better covered than a month ago, and by how much: no click; its history: two', async () => {
    const page = await visit('/'), clicks = new Clicks(page), {targets, models, month_days: days} = (await api('/overview?tp=8')) as any;
    const model = models.find((it: any) => /Qwen3-VL-235B.*FP8-dynamic/i.test(it.model)), cell = model.cells[targets.findIndex((it: any) => it.products.includes('MI355X'))];
    const points = Math.round(cell.covered * 100) - Math.round(cell.month * 100), link = cellIn(page, model.title, 'MI355X');
    const said = points === 0 ? `unchanged since ${days} days ago` : `${Math.abs(points)} points? ${points > 0 ? 'more' : 'less'} than ${days} days ago`;
    expect(await link.getAttribute('aria-label')).toMatch(new RegExp(said));
    // If the page draws the matrix again after the pointer's move, no tip appears.
    await expect.poll(async () => {
      await page.mouse.move(0, 0);
      await link.hover();
      return page.locator('.tip', {hasText: new RegExp(said)}).count();
    }).toBe(1);
    await clicks.on(link);
    expect(await page.locator('.tip').count()).toBe(0);
    await clicks.on(page.getByRole('link', {name: 'History'}));
    expect(new URL(page.url()).searchParams.get('model')).toBe(model.model);
  });

  test('which model is worst on MI355X, and its map there: two clicks', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    await clicks.on(page.getByRole('columnheader', {name: /MI355X/}).getByRole('link', {name: 'lowest first'}));
    const {targets, models} = await kShown();
    const place = targets.findIndex((it: any) => it.products.includes('MI355X')), shares = models.flatMap((it: any) => it.cells[place]?.covered ?? []);
    const worst = models.find((it: any) => it.cells[place]?.covered === Math.min(...shares));
    expect(await page.getByRole('grid').locator('tbody th').nth(1).textContent()).toContain(worst.title);
    await clicks.on(cellIn(page, worst.title, 'MI355X'));
    expect(at(page)).toBe(`/ui/model?${new URLSearchParams({model: worst.model, device: targets[place].products[0], tp: '8', engine: 'vllm', stored: 'config', tab: 'map'})}`);
  });

  test('one engine at a time: vLLM, or the one that the address names, as on a model\'s page', async () => {
    const page = await visit('/?device=MI355X'), [vllm, sglang] = [await kShown(), await kShown('sglang')];
    const place = vllm.targets.findIndex((it: any) => it.products.includes('MI355X')), at = vllm.models.findIndex((it: any) => it.model === 'deepseek-v3');
    const link = cellIn(page, vllm.models[at].title, 'MI355X'), texts = [vllm, sglang].map(({models}) => `${Math.round(models[at].cells[place].covered * 100)} %`);
    await page.getByRole('heading', {name: 'vLLM at TP 8: models on devices', exact: true}).waitFor();
    expect(texts[0]).not.toBe(texts[1]);
    expect(await link.textContent()).toContain(texts[0]);
    expect(await page.getByLabel('Engine').locator('option').allTextContents()).toEqual(['vLLM', 'SGLang']);
    await page.getByLabel('Engine').selectOption('sglang');
    await page.waitForURL('**/?device=MI355X&engine=sglang');
    await page.getByRole('heading', {name: 'SGLang at TP 8: models on devices', exact: true}).waitFor();
    expect(await link.textContent()).toBe(texts[1]);
    await link.click();
    await page.getByText('Covered: SGLang at TP 8').waitFor();
    await page.getByRole('navigation', {name: 'Places'}).getByRole('link', {name: 'Home'}).click();
    await page.getByRole('heading', {name: 'SGLang at TP 8: models on devices', exact: true}).waitFor();
    await page.getByLabel('Engine').selectOption('vllm');
    await page.getByRole('heading', {name: 'vLLM at TP 8: models on devices', exact: true}).waitFor();
  });

  test('a model that its own page says not to start has a dash and the reason, and counts nowhere', async () => {
    const page = await visit('/'), of = await kShown();
    const {title, refused} = of.models.find((it: any) => /must be a multiple/.test(it.refused));
    const link = cellIn(page, title, 'MI355X');
    expect(await link.textContent()).toBe('\u2013');
    expect(await link.getAttribute('aria-label')).toContain(`does not start at TP 8: ${refused}`);
    expect((await cellsOf(page, 'Largest gaps')).flat().join()).not.toContain(title);
    await link.click();
    await page.getByText('The engine does not start:').first().waitFor();
  });

  test('either product of a column can be chosen, and its cells open it', async () => {
    const page = await visit('/');
    await page.getByRole('columnheader', {name: /MI325X/}).getByRole('link', {name: 'MI325X', exact: true}).click();
    await page.waitForURL('**/?device=MI325X');
    expect(await page.locator('thead [aria-current="true"]').allTextContents()).toContain('MI325X');
    expect(await cellIn(page, 'DeepSeek V3', 'MI325X').getAttribute('href')).toContain('device=MI325X');
  });

  test('a model that finds nothing in one engine leads to the engine that finds rows', async () => {
    const [usual, other] = await Promise.all(['vllm', 'sglang'].map((engine) => api(`/overview?tp=8&engine=${engine}`))) as any[];
    const place = usual.targets.findIndex((it: any) => it.products.includes('MI355X'));
    const at = usual.models.findIndex((it: any, i: number) => !it.cells[place]?.covered && other.models[i].cells[place]?.covered > 0);
    const page = await visit(`/ui/model?${new URLSearchParams({model: usual.models[at].model, device: 'MI355X', tp: '8'})}`);
    const link = page.getByText(/SGLang reads tuned tables for \d+ layers?:/).getByRole('link');
    expect(await link.textContent()).toBe(`${Math.round(other.models[at].cells[place].covered * 100)} % covered`);
    await link.click();
    await page.getByText('Covered: SGLang at TP 8').waitFor();
  });

  test('a model without a layer in one engine says which engine has layers, also if these find no row', async () => {
    const [usual, other] = await Promise.all(['vllm', 'sglang'].map((engine) => api(`/overview?tp=8&engine=${engine}`))) as any[];
    const place = usual.targets.findIndex((it: any) => it.products.includes('MI300X'));
    const at = usual.models.findIndex((it: any, i: number) => !it.cells[place] && !it.refused && other.models[i].cells[place]?.covered === 0);
    const page = await visit(`/ui/model?${new URLSearchParams({model: usual.models[at].model, device: 'MI300X', tp: '8'})}`);
    const notice = page.getByText(/^SGLang reads tuned tables for \d+ layers?: 0 % covered\.$/);
    await notice.getByRole('link').click();
    await page.waitForURL((url) => url.searchParams.get('engine') === 'sglang' && url.searchParams.get('model') === usual.models[at].model);
    await page.getByText('Covered: SGLang at TP 8').waitFor();
  });

  test('changes from Home are of all models and devices, until somebody chose a model', async () => {
    const page = await visit('/');
    await page.getByRole('link', {name: /^All changes since/}).click();
    await page.getByRole('heading', {name: 'Changes: all models and devices'}).waitFor();
    expect(at(page)).toBe('/ui/changes?from=7d&scope=all');
    await page.getByRole('link', {name: 'tunehub', exact: true}).click();
    await page.getByRole('navigation', {name: 'Places'}).getByRole('link', {name: 'Changes'}).click();
    await page.getByRole('heading', {name: 'Changes: all models and devices'}).waitFor();
    expect([at(page), await page.getByRole('form', {name: 'Context'}).count()]).toEqual(['/ui/changes', 0]);
    await page.getByLabel('Of', {exact: true}).selectOption('model');
    await page.getByRole('heading', {name: /^Changes: \S+ at TP 8 on /}).waitFor();
    expect(new URL(page.url()).searchParams.get('model')).not.toBeNull();
  });

  test('nothing stored for a week: Home and Changes say since when', async () => {
    const page = await visit('/?colour=');
    const old = {asked: '7d', revision: 2, created: '2026-01-20T20:54:29Z'}, text = 'Nothing was stored between 2026-01-20 20:54 UTC and now';
    await serve(page, '**/differences?*', (of) => ({...of, from: old, to: {asked: 'now', revision: 2}, counts: {}, revisions: [], matching: 0, differences: []}));
    await serve(page, '**/overview?*', (of) => ({...of, models: of.models.map((it: any) => ({...it, cells: it.cells.map((cell: any) => cell && {...cell, slower: 0})}))}));
    await page.goto(hub.url);
    await page.getByText(`${text}: no shape was measured again.`).waitFor();
    await page.goto(`${hub.url}/ui/changes`);
    await page.getByText(text, {exact: true}).waitFor();
    expect(await page.getByText('Noise:').count()).toBe(0);
  });

  test('on a phone a link is as large as its cell, the head stays, and no place of the navigation is cut', async () => {
    const page = await visit('/', {width: 360});
    const small = await page.locator('.matrix td').evaluateAll((all) => all.slice(0, 40).filter((cell) => {
      const {left, top} = cell.getBoundingClientRect();
      cell.scrollIntoView({block: 'center'});
      const box = cell.getBoundingClientRect();
      return left + top === undefined || !document.elementFromPoint(box.left + 3, box.top + 3)?.closest('td a');
    }).length);
    expect(small).toBe(0);
    const box = page.locator('.matrix-box'), head = page.locator('.matrix thead th').first();
    await box.evaluate((it) => it.scrollTo(0, 600));
    const tops = await Promise.all([box, head].map((it) => it.evaluate((one) => Math.round(one.getBoundingClientRect().top))));
    expect(Math.abs(tops[1]! - tops[0]!)).toBeLessThanOrEqual(3);
    // A cell, its number, the next step, and what the numbers mean: no notes below the figures.
    expect(await page.locator('.answers .detail:visible').count()).toBe(0);
    for (const text of [/^%: share of a model's GEMM and MoE shapes that find a tuned row/, /^Order: untuned GFLOP a token/]) expect(await page.getByText(text).isVisible()).toBe(true);
    await page.getByText(/measured again/).waitFor();
    expect(await page.getByRole('region', {name: 'Largest gaps'}).locator('tbody tr:visible').count()).toBe(4);
    const fleet = await page.getByRole('navigation', {name: 'Places'}).getByRole('link', {name: 'Fleet'}).evaluate((it) => it.getBoundingClientRect().right);
    expect(fleet).toBeLessThanOrEqual(360);
    await page.getByRole('combobox', {name: /^Search/}).fill('help');
    await page.getByRole('option').first().waitFor();
    const [list, input] = await Promise.all(['#search-hits', '.search input'].map((it) => page.locator(it).evaluate((one) => one.getBoundingClientRect().width)));
    expect(list).toBeLessThanOrEqual(input!);
  });

  test.each([['/ui/model?model=deepseek-v3&device=MI355X', /^Which of this model's GEMM and MoE shapes find a tuned kernel/, 6], ['/ui/kernels?device=MI355X', /^A family is one kind of operation/, 1]] as const)('on a phone %s says what it is, and shows the choices that it reads', async (path, text, choices) => {
    const page = await visit(path, {width: 390});
    expect(await page.getByText(text).isVisible()).toBe(true);
    expect(await page.locator('.context .control:visible').count()).toBe(choices);
  });

  test('what to tune first: one click from the largest gap, which has the most work', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    const [first] = await cellsOf(page, 'Largest gaps');
    await clicks.on(page.getByRole('region', {name: 'Largest gaps'}).getByRole('link').first());
    const {models, targets} = await kShown();
    const model = models.find((it: any) => it.model === new URL(page.url()).searchParams.get('model'));
    expect(first?.[0]).toContain(`${model.title} on `);
    const works = ({cells}: any): number[] => cells.map((cell: any, i: number) => (cell && targets[i].gfx.startsWith('gfx') && targets[i].products.length > 0 ? cell.untuned_flops + cell.untuned_flops_missed : 0));
    expect(Math.max(...works(model))).toBe(Math.max(...models.flatMap(works)));
    expect(at(page)).toContain('tab=tune');
  });

  test('hours are known by column, where tune jobs of its architecture have finished; another column plans its own', async () => {
    const page = await visit('/'), figure = page.locator('.answers div', {hasText: 'GPU hours to close'});
    await figure.getByText('not measured yet').waitFor();
    await figure.getByText(/^Too few tune jobs have finished to say\. For scale: [\d,.]+ to [\d,.]+ GPU hours for [\d,]+ shapes at .* on an H200\./).waitFor();
    const jobsOn = (...gfxs: string[]) => ({jobs: gfxs.map((gfx, id) => ({id, purpose: 'tune', gfx, family: 'a', shape_count: 10, claimed: '2026-01-01T00:00:00Z', finished: '2026-01-01T00:01:00Z'}))});
    await page.route('**/jobs?state=done*', (route) => route.fulfill({json: jobsOn('gfx942')}));
    await page.reload();
    await figure.getByText('partly measured').waitFor();
    await figure.getByText(/^MI300X \/ MI325X: [\d.,]+$/).waitFor();
    const plan = figure.locator('dd > div', {hasText: /^MI350X \/ MI355X: no pace yet, plan a job$/}).getByRole('link');
    expect(new URL(await plan.evaluate((it: HTMLAnchorElement) => it.href)).searchParams.get('device')).toBe('MI350X');
    const {targets} = (await api('/overview?tp=8')) as any;
    await page.route('**/jobs?state=done*', (route) => route.fulfill({json: jobsOn(...new Set<string>(targets.map((it: any) => it.gfx)))}));
    await page.reload();
    await figure.getByText(/^at most [\d.,]+$/).waitFor();
  });

  test('the matrix by keyboard: one stop, letters, digits, arrows, Enter; Escape hides the words', async () => {
    const page = await visit('/'), grid = page.getByRole('grid');
    expect(await grid.locator('[tabindex="0"]').count()).toBe(1);
    await grid.locator('[tabindex="0"]').focus();
    const on = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
    for (const key of ['d', '2', 'ArrowDown', 'Home', 'End', 'ArrowLeft']) await page.keyboard.press(key);
    expect(await on()).toMatch(/^DeepSeek V3.* on /);
    await page.locator('.tip').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.tip').waitFor({state: 'detached'});
    await page.keyboard.press('Enter');
    await page.waitForURL('**/ui/model?model=deepseek-v3**');
  });

  test('an empty hub: four commands for this server, and a name that works on its host alone is said', async () => {
    const page = await visit('/');
    await serve(page, '**/overview?*', kEmpty);
    await serve(page, '**/agents?*', () => ({agents: []}));
    await serve(page, '**/readyz?*', (of) => ({...of, data: '/srv/my hub'}));
    await page.reload();
    await page.getByText('This hub has no rows yet.').waitFor();
    await expect.poll(() => page.locator('.copy-line code').allTextContents()).toEqual([
      "export TUNEHUB_KEY=$(tunehub-server key create --scope admin --data '/srv/my hub')", `tunehub-agent import aiter/configs --hub ${hub.url}`,
      "(umask 077; tunehub-server key create --scope claim --data '/srv/my hub' >agent.key)", `export TUNEHUB_KEY=$(cat agent.key)\ntunehub-agent run --tuner aiter --hub ${hub.url}`,
    ]);
    await page.getByText(`127.0.0.1 works only on the hub's host. For other hosts, start the server with --listen 0.0.0.0:${new URL(hub.url).port}`).waitFor();
    await page.getByRole('link', {name: 'how to get it'}).click();
    await page.getByText('127.0.0.1 works only').nth(1).waitFor();
    for (const link of await page.locator('main a[href^="/docs/"]').evaluateAll((all) => all.map((it) => (it as HTMLAnchorElement).href))) expect((await fetch(link)).status, link).toBe(200);
    await page.getByLabel('GPU', {exact: true}).selectOption('MI325X');
    await page.getByText(`tunehub-agent explain vllm.log --gfx MI325X --hub ${hub.url}`).waitFor();
    await page.getByText('deploy/package', {exact: true}).waitFor();
  });

  test.each([['idle', null, 'It has nothing to tune.'], ['waiting: other processes use the CPU', null, 'It starts when its device is idle'], ['job 1', 1, /It tunes job 1: 1 of 2 shapes.* Its rows appear here/]] as const)('one agent, no rows: the next step of one that says %s', async (doing, job, step) => {
    const page = await visit('/', {now: hub.seeded});
    await serve(page, '**/overview?*', kEmpty);
    await serve(page, '**/agents?*', (of) => ({agents: [{...of.agents[0], doing, job}]}));
    await page.reload();
    await page.getByText(step).waitFor();
  });

  test('an unknown device in the address is said, with the known ones', async () => {
    const page = await visit('/?worst=MI9');
    await page.getByText('There is no device "MI9"').waitFor();
    expect(await page.getByRole('grid').count()).toBe(1);
  });
});

describe.skipIf(without)('the search box', () => {
  const {visit} = pages();

  test.each([
    ['deepseek v3 mi355x', /DeepSeek V3 on MI355X/, /model=deepseek-v3&.*device=MI355X|device=MI355X&.*model=deepseek-v3/], ['Qwen/Qwen3-32B', /qwen3-32b/i, /model=(qwen3-32b|Qwen%2FQwen3-32B)/i],
    ['gate_up deepseek v3', /gate_up of DeepSeek V3/, /layer=gate_up&model=deepseek-v3&/], ['quick_kernel', /quick_kernel/, /contains=quick_kernel/], ['1280x5120', /1280.*5120/, /N=1280&K=5120/], ['run 3', /run 3/, /run=3/], ['slower', /slower/i, /kind=slower/], ['help', /How to start/, /\/ui\/start$/], ['install', /How to start/, /\/ui\/start$/],
  ])('finds %s first, and opens it', async (typed, text, address) => {
    const page = await visit('/');
    await page.keyboard.press('/');
    await page.keyboard.type(typed);
    await page.getByRole('option').first().getByText(text).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(address);
  });

  test('a layer of many models lists them all: Enter marks the first, and opens it when it is marked; a model\'s page comes first', async () => {
    const page = await visit('/'), box = page.getByRole('combobox', {name: /^Search/}), options = page.getByRole('option');
    const {layers} = await api('/search?q=gate_up&limit=6') as any, [{models}] = layers;
    await box.fill('gate_up');
    await options.first().getByText(`${models.length} models have this layer: choose one`).waitFor();
    expect(await options.locator('.text').allTextContents()).toEqual(models.map((it: string) => `gate_up of ${it}`));
    await page.keyboard.press('Enter');
    await expect.poll(() => options.first().getAttribute('aria-selected')).toBe('true');
    expect(at(page)).toBe('/');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => options.last().evaluate((it) => it.getBoundingClientRect().bottom <= it.parentElement!.getBoundingClientRect().bottom)).toBe(true);
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL((url) => url.searchParams.get('layer') === 'gate_up' && url.searchParams.get('model') === models[1]);
    await box.fill('gate_up');
    await options.first().getByText("this page's model").waitFor();
    expect(await options.locator('.text').first().textContent()).toBe(`gate_up of ${models[1]}`);
    await box.fill('gate');
    await box.fill('qkv');
    await options.filter({hasText: 'qkv_a'}).click();
    await expect.poll(() => box.inputValue()).toBe('qkv_a');
    await options.first().getByText('qkv_a of').waitFor();
  });
});

describe.skipIf(without)('Fleet', () => {
  const {visit} = pages();

  test('without agents, jobs and drift there is no figure, and the command that starts an agent', async () => {
    const page = await visit('/ui/fleet');
    await serve(page, '**/agents?*', () => ({agents: [], drift: []}));
    await serve(page, '**/queue', () => ({targets: [], open_by_hour: []}));
    await serve(page, '**/jobs?*', () => ({jobs: []}));
    await page.reload();
    await page.getByText('Nobody has planned a job yet.').waitFor();
    expect(await page.locator('.answers').count()).toBe(0);
    await page.getByRole('group', {name: 'Start an agent'}).waitFor();
  });

  test('devices with what they do, and their drift beside them', async () => {
    const page = await visit('/ui/fleet', {now: hub.seeded});
    const days = [1.001, 0.999, 1.004].map((ratio, i) => ({day: `2026-01-${10 + i}`, ratio, keys: 40 + i}));
    await page.route('**/agents?drift=1*', (route) => route.fulfill({json: {agents: [], drift: [{device: 'node1 MI300X 0000:c1:00.0', since: '2026-01-01', days}]}}));
    await page.reload();
    await expect.poll(() => cellsOf(page, 'Devices').then((rows) => rows.at(-1))).toEqual(['node1 MI300X 0000:c1:00.0', 'no agent', '\u2013', '+0.4 %over 11 days, by 42 shapes', '']);
    expect((await page.locator('td .course polyline').getAttribute('points'))?.split(' ').length).toBe(4);
    const [agent] = await cellsOf(page, 'Devices');
    expect(agent?.slice(0, 2)).toEqual([expect.stringContaining('MI300X / MI325X (gfx942:304)'), expect.stringMatching(/^job 1, a8w8_blockscale 1 of 2 shapes/)]);
  });

  test('a missed shape is planned, that one alone, and its row says so', async () => {
    const page = await visit('/ui/fleet');
    const row = page.getByRole('region', {name: 'Missed most and not tuned'}).locator('tbody tr', {hasText: 'M 80'});
    await row.getByRole('button', {name: 'Plan a job'}).click();
    const wanted = (await api('/demand?tuned=no'))['demand'].find((it: any) => it.shape.M === 80);
    const before = (await api('/jobs'))['jobs'].length;
    await giveKey(page);
    await row.getByRole('link', {name: /^job \d+, queued$/}).waitFor();
    const {jobs} = (await api('/jobs')) as any;
    expect(jobs.length).toBe(before + 1);
    expect((await api(`/jobs/${jobs[0].id}`))['shapes']).toEqual([wanted.to_tune]);
    expect(await row.getByRole('button').count()).toBe(0);
  });
});
