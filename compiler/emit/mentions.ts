import { type Doc, mention } from './doc.js';

/** Code that begins with a member of `authz/runtime/cel`: `isIn(`. */
export function cel(code: string): Doc {
  return mention('cel', `cel.${code}`);
}

/** The same of `authz/runtime/residual`. */
export function residual(code: string): Doc {
  return mention('residual', `residual.${code}`);
}

/** The name of the algebra that a filter is given. */
export const ALGEBRA = 'q';
