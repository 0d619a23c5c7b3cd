export * from './index.js';

export { patternsFailedOnHost } from 'authz/runtime/cel';

/** The conditions in a form that reports why one failed; loaded on demand. */
export const traced = async () => (await import('./traced/index.js')).traced;
