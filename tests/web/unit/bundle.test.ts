// The built page is within its size limits.
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {beforeAll, describe, expect, test} from 'vitest';
import {gunzipSync} from 'node:zlib';

const kWeb = fileURLToPath(new URL('../../../web/', import.meta.url));
const kMostScript = 90 * 1024;

describe('the bundle', () => {
  beforeAll(() => {
    if (!existsSync(`${kWeb}dist/index.html`)) throw new Error('web/dist is not built: deploy/build-web');
  });
  const assets = () => readdirSync(`${kWeb}dist/assets`);

  test('all script together is at most 90 KB as it is sent, packed', () => {
    const scripts = assets().filter((name) => name.endsWith('.js.gz'));
    const sizes = scripts.map((name) => readFileSync(`${kWeb}dist/assets/${name}`).length);
    expect(sizes.reduce((sum, size) => sum + size, 0), scripts.join(', ')).toBeLessThanOrEqual(kMostScript);
  });

  test('every file is there packed, with the same content', () => {
    for (const name of ['index.html', ...assets().map((it) => `assets/${it}`)]) {
      if (name.endsWith('.gz')) continue;
      expect(gunzipSync(readFileSync(`${kWeb}dist/${name}.gz`)).equals(readFileSync(`${kWeb}dist/${name}`)), name).toBe(true);
    }
  });

  test('names carry a hash, and the page holds no script or style of its own', () => {
    for (const name of assets()) expect(name).toMatch(/-[\w-]{8}\.(js|css|svg)(\.gz)?$/);
    const page = readFileSync(`${kWeb}dist/index.html`, 'utf8');
    expect(page).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\bon\w+=/i);
    expect(page).not.toMatch(/https?:\/\//);
  });

  test('three run-time dependencies', () => {
    const {dependencies} = JSON.parse(readFileSync(`${kWeb}package.json`, 'utf8')) as {dependencies: object};
    expect(Object.keys(dependencies).sort()).toEqual(['@preact/signals', 'preact', 'uplot']);
  });
});
