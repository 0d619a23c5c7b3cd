/* What the worker needs only once it is asked: one chunk, since more of them would repeat the names that they share. */
export { complete, format, hover } from './language.js';
export { toActionPlan } from './plan-action.js';
export { diff, matrix } from './review.js';
export { begin, tested } from './suites.js';
