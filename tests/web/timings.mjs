// node timings.mjs URL: how soon each view is there, and how soon a filter's change is.
import {gzipSync} from 'node:zlib';
import {kViews, launch} from './support/browser.mjs';

const url = process.argv[2];
const kRounds = 5;
const kMostJson = 200 * 1024;
const kMostInteractive = 1000, kMostChange = 100;  // ms

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const ms = (value) => `${value.toFixed(0)} ms`;
const verdict = (value, most) => (value > most ? ' ABOVE THE LIMIT' : '');

// The registry holds one import: it is compared with itself, key by key.
const views = kViews.map((it) => (it.name === 'compare' ? {...it, path: '/ui/compare?base=1&head=1'} : it));

// A view, what stands at its filter, and what is chosen in turn.
const kChanges = [
  ['/ui/results?family=a8w8_blockscale', 'Target', ['gfx942:304', 'gfx950:256', '']],
  ['/ui/coverage?model=qwen3-vl-32b&tp=4&target=gfx942%3A304', 'Family', ['a8w8_bpreshuffle', 'a8w8_blockscale', 'a8w8_bpreshuffle']],
  ['/ui/coverage?tp=8&target=gfx942%3A304', 'Model', ['qwen3-vl-32b', 'qwen3-32b', 'deepseek-v3']],
  ['/ui/speedups', 'Target', ['gfx942:304', 'gfx950:256', '']],
  ['/ui/compare?base=1&head=1', 'Show', ['same', '']],
  ['/ui/compare?base=1&head=1', 'Family', ['a8w8_blockscale', 'bf16', '']],
  ['/ui/fleet', 'State', ['queued', 'running', '']],
];

// As Lighthouse counts it: what each task takes beyond 50 ms.
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
  page.on('response', async (response) => {
    if (!/^(application\/json|text\/csv)/.test(response.headers()['content-type'] ?? '')) return;
    const body = await response.body().catch(() => null);
    if (body) data += gzipSync(body).length;
  });
  await page.goto(url + view.path, {waitUntil: 'commit'});
  await page.waitForFunction(kSettled, undefined, {polling: 'raf'});
  const there = await page.evaluate(() => performance.now());
  const painted = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
  await page.waitForTimeout(2000);
  const blocked = await page.evaluate(() => window.blocked);
  await context.close();
  return {painted, there, blocked, data};
}

// From the event to the frame that shows what the server said to the new filter; and how much of it was
// spent on waiting for the server.
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

const browser = await launch();
console.log('view       first paint   data there   blocked   data as gzip');
for (const view of views) {
  const rounds = [];
  for (let i = 0; i < kRounds; ++i) rounds.push(await load(browser, view));
  const of = (name) => median(rounds.map((it) => it[name]));
  console.log(
    `${view.name.padEnd(10)} ${ms(of('painted')).padStart(11)} ${ms(of('there')).padStart(12)} ${ms(of('blocked')).padStart(9)} ` +
      `${(of('data') / 1024).toFixed(1).padStart(11)} KB${verdict(of('data'), kMostJson)}${view.name === 'overview' ? verdict(of('there'), kMostInteractive) : ''}`,
  );
}
for (const [path, label, values] of kChanges) {
  const page = await (await browser.newContext()).newPage();
  await page.goto(url + path);
  await page.waitForFunction(kSettled);
  // The first time that a value is chosen the server is asked; later the page may still know.
  const times = [];
  for (const value of values) times.push(await changeFilter(page, label, value));
  const said = times.map(({all, server}) => `${ms(all)} (server ${ms(server)})`).join(', ');
  console.log(`${path.replace(/\?.*/, '')}, ${label}: ${said}${verdict(median(times.map((it) => it.all - it.server)), kMostChange)}`);
  await page.context().close();
}
await browser.close();
