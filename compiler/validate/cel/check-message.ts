import type { MessageExpr } from '../../ast/expr.js';
import { type CelType, errorType } from '../../cel/types.js';
import { type Checking, entryType, type Locals, report } from './checking.js';
import { reportUndeclaredType, reportUndefinedField } from './names.js';
import { isWrapper, printOpenType } from './type-algebra.js';

/** `google.protobuf.Duration{seconds: 1}` (docs/spec/conditions.md#messages-as-values). */
export function checkMessage(checking: Checking, expr: MessageExpr, locals: Locals): CelType {
  const typeName = expr.typeName.replace(/^\./, '');
  const declared = checking.environment.names.get(typeName);
  if (declared === undefined) {
    reportUndeclaredType(checking, expr.typeName, expr.start);
    return errorType;
  }
  const result = madeBy(checking, expr, typeName, declared.type);
  for (const field of expr.fields) {
    const found = entryType(checking, field.value, field.optional, locals);
    checkFieldType(checking, expr, typeName, field.name, found, field.value);
  }
  return result;
}

function madeBy(checking: Checking, expr: MessageExpr, typeName: string, declared: CelType): CelType {
  const { start } = expr;
  const end = start + expr.typeName.length;
  if (declared.kind !== 'type') {
    report(checking, { message: `'${printOpenType(declared)}' is not a type`, start, end, at: end });
    return errorType;
  }
  const message = checking.environment.messages.get(typeName);
  if (message === undefined) {
    report(checking, { message: `'${printOpenType(declared.of)}' is not a message type`, start, end, at: end });
    return errorType;
  }
  checking.references.set(expr, { kind: 'type', name: typeName });
  // What runs is the scalar itself.
  const scalar = message.fields.get('value');
  return checking.reading === 'certain' && isWrapper(message.makes) && scalar !== undefined
    ? scalar.type
    : message.makes;
}

function checkFieldType(
  checking: Checking,
  expr: MessageExpr,
  typeName: string,
  name: string,
  found: CelType,
  value: { readonly start: number; readonly end: number },
): void {
  const message = checking.environment.messages.get(typeName);
  if (message === undefined) return;
  const { start, end } = value;
  const field = message.fields.get(name);
  const expected = field?.type ?? message.anyField;
  if (expected === undefined) {
    const place = { start: expr.start, end: expr.end, at: start - 1 };
    reportUndefinedField(checking, name, place, message.fields.keys());
    return;
  }
  if (checking.inference.assignable(expected, found)) return;
  const actual = printOpenType(checking.inference.substitute(found));
  report(checking, {
    message: `expected type of field '${name}' is '${printOpenType(expected)}' but provided type is '${actual}'`,
    start,
    end,
    at: start - 1,
  });
}
