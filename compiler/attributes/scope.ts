import type { CheckedExpression } from '../../packages/cel/ast/checked-expression.js';
import type { Types } from '../ast/checked.js';
import type { Expression } from '../ast/policy.js';
import type { Bindings } from '../ast/policy-set.js';
import type { JsonType } from './json-type.js';
import type { SchemaReader } from './schema-reader.js';

/** The attributes of a request according to the schemas of a policy. Undefined without a schema. */
export interface Roots {
  readonly resource: JsonType | undefined;
  readonly principal: JsonType | undefined;
}

/** The value of an expression according to the schemas. */
export interface Seen {
  /** The type of the content of an optional. */
  readonly type: JsonType;
  /** Whether the type depends on a schema, and not on the expression alone. */
  readonly isTyped: boolean;
  readonly isOptional: boolean;
  /** The path from an attribute map or a variable of a macro; undefined for other expressions. */
  readonly path: readonly string[] | undefined;
}

/**
 * The expressions of a document in the context of a policy: derived roles and variables are checked for every policy
 * that uses them.
 */
export interface View {
  readonly roots: Roots;
  readonly bindings: Bindings;
  readonly types: Types;
  readonly reader: SchemaReader;
  readonly variables: ReadonlyMap<string, Seen>;
  /** The paths that are certainly present if a variable is true, or false; empty if they do not matter. */
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
export function makeScope(expression: Expression, view: View): Scope | undefined {
  const checked = view.types.get(expression);
  return checked === undefined ? undefined : { view, expression, checked, locals: new Map() };
}
