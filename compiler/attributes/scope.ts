import type { CheckedExpression, Types } from '../ast/checked.js';
import type { Expression } from '../ast/policy.js';
import type { Bindings } from '../ast/policy-set.js';
import type { JsonType } from './json-type.js';
import type { SchemaReader } from './schema-reader.js';

/** What the attributes of a request are, by the schemas of a policy. Undefined where no schema says. */
export interface Roots {
  readonly resource: JsonType | undefined;
  readonly principal: JsonType | undefined;
}

/** A value of an expression, as schemas let one see it. */
export interface Seen {
  /** Of an optional: what it holds. */
  readonly type: JsonType;
  /** Whether a schema has a part in the type, and not the expression alone. */
  readonly isTyped: boolean;
  readonly isOptional: boolean;
  /** Steps from an attribute map or a variable of a macro; undefined for other expressions. */
  readonly path: readonly string[] | undefined;
}

/**
 * How the expressions of a document look from a policy: derived roles and variables are looked at once for every policy
 * that uses them.
 */
export interface View {
  readonly roots: Roots;
  readonly bindings: Bindings;
  readonly types: Types;
  readonly reader: SchemaReader;
  readonly variables: ReadonlyMap<string, Seen>;
  /** The paths that are surely there when a variable is true, or false; empty where it does not matter. */
  readonly presence: ReadonlyMap<
    string,
    { readonly whenTrue: ReadonlySet<string>; readonly whenFalse: ReadonlySet<string> }
  >;
}

/** An expression of a view, or a part of one below macros. */
export interface Scope {
  readonly view: View;
  readonly expression: Expression;
  readonly checked: CheckedExpression;
  readonly locals: ReadonlyMap<string, Seen>;
}

/** The scope of an expression; undefined for one that was not checked. */
export function scopeOf(expression: Expression, view: View): Scope | undefined {
  const checked = view.types.get(expression);
  return checked === undefined ? undefined : { view, expression, checked, locals: new Map() };
}
