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
  {name: 'overview', path: '/', heading: 'Overview'},
  {name: 'families', path: '/ui/families', heading: 'Families'},
  {name: 'coverage', path: '/ui/coverage?model=qwen3-vl-32b&tp=4&engine=any&target=gfx942%3A304&family=a8w8_blockscale', heading: 'Coverage'},
  {name: 'build', path: '/ui/build?model=qwen3-vl-32b&target=gfx942%3A304&dtype=fp8_block&build=none', heading: 'Build'},
  {name: 'changed', path: '/ui/changed?target=gfx942%3A228', heading: 'Changed'},
  {name: 'trends', path: '/ui/trends?target=gfx950%3A256', heading: 'Trends'},
  {name: 'tune', path: '/ui/tune?model=deepseek-v3&target=gfx942%3A304', heading: 'Tune'},
  {name: 'speedups', path: '/ui/speedups?target=gfx942%3A80', heading: 'Speedups'},
  {name: 'compare', path: '/ui/compare?base=2&head=3', heading: 'Compare'},
  {name: 'results', path: '/ui/results?family=a8w8_blockscale&target=gfx942%3A304&N=1280&K=5120', heading: 'Results'},
  {name: 'shape', path: '/ui/shape?family=a8w8_blockscale&gfx=gfx942&cu_num=304&M=16&N=1280&K=5120', heading: 'a8w8_blockscale, M 16, N 1280, K 5120'},
  {name: 'fleet', path: '/ui/fleet?state=running', heading: 'Fleet'},
  {name: 'runs', path: '/ui/runs?run=3', heading: 'Run 3'},
  {name: 'audit', path: '/ui/audit', heading: 'Audit'},
  {name: 'api', path: '/ui/api?find=%2Fopenapi.json', heading: 'API'},
];
