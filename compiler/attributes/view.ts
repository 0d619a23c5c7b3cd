import type { Types } from '../ast/checked.js';
import type { Bindings } from '../ast/policy-set.js';
import { type Facts, factsWhen } from './facts.js';
import type { SchemaReader } from './schema-reader.js';
import { type Roots, type Seen, scopeOf, type View } from './scope.js';
import { see } from './see.js';

/** What views have in common. */
export interface Sight {
  readonly types: Types;
  readonly reader: SchemaReader;
  /** Whether it matters that an attribute may be missing. */
  readonly isStrict: boolean;
}

/** A view of a document; its variables come in dependency order, so that each is looked at once. */
export function viewOf(roots: Roots, bindings: Bindings, { types, reader, isStrict }: Sight): View {
  const variables = new Map<string, Seen>();
  const presence = new Map<string, { readonly whenTrue: Facts; readonly whenFalse: Facts }>();
  const view: View = { roots, bindings, types, reader, variables, presence };
  for (const { name, expression } of bindings.variables.values()) {
    const scope = scopeOf(expression, view);
    if (scope === undefined || expression.ast === undefined) continue;
    variables.set(name, see(expression.ast, scope));
    if (isStrict)
      presence.set(name, {
        whenTrue: factsWhen(expression.ast, true, scope),
        whenFalse: factsWhen(expression.ast, false, scope),
      });
  }
  return view;
}
