import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Found {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What axe finds in a page as it is shown now: the rule and the elements of each violation. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // The driver evaluates it outside of the page's policy.
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run()')) as Found;
  return violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join(' ')}`);
}
