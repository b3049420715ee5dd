// On an empty hub: bench, tune and bench with a stand-in for AITER's scripts, an unlisted table, and devices of one
// target.
import {execFileSync} from 'node:child_process';
import {cpSync, mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {clientOf} from '../support/client';
import {kBin, startHub, type Started} from '../support/hub';
import {cellsOf, pages, without} from '../support/page';

const kStandIn = fileURLToPath(new URL('../../support/aiter_tune_standin.py', import.meta.url));
const kScript = 'csrc/ck_gemm_a8w8_blockscale/gemm_a8w8_blockscale_tune.py';

describe.skipIf(without)('a hub of its own', () => {
  const {visit} = pages();
  let started: Started;
  beforeAll(async () => {
    started = await startHub();
  }, 60_000);
  afterAll(() => started?.stop());

  test('the speed-up of baseline, tune and bench is on the page as GET /speedups has it', async () => {
    const {hub, folder} = started;
    const aiter = join(folder, 'aiter');
    for (const file of ['aiter/__init__.py', 'aiter/jit/core.py', 'aiter/configs/a8w8_blockscale_tuned_gemm.csv', kScript]) {
      mkdirSync(dirname(join(aiter, file)), {recursive: true});
      writeFileSync(join(aiter, file), '');
    }
    cpSync(kStandIn, join(aiter, kScript));
    const untuned = join(folder, 'a8w8_blockscale_untuned_gemm.csv'), tuned = join(folder, 'tuned.csv');
    writeFileSync(untuned, 'M,N,K\n16,1280,1024\n32,1280,1024\n');
    const agent = (...words: string[]) => execFileSync(join(kBin, 'tunehub-agent'), [...words, '--tuner', 'aiter', '--aiter', aiter, '--logs', join(folder, 'logs'), '--spool', join(folder, 'spool'), '--state', join(folder, 'state')], {
      env: {...process.env, TUNEHUB_HUB: hub.url, TUNEHUB_KEY: hub.key, STANDIN_OVERHEAD: '2.25'},
      stdio: 'pipe',
    });
    agent('bench', '--before', '-i', untuned);
    agent('tune', '-i', untuned, '-o', tuned);
    agent('bench', '--after', '-i', tuned, '--family', 'a8w8_blockscale');

    const {tuned_over_default: over} = (await (await fetch(`${hub.url}/speedups?family=a8w8_blockscale`)).json()) as any;
    expect([over.keys, over.worst]).toEqual([2, 8]);
    const page = await visit(`${hub.url}/ui/kernels`);
    const row = (await cellsOf(page, 'Kernel families')).find(([name]) => name?.includes('a8w8_blockscale'));
    expect(Number(row?.[4]?.replace('\u00d7', ''))).toBeCloseTo(over.geometric_mean, 1);
    expect(row?.[5]).toBe('2');
  });

  test('a table that no family describes is listed with its lines behind a link', async () => {
    const {hub, folder} = started;
    const configs = join(folder, 'tree/aiter/configs'), text = 'gfx,cu_num,M,us,kernelName\ngfx950,256,16,9.5,frob_a\n';
    mkdirSync(configs, {recursive: true});
    writeFileSync(join(configs, 'a8w8_blockscale_tuned_gemm.csv'), 'gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\ngfx942,304,128,1280,1024,ck,1,0,10.0,kernel_1,0,0,0.0\n');
    writeFileSync(join(configs, 'frob_tuned_gemm.csv'), text);
    execFileSync(join(kBin, 'tunehub-agent'), ['import', join(folder, 'tree'), '--source', 'frob'], {env: {...process.env, TUNEHUB_HUB: hub.url, TUNEHUB_KEY: hub.key}, stdio: 'pipe'});
    const page = await visit(`${hub.url}/ui/kernels`);
    await page.getByText('1 table that no family describes').click();
    expect(await cellsOf(page, 'Unlisted tables')).toEqual([['frob_tuned_gemm', 'aiter/configs/frob_tuned_gemm.csv', '1', 'no: nothing names its shape columns']]);
    const address = await page.getByRole('link', {name: 'frob_tuned_gemm', exact: true}).getAttribute('href');
    expect(await (await fetch(new URL(address ?? '', hub.url))).text()).toBe(text);
    expect(await page.getByRole('link', {name: 'unlisted', exact: true}).count()).toBe(0);
  });

  test('coverage counts the files of the chosen device among those that share a target', async () => {
    const {url, key} = started.hub;
    await clientOf(url, key).csv('/results/triton_fused_moe', 'engine,device,E,N,dtype,M,config,us\nvllm,AMD_Instinct_MI325X,8,2048,,1,"{""BLOCK_SIZE_M"":16}",7.5\n');
    await clientOf(url, key).csv('/results/a8w8_blockscale', 'gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\ngfx942,304,64,1280,1024,ck,1,0,10.0,kernel_1,0,0,0.0\n');
    const missing = async (product: string) => {
      const answer = await fetch(`${url}/map?model=mixtral-8x22b&tp=8&gfx=gfx942&cu_num=304&engine=any&product=${product}`);
      const {layers, states} = (await answer.json()) as any;
      return layers.flatMap((layer: any) => layer.state).filter((state: number) => states[state] === 'missing').length as number;
    };
    const [first, second] = [await missing('MI300X'), await missing('MI325X')];
    expect(second).toBeLessThan(first);
    const page = await visit(`${url}/ui/model?model=mixtral-8x22b&tp=8&device=MI300X&engine=any`);
    const asked = page.waitForResponse((answer) => /\/map\?.*product=MI325X/.test(answer.url()));
    await page.getByLabel('Device', {exact: true}).selectOption('MI325X');
    expect((await asked).status()).toBe(200);
  });
});
