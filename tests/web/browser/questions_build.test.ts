// A build engineer's questions. Each answer is at most three clicks from the start page; a choice in a list is a click.
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';
import type {Page} from 'playwright-core';
import {clientOf} from '../support/client';
import {Clicks} from '../support/clicks';
import {us as micros} from '../support/looks';
import {answerOf} from '../support/views/changes';
import {api, cellsOf, hub, pages, settled, without} from '../support/page';

const kAsked = 'gfx=gfx942&cu_num=304&model=qwen3-vl-32b&tp=8&engine=vllm&build=wheel';
const kPin = '/ui/model?tab=pin&model=qwen3-vl-32b&device=MI300X&tp=8';

describe.skipIf(without)('a build engineer asks', () => {
  const {visit, expectErrors} = pages();
  const put = (name: string, body: string) => clientOf(hub.url, hub.key).send(`/builds/${name}`, body, 'text/csv', 'PUT');
  // This build has the kernel of one row. Rows of cktile need a rebuild, because their kernels are compiled in.
  beforeAll(async () => {
    const {rows} = await api('/rows/a8w8_blockscale?gfx=gfx942&cu_num=304&limit=1');
    await put('wheel', `# kind: compiled\nmodule,gfx,kernelId,kernelName\ngemm_a8w8_blockscale,gfx942,,${rows[0].kernelName}\n`);
  });
  const counts = (page: Page) => page.getByRole('navigation', {name: 'What to know'}).getByRole('link').evaluateAll((all) => all.map((it) => (it.textContent ?? '').replaceAll(',', '').trim()));
  // A lock file of the newest revision that is at least a week old. Later runs measured 1,200 shapes again.
  const lockOf = async (query: string) => {
    const {revisions} = (await api('/revisions?limit=500')) as any;
    const [number, token] = revisions.find((it: any) => Date.now() - Date.parse(it.created) > 7 * 86_400_000).pin.split('-');
    const table = {family: 'a8w8_blockscale', query, revision: Number(number), token, sha256: '', file: 'a.csv'};
    return JSON.stringify({hub: hub.url, tables: [table]});
  };
  const choose = (page: Page, text: string, name = 'tunehub.lock') => page.getByLabel(/lock file/).setInputFiles({name, mimeType: 'application/json', buffer: Buffer.from(text)});

  test('which URL for Qwen3-VL-32B at TP 8 on MI300X: three clicks', async () => {
    const page = await visit('/'), clicks = new Clicks(page);
    await clicks.on(page.getByRole('navigation', {name: 'Places'}).getByRole('link', {name: 'Model'}));
    await clicks.choose(page.getByLabel('Model', {exact: true}), 'Qwen/Qwen3-VL-32B-Instruct-FP8');
    await clicks.on(page.getByRole('link', {name: 'Pin', exact: true}));
    const {pinned} = await api(`/verdict?${kAsked.replace('qwen3-vl-32b', 'Qwen%2FQwen3-VL-32B-Instruct-FP8')}`);
    await page.getByRole('link', {name: `${hub.url}${pinned}`}).waitFor();
    expect((await fetch(hub.url + pinned)).status).toBe(200);
  });

  test('is it safe, and what is left out', async () => {
    const page = await visit(`${kPin}&stored=fp8_block&build=wheel`);
    const said = await api(`/verdict?${kAsked}&dtype=fp8_block`);
    await page.getByText(answerOf(said), {exact: true}).waitFor();
    expect([said['verdict'], said['counts'].left_out > 0]).toEqual(['not_safe', true]);
    const titles = {missing: 'missing', unmeasured: 'without a measured time', borrowed: 'with a row of another device', left_out: 'left out', substituted: 'substituted', needs_rebuild: 'need a rebuild'};
    expect(await counts(page)).toEqual(Object.entries(titles).filter(([name], i) => i < 4 || said['counts'][name] > 0).map(([name, title]) => `${said['counts'][name]} ${title}`));
    // A missing row is no danger: the page names what runs, and keeps red for rows that nobody measured.
    expect(answerOf(said)).toMatch(said['counts'].unmeasured > 0 ? /^Measure first: / : /^(Safe to pin, with gaps|No gain, no loss): .* with this pin or without it/);
    expect(await page.locator('.verdict.not_safe').count()).toBe(said['counts'].unmeasured > 0 ? 1 : 0);
    await page.getByText(/^vLLM reads 1 of the \d+ tables for this model$/).click();
    const judged = await cellsOf(page, 'Tables');
    expect(judged.filter((row) => row[1] === 'yes').map((row) => row[0])).toEqual(['a8w8_blockscale']);
  });

  test('a config that reads no table: which storage would', async () => {
    const page = await visit(`${kPin}&stored=bf16&build=none`);
    await page.getByText('Stored as bf16: no table to pin on MI300X.').waitFor();
    await page.getByRole('link', {name: 'Use fp8_block?'}).click();
    await page.getByText(answerOf(await api(`/verdict?${kAsked.replace('&build=wheel', '')}&dtype=fp8_block`)), {exact: true}).waitFor();
  });

  test('a bf16 model leads to its FP8 siblings, with their coverage here', async () => {
    const page = await visit('/ui/model?tab=pin&model=qwen3-vl-32b&device=MI300X&tp=8&engine=vllm&stored=config&build=none');
    const {targets, models} = (await api('/overview?tp=8')) as any, place = targets.findIndex((it: any) => it.products.includes('MI300X'));
    const its = models.find((it: any) => it.model === 'Qwen/Qwen3-VL-32B-Instruct-FP8');
    const line = page.getByText('The same model, stored otherwise:');
    await line.getByText(`(${its.scheme}, ${Math.round(its.cells[place].covered * 100)} % covered)`).waitFor();
    await line.getByRole('link', {name: its.title}).click();
    await page.waitForURL((url) => url.searchParams.get('model') === its.model && url.searchParams.get('stored') === 'config');
  });

  test('the lines of a Dockerfile set what the pinned archive itself sets', async () => {
    const page = await visit(`${kPin}&stored=fp8_block&build=none`);
    await page.getByText('SHA-256 of the archive').waitFor();
    const [run, ...sets] = (await page.getByRole('group', {name: 'lines of a Dockerfile'}).textContent())!.split('\n');
    const folder = mkdtempSync(join(tmpdir(), 'tunehub-docker-'));
    execFileSync('sh', ['-c', run!.replace(/^RUN /, '').replaceAll('/opt/tuned', folder)]);
    const env = readFileSync(join(folder, 'env.sh'), 'utf8');
    expect(sets).toEqual([...env.matchAll(/^export (\w+)="\$TUNEHUB_BUNDLE(.*)"$/gm)].map(([, name, file]) => `ENV ${name}=/opt/tuned${file}`));
    expect(sets.length).toBeGreaterThan(0);
    rmSync(folder, {recursive: true});
    expect(await page.getByRole('group', {name: 'build an image'}).textContent()).toContain(`--build-arg PIN=${(await api(`/verdict?${kAsked.replace('&build=wheel', '')}&dtype=fp8_block`))['pin']} `);
  });

  test('which rows need a rebuild of AITER, row by row as the API has them', async () => {
    // This tree has one built kernel, and another one only as source.
    const {rows} = await api('/rows/a8w8_blockscale?gfx=gfx942&cu_num=304&limit=1000');
    const [built, unbuilt] = [...new Set(rows.map((it: any) => it.kernelName))].sort();
    const lines = [`gemm_a8w8_blockscale,gfx942,,${built},1,`, `gemm_a8w8_blockscale,gfx942,,${unbuilt},,`];
    await put('sources', ['# kind: tree', 'module,gfx,kernelId,kernelName,built,shape', ...lines, ''].join('\n'));
    const page = await visit(`${kPin}&stored=fp8_block&build=sources`);
    await page.getByRole('link', {name: /need a rebuild$/}).first().click();
    const {list} = await api(`/verdict?${kAsked.replace('wheel', 'sources')}&dtype=fp8_block&list=needs_rebuild`);
    await page.getByRole('heading', {name: `${list.total} need a rebuild`}).waitFor();
    expect(list.total).toBe((await api(`/rows/a8w8_blockscale?gfx=gfx942&cu_num=304&limit=1&contains=${unbuilt}`))['total']);
    const shown = await cellsOf(page, 'Rows and shapes: need a rebuild');
    expect(shown.map((row) => [row[0], row[2], row[4]])).toEqual(list.items.map((it: any) => [it.family, it.in_table ? 'yes' : 'left out', it.row.kernelName]));
  });

  test("what changed for this device, and how to go back to last week's", async () => {
    const page = await visit(`${kPin.replace('MI300X', 'MI300A')}&stored=fp8_block&build=none`);
    const {week_ago, pin} = await api('/verdict?gfx=gfx942&cu_num=228&model=qwen3-vl-32b&tp=8&dtype=fp8_block');
    const line = await page.getByRole('group', {name: `fetch revision ${week_ago.revision}`}).textContent();
    expect(line).toContain(`revision=${week_ago.pin}`);
    expect((await fetch((/'([^']+)'/.exec(line ?? '') ?? [])[1] ?? '')).status).toBe(200);
    const {counts} = (await api(`/differences?from=${week_ago.pin}&to=${pin}&gfx=gfx942&cu_num=228`)) as any;
    await page.getByText(`${counts.slower} slower, ${counts.faster} faster`).waitFor();
    // A write for another device is no change for this one.
    const other = await visit(`${kPin}&stored=fp8_block&build=none`);
    expect(await other.getByText('over all tables of this device').textContent()).not.toContain('slower');
    await choose(page, await lockOf('gfx=gfx942&cu_num=228'));
    await page.getByRole('heading', {name: /since tunehub\.lock$/}).waitFor();
    await page.getByText(new RegExp(`^The lock file pins revision \\d+ of .* UTC for MI300A \\(gfx942:228\\)\\.$`)).waitFor();
    await page.getByRole('navigation', {name: 'Kinds of changes'}).getByRole('link', {name: /slower$|slower \+/}).click();
    await page.getByText(/^From the lock file \(1 table\), to revision/).waitFor();
  });

  test('an old revision: what changed since it, forwards', async () => {
    const {week_ago} = await api('/verdict?gfx=gfx942&cu_num=228&model=qwen3-vl-32b&tp=8&dtype=fp8_block');
    const page = await visit(`${kPin.replace('MI300X', 'MI300A')}&stored=fp8_block&build=none&revision=${week_ago.pin}`);
    await page.getByRole('heading', {name: `What changed on MI300A (gfx942:228) since revision ${week_ago.revision}`}).waitFor();
    const {counts} = (await api(`/differences?from=${week_ago.pin}&to=now&gfx=gfx942&cu_num=228`)) as any;
    expect(counts.faster).toBeGreaterThan(counts.slower);
    await page.getByText(`${counts.slower} slower, ${counts.faster} faster`).waitFor();
    await page.getByRole('navigation', {name: 'Kinds of changes'}).getByRole('link', {name: /faster/}).click();
    await page.waitForURL((url) => url.searchParams.get('to') === 'now' && url.searchParams.get('from') === `rev:${week_ago.pin}`);
  });

  test('revisions are offered; the newer first reads backwards, which is said, and swapped by a click', async () => {
    const {revisions: [newest, older]} = (await api('/revisions?limit=2')) as any;
    const page = await visit(`/ui/changes?from=rev:${newest.revision}&to=rev:${older.revision}&scope=all`);
    const offered = await page.locator(`#${await page.getByLabel('From: revision').getAttribute('list')} option`).evaluateAll((all) => all.map((it) => [it.getAttribute('value'), it.textContent]));
    expect(offered.slice(0, 2)).toEqual([newest, older].map(({revision, created, cause}: any) => [String(revision), `${created.slice(0, 16).replace('T', ' ')}, ${cause}`]));
    await page.getByText('The first state is the newer one').getByRole('link', {name: 'Swap the two'}).click();
    await page.waitForURL((url) => url.searchParams.get('from') === `rev:${older.revision}` && url.searchParams.get('to') === `rev:${newest.revision}`);
    await page.getByText(/^From revision .*, to revision/).waitFor();
    await page.getByText('The first state is the newer one').waitFor({state: 'detached'});
  });

  test('the list of devices has GPUs alone, but an address may name any target', async () => {
    const page = await visit('/ui/kernels?device=MI300X'), list = () => page.getByLabel('Device', {exact: true}).locator('option').evaluateAll((all) => all.map((it) => (it as HTMLOptionElement).value));
    const targets = ((await api('/tuned')) as any).families.flatMap((it: any) => it.targets), bare = targets.find((it: any) => !it.cu_num).gfx;
    expect((await list()).filter((it) => targets.some(({gfx, cu_num}: any) => !cu_num && gfx === it))).toEqual([]);
    await page.goto(`${hub.url}/ui/kernels?device=${bare}`);
    await settled(page);
    expect(await list()).toContain(bare);
  });

  test('an engine that does not start: at which TP it does', async () => {
    const page = await visit('/ui/model?tab=pin&model=minimax-m2.5&device=MI355X&tp=8&build=none');
    const starts: number[] = [];
    for (const tp of [1, 2, 4, 8]) {
      const {findings} = await api(`/map?model=minimax-m2.5&tp=${tp}&gfx=gfx950&cu_num=256`);
      if (!findings.some((it: any) => it.refused)) starts.push(tp);
    }
    expect(starts).not.toContain(8);
    const text = `vLLM does not start with this model at TP 8. It starts at ${starts.map((tp) => `TP ${tp}`).join(', ')}.`;
    await expect.poll(() => page.locator('.verdict .headline').textContent()).toBe(text);
  });

  test('the digest of the archive is that of the file; this address is only of this machine', async () => {
    const page = await visit(`${kPin}&stored=fp8_block&build=none`);
    await page.getByText(/^http:.* works only on this machine\./).waitFor();
    const archive = await (await fetch(String(await page.getByRole('link', {name: /\/bundle\?/}).textContent()))).arrayBuffer();
    await page.getByText(createHash('sha256').update(Buffer.from(archive)).digest('hex'), {exact: true}).waitFor();
  });

  test("if last week's revision is this one, the one before it", async () => {
    const page = await visit(`${kPin}&stored=fp8_block&build=none`);
    const previous = {revision: 3, pin: '3-0123', created: null, cause: 'run'};
    await page.route('**/verdict?*', async (route) => {
      const said = (await (await route.fetch()).json()) as any;
      await route.fulfill({json: {...said, week_ago: {revision: said.revision, pin: said.pin}, previous}});
    });
    await page.reload();
    await page.getByText('The revision in force seven days ago is this one. Before it: revision 3.').waitFor();
    expect(await page.getByRole('group', {name: 'fetch revision 3'}).textContent()).toContain('revision=3-0123');
  });

  test('a lock file that gets no answer: the page says so', async () => {
    const page = await visit(`${kPin}&stored=fp8_block&build=none`);
    expectErrors(/ERR_FAILED/);
    await page.route('**/differences?*', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()));
    await choose(page, await lockOf('gfx=gfx942&cu_num=228'));
    await page.getByText('The request for the changes failed without an answer. The page repeats it.').waitFor();
    await page.getByText(/^The lock file pins revision \d+ for MI300A/).waitFor();
    await page.getByRole('button', {name: 'Leave out the lock file'}).click();
  });

  test('what of my pinned tables got slower: two clicks, and the file', async () => {
    const page = await visit('/'), clicks = new Clicks(page), lock = await lockOf('gfx=gfx942&cu_num=228');
    await clicks.on(page.getByRole('navigation', {name: 'Places'}).getByRole('link', {name: 'Changes'}));
    await choose(page, lock);
    await page.getByText(/^From the lock file \(1 table\), to now, revision/).waitFor();
    await clicks.on(page.getByRole('navigation', {name: 'Kinds of changes'}).getByRole('link').first());
    const answer = (await (await fetch(`${hub.url}/differences?kind=slower`, {method: 'POST', body: lock})).json()) as any;
    expect([answer.counts.slower, answer.counts.faster, answer.counts.not_measured_before]).toEqual([60, 300, 0]);
    expect((await cellsOf(page, 'What changed')).map((row) => row[3])).toEqual(answer.differences.map((it: any) => micros(it.after.us)));
    await page.getByRole('link', {name: 'Next'}).click();
    await page.getByText('51 to 60 of 60').waitFor();
    await page.getByRole('button', {name: 'Leave out the lock file'}).click();
    await page.getByText(/^From revision/).waitFor();
    await choose(page, 'M,N,K', 'notes.txt');
    await page.getByText('"notes.txt" is not a lock file.').waitFor();
  });
});
