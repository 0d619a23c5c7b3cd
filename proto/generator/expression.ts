import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { parse } from '@bufbuild/cel';
import type {
  Constant,
  Expr,
  Expr_Call,
  Expr_Comprehension,
  Expr_Select,
} from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';

/**
 * The subset of CEL that rules about messages use, as TypeScript over `message`: has, size, all, exists, comparisons,
 * logic. Throws for anything else.
 */
export function expressionCode(text: string, message: DescMessage): string {
  return codeOf(parsed(text, message), new Map([['this', { code: 'message', type: message }]]));
}

function parsed(text: string, message: DescMessage): Expr {
  try {
    return parse(text).expr;
  } catch (cause) {
    throw new Error(`${message.typeName}: ${text} is not an expression`, { cause });
  }
}

/** A name in the expression: its code, and the message it refers to. */
interface Variable {
  readonly code: string;
  readonly type: DescMessage;
}

type Scope = ReadonlyMap<string, Variable>;

function codeOf({ exprKind }: Expr, scope: Scope): string {
  switch (exprKind.case) {
    case 'constExpr':
      return constantCode(exprKind.value);
    case 'callExpr':
      return callCode(exprKind.value, scope);
    case 'comprehensionExpr':
      return macroCode(exprKind.value, scope);
    case 'selectExpr':
      return exprKind.value.testOnly ? hasCode(exprKind.value, scope) : selectField(exprKind.value, scope).code;
    default:
      throw new Error(`no code for ${exprKind.case} in a rule`);
  }
}

function constantCode({ constantKind }: Constant): string {
  switch (constantKind.case) {
    case 'stringValue':
      return JSON.stringify(constantKind.value);
    case 'int64Value':
    case 'boolValue':
      return String(constantKind.value);
    default:
      throw new Error(`no code for ${constantKind.case} in a rule`);
  }
}

const OPERATORS: { readonly [name: string]: string } = {
  '_&&_': '&&',
  '_||_': '||',
  '_==_': '===',
  '_!=_': '!==',
  '_<_': '<',
  '_<=_': '<=',
  '_>_': '>',
  '_>=_': '>=',
};

function callCode({ function: name, args }: Expr_Call, scope: Scope): string {
  const [first, second] = args;
  if (name === '!_') return `!${inParentheses(first as Expr, scope)}`;
  const operator = OPERATORS[name];
  const operand = operator === '&&' || operator === '||' ? ofLogic : inParentheses;
  if (operator !== undefined) return `${operand(first as Expr, scope)} ${operator} ${operand(second as Expr, scope)}`;
  if (name === 'size' && first !== undefined) return sizeCode(selectField(selected(first, 'size'), scope));
  throw new Error(`no code for ${name} in a rule`);
}

/** An operand of an operator that binds tighter than comparisons; `has` is emitted as a comparison. */
function inParentheses(expr: Expr, scope: Scope): string {
  const { exprKind } = expr;
  const isComparison =
    (exprKind.case === 'selectExpr' && exprKind.value.testOnly) ||
    (exprKind.case === 'callExpr' && Object.hasOwn(OPERATORS, exprKind.value.function));
  return isComparison ? `(${codeOf(expr, scope)})` : codeOf(expr, scope);
}

function ofLogic(expr: Expr, scope: Scope): string {
  const { exprKind } = expr;
  const isLogic = exprKind.case === 'callExpr' && Object.hasOwn(METHODS, exprKind.value.function);
  return isLogic ? inParentheses(expr, scope) : codeOf(expr, scope);
}

/** The parser's expansion of `all` and `exists`: how the result of each item is combined with the previous ones. */
const METHODS: { readonly [joins: string]: string } = { '_&&_': 'every', '_||_': 'some' };

function macroCode({ iterRange, iterVar, iterVar2, loopStep }: Expr_Comprehension, scope: Scope): string {
  const step = loopStep?.exprKind;
  const [, body] = step?.case === 'callExpr' ? step.value.args : [];
  const method = step?.case === 'callExpr' ? METHODS[step.value.function] : undefined;
  if (method === undefined || body === undefined || iterVar2 !== '' || iterRange === undefined)
    throw new Error('no code for this macro in a rule');
  const { code, field } = selectField(selected(iterRange, 'a macro'), scope);
  if (field.message === undefined) throw new Error(`no code for a macro of ${field.name} in a rule`);
  const inner = new Map([...scope, [iterVar, { code: iterVar, type: field.message }] as const]);
  return `${code}.${method}((${iterVar}) => ${codeOf(body, inner)})`;
}

function hasCode(select: Expr_Select, scope: Scope): string {
  const { code, field } = selectField(select, scope);
  return field.fieldKind === 'message' ? `${code} !== undefined` : `${code} !== ''`;
}

function sizeCode({ code, field }: SelectedField): string {
  return field.fieldKind === 'map' ? `${code}.size` : `${code}.length`;
}

function selected({ exprKind }: Expr, user: string): Expr_Select {
  if (exprKind.case !== 'selectExpr' || exprKind.value.testOnly)
    throw new Error(`no code for ${user} of anything but a field`);
  return exprKind.value;
}

interface SelectedField {
  readonly code: string;
  readonly field: DescField;
}

function selectField({ operand, field: name }: Expr_Select, scope: Scope): SelectedField {
  const variable = operand?.exprKind.case === 'identExpr' ? scope.get(operand.exprKind.value.name) : undefined;
  const field = variable?.type.fields.find((one) => one.name === name);
  if (variable === undefined || field === undefined)
    throw new Error(`a rule is about \`${name}\`, which is not a field`);
  return { code: `${variable.code}.${field.localName}`, field };
}
