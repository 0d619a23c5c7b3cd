import type { Span } from '../diagnostics/span.js';

/** Why a schema cannot be used. */
export interface SchemaProblem {
  readonly kind: 'problem';
  /** `access`: it cannot be read. `content`: it was read and is not a schema. */
  readonly of: 'access' | 'content';
  readonly reason: string;
  /** Where in the schemas it lies. */
  readonly span?: Span;
  /** What to do about it, when the reason does not say. */
  readonly advice?: string;
}

/** A schema that cannot be had. */
export function inaccessible(reason: string, advice?: string): SchemaProblem {
  return { kind: 'problem', of: 'access', reason, ...(advice !== undefined && { advice }) };
}

/** A text that is not a schema. */
export function invalid(reason: string, span?: Span): SchemaProblem {
  return { kind: 'problem', of: 'content', reason, ...(span && { span }) };
}
