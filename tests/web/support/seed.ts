// Rows in addition to an import of AITER's tables: runs to compare, measured defaults, a working agent, jobs, demand, a
// quarantined row, and names that contain markup.
import {clientOf, linesOf, waitForPoints, type Json} from './client';

export const kNasty = '<script>alert("x")</script>';
export const kLongKernel = `a8w8_${'x'.repeat(154)}`;  // 159 characters, as long as AITER's longest
const kHeader = 'gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n';

// `later` makes all earlier rows older by that many days.
export async function seed(url: string, key: string, later: (days: number) => void): Promise<void> {
  const {json, csv} = clientOf(url, key);
  const points = (least: number) => waitForPoints(url, {gfx: 'gfx950', cu_num: 256}, ({length}) => length >= least);
  const row = (m: number, us: string, kernel: string, error = '0.0') => `gfx942,80,${m},2048,3072,ck,8,2,${us},${kernel},2.61,1304.22,${error}\n`;

  const slow = await json('/runs', {started: '2026-01-30T12:00:00Z', host: kNasty, gfx: 'gfx942', rocm: '6.4', campaign: kNasty});
  await csv(`/results/a8w8_blockscale?run=${slow['id']}`, kHeader + row(16, '9.0', 'slow_kernel') + row(32, '12.0', kLongKernel) + row(64, '20.0', 'wrong_kernel', '0.9'));
  const quick = await json('/runs', {started: '2026-01-31T12:00:00Z', host: 'node2', gfx: 'gfx942', rocm: '7.0'});
  await csv(`/results/a8w8_blockscale?run=${quick['id']}`, kHeader + row(16, '6.0', 'quick_kernel') + row(32, '15.0', 'other_kernel'));

  const both = await json('/runs', {started: '2026-01-31T13:00:00Z', host: 'node3', gfx: 'gfx942', rocm: '7.0', campaign: 'spring'});
  const timed = (m: number, us: number, kernelName: string, is_default = false) => ({gfx: 'gfx942', cu_num: 80, M: m, N: 4096, K: 3072, libtype: 'ck', kernelId: 8, splitK: 0, us, kernelName, is_default});
  const rows = [[16, 40, 10], [32, 30, 20], [64, 33, 30], [128, 90, 15]].flatMap(([m = 0, slowly = 0, quickly = 0]) => [
    timed(m, slowly, 'default_kernel', true),
    timed(m, quickly, 'tuned_kernel'),
  ]);
  await json(`/results/a8w8_blockscale?run=${both['id']}`, {rows: [...rows, timed(256, 120, 'default_kernel', true)]});  // the last row is a baseline

  // Of 1,200 shape keys, 60 become slower by 20 % with the same kernels and 300 faster by 15 %: more than a page lists.
  const many = async (rocm: string, factor: (m: number) => number) => {
    const run = await json('/runs', {started: `2026-01-31T${rocm === '6.4' ? 14 : 15}:00:00Z`, host: 'node4', gfx: 'gfx942', rocm});
    const all = Array.from({length: 1200}, (_, i) => `gfx942,228,${i + 1},256,1024,ck,8,2,${((1000 + i) * factor(i + 1)).toFixed(3)},kernel_${i < 60 ? 'kept' : rocm},0,0,0.0\n`);
    await csv(`/results/a8w8_blockscale?run=${run['id']}`, kHeader + all.join(''));
  };
  await many('6.4', () => 1);
  await points(1);  // waits for the import's point, before `later` makes it older
  later(33);
  await many('7.1', (m) => (m <= 60 ? 1.2 : m <= 360 ? 0.85 : 1));

  // A row of an engine's own file. Its shape key names the device.
  await csv('/results/triton_fused_moe', 'engine,device,E,N,dtype,M,config,us\nvllm,AMD_Instinct_MI300X,8,2048,fp8_w8a8,1,"{""BLOCK_SIZE_M"":16}",7.5\n');

  // A month of tuning on MI355X.
  const brought = new Set<string>();
  for (const model of ['deepseek-v3', 'minimax-m2.5']) {
    const missing = await (await fetch(`${url}/coverage?model=${model}&tp=8&gfx=gfx950&cu_num=256&family=a8w8_blockscale&format=csv&state=missing`)).text();
    for (const line of linesOf(missing)) brought.add(['M', 'N', 'K'].map((name) => line[name]).join(','));
  }
  const month = await json('/runs', {started: '2026-02-01T12:00:00Z', host: 'node5', gfx: 'gfx950', rocm: '7.1'});
  await csv(`/results/a8w8_blockscale?run=${month['id']}`, kHeader + [...brought].map((shape) => `gfx950,256,${shape},ck,8,2,1000.0,month_kernel,0,0,0.0\n`).join(''));

  // The most missed shape is tuned already.
  await csv('/untuned/a8w8_blockscale?gfx=gfx942&cu_num=304', 'M,N,K,count\n16,1280,5120,900\n17,1111,2222,40\n33,1111,2222,3\n65,1111,2222,2\n');
  await json('/jobs', {family: 'a8w8_blockscale', gfx: 'gfx942', cu_num: 304, shapes: [{M: 16, N: 1111, K: 2222}, {M: 32, N: 1111, K: 2222}]});
  await json('/agents', {agent: 'mi300x-1', gfx: 'gfx942', cu_num: 304, host: kNasty, version: '0.1.0', doing: 'job 1'});
  const claimed = await json('/jobs/claim', {agent: 'mi300x-1', gfx: 'gfx942', cu_num: 304});
  const epoch = (claimed['lease'] as Json | null)?.['epoch'];
  await json(`/jobs/${claimed['id']}/heartbeat`, {agent: 'mi300x-1', epoch, progress: {done: 1, total: 2}});
  await points(2);
}
