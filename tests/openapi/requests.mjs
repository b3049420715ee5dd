// One request for each operation, in an order in which a new hub answers all of them. The documents show them.
const json = (body) => ({body: JSON.stringify(body), type: 'application/json'});
const csv = (body) => ({body, type: 'text/csv'});
const header = 'gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n';
const row = (m, us, kernel) => `gfx942,304,${m},1280,5120,ck,8,2,${us},${kernel},2.61,1304.22,0.01\n`;
const target = 'gfx=gfx942&cu_num=304';
const model = `model=qwen3-32b&tp=8&${target}`;
const agent = {agent: 'node1-0', gfx: 'gfx942', cu_num: 304};
const held = (more = {}) => json({agent: 'node1-0', epoch: 1, ...more});
const job = (m) => json({family: 'a8w8_blockscale', gfx: 'gfx942', cu_num: 304, shapes: [{M: m, N: 1280, K: 5120}]});
const config = {
  architectures: ['Qwen3ForCausalLM'], model_type: 'qwen3', hidden_size: 5120, intermediate_size: 25600, head_dim: 128,
  num_attention_heads: 64, num_key_value_heads: 8, num_hidden_layers: 64, vocab_size: 151936,
  quantization_config: {quant_method: 'fp8', weight_block_size: [128, 128]},
};

// Enough rows to learn a heuristic.
const many = [1280, 2560].flatMap((n) => Array.from({length: 120}, (_, i) =>
  `gfx950,256,${i + 1},${n},5120,ck,8,2,100.0,${i < 60 ? 'kernel_small' : 'kernel_large'},2.61,1304.22,0.01\n`)).join('');

// [operationId, method, target, body, the answer is complete]
export const requests = (tar) => [
  ['postRun', 'POST', '/runs', json({started: '2026-01-31T12:00:00Z', host: 'node1', gfx: 'gfx942', rocm: '6.4'})],
  ['postResults', 'POST', '/results/a8w8_blockscale?run=1', csv(header + row(16, '12.5', 'kernel_a') + row(32, '14.0', 'kernel_b'))],
  ['postRun', 'POST', '/runs', json({started: '2026-02-01T12:00:00Z', host: 'node1', gfx: 'gfx942', rocm: '7.0'})],
  ['postResults', 'POST', '/results/a8w8_blockscale?run=2', csv(header + row(16, '10.0', 'kernel_c') + row(32, '18.0', 'kernel_b'))],
  ['postImport', 'POST', '/import?source=nightly', {body: tar('a8w8_blockscale_tuned_gemm.csv', header + row(64, '20.0', 'kernel_d')), type: 'application/gzip'}],
  ['postResults', 'POST', '/results/a8w8_blockscale', csv(header + many)],
  ['postResults', 'POST', '/results/triton_fused_moe', csv('engine,device,E,N,dtype,M,config,us\nvllm,AMD_Instinct_MI300X,8,2048,fp8_w8a8,1,"{""BLOCK_SIZE_M"":16}",7.5\n')],
  ['putBuild', 'PUT', '/builds/wheel', csv('# kind: compiled\nmodule,gfx,kernelId,kernelName\ngemm_a8w8_blockscale,gfx942,,kernel_a\n')],
  ['postDemandLogs', 'POST', `/demand/logs?${target}`, {
    body: '[aiter] shape is M:48, N:1280, K:5120, not found tuned config in /tmp/aiter_configs/a8w8_blockscale_tuned_gemm.csv, will use default config!\n',
    type: 'text/plain',
  }],
  ['postUntuned', 'POST', `/untuned/a8w8_blockscale?${target}`, csv('M,N,K,count\n96,1280,5120,7\n')],
  ['postJob', 'POST', '/jobs', job(128)],
  ['postAgent', 'POST', '/agents', json({...agent, host: 'node1', version: '0.1.0', doing: 'idle'})],
  ['claimJob', 'POST', '/jobs/claim', json(agent)],
  ['keepJob', 'POST', '/jobs/1/heartbeat', held({progress: {done: 0, total: 1}})],
  ['completeJob', 'POST', '/jobs/1/complete', held({run: 2})],
  ['postJob', 'POST', '/jobs', job(256)],
  ['claimJob', 'POST', '/jobs/claim', json(agent)],
  ['releaseJob', 'POST', '/jobs/2/release', held({reason: 'this agent has no tuner for the family'})],
  ['postJob', 'POST', '/jobs', job(512)],
  ['claimJob', 'POST', '/jobs/claim', json({...agent, except: [2]})],
  ['failJob', 'POST', '/jobs/3/fail', held({reason: 'out of memory', park: true})],
  ['retryJob', 'POST', '/jobs/3/retry'],
  ['planJobs', 'POST', '/jobs/plan?dry_run=1', json({gfx: 'gfx942', cu_num: 304, from: ['demand']})],
  ['moveChannel', 'POST', '/channels/stable?to=2'],
  ['createKey', 'POST', '/keys', json({scope: 'submit', owner: 'ci', expires: '2099-12-31', limits: {sources: ['nightly']}})],
  ['rotateKey', 'POST', '/keys/2/rotate', json({grace_hours: 24})],
  ['revokeKey', 'POST', '/keys/2/revoke'],
  ['listKeys', 'GET', '/keys'],
  ['getOwnKey', 'GET', '/keys/self'],
  ['listAudit', 'GET', '/audit?limit=1'],
  ['getChannel', 'GET', '/channels/stable'],
  ['listSigningKeys', 'GET', '/signing-keys'],
  ['listTuned', 'GET', '/tuned'],
  ['getTuned', 'GET', `/tuned/a8w8_blockscale?${target}`],
  ['getFile', 'GET', '/files/vllm/E=8,N=2048,device_name=AMD_Instinct_MI300X,dtype=fp8_w8a8.json'],
  ['getTree', 'GET', '/tree/vllm'],
  ['getBundle', 'GET', `/bundle?${target}`],
  ['getVerdict', 'GET', `/verdict?${model}&build=wheel&list=missing&limit=1`],
  ['listBuilds', 'GET', '/builds'],
  ['getBuild', 'GET', '/builds/wheel'],
  ['listRuns', 'GET', '/runs?limit=1'],
  ['getRun', 'GET', '/runs/1'],
  ['listRevisions', 'GET', '/revisions?limit=1'],
  ['listChanges', 'GET', '/changes?limit=1'],
  ['listFamilies', 'GET', '/families'],
  ['listTargets', 'GET', '/targets'],
  ['listRows', 'GET', `/rows/a8w8_blockscale?${target}&limit=1`],
  ['listModels', 'GET', '/models'],
  ['search', 'GET', '/search?q=1280'],
  ['getShape', 'GET', `/shapes/a8w8_blockscale?${target}&M=16&N=1280&K=5120`],
  ['listDemand', 'GET', '/demand?tuned=no&limit=1'],
  ['getUntuned', 'GET', `/untuned/a8w8_blockscale?${target}`],
  ['lookUp', 'GET', `/lookup/a8w8_blockscale?${target}&M=20&N=1280&K=5120`],
  ['getCoverage', 'GET', `/coverage?${model}`],
  ['postCoverage', 'POST', `/coverage?family=a8w8_blockscale&${target}`, csv('M,N,K\n16,1280,5120\n')],
  ['postCoverageConfig', 'POST', `/coverage/config?tp=8&${target}&grid=16`, json(config)],
  ['getModelCoverage', 'GET', `/coverage/models?${target}&family=a8w8_blockscale`],
  ['getMap', 'GET', `/map?${model}`],
  ['getModelTime', 'GET', `/model-time?${model}&engine=vllm`],
  ['getTrends', 'GET', `/trends?${target}`, undefined, ({points}) => points.length > 0],  // a thread makes the points
  ['getOverview', 'GET', '/overview'],
  ['listJobs', 'GET', '/jobs?limit=1'],
  ['getJob', 'GET', '/jobs/1'],
  ['getQueue', 'GET', '/queue'],
  ['listAgents', 'GET', '/agents'],
  ['getSpeedups', 'GET', '/speedups?family=a8w8_blockscale'],
  ['compare', 'GET', '/compare?base=1&head=2&limit=1'],
  ['getDifferences', 'GET', '/differences?from=1&limit=1'],
  ['getHeuristic', 'GET', '/heuristics/a8w8_blockscale?gfx=gfx950&cu_num=256'],
  ['getHealth', 'GET', '/healthz'],
  ['getReady', 'GET', '/readyz'],
  ['getMetrics', 'GET', '/metrics'],
  ['getOpenApi', 'GET', '/openapi.json'],
  ['getPage', 'GET', '/'],
  ['getView', 'GET', '/ui/coverage'],
  ['revertRun', 'POST', '/runs/2/revert'],
  ['acceptRows', 'POST', '/rows/accept', json({run: 1})],
];
