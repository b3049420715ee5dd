// node shots.mjs URL FOLDER [VIEW...]: pictures of every view in both schemes at 390, 1400 and 2560 pixels, for people to look at.
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {kViews, launch} from './support/browser.mjs';

const [url, folder, ...only] = process.argv.slice(2);
if (!url || !folder) {
  console.error('usage: node shots.mjs URL FOLDER [VIEW...]');
  process.exit(2);
}
const kShots = ['light', 'dark'].flatMap((colorScheme) => [390, 1400, 2560].map((width) => ({colorScheme, width})));
const kTallest = 2400;  // pixels; below that, a table of a thousand rows looks the same

mkdirSync(folder, {recursive: true});
const browser = await launch();
for (const view of kViews.filter((it) => only.length === 0 || only.includes(it.name))) {
  for (const {colorScheme, width} of kShots) {
    const context = await browser.newContext({colorScheme, viewport: {width, height: 900}});
    const page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && console.error(`${view.name}: ${message.text()}`));
    await page.goto(url + view.path);
    await page.locator('main h1').waitFor();
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(200);
    const height = Math.min(kTallest, await page.evaluate(() => document.documentElement.scrollHeight));
    await page.setViewportSize({width, height});
    await page.screenshot({path: join(folder, `${view.name}-${colorScheme}-${width}.png`)});
    await context.close();
  }
}
await browser.close();
