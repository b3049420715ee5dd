// node timings.mjs URL: how soon each view is there, and how soon a filter's change is.
import {gzipSync} from 'node:zlib';
import {kViews, launch} from './support/browser.mjs';

const url = process.argv[2];
const kRounds = 5;
const kMostJson = 200 * 1024;

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const ms = (value) => `${value.toFixed(0)} ms`;

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
  let json = 0;
  page.on('response', async (response) => {
    if (!response.headers()['content-type']?.startsWith('application/json')) return;
    const body = await response.body().catch(() => null);
    if (body) json += gzipSync(body).length;
  });
  await page.goto(url + view.path, {waitUntil: 'commit'});
  await page.waitForFunction(kSettled, undefined, {polling: 'raf'});
  const there = await page.evaluate(() => performance.now());
  const painted = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
  await page.waitForTimeout(2000);
  const blocked = await page.evaluate(() => window.blocked);
  await context.close();
  return {painted, there, blocked, json};
}

// From the event to the frame that shows what the server said to the new filter.
async function changeFilter(page, label, value) {
  return page.evaluate(
    async ([name, wanted]) => {
      const labels = [...document.querySelectorAll('main label')];
      const select = document.getElementById(labels.find((it) => it.textContent === name).htmlFor);
      const begin = performance.now();
      select.value = wanted;
      select.dispatchEvent(new Event('change', {bubbles: true}));
      await new Promise((done) => requestAnimationFrame(done));
      while (document.querySelector('main [aria-busy="true"]') || /Loading /.test(document.querySelector('main').textContent)) {
        await new Promise((done) => requestAnimationFrame(done));
      }
      return performance.now() - begin;
    },
    [label, value],
  );
}

const browser = await launch();
console.log('view       first paint   data there   blocked   JSON as gzip');
for (const view of kViews) {
  const rounds = [];
  for (let i = 0; i < kRounds; ++i) rounds.push(await load(browser, view));
  const of = (name) => median(rounds.map((it) => it[name]));
  console.log(
    `${view.name.padEnd(10)} ${ms(of('painted')).padStart(11)} ${ms(of('there')).padStart(12)} ${ms(of('blocked')).padStart(9)} ` +
      `${(of('json') / 1024).toFixed(1).padStart(11)} KB${of('json') > kMostJson ? ' ABOVE THE LIMIT' : ''}`,
  );
}
const page = await (await browser.newContext()).newPage();
await page.goto(`${url}/ui/results?family=a8w8_blockscale`);
await page.waitForFunction(kSettled);
const values = ['gfx942:304', 'gfx950:256', ''];
const times = [];
for (let i = 0; i < kRounds * values.length; ++i) times.push(await changeFilter(page, 'Target', values[i % values.length]));
console.log(`a filter of 24,436 rows: ${ms(median(times))}, at most ${ms(Math.max(...times))}`);
await browser.close();
