import type { CallExpr, Expr, IndexExpr, LiteralExpr, MacroExpr, SelectExpr } from '../../packages/cel/ast/expr.js';
import type { CelType } from '../../packages/cel/library/types.js';
import { either, type JsonType, ofKinds, ofValues, OPEN } from './json-type.js';
import { findItem, findMember } from './members.js';
import type { JsonValue } from '../ast/policy.js';
import type { Scope, Seen } from './scope.js';

/** The value of an expression, according to the schemas and to the expression itself. */
export function see(node: Expr, scope: Scope): Seen {
  switch (node.kind) {
    case 'literal':
      return untyped(typeOfLiteral(node));
    case 'ident': {
      const reference = scope.checked.references.get(node);
      const local = reference?.kind === 'local' ? scope.locals.get(reference.name) : undefined;
      return local ?? seeByCel(node, scope);
    }
    case 'select':
      return seeSelect(node, scope);
    case 'index':
      return seeIndex(node, scope);
    case 'call':
      return seeCall(node, scope);
    case 'macro':
      return seeMacro(node, scope);
    case 'list':
    case 'map':
    case 'message':
      return seeByCel(node, scope);
  }
}

/** The scope of the predicate and body of a macro: its variables range over its operand. */
export function scopeWithin(node: MacroExpr, scope: Scope): Scope {
  if (node.range === undefined || node.variables.length === 0) return scope;
  const range = see(node.range, scope);
  const locals = new Map(scope.locals);
  const seen = seeVariables(node, range, scope);
  // Macros with variables of the same name are distinct, both within one expression and across several with the same
  // facts.
  const own = `${node.start}:${scope.expression.text.slice(node.start, node.end)}`;
  for (const [index, name] of node.variables.entries()) {
    const variable = seen[index] ?? untyped(OPEN);
    locals.set(name, { ...variable, path: variable.path ?? [`${own}:${name}`] });
  }
  return { ...scope, locals };
}

/** The literal key: the string in `["a"]`. */
export function findLiteralKey({ index }: IndexExpr): string | undefined {
  return index.kind === 'literal' && index.type === 'string' ? index.value : undefined;
}

function seeSelect(node: SelectExpr, scope: Scope): Seen {
  const { view } = scope;
  const reference = scope.checked.references.get(node);
  if (
    reference?.kind === 'field' &&
    reference.field === 'attr' &&
    (reference.message === 'resource' || reference.message === 'principal')
  ) {
    const type = view.roots[reference.message];
    return { type: type ?? OPEN, isTyped: type !== undefined, isOptional: node.optional, path: [reference.message] };
  }
  if (reference?.kind === 'variable') return view.variables.get(reference.name) ?? untyped(OPEN);
  if (reference?.kind === 'constant') return seeConstant(view.bindings.constants.get(reference.name)?.value);
  if (reference !== undefined) return seeByCel(node, scope);
  return seeMember(see(node.operand, scope), node.field, node.optional, scope);
}

function seeIndex(node: IndexExpr, scope: Scope): Seen {
  const operand = see(node.operand, scope);
  const key = findLiteralKey(node);
  if (key !== undefined) return seeMember(operand, key, node.optional, scope);
  const { index } = node;
  const at = index.kind === 'literal' && index.type === 'int' ? Number(index.value) : undefined;
  const isList = operand.type.every(({ kinds }) => !kinds.has('map'));
  const type = isList ? findItem(operand.type, at, scope.view.reader) : OPEN;
  const path = at === undefined ? undefined : operand.path && [...operand.path, `[${at}]`];
  return { type, isTyped: operand.isTyped, isOptional: operand.isOptional || node.optional, path };
}

function seeMember(operand: Seen, name: string, optional: boolean, { view }: Scope): Seen {
  return {
    type: operand.isTyped ? findMember(operand.type, name, view.reader).type : OPEN,
    isTyped: operand.isTyped,
    isOptional: operand.isOptional || optional,
    path: operand.path && [...operand.path, name],
  };
}

function seeCall(node: CallExpr, scope: Scope): Seen {
  if (node.function === '_?_:_') return seeOne(node.args.slice(1).map((arg) => see(arg, scope)));
  if (node.isOperator || node.target === undefined) return seeByCel(node, scope);
  const target = see(node.target, scope);
  if (!target.isOptional) return seeByCel(node, scope);
  if (node.function === 'value') return { ...target, isOptional: false };
  const [instead] = node.args;
  if (node.function === 'orValue' && instead !== undefined)
    return seeOne([{ ...target, isOptional: false }, see(instead, scope)]);
  return seeByCel(node, scope);
}

function seeMacro(node: MacroExpr, scope: Scope): Seen {
  if (node.macro === 'cel.bind' && node.body !== undefined) return see(node.body, scopeWithin(node, scope));
  if ((node.macro !== 'filter' && node.macro !== 'sortBy') || node.range === undefined) return seeByCel(node, scope);
  const range = see(node.range, scope);
  const isList = range.type.every(({ kinds }) => kinds.size === 1 && kinds.has('list'));
  return isList ? { ...range, path: undefined } : seeByCel(node, scope);
}

function seeVariables({ macro, range, variables }: MacroExpr, seen: Seen, { view }: Scope): readonly Seen[] {
  switch (macro) {
    case 'cel.bind':
      return [seen];
    case 'optMap':
    case 'optFlatMap':
      return seen.isOptional ? [{ ...seen, isOptional: false }] : [];
    case 'has':
    case 'math.greatest':
    case 'math.least':
      return [];
    case 'all':
    case 'exists':
    case 'exists_one':
    case 'filter':
    case 'map':
    case 'transformList':
    case 'transformMap':
    case 'transformMapEntry':
    case 'sortBy': {
      if (range === undefined || seen.isOptional || !seen.isTyped || seen.type.some(({ kinds }) => kinds.has('map')))
        return [];
      const item: Seen = {
        type: findItem(seen.type, undefined, view.reader),
        isTyped: true,
        isOptional: false,
        path: undefined,
      };
      return variables.length === 2 ? [untyped(ofKinds('integer')), item] : [item];
    }
  }
}

function seeOne(seen: readonly Seen[]): Seen {
  return {
    type: either(seen.map(({ type }) => type)),
    isTyped: seen.some(({ isTyped }) => isTyped),
    isOptional: seen.some(({ isOptional }) => isOptional),
    path: undefined,
  };
}

function seeConstant(value: JsonValue | undefined): Seen {
  if (value === undefined) return untyped(OPEN);
  if (value === null || typeof value !== 'object') return untyped(ofValues([value]));
  return untyped(ofKinds(Array.isArray(value) ? 'list' : 'map'));
}

function seeByCel(node: Expr, { checked }: Scope): Seen {
  const type = checked.types.get(node);
  return untyped(type === undefined ? OPEN : typeOfCel(type));
}

function typeOfCel(type: CelType): JsonType {
  switch (type.kind) {
    case 'bool':
      return ofKinds('boolean');
    case 'int':
    case 'uint':
      return ofKinds('integer');
    case 'double':
      return ofKinds('integer', 'fraction');
    case 'string':
      return ofKinds('string');
    case 'null':
      return ofKinds('null');
    case 'list':
      return ofKinds('list');
    case 'map':
      return ofKinds('map');
    // Messages, timestamps and the like are not JSON: `comparison/never-holds` reports these.
    case 'bytes':
    case 'timestamp':
    case 'duration':
    case 'dyn':
    case 'error':
    case 'optional':
    case 'type':
    case 'message':
    case 'opaque':
    case 'parameter':
      return OPEN;
  }
}

function typeOfLiteral(node: LiteralExpr): JsonType {
  switch (node.type) {
    case 'null':
    case 'bool':
    case 'double':
    case 'string':
      return ofValues([node.value]);
    case 'int':
    case 'uint':
      return ofValues([Number(node.value)]);
    case 'bytes':
      return OPEN;
  }
}

function untyped(type: JsonType): Seen {
  return { type, isTyped: false, isOptional: false, path: undefined };
}
