import { createEngine } from '../runtime/engine/index.js';
import type { PolicyBundle } from '../runtime/policy/index.js';
import { report } from './harness/child.js';

/** The measurements of a start, in milliseconds and bytes. */
export interface StartReport {
  readonly load: number;
  readonly firstDecision: number;
  readonly memory: number;
}

const [path, kind] = process.argv.slice(2) as [string, string];
const start = performance.now();
const { policies } = (await import(path)) as { readonly policies: PolicyBundle };
const loaded = performance.now();
const principal = { id: 'employee-1', roles: ['employee'] };
if (!createEngine(policies).isAllowed({ principal, resource: { kind, id: 'leave-1' }, action: 'create' }))
  throw new Error('not allowed');
const decided = performance.now();
await report({
  load: loaded - start,
  firstDecision: decided - loaded,
  memory: process.memoryUsage().rss,
} satisfies StartReport);
