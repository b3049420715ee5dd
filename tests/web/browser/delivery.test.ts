// How the server delivers the page: headers, assets, and the requests that the page sends.
import {describe, expect, test} from 'vitest';
import {api, hub, pages, without} from '../support/page';

describe.skipIf(without)('delivery', () => {
  const {visit, expectErrors} = pages();

  test('the page allows nothing but its own server, and is asked for again each time', async () => {
    for (const path of ['/', '/ui/kernels?family=a8w8', '/ui/nothing']) {
      const page = await fetch(hub.url + path);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
      expect(page.headers.get('cache-control')).toBe('no-cache');
    }
  });

  test('assets are packed, immutable, and there for who cannot unpack', async () => {
    const html = await (await fetch(hub.url)).text();
    const names = [...html.matchAll(/\/assets\/[\w.-]+/g)].map((it) => it[0]);
    expect(names.length).toBeGreaterThanOrEqual(3);
    for (const name of names) {
      const packed = await fetch(hub.url + name, {headers: {'Accept-Encoding': 'gzip'}});
      const plain = await fetch(hub.url + name, {headers: {'Accept-Encoding': 'identity'}});
      expect(packed.headers.get('content-encoding')).toBe('gzip');
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(packed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(packed.headers.get('vary')).toBe('Accept-Encoding');
      expect(await packed.text()).toBe(await plain.text());
    }
    expect((await fetch(`${hub.url}/assets/nothing.js`)).status).toBe(404);
  });

  test('a style, a frame, a script and markup made of text are refused', async () => {
    expectErrors(/Content.Security.Policy/, /asks example\.org/, /TrustedHTML/, /TrustedScript/, /trusted/i);
    const page = await visit('/');
    const wanted = ['style-src-elem', 'frame-src', 'innerHTML'];
    const refused = await page.evaluate((names) => new Promise<string[]>((done) => {
      const seen: string[] = [];
      document.addEventListener('securitypolicyviolation', (it) => {
        seen.push(it.effectiveDirective);
      });
      const style = document.createElement('style');
      style.textContent = 'body { display: none }';
      document.head.append(style);
      const script = document.createElement('script');
      script.append('window.broken = true');
      document.head.append(script);
      const frame = document.createElement('iframe');
      frame.src = 'https://example.org/';
      document.body.append(frame);
      try {
        document.body.innerHTML = '<b>x</b>';
      } catch {
        seen.push('innerHTML');
      }
      const kPatience = 60_000;
      const begin = Date.now();
      const look = () => names.every((it) => seen.includes(it)) || Date.now() - begin > kPatience ? done(seen) : setTimeout(look, 20);
      look();
    }), wanted);
    expect(refused).toEqual(expect.arrayContaining(wanted));
    expect(await page.locator('main h1').isVisible()).toBe(true);
    expect(await page.evaluate(() => 'broken' in window)).toBe(false);
  });

  test('of a table of 24,000 rows no more is in the page than one reads', async () => {
    const page = await visit('/ui/kernels?scope=all&family=a8w8_blockscale');
    expect((await api('/rows/a8w8_blockscale?limit=1'))['total']).toBeGreaterThan(24_000);
    expect(await page.locator('table.data tbody tr').count()).toBe(50);
  });
});
