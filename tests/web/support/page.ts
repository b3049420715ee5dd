// A page whose console is watched: any error fails the test that made it.
import {afterAll, afterEach, beforeAll, expect, inject} from 'vitest';
import type {Browser, BrowserContext, Page} from 'playwright-core';
import {launch} from './browser.mjs';
import type {Hub} from './hub';

export const hub = inject('hub') as Hub;
export const without = inject('hub') === null;

interface Options {
  dark?: boolean;
  width?: number;
}

// For a file of tests: one browser, a fresh context per page.
export function pages() {
  let browser: Browser;
  const open: BrowserContext[] = [];
  let errors: string[] = [];
  let expected: RegExp[] = [];
  beforeAll(async () => {
    if (!without) browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(async () => {
    for (const context of open.splice(0)) await context.close();
    const left = errors.filter((error) => !expected.some((it) => it.test(error)));
    errors = [];
    expected = [];
    expect(left, 'errors in the console').toEqual([]);
  });
  const visit = async (path: string, {dark = false, width = 1280}: Options = {}): Promise<Page> => {
    const context = await browser.newContext({
      colorScheme: dark ? 'dark' : 'light',
      viewport: {width, height: 900},
      reducedMotion: 'reduce',
      acceptDownloads: true,
    });
    open.push(context);
    const page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && errors.push(`${page.url()}: ${message.text()}`));
    page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.message}`));
    await page.goto(hub.url + path);
    await settled(page);
    return page;
  };
  return {
    visit,
    // Errors that a test provokes.
    expectErrors: (...patterns: RegExp[]) => {
      expected = patterns;
    },
  };
}

// Nothing is loading any more.
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1, main [role="alert"]').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('main [aria-busy="true"]') && !/Loading /.test(document.querySelector('main')?.textContent ?? ''));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

export async function api<T = Record<string, any>>(path: string): Promise<T> {
  const response = await fetch(hub.url + path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return (await response.json()) as T;
}

// The path and query that the page is at.
export function at(page: Page): string {
  const url = new URL(page.url());
  return url.pathname + url.search;
}
