import type { SchemaViolation } from '../policy/index.js';

/** Stands last in a list of violations that is cut off: how many more there are. */
export function moreViolations(count: number): SchemaViolation {
  return { path: '/', message: `and ${count} more` };
}

/** How many violations an entry of a list stands for that are not listed; 0 for a violation. */
export function unlistedViolations({ path, message }: SchemaViolation): number {
  const [, count] = (path === '/' && /^and (\d+) more$/.exec(message)) || [];
  return Number(count ?? 0);
}
