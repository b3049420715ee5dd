// Compares a view on the screen with the expected tables and texts.
import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {linesOf} from './client';
import {target} from './looks';
import {Random} from './random';
import type {Registry} from './random_registry';

type Rows = unknown[][];  // texts or matchers of vitest

// Replaces a table's rows: the rows of one page.
export interface Cut {
  rows: Rows;
  of: number;  // number of rows on all pages
  from?: number;  // number of the first row on the page, counted from 1
  pager?: string;  // the name of the page links, unless it is "Pages: CAPTION"
  whole?: boolean;  // true for a grid, which has no pages
}

export interface Seen {
  path: string;
  tables?: Record<string, Rows | Cut>;  // every table and grid of the view, by its name
  texts?: Record<string, unknown[]>;  // by CSS selector: the texts of all elements that it finds
}

export interface Asking {
  of: Registry;
  random: Random;
  now: number;
  families: any[];
  index: any;
  models: string[];
  ask(path: string): Promise<any>;
  csv(path: string): Promise<Record<string, string>[]>;
  product(of: string | {gfx: string; cu_num: number | null}): string;  // "MI300X / MI325X (gfx942:304)"
}

export type ViewTable = Record<string, (it: Asking) => Promise<Seen[]>>;

const kPage = 50;

// Runs in the page. A picture's label comes after the text of its cell.
function read(selectors: string[]) {
  const text = (it: Element) => (it.textContent ?? '').replace(/\s+/g, ' ').trim();
  const cell = (it: Element) => [text(it), it.querySelector('svg[role="img"]')?.getAttribute('aria-label'), it.closest('[role="grid"]') && it.tagName === 'TD' ? it.querySelector('a')?.getAttribute('aria-label') : ''].filter(Boolean).join(' | ');
  const rows = (it: Element, which: string) => [...it.querySelectorAll(`${which} tr`)].map((row) => [...row.querySelectorAll('th, td')].map(cell));
  const regions = [...document.querySelectorAll('main [role="region"], main .scroll[role="group"]')].filter((it) => it.querySelector('table') && !it.closest('.operation'));
  return {
    // Two tables with the same name would share their state in the address.
    tables: Object.fromEntries(regions.map((it, i) => {
      const name = it.getAttribute('aria-label');
      return [regions.findIndex((one) => one.getAttribute('aria-label') === name) < i ? `${name}, once more` : name, rows(it, 'tbody')];
    })),
    pagers: Object.fromEntries([...document.querySelectorAll('main nav.pager')].map((it) => [it.getAttribute('aria-label'), text(it.querySelector('span') ?? it)])),
    texts: Object.fromEntries(selectors.map((one) => [one, [...document.querySelectorAll(one)].map(text)])),
  };
}

// Normalizes spaces as `read` does.
const plain = (it: unknown) => (typeof it === 'string' ? it.replace(/\s+/g, ' ').trim() : it);
const cutOf = (it: Rows | Cut): Cut => (Array.isArray(it) ? {rows: it, of: it.length} : it);

export async function compare(page: Page, {path, tables = {}, texts = {}}: Seen, what: string): Promise<void> {
  const {pagers, ...shown} = await page.evaluate(read, Object.keys(texts));
  const wanted = Object.entries(tables).map(([name, it]) => ({name, ...cutOf(it)}));
  expect(shown, `${what}, ${path}`).toEqual({tables: Object.fromEntries(wanted.map(({name, rows, whole}) => [name, rows.slice(0, whole ? rows.length : kPage).map((row) => row.map(plain))])), texts: Object.fromEntries(Object.entries(texts).map(([name, all]) => [name, all.map(plain)]))});
  for (const {name, rows, of, whole, from = 1, pager = `Pages: ${name}`} of wanted) {
    const end = from - 1 + Math.min(kPage, rows.length);
    if (of > kPage && !whole) expect(pagers[pager], `${what}, ${path}, ${pager}`).toBe(`${from.toLocaleString('en')} to ${end.toLocaleString('en')} of ${of.toLocaleString('en')}`);
  }
}

export async function askingOf(of: Registry): Promise<Asking> {
  const text = async (path: string) => {
    const answer = await fetch(of.hub.url + path, {headers: {Authorization: `Bearer ${of.hub.key}`}});
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.text();
  };
  const ask = async (path: string) => JSON.parse(await text(path));
  const [index, {families}, {models}] = [await ask('/tuned'), await ask('/families'), await ask('/models')];
  return {
    of, now: of.now, random: new Random(of.seed), families, index, models: models.map((it: any) => it.model), ask,
    csv: async (path) => linesOf(await text(path)),
    product: (it) => {
      const name = typeof it === 'string' ? it : target(it);
      return index.products[name] ? `${index.products[name]} (${name})` : name;
    },
  };
}
