import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Found {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** The rules whose result depends on colours: what may differ between the themes of a page. */
export const COLOURS: readonly string[] = ['color-contrast', 'link-in-text-block'];

/**
 * What axe finds in a page as it is shown now: the rule and the elements of each violation.
 *
 * @param rules the ids of the rules that are checked; all if absent.
 */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // The driver evaluates it outside of the page's policy.
  await page.evaluate(AXE);
  // axe describes each element that passes otherwise, which takes a third of its time.
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as Found;
  return violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join(' ')}`);
}
