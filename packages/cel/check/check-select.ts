import type { Reference } from '../ast/checked-expression.js';
import type { SelectExpr } from '../ast/expr.js';
import { type CelType, dyn, errorType, json, optionalType } from '../library/types.js';
import { adviseSelection } from './advice.js';
import { type Checking, type Locals, report } from './checking.js';
import type { Field, MessageType } from './environment.js';
import { qualifiedName, reportUndefinedField } from './names.js';
import { isWrapper, printOpenType } from './type-algebra.js';

/**
 * Checks `a.f` and `a.?f`: a dotted name if one is declared, otherwise a field
 * (docs/spec/conditions.md#selection-and-indexing, docs/spec/conditions.md#name-resolution).
 */
export function checkSelect(checking: Checking, expr: SelectExpr, locals: Locals): CelType {
  const name = qualifiedName(expr, locals);
  const declared = name === undefined ? undefined : checking.environment.names.get(name);
  if (declared === undefined) return checkField(checking, expr, locals);
  if (declared.reference !== undefined) checking.references.set(expr, declared.reference);
  return declared.type;
}

/**
 * Checks a field of the operand, never a dotted name: the operand of `has` (docs/spec/conditions.md#the-has-macro).
 */
export function checkField(checking: Checking, expr: SelectExpr, locals: Locals): CelType {
  checking.check(checking, expr.operand, locals);
  const operand = checking.inference.substitute(checking.types.get(expr.operand) ?? dyn);
  // A selection from an optional applies to the value it holds, and the result stays optional
  // (docs/spec/conditions.md#optional-values).
  const isOptional = operand.kind === 'optional';
  const field = fieldType(checking, expr, isOptional ? operand.value : operand);
  return isOptional || expr.optional ? optionalType(field) : field;
}

function fieldType(checking: Checking, expr: SelectExpr, target: CelType): CelType {
  switch (target.kind) {
    case 'map':
      return target.value;
    case 'message':
      return messageField(checking, expr, target.name);
    case 'dyn':
      return target.json ? json : dyn;
    case 'error':
      return dyn;
    case 'parameter':
      // Prevents later inference of a narrower type.
      checking.inference.assignable(dyn, target);
      return dyn;
    case 'opaque':
      if (isWrapper(target)) return refuseSelection(checking, expr, target);
      report(checking, { message: `unexpected failed resolution of '${target.name}'`, ...fieldPlace(expr) });
      return errorType;
    case 'bool':
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'bytes':
    case 'null':
    case 'timestamp':
    case 'duration':
    case 'list':
    case 'optional':
    case 'type':
      return refuseSelection(checking, expr, target);
  }
}

function refuseSelection(checking: Checking, expr: SelectExpr, target: CelType): CelType {
  report(checking, {
    message: `type '${printOpenType(target)}' does not support field selection`,
    ...fieldPlace(expr),
    hints: () => adviseSelection(target, expr.field),
  });
  return dyn;
}

function messageField(checking: Checking, expr: SelectExpr, typeName: string): CelType {
  const type = checking.environment.messages.get(typeName);
  if (type === undefined) return dyn;
  if (type.anyField !== undefined) return boundName(checking, expr, type.anyField);
  const field = type.fields.get(expr.field);
  if (field === undefined) {
    reportUndefinedField(checking, expr.field, fieldPlace(expr), { name: typeName, fields: type.fields.keys() });
    return errorType;
  }
  const reference = fieldReference(checking, expr, type, field);
  if (reference !== undefined) checking.references.set(expr, reference);
  return field.type;
}

// Checks `V.x`. This applies to `V` itself only; a message held in a local variable is read at runtime
// (docs/spec/conditions.md#policy-variables).
function boundName(checking: Checking, expr: SelectExpr, anyField: CelType): CelType {
  const owner = checking.references.get(expr.operand)?.kind;
  const kind = owner === 'variables' || owner === 'constants' || owner === 'globals' ? bound[owner] : undefined;
  if (kind !== undefined) checking.references.set(expr, { kind, name: expr.field });
  return kind === 'constant' ? json : anyField;
}

const bound = { variables: 'variable', constants: 'constant', globals: 'global' } as const;

function fieldReference(checking: Checking, expr: SelectExpr, type: MessageType, field: Field): Reference | undefined {
  if (type.kind === undefined) return undefined;
  if (checking.references.get(expr.operand)?.kind === 'request' && !expr.optional) {
    if (field.name === 'principal' || field.name === 'resource') return { kind: field.name };
    if (field.name === 'auxData') return { kind: 'aux-data' };
  }
  return { kind: 'field', message: type.kind, field: field.name };
}

function fieldPlace(expr: SelectExpr): { readonly start: number; readonly end: number; readonly at: number } {
  return { start: expr.fieldStart, end: expr.end, at: expr.fieldStart - 1 };
}
