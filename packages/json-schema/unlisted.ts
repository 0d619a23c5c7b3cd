import type { SchemaViolation } from './violation.js';

/** The last entry of a truncated list of violations: the number of those that are not listed. */
export function moreViolations(count: number): SchemaViolation {
  return { path: '/', message: `and ${count} more` };
}

/** The number of violations that an entry stands for and that are not listed; 0 for a violation. */
export function unlistedViolations({ path, message }: SchemaViolation): number {
  const [, count] = (path === '/' && /^and (\d+) more$/.exec(message)) || [];
  return Number(count ?? 0);
}
