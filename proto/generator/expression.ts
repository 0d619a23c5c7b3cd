import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type { CallExpr, Expr, MacroExpr, SelectExpr } from '../../compiler/ast/expr.js';
import { parseCel } from '../../compiler/parse/cel/index.js';

/** The little CEL that rules about messages use, as TypeScript over `message`: has, size, all, exists, comparisons, logic. Throws for anything else. */
export function expressionCode(text: string, message: DescMessage): string {
  const { ast, errors } = parseCel(text);
  if (ast === undefined) throw new Error(`${message.typeName}: ${errors[0]?.message}`);
  return codeOf(ast, new Map([['this', { code: 'message', type: message }]]));
}

/** A name of the expression: how it is written, and what message it is. */
interface Variable {
  readonly code: string;
  readonly type: DescMessage;
}

type Scope = ReadonlyMap<string, Variable>;

function codeOf(expr: Expr, scope: Scope): string {
  switch (expr.kind) {
    case 'literal':
      return expr.type === 'string' ? JSON.stringify(expr.value) : String(expr.value);
    case 'call':
      return callCode(expr, scope);
    case 'macro':
      return macroCode(expr, scope);
    case 'select':
      return fieldOf(expr, scope).code;
    case 'ident':
    case 'index':
    case 'list':
    case 'map':
    case 'message':
      throw new Error(`no code for ${expr.kind} in a rule`);
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

function callCode(call: CallExpr, scope: Scope): string {
  const [first, second] = call.args;
  if (call.function === '!_') return `!${inParentheses(first as Expr, scope)}`;
  const operator = OPERATORS[call.function];
  const operand = operator === '&&' || operator === '||' ? ofLogic : inParentheses;
  if (operator !== undefined) return `${operand(first as Expr, scope)} ${operator} ${operand(second as Expr, scope)}`;
  if (call.function === 'size' && first?.kind === 'select') return sizeCode(fieldOf(first, scope));
  throw new Error(`no code for ${call.function} in a rule`);
}

/** An operand of what binds tighter than comparisons do, `has` being one. */
function inParentheses(expr: Expr, scope: Scope): string {
  const isComparison =
    expr.kind === 'macro' ? expr.macro === 'has' : expr.kind === 'call' && Object.hasOwn(OPERATORS, expr.function);
  return isComparison ? `(${codeOf(expr, scope)})` : codeOf(expr, scope);
}

function ofLogic(expr: Expr, scope: Scope): string {
  const isLogic = expr.kind === 'call' && (expr.function === '_&&_' || expr.function === '_||_');
  return isLogic ? inParentheses(expr, scope) : codeOf(expr, scope);
}

const METHODS: { readonly [macro: string]: string } = { all: 'every', exists: 'some' };

function macroCode({ macro, range, variables, body }: MacroExpr, scope: Scope): string {
  if (range?.kind !== 'select') throw new Error(`no code for ${macro} of what is no field`);
  const { code, field } = fieldOf(range, scope);
  if (macro === 'has') return field.fieldKind === 'message' ? `${code} !== undefined` : `${code} !== ''`;
  const [variable] = variables;
  const method = METHODS[macro];
  if (method === undefined || variable === undefined || body === undefined || field.message === undefined)
    throw new Error(`no code for ${macro} in a rule`);
  return `${code}.${method}((${variable}) => ${codeOf(body, new Map([...scope, [variable, { code: variable, type: field.message }]]))})`;
}

function sizeCode({ code, field }: SelectedField): string {
  return field.fieldKind === 'map' ? `${code}.size` : `${code}.length`;
}

interface SelectedField {
  readonly code: string;
  readonly field: DescField;
}

function fieldOf({ operand, field: name }: SelectExpr, scope: Scope): SelectedField {
  const variable = operand.kind === 'ident' ? scope.get(operand.name) : undefined;
  const field = variable?.type.fields.find((one) => one.name === name);
  if (variable === undefined || field === undefined) throw new Error(`a rule is about \`${name}\`, which is no field`);
  return { code: `${variable.code}.${field.localName}`, field };
}
