import type { Expr as ReferenceExpr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';
import { getComprehensionSuite, getConformanceSuite, getParsingSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { parse } from '@bufbuild/cel';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseCel } from '../../packages/cel/parse/index.js';
import type { Expr } from '../../packages/cel/ast/expr.js';

type Suite = ReturnType<typeof getParsingSuite>;

const suites: readonly Suite[] = [getParsingSuite(), getComprehensionSuite(), getConformanceSuite()];

for (const suite of suites) {
  test(`the syntax trees of the ${suite.name} suite equal those of another parser`, () => {
    const counts = { equal: 0, macros: 0, refused: 0, onlyOurs: 0, onlyTheirs: 0 };
    for (const { original, error } of testsOf(suite)) {
      const expression = original.expr;
      const ours = parseCel(expression);
      const theirs = parseReference(expression);
      if (theirs === undefined) counts[ours.ast === undefined ? 'refused' : 'onlyOurs']++;
      else if (ours.ast === undefined) {
        assert.ok(error !== undefined || isOfMacro(ours.errors), `${expression}: ${JSON.stringify(ours.errors)}`);
        counts.onlyTheirs++;
      } else if (!compare(expression, ours.ast, theirs)) counts.macros++;
      else counts.equal++;
    }
    console.log(`${suite.name}: ${JSON.stringify(counts)}`);
  });
}

test('a source that the reference rejects has the recorded syntax error', () => {
  let same = 0;
  for (const suite of suites) {
    for (const { expression, messages } of refusalsOf(suite)) {
      assert.equal(
        parseCel(expression).errors.map(({ message }) => message),
        messages,
        expression,
      );
      same++;
    }
  }
  console.log(`${same} refusals in the words of the reference`);
});

test.run();

function* testsOf(suite: Suite): Generator<Suite['tests'][number]> {
  yield* suite.tests;
  for (const inner of suite.suites) yield* testsOf(inner);
}

function* refusalsOf(suite: Suite): Generator<{ expression: string; messages: string[] }> {
  for (const { original, error } of testsOf(suite)) {
    // `<input>` marks errors of the checker. The suite was recorded with lower limits, without optional syntax and with
    // a two-argument `existsOne`.
    if (error === undefined || /^ERROR: <input>|unsupported syntax|limit exceeded|max recursion|existsOne/.test(error))
      continue;
    const messages = error.split('\n').filter((line) => line.startsWith('ERROR: '));
    yield { expression: original.expr, messages: messages.map((line) => line.replace(/^ERROR: \w*:-?\d+:\d+: /, '')) };
  }
}

function parseReference(expression: string): ReferenceExpr | undefined {
  try {
    return parse(expression).expr;
  } catch {
    return undefined;
  }
}

/** Macros that did not exist where the suite was recorded. */
function isOfMacro(errors: readonly { readonly message: string }[]): boolean {
  return errors.every(({ message }) => /^(duplicate variable|argument |iteration variable)/.test(message));
}

/** Whether the trees are equal. False when a macro makes them incomparable. */
function compare(expression: string, ours: Expr, theirs: ReferenceExpr): boolean {
  const wanted = printReference(theirs);
  const got = print(ours);
  if (wanted.includes(macroMark) || got.includes(macroMark)) return false;
  assert.is(got, wanted, expression);
  return true;
}

const macroMark = '<macro>';

function print(expr: Expr): string {
  switch (expr.kind) {
    case 'literal':
      return `${expr.type}:${expr.type === 'bytes' ? [...expr.value].join(' ') : Object.is(expr.value, -0) ? '-0' : String(expr.value)}`;
    case 'ident':
      return `${expr.rooted ? '.' : ''}${expr.name}`;
    case 'select':
      return `(select ${print(expr.operand)} ${expr.field})`;
    case 'index':
      return `(_[_] ${print(expr.operand)} ${print(expr.index)})`;
    case 'list':
      return `[${expr.elements.map(({ value }) => print(value)).join(' ')}]`;
    case 'map':
      return `{${expr.entries.map(({ key, value }) => `${print(key)}=${print(value)}`).join(' ')}}`;
    case 'message':
      return `${expr.typeName}{${expr.fields.map(({ name, value }) => `${name}=${print(value)}`).join(' ')}}`;
    case 'macro':
      return expr.macro === 'has' && expr.range?.kind === 'select' ? `(has ${print(expr.range)})` : macroMark;
    case 'call': {
      if (expr.function === '_&&_' || expr.function === '_||_') return printChain(expr.function, expr.args.map(print));
      const target = expr.target === undefined ? '' : `${print(expr.target)} `;
      return `(${expr.rooted ? '.' : ''}${expr.function} ${target}| ${expr.args.map(print).join(' ')})`;
    }
  }
}

function printReference(expr: ReferenceExpr | undefined): string {
  const kind = expr?.exprKind;
  switch (kind?.case) {
    case 'constExpr':
      return printConstant(kind.value.constantKind);
    case 'identExpr':
      return kind.value.name;
    case 'selectExpr': {
      const selection = `(select ${printReference(kind.value.operand)} ${kind.value.field})`;
      return kind.value.testOnly ? `(has ${selection})` : selection;
    }
    case 'listExpr':
      return `[${kind.value.elements.map(printReference).join(' ')}]`;
    case 'structExpr': {
      const entries = kind.value.entries.map(({ keyKind, value }) =>
        keyKind.case === 'fieldKey'
          ? `${keyKind.value}=${printReference(value)}`
          : `${printReference(keyKind.value)}=${printReference(value)}`,
      );
      return `${kind.value.messageName}{${entries.join(' ')}}`;
    }
    case 'callExpr': {
      const args = kind.value.args.map(printReference);
      if (kind.value.function === '_&&_' || kind.value.function === '_||_')
        return printChain(kind.value.function, args);
      if (kind.value.function === '_[_]') return `(_[_] ${args.join(' ')})`;
      const target = kind.value.target === undefined ? '' : `${printReference(kind.value.target)} `;
      return `(${kind.value.function} ${target}| ${args.join(' ')})`;
    }
  }
  return macroMark;
}

type Constant = { readonly case: string; readonly value: unknown } | { readonly case: undefined };

function printConstant(constant: Constant): string {
  if (constant.case === undefined) return macroMark;
  if (constant.case === 'nullValue') return 'null:null';
  const type = constant.case.replace('int64Value', 'int').replace('Value', '');
  const { value } = constant;
  return `${type}:${value instanceof Uint8Array ? [...value].join(' ') : Object.is(value, -0) ? '-0' : String(value)}`;
}

/** A chain is the same however it is balanced. */
function printChain(operator: string, args: readonly string[]): string {
  const flat = args.map((argument) =>
    argument.startsWith(`<${operator}: `) ? argument.slice(operator.length + 3, -1) : argument,
  );
  return `<${operator}: ${flat.join(' ; ')}>`;
}
