import type { SchemaViolation } from './violation.js';

/**
 * The last entry of a truncated list of violations: the number of those that are not listed.
 *
 * @example
 * import { moreViolations } from 'authz/runtime';
 *
 * console.log(moreViolations(12).message); // => and 12 more
 */
export function moreViolations(count: number): SchemaViolation {
  return { path: '/', message: `and ${count} more` };
}

/**
 * The number of violations that an entry stands for and that are not listed; 0 for a violation.
 *
 * @example
 * import { moreViolations, unlistedViolations } from 'authz/runtime';
 *
 * console.log(unlistedViolations(moreViolations(12))); // => 12
 */
export function unlistedViolations({ path, message }: SchemaViolation): number {
  const [, count] = (path === '/' && /^and (\d+) more$/.exec(message)) || [];
  return Number(count ?? 0);
}
