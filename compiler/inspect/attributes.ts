import type { Expr } from '../ast/expr.js';
import { visit } from '../ast/visit.js';
import type { InspectedAttribute } from './inspected-policy.js';

/**
 * The attributes of principal and resource that an expression reads by name: `R.attr.owner`,
 * `request.principal.attr["team"]`, also below `has`. What is below an attribute is a part of it. A comprehension's
 * variable called `R` is mistaken for the resource, as it is by the linker.
 */
export function attributesOf(expression: Expr): readonly InspectedAttribute[] {
  const found: InspectedAttribute[] = [];
  visit(expression, (node) => {
    const name = memberOf(node);
    const owner =
      name === undefined || (node.kind !== 'select' && node.kind !== 'index') ? undefined : ownerOf(node.operand);
    if (name !== undefined && owner !== undefined) found.push({ kind: owner, name });
  });
  return found;
}

/** What a node selects by a name that is known. */
function memberOf(node: Expr): string | undefined {
  if (node.kind === 'select') return node.field;
  return node.kind === 'index' && node.index.kind === 'literal' && node.index.type === 'string'
    ? node.index.value
    : undefined;
}

/** Whose attributes an expression is. */
function ownerOf(node: Expr): InspectedAttribute['kind'] | undefined {
  if (node.kind !== 'select' || node.field !== 'attr') return undefined;
  const { operand } = node;
  if (operand.kind === 'ident') return OWNERS.get(operand.name);
  const isOfRequest =
    operand.kind === 'select' && operand.operand.kind === 'ident' && operand.operand.name === 'request';
  return isOfRequest ? OWNERS.get(`request.${operand.field}`) : undefined;
}

const OWNERS: ReadonlyMap<string, InspectedAttribute['kind']> = new Map([
  ['P', 'KIND_PRINCIPAL_ATTRIBUTE'],
  ['request.principal', 'KIND_PRINCIPAL_ATTRIBUTE'],
  ['R', 'KIND_RESOURCE_ATTRIBUTE'],
  ['request.resource', 'KIND_RESOURCE_ATTRIBUTE'],
]);
