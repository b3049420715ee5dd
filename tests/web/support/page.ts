// Opens pages and watches them: an error in the console or a request to another host fails the test.
import {afterAll, afterEach, beforeAll, expect, inject} from 'vitest';
import type {Browser, Page, Request} from 'playwright-core';
import {launch} from './browser.mjs';
import {clientOf} from './client';
import type {Hub} from './hub';

export const hub = inject('hub') as Hub;
export const without = inject('hub') === null;

const kPatience = 60_000;  // ms; only a hang takes as long

interface Options {
  dark?: boolean;
  width?: number;
  now?: number;  // the browser's clock, ms
  key?: string;  // an API key that the tab already has
  stay?: boolean;  // if an earlier test left a page at this address, use it without a reload
}

// All tests of a file share one browser. Each open page has its own context. A test that passes without errors leaves
// its pages, with empty storage, to the next test. A new page would cost as much processor time as its view.
export function pages() {
  let browser: Browser;
  const open: Page[] = [], idle: Page[] = [];
  const made = new WeakMap<Page, string>();  // each page's options
  let errors: string[] = [];
  let expected: RegExp[] = [];
  beforeAll(async () => {
    if (!without) browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(async ({task}) => {
    const isClean = errors.length === 0 && expected.length === 0 && task.result?.state !== 'fail';
    for (const page of open.splice(0)) await (isClean ? idle.push(page) : page.context().close());
    const left = errors.filter((error) => !expected.some((it) => it.test(error)));
    errors = [];
    expected = [];
    expect(left, 'errors in the console').toEqual([]);
  });
  const make = async ({now, key}: Options): Promise<Page> => {
    const context = await browser.newContext({reducedMotion: 'reduce', acceptDownloads: true});
    context.setDefaultTimeout(kPatience);
    // The browser does not log every violation in the console, but this listener does.
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (it) => console.error(`Content Security Policy: ${it.effectiveDirective} ${it.blockedURI} ${it.sample}`));
    });
    if (key) await context.addInitScript((it) => location.href !== 'about:blank' && sessionStorage.setItem('tunehub.key', it), key);
    const page = await context.newPage();
    if (now) await page.clock.setFixedTime(now);
    watch(page);
    page.on('console', (message) => message.type() === 'error' && errors.push(`${page.url()}: ${message.text()}`));
    page.on('request', (request) => /^https?:\/\/(?!127\.0\.0\.1:)/.test(request.url()) && errors.push(`${page.url()} asks ${new URL(request.url()).host}`));
    page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.message}`));
    return page;
  };
  const visit = async (path: string, options: Options = {}): Promise<Page> => {
    const {dark = false, width = 1280, now, key, stay} = options, of = JSON.stringify({now, key});
    const url = path.startsWith('http') ? path : hub.url + path;
    const known = idle.filter((it) => made.get(it) === of), there = stay && known.find((it) => it.url() === url);
    const page = there || known[0] || await make(options);
    made.set(page, of);
    open.push(page);
    idle.splice(0, idle.length, ...idle.filter((it) => it !== page));
    await page.emulateMedia({colorScheme: dark ? 'dark' : 'light', media: null});
    await page.setViewportSize({width, height: 900});
    if (known.includes(page)) {
      await page.mouse.move(0, 0);
      await page.unrouteAll();
      await page.evaluate(() => [localStorage, sessionStorage].forEach((it) => it.clear()));
    }
    if (!there) {
      // The requests of the view before may never report their end.
      await page.goto('about:blank');
      asking.get(page)?.clear();
      await page.goto(url);
    }
    await settled(page);
    return page;
  };
  return {
    visit,
    expectErrors: (...patterns: RegExp[]) => void (expected = patterns),  // errors that the test causes
  };
}

const asking = new WeakMap<Page, Set<Request>>();

function watch(page: Page) {
  const open = new Set<Request>();
  asking.set(page, open);
  page.on('request', (it) => open.add(it));
  page.on('requestfinished', (it) => open.delete(it));
  page.on('requestfailed', (it) => open.delete(it));
}

// Effects run after the second frame.
const drawn = (page: Page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));

// What a view shows until its data has come. On a busy machine that can be many frames after the last request.
const kLoading = 'main p.state[role="status"], main [aria-busy="true"]';

// Waits until all requests have answers, all answers are rendered, and no render has sent another request.
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1, main [role="alert"]').first().waitFor();
  const open = asking.get(page) ?? new Set();
  for (let quiet = 0; quiet < 2; ++quiet) {
    await drawn(page);
    if (open.size > 0) quiet = -1;
    for (const part of await page.locator(kLoading).all()) {
      await part.waitFor({state: 'hidden'});
      quiet = -1;
    }
  }
}

// The cells of the body of the table with this name.
export function cellsOf(page: Page, table: string | RegExp): Promise<string[][]> {
  const rows = page.getByRole('region', {name: table, exact: true}).locator('tbody tr');
  return rows.evaluateAll((all) => all.map((row) => [...row.querySelectorAll('th, td')].map((it) => it.textContent ?? '')));
}

export async function api<T = Record<string, any>>(path: string): Promise<T> {
  const response = await fetch(hub.url + path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return (await response.json()) as T;
}

export const post = (path: string, body: object): Promise<any> => clientOf(hub.url, hub.key).json(path, {...body});

// Fills the dialog that requests an API key.
export async function giveKey(page: Page, key = hub.key): Promise<void> {
  await page.getByRole('dialog').getByLabel('Key').fill(key);
  await page.getByRole('dialog').getByRole('button', {name: /^Save/}).click();
}

// The path and query of the page's address.
export function at(page: Page): string {
  const url = new URL(page.url());
  return url.pathname + url.search;
}
