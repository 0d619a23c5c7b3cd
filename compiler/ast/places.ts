import type { Expr } from '../../packages/cel/ast/expr.js';
import type { Expression, Policy, PolicyFile } from './policy.js';
import type { Located, Place } from '../diagnostics/span.js';

/** Reports at the whole document, with its name underlined. */
export function placeOfDocument({ place, policy }: PolicyFile): Place {
  return { ...place, span: findName(policy).place.span };
}

/** Reports at the place of an expression, with one of its nodes underlined. */
export function placeOfNode(expression: Expression, node: Expr): Place {
  return { ...expression.place, span: expression.spanOf(node.start, node.end) };
}

/** `a.yaml:5:8`: how messages refer to a second place. */
export function printPlace(place: Place): string {
  const { source } = place.span;
  return `${source.path}:${printPosition(place)}`;
}

/** `5:8`. */
export function printPosition(place: Place): string {
  const { line, column } = place.span.source.lineAndColumn(place.anchor);
  return `${line}:${column}`;
}

function findName(policy: Policy): Located<string> {
  switch (policy.kind) {
    case 'resource':
      return policy.resource;
    case 'principal':
      return policy.principal;
    case 'role':
      return policy.role;
    case 'derived-roles':
    case 'export-variables':
    case 'export-constants':
    case 'invariants':
      return policy.name;
    case 'tenant-roles':
      return policy.tenantScope;
  }
}
