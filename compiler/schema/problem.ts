import type { Span } from '../diagnostics/span.js';

/** Why a schema cannot be used. */
export interface SchemaProblem {
  readonly kind: 'problem';
  /** `access`: it cannot be read. `content`: it was read and is not a valid schema. */
  readonly of: 'access' | 'content';
  readonly reason: string;
  /** The location in the schemas. */
  readonly span?: Span;
  /** A suggested fix, if the reason does not contain it. */
  readonly advice?: string;
}

/** A schema that cannot be loaded. */
export function inaccessible(reason: string, advice?: string): SchemaProblem {
  return { kind: 'problem', of: 'access', reason, ...(advice !== undefined && { advice }) };
}

/** A file that is not a valid schema. */
export function invalid(reason: string, span?: Span): SchemaProblem {
  return { kind: 'problem', of: 'content', reason, ...(span && { span }) };
}
