// Starts Debian's Chromium, and has an address with data for each view.
import {execFileSync} from 'node:child_process';
import {chromium} from 'playwright-core';

function program() {
  return process.env.TUNEHUB_CHROMIUM ?? execFileSync('sh', ['-c', 'command -v chromium']).toString().trim();
}

// Playwright gives each browser a fresh profile.
export function launch() {
  return chromium.launch({
    executablePath: program(),
    args: [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync',
    ],
  });
}

export const kViews = [
  {name: 'home', path: '/', heading: 'Home'},
  {name: 'map', path: '/ui/model?model=deepseek-v3&device=MI355X&tab=map', heading: 'DeepSeek V3 on MI355X'},
  {name: 'roofline', path: '/ui/model?model=deepseek-v3&device=MI355X&tab=roofline', heading: 'DeepSeek V3 on MI355X'},
  {name: 'tune', path: '/ui/model?model=deepseek-v3&device=MI300X&tab=tune', heading: 'DeepSeek V3 on MI300X'},
  {name: 'pin', path: '/ui/model?model=qwen3-vl-32b&device=MI300X&stored=fp8_block&tab=pin', heading: 'Qwen3-VL 32B on MI300X'},
  {name: 'history', path: '/ui/model?model=deepseek-v3&device=MI355X&tab=history', heading: 'DeepSeek V3 on MI355X'},
  {name: 'kernels', path: '/ui/kernels', heading: 'Kernels'},
  {name: 'rows', path: '/ui/kernels?device=MI300X&family=a8w8_blockscale&N=1280&K=5120', heading: 'a8w8_blockscale'},
  {name: 'shape', path: '/ui/shape?family=a8w8_blockscale&gfx=gfx942&cu_num=304&M=16&N=1280&K=5120', heading: 'a8w8_blockscale, M 16, N 1280, K 5120'},
  {name: 'changes', path: '/ui/changes?device=MI300A&scope=device', heading: 'Changes: all models on MI300A (gfx942:228)'},
  {name: 'compare', path: '/ui/changes?from=run:2&to=run:3', heading: 'Changes: all models and devices'},
  {name: 'run', path: '/ui/changes?run=3', heading: 'Run 3'},
  {name: 'fleet', path: '/ui/fleet?state=running', heading: 'Fleet'},
  {name: 'start', path: '/ui/start', heading: 'How to start'},
  {name: 'audit', path: '/ui/audit', heading: 'Audit'},
  {name: 'api', path: '/ui/api?find=%2Fopenapi.json', heading: 'API'},
];
