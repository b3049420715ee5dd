// Counts clicks: a user must find an answer in three clicks from the start page.
import {expect} from 'vitest';
import type {Locator, Page} from 'playwright-core';
import {settled} from './page';

const kMostClicks = 3;

export class Clicks {
  made = 0;
  constructor(readonly page: Page) {}

  async on(target: Locator): Promise<void> {
    await target.click();
    await settled(this.page);
    expect(++this.made, 'clicks').toBeLessThanOrEqual(kMostClicks);
  }

  // A choice in a list counts as a click.
  async choose(list: Locator, value: string): Promise<void> {
    await list.selectOption(value);
    await settled(this.page);
    expect(++this.made, 'clicks').toBeLessThanOrEqual(kMostClicks);
  }
}
