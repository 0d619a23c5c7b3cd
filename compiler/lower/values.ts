import type { CheckedExpression, MessageKind } from '../../packages/cel/ast/checked-expression.js';
import type { CallExpr, Expr, MacroExpr } from '../../packages/cel/ast/expr.js';
import { bool, dyn, int, json, string } from '../../packages/cel/library/types.js';
import { invariant } from '../diagnostics/invariant.js';
import { standsAt } from '../ir/origins.js';
import type { Operator, RequestPart, Value } from '../ir/value.js';

/** A checked expression with its names resolved. Each value knows where it stands (compiler/ir/origins.ts). */
export function lowerValue(expr: Expr, checked: CheckedExpression): Value {
  return standsAt(lowered(expr, checked), expr);
}

function lowered(expr: Expr, checked: CheckedExpression): Value {
  const type = checked.types.get(expr) ?? dyn;
  const reference =
    isOptionalSelection(expr, checked) || expr.kind === 'message' ? undefined : checked.references.get(expr);
  if (reference !== undefined) {
    switch (reference.kind) {
      case 'local':
      case 'variable':
      case 'constant':
      case 'global':
        return { kind: reference.kind, name: reference.name, type };
      case 'request':
      case 'principal':
      case 'resource':
      case 'runtime':
        return { kind: 'part', part: reference.kind, type };
      case 'aux-data':
        return { kind: 'part', part: 'auxData', type };
      case 'variables':
      case 'constants':
      case 'globals':
        return { kind: 'bindings', of: reference.kind, type };
      case 'field':
        if (reference.message === 'jwt' && expr.kind === 'select') {
          return { kind: 'select', operand: lowerValue(expr.operand, checked), name: reference.field, type };
        }
        return { kind: 'field', of: toRequestPart(reference.message), name: reference.field, type };
      case 'type':
        return { kind: 'type-name', name: reference.name, type };
      case 'enum':
        return { kind: 'literal', literal: 'int', value: reference.value, type: int };
    }
  }
  switch (expr.kind) {
    case 'literal':
      return { kind: 'literal', literal: expr.type, value: expr.value, type } as Value;
    case 'ident':
      return invariant(`identifier ${expr.name} was not resolved`);
    case 'select':
      return {
        kind: expr.optional ? 'optional-select' : 'select',
        operand: lowerValue(expr.operand, checked),
        name: expr.field,
        type,
      };
    case 'index':
      return {
        kind: expr.optional ? 'optional-index' : 'index',
        operand: lowerValue(expr.operand, checked),
        index: lowerValue(expr.index, checked),
        type,
      };
    case 'call':
      return lowerCall(expr, checked, type);
    case 'list':
      return {
        kind: 'list',
        elements: expr.elements.map(({ optional, value }) => ({ optional, value: lowerValue(value, checked) })),
        type,
      };
    case 'map':
      return {
        kind: 'map',
        entries: expr.entries.map(({ optional, key, value }) => ({
          optional,
          key: lowerValue(key, checked),
          value: lowerValue(value, checked),
        })),
        type,
      };
    case 'message':
      return {
        kind: 'call',
        name: 'messageOf',
        runtime: 'messageOf',
        pure: true,
        args: [
          text(expr.typeName),
          {
            kind: 'map',
            entries: expr.fields.map(({ optional, name, value }) => ({
              optional,
              key: text(name),
              value: lowerValue(value, checked),
            })),
            type: json,
          },
        ],
        type,
      };
    case 'macro':
      return lowerMacro(expr, checked, type);
  }
}

/**
 * An optional selection reads what it selects from as a whole: `V.?x` is not a use of the variable x
 * (docs/spec/policy-language.md#compiling-variables-and-constants).
 */
function isOptionalSelection(expr: Expr, checked: CheckedExpression): boolean {
  return expr.kind === 'select' && (expr.optional || checked.types.get(expr.operand)?.kind === 'optional');
}

function toRequestPart(message: MessageKind): RequestPart {
  if (message === 'aux-data') return 'auxData';
  return message === 'jwt' ? invariant('a token is not a part of the request') : message;
}

const OPERATORS: { readonly [name: string]: Operator } = {
  '_&&_': 'and',
  '_||_': 'or',
  '!_': 'not',
  '_?_:_': 'conditional',
  '_==_': 'equals',
  '_!=_': 'notEquals',
  '_<_': 'lessThan',
  '_<=_': 'atMost',
  '_>_': 'greaterThan',
  '_>=_': 'atLeast',
  '@in': 'inCollection',
  '_+_': 'add',
  '_-_': 'subtract',
  '_*_': 'multiply',
  '_/_': 'divide',
  '_%_': 'modulo',
  '-_': 'negate',
};

/**
 * Functions whose global form replaces an argument's error with `no such overload`
 * (docs/spec/conditions.md#set-functions).
 */
const ERASING_GLOBAL_FORMS = new Set(['intersect', 'except', 'hasIntersection', 'isSubset']);

function lowerCall(expr: CallExpr, checked: CheckedExpression, type: Value['type']): Value {
  if (expr.isOperator) {
    const operator = OPERATORS[expr.function] ?? invariant(`unknown operator ${expr.function}`);
    return { kind: 'operator', operator, operands: expr.args.map((arg) => lowerValue(arg, checked)), type };
  }
  const row = checked.calls.get(expr) ?? invariant(`call of ${expr.function} was not resolved`);
  // The receiver of `math.abs(x)` is only the namespace of the function's name.
  const receiver = expr.target === undefined || row.name.includes('.') ? [] : [expr.target];
  const args = [...receiver, ...expr.args].map((arg) => lowerValue(arg, checked));
  if (row.runtime === 'dynOf') return { ...(args[0] as Value), type: dyn };
  const erases = expr.target === undefined && ERASING_GLOBAL_FORMS.has(row.runtime);
  return {
    kind: 'call',
    name: row.name,
    runtime: erases ? `${row.runtime}Global` : row.runtime,
    pure: row.pure,
    args,
    type,
  };
}

/** Functions of packages/cel/runtime for macros, by number of variables and whether the macro filters. */
const MACROS: { readonly [key: string]: string } = {
  'all/1': 'all',
  'all/2': 'all2',
  'exists/1': 'exists',
  'exists/2': 'exists2',
  'exists_one/1': 'existsOne',
  'exists_one/2': 'existsOne2',
  'filter/1': 'filter',
  'map/1': 'mapEach',
  'map/1/where': 'mapWhere',
  'transformList/2': 'transformList',
  'transformList/2/where': 'transformListWhere',
  'transformMap/2': 'transformMap',
  'transformMap/2/where': 'transformMapWhere',
  'transformMapEntry/2': 'transformMapEntry',
  'transformMapEntry/2/where': 'transformMapEntryWhere',
  'sortBy/1': 'sortBy',
  'optMap/1': 'optMap',
  'optFlatMap/1': 'optFlatMap',
  'cel.bind/1': 'bind',
};

function lowerMacro(expr: MacroExpr, checked: CheckedExpression, type: Value['type']): Value {
  if (expr.macro === 'math.greatest' || expr.macro === 'math.least') {
    const runtime = expr.macro === 'math.greatest' ? 'mathGreatest' : 'mathLeast';
    const name = expr.macro === 'math.greatest' ? 'math.@max' : 'math.@min';
    return { kind: 'call', name, runtime, pure: true, args: expr.args.map((arg) => lowerValue(arg, checked)), type };
  }
  if (expr.macro === 'has') {
    const selection = expr.range;
    if (selection?.kind !== 'select') return invariant('has() without a selection');
    const tested = checked.references.get(selection);
    if (tested?.kind === 'variable' || tested?.kind === 'constant' || tested?.kind === 'global') {
      return { kind: 'is-set', binding: tested.kind, name: tested.name, type: bool };
    }
    return { kind: 'has', operand: lowerValue(selection.operand, checked), name: selection.field, type: bool };
  }
  const key = `${expr.macro}/${expr.variables.length}${expr.predicate === undefined ? '' : '/where'}`;
  return {
    kind: 'macro',
    runtime: MACROS[key] ?? invariant(`unknown macro ${key}`),
    range: lowerValue(expr.range ?? invariant('macro without a range'), checked),
    variables: expr.variables,
    predicate: expr.predicate === undefined ? undefined : lowerValue(expr.predicate, checked),
    body: lowerValue(expr.body ?? invariant('macro without a body'), checked),
    type,
  };
}

function text(value: string): Value {
  return { kind: 'literal', literal: 'string', value, type: string };
}
