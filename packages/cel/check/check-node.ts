import type { CallExpr, Expr, IdentExpr, IndexExpr, ListExpr, LiteralExpr, MapExpr, MessageExpr } from '../ast/expr.js';
import {
  bool,
  bytes,
  type CelType,
  double,
  dyn,
  errorType,
  int,
  json,
  listType,
  mapType,
  nullType,
  optionalType,
  string,
  uint,
} from '../library/types.js';
import { checkCall, resolve } from './check-call.js';
import { checkMacro } from './check-macro.js';
import { checkSelect } from './check-select.js';
import { type Checking, entryType, expectType, findLocal, type Locals, report } from './checking.js';
import { reportUndeclaredName, reportUndeclaredType, reportUndefinedField } from './names.js';
import { operatorOverloads } from './operators.js';
import { isWrapper, printOpenType, measureType } from './type-algebra.js';

/** Only artificial expressions have a larger type: it counts as dyn. */
const MAX_TYPE_SIZE = 200;

/** Returns the type of a node. Records it, together with what the node refers to, and reports problems. */
export function checkNode(checking: Checking, expr: Expr, locals: Locals): CelType {
  const found = checkKind(checking, expr, locals);
  const type = measureType(found, MAX_TYPE_SIZE) >= MAX_TYPE_SIZE ? dyn : found;
  checking.types.set(expr, type);
  return type;
}

function checkKind(checking: Checking, expr: Expr, locals: Locals): CelType {
  switch (expr.kind) {
    case 'literal':
      return typeOfLiteral(expr);
    case 'ident':
      return checkIdent(checking, expr, locals);
    case 'select':
      return checkSelect(checking, expr, locals);
    case 'index':
      return checkIndex(checking, expr, locals);
    case 'call':
      return isLogical(expr) ? checkLogical(checking, expr, locals) : checkCall(checking, expr, locals);
    case 'list':
      return checkList(checking, expr, locals);
    case 'map':
      return checkMap(checking, expr, locals);
    case 'message':
      return checkMessage(checking, expr, locals);
    case 'macro':
      return checkMacro(checking, expr, locals);
  }
}

function typeOfLiteral(expr: LiteralExpr): CelType {
  switch (expr.type) {
    case 'null':
      return nullType;
    case 'bool':
      return bool;
    case 'int':
      return int;
    case 'uint':
      return uint;
    case 'double':
      return double;
    case 'string':
      return string;
    case 'bytes':
      return bytes;
  }
}

function checkIdent(checking: Checking, expr: IdentExpr, locals: Locals): CelType {
  const local = expr.rooted ? undefined : findLocal(locals, expr.name);
  if (local !== undefined) {
    checking.references.set(expr, { kind: 'local', name: expr.name });
    return local.type;
  }
  const declared = checking.environment.names.get(expr.name);
  if (declared === undefined) {
    reportUndeclaredName(checking, expr, locals);
    return errorType;
  }
  if (declared.reference !== undefined) checking.references.set(expr, declared.reference);
  return declared.type;
}

function checkIndex(checking: Checking, expr: IndexExpr, locals: Locals): CelType {
  const operand = checking.check(checking, expr.operand, locals);
  const index = checking.check(checking, expr.index, locals);
  const name = expr.optional ? '_[?_]' : '_[_]';
  const type = resolve(
    checking,
    { name, form: 'global', arguments: [operand, index], start: expr.start, end: expr.end, at: expr.operand.end },
    operatorOverloads.get(name) ?? [],
  );
  if (checking.reading === 'static' || operand.kind !== 'dyn' || !operand.json) return type;
  return expr.optional ? optionalType(json) : json;
}

function isLogical(expr: CallExpr): boolean {
  return expr.isOperator && (expr.function === '_&&_' || expr.function === '_||_');
}

// A chain can be as long as the expression (docs/spec/conditions.md#compile-time-messages exempts it from the depth
// limit), so the walk uses a list instead of recursion.
function checkLogical(checking: Checking, expr: CallExpr, locals: Locals): CelType {
  const waiting: Expr[] = [expr];
  const chain: CallExpr[] = [];
  let valid = true;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.kind === 'call' && isLogical(node)) {
      chain.push(node);
      for (const arg of node.args.toReversed()) waiting.push(arg);
    } else if (!isBool(checking, node, locals)) valid = false;
  }
  const type = valid ? bool : errorType;
  for (const node of chain) checking.types.set(node, type);
  return type;
}

function isBool(checking: Checking, operand: Expr, locals: Locals): boolean {
  const type = checking.check(checking, operand, locals);
  return expectType(checking, bool, type, operand);
}

function checkList(checking: Checking, expr: ListExpr, locals: Locals): CelType {
  let element: CelType | undefined;
  for (const { optional, value } of expr.elements) {
    const type = entryType(checking, value, optional, locals);
    element = element === undefined ? type : checking.inference.join(element, type);
  }
  return listType(element ?? checking.inference.freshParameter());
}

function checkMap(checking: Checking, expr: MapExpr, locals: Locals): CelType {
  let keys: CelType | undefined;
  let values: CelType | undefined;
  for (const { optional, key, value } of expr.entries) {
    const keyType = checking.check(checking, key, locals);
    keys = keys === undefined ? keyType : checking.inference.join(keys, keyType);
    const type = entryType(checking, value, optional, locals);
    values = values === undefined ? type : checking.inference.join(values, type);
  }
  const { inference } = checking;
  return mapType(keys ?? inference.freshParameter(), values ?? inference.freshParameter());
}

/** `google.protobuf.Duration{seconds: 1}` (docs/spec/conditions.md#messages-as-values). */
function checkMessage(checking: Checking, expr: MessageExpr, locals: Locals): CelType {
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
  // At runtime the value is the scalar itself.
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
    reportUndefinedField(checking, name, place, { name: typeName, fields: message.fields.keys() });
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
