// node timings.mjs URL [tables]: measures how long views take to load, filters to change and tables to sort. With
// `tables` it measures only tables.
import {gzipSync} from 'node:zlib';
import {kViews, launch} from './support/browser.mjs';

const url = process.argv[2];
const kRounds = 5, kAnswers = 11;
const kMostJson = 200 * 1024;
const kMostPainted = 250, kMostThere = 500, kMostAnswer = 50, kMostChange = 150, kMostTable = 150;  // ms

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const ms = (value) => `${value.toFixed(0)} ms`;
const verdict = (value, most) => (value > most ? ' ABOVE THE LIMIT' : '');

// Run 1 is the import, so Compare compares it with itself.
const views = kViews.map((it) => (it.name === 'compare' ? {...it, path: '/ui/changes?from=run:1&to=run:1'} : it));

// For each view: the label of a filter, and the values to choose in turn.
const kChanges = [
  ['/ui/kernels?family=a8w8_blockscale', 'Device', ['MI355X', 'MI300X', 'MI355X']],
  ['/ui/model?model=deepseek-v3&device=MI355X', 'Weights', ['fp8', 'fp8_block', 'config']],
  ['/ui/model?tp=8&device=MI300X', 'Model', ['qwen3-vl-32b', 'qwen3-32b', 'deepseek-v3']],
  ['/ui/changes?from=run:1&to=run:1', 'Family', ['a8w8_blockscale', 'bf16', '']],
  ['/ui/fleet', 'State', ['queued', 'running', '']],
];

// The blocking time as Lighthouse defines it: each task's time beyond 50 ms.
const kObserve = `
  window.blocked = 0;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.blocked += Math.max(0, task.duration - 50);
  }).observe({type: 'longtask', buffered: true});`;

const kSettled = () =>
  document.querySelector('main h1') !== null &&
  !document.querySelector('main [aria-busy="true"]') &&
  !/Loading /.test(document.querySelector('main').textContent);

async function load(browser, view) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}});
  const page = await context.newPage();
  await page.addInitScript(kObserve);
  let data = 0;
  const asked = new Set();
  page.on('response', async (response) => {
    if (!/^(application\/json|text\/csv)/.test(response.headers()['content-type'] ?? '')) return;
    const body = await response.body().catch(() => null);
    if (!body) return;
    data += gzipSync(body).length;
    asked.add(response.url());
  });
  await page.goto(url + view.path, {waitUntil: 'commit'});
  await page.waitForFunction(kSettled, undefined, {polling: 'raf'});
  const there = await page.evaluate(() => performance.now());
  await page.waitForTimeout(2000);
  const painted = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
  const blocked = await page.evaluate(() => window.blocked);
  await context.close();
  return {painted, there, blocked, data, asked};
}

// The slowest answer of a view, as the median of kAnswers, while no browser uses the processors.
async function slowestOf(asked) {
  let worst = {path: 'none', took: 0};
  for (const address of asked) {
    const times = [];
    for (let i = 0; i < kAnswers; ++i) {
      const begin = performance.now();
      await (await fetch(address)).arrayBuffer();
      times.push(performance.now() - begin);
    }
    if (median(times) > worst.took) worst = {path: new URL(address).pathname, took: median(times)};
  }
  return worst;
}

// The time from the event to the frame that shows the answer to the new filter, and the server's part of this time.
async function changeFilter(page, label, value) {
  return page.evaluate(
    async ([name, wanted]) => {
      const labels = [...document.querySelectorAll('main label')];
      const select = document.getElementById(labels.find((it) => it.textContent === name).htmlFor);
      const begin = performance.now();
      select.value = wanted;
      select.dispatchEvent(new Event('change', {bubbles: true}));
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      await frame();
      while (document.querySelector('main [aria-busy="true"]') || /Loading /.test(document.querySelector('main').textContent)) await frame();
      const asked = performance.getEntriesByType('resource').filter((it) => it.startTime >= begin);
      return {all: performance.now() - begin, server: asked.length > 0 ? Math.max(...asked.map((it) => it.responseEnd)) - Math.min(...asked.map((it) => it.startTime)) : 0};
    },
    [label, value],
  );
}

// The time from the click to the frame that shows the rows in the new order, and the server's part of this time.
async function sortBy(page, table, column) {
  return page.evaluate(
    async ([name, title]) => {
      const region = document.querySelector(`[role="region"][aria-label="${name}"]`);
      const button = [...region.querySelectorAll('button.sort')].find((it) => it.textContent === title);
      const sorted = () => button.parentElement.getAttribute('aria-sort');
      const before = sorted(), begin = performance.now();
      button.click();
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      do await frame();
      while (sorted() === before || document.querySelector('main [aria-busy="true"]'));
      await frame();
      return performance.now() - begin;
    },
    [table, column],
  );
}

async function timeTables(browser) {
  const page = await (await browser.newContext({viewport: {width: 1280, height: 900}})).newPage();
  await page.goto(`${url}/ui/kernels?family=a8w8_blockscale&scope=all`);
  await page.waitForFunction(kSettled);
  const served = [];
  for (const column of ['us', 'M', 'us', 'kernelName', 'us']) served.push(await sortBy(page, 'Rows of a8w8_blockscale', column));
  console.log(`sort of a served table's 24,000 rows: ${served.map(ms).join(', ')}${verdict(median(served), kMostTable)}`);
  await page.context().close();
}

const browser = await launch();
if (process.argv.includes('tables')) {
  await timeTables(browser);
  await browser.close();
  process.exit();
}
console.log('view       first paint   data there   blocked   data as gzip   slowest answer');
for (const view of views) {
  const rounds = [];
  for (let i = 0; i < kRounds; ++i) rounds.push(await load(browser, view));
  const of = (name) => median(rounds.map((it) => it[name]));
  const slowest = await slowestOf(new Set(rounds.flatMap((it) => [...it.asked])));
  const isStart = view.name === 'home';
  const said = [
    view.name.padEnd(10),
    ms(of('painted')).padStart(11) + (isStart ? verdict(of('painted'), kMostPainted) : ''),
    ms(of('there')).padStart(12) + (isStart ? verdict(of('there'), kMostThere) : ''),
    ms(of('blocked')).padStart(9),
    `${(of('data') / 1024).toFixed(1).padStart(11)} KB${verdict(of('data'), kMostJson)}`,
    `${ms(slowest.took).padStart(9)} ${slowest.path}${verdict(slowest.took, kMostAnswer)}`,
  ];
  console.log(said.join(' '));
}
for (const [path, label, values] of kChanges) {
  const page = await (await browser.newContext()).newPage();
  await page.goto(url + path);
  await page.waitForFunction(kSettled);
  // The first request for a value goes to the server. A later one may be answered from the page's cache.
  const times = [];
  for (const value of values) times.push(await changeFilter(page, label, value));
  const said = times.map(({all, server}) => `${ms(all)} (server ${ms(server)})`).join(', ');
  console.log(`${path.replace(/\?.*/, '')}, ${label}: ${said}${verdict(median(times.map((it) => it.all - it.server)), kMostChange)}`);
  await page.context().close();
}
await timeTables(browser);
await browser.close();
