import type { Page } from 'playwright-core';

/**
 * The words of a page that continue on another line, apart from code and editors; and the width by which the page is
 * wider than the window, if it is.
 */
export async function brokenWords(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(FIND)) as readonly string[];
}

/** As a string: this project does not include the DOM types. */
const FIND = `(() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement.closest('pre, option, [hidden]') !== null) continue;
    for (const match of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.push(match[0]);
    }
  }
  const tooWide = document.documentElement.scrollWidth - innerWidth;
  return tooWide > 0 ? [...found, 'the page is ' + tooWide + ' px too wide'] : found;
})()`;
