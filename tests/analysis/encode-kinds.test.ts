import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeCall } from '../../packages/analysis/encode/calls.js';
import { encodeStrictOperator } from '../../packages/analysis/encode/operators.js';
import { order } from '../../packages/analysis/encode/order.js';
import { QueryRecord } from '../../packages/analysis/encode/query-record.js';
import { Script } from '../../packages/analysis/encode/script.js';
import { constant, ofKind, type Term, type TermKind, unknown } from '../../packages/analysis/encode/values.js';
import { z3 } from '../support/solve/z3.js';

/** What queries leave out where operands are known to be JSON, or of a kind: z3 proves that nothing else is lost. */
const test = suite('encoding of kinds');
const solver = z3();

test.after(() => solver.close());

const ORDERS = ['lessThan', 'atMost', 'greaterThan', 'atLeast'] as const;
const KINDS = ['time', 'duration', 'integer'] as const;
const CONSTRUCTORS: { readonly [kind in TermKind]: string } = { time: 'Ts', duration: 'Dur', integer: 'Int' };

const isOf = (kind: TermKind, text: string): string => `(or (isErr ${text}) ((_ is ${CONSTRUCTORS[kind]}) ${text}))`;
const isJsonOrFails = (text: string): string => `(or (isErr ${text}) (isJson ${text}))`;

/** Whether no values of a and b satisfy all of some formulas. */
async function isRefuted(script: Script, ...formulas: readonly string[]): Promise<boolean> {
  const declared = '(declare-const a V)\n(declare-const b V)';
  const asserted = formulas.map((formula) => `(assert ${formula})`).join('\n');
  const [prelude, own] = divided(script, asserted);
  const output = await solver.run(
    `(set-option :rlimit 4000000)\n(push 1)\n${prelude}\n${declared}\n${own}\n${asserted}\n(check-sat)\n`,
  );
  assert.match(output ?? '', /^(sat|unsat)\s*$/, output);
  return output?.startsWith('unsat') === true;
}

/** The definitions of the encoding that formulas need, and what a script adds to them. */
function divided(script: Script, formulas: string): readonly [string, string] {
  const all = script.text(formulas);
  const prelude = new Script().text(all);
  assert.ok(all.startsWith(prelude.trimEnd()), 'the prelude is first');
  return [prelude, all.slice(prelude.trimEnd().length)];
}

for (const operator of ORDERS) {
  const general = `(${operator} a b)`;

  test(`${operator} of JSON is that of any values`, async () => {
    const script = new Script();
    const { text } = order(operator, unknown('a', true), unknown('b', true), script);
    assert.is.not(text, general);
    assert.ok(await isRefuted(script, isJsonOrFails('a'), isJsonOrFails('b'), `(distinct ${text} ${general})`));
    assert.not.ok(await isRefuted(script, `(distinct ${text} ${general})`), 'for JSON alone');
  });

  for (const value of [3n, -(2n ** 53n), 2n ** 53n + 1n, -(2n ** 60n), 0.5, -0, Number.NaN, Number.POSITIVE_INFINITY])
    test(`${operator} of JSON and ${Object.is(value, -0) ? '-0' : value} is that of any values`, async () => {
      const script = new Script();
      const number = constant(value, script) as Term;
      const sides = [[unknown('a', true), number] as const, [number, unknown('a', true)] as const];
      for (const [left, right] of sides) {
        const { text } = order(operator, left, right, script);
        const any = `(${operator} ${left.text} ${right.text})`;
        assert.ok(await isRefuted(script, isJsonOrFails('a'), `(distinct ${text} ${any})`), text);
      }
    });

  for (const kind of KINDS)
    test(`${operator} of values of the kind ${kind} is that of any values`, async () => {
      const script = new Script();
      const { text } = order(operator, ofKind(kind, 'a'), ofKind(kind, 'b'), script);
      assert.is.not(text, general);
      assert.ok(await isRefuted(script, isOf(kind, 'a'), isOf(kind, 'b'), `(distinct ${text} ${general})`));
      assert.not.ok(await isRefuted(script, `(distinct ${text} ${general})`), 'for the kind alone');
    });
}

for (const kind of [...KINDS, undefined])
  test(`negate of ${kind ?? 'any value'} has its kind`, async () => {
    const script = new Script();
    const operands = [ofKind(kind, 'a')];
    await assertKind(script, encodeStrictOperator(new QueryRecord(script), 'negate', operands), operands);
  });

for (const operator of ['add', 'subtract', 'multiply', 'divide', 'modulo'] as const)
  for (const left of [...KINDS, undefined])
    for (const right of [...KINDS, undefined])
      test(`${operator} of ${left ?? 'any value'} and ${right ?? 'any value'} has its kind`, async () => {
        const script = new Script();
        const operands = [ofKind(left, 'a'), ofKind(right, 'b')];
        await assertKind(script, encodeStrictOperator(new QueryRecord(script), operator, operands), operands);
      });

for (const name of ['size', 'toTimestamp', 'toDuration', 'now', 'toInt'])
  test(`a call of ${name} has its kind`, async () => {
    const script = new Script();
    const operands = name === 'now' ? [] : [unknown('a')];
    const result = encodeCall(new QueryRecord(script), name, name, operands);
    assert.ok(result.kind, 'it has a kind');
    await assertKind(script, result, operands);
  });

async function assertKind(script: Script, result: Term, operands: readonly Term[]): Promise<void> {
  if (result.kind === undefined) return;
  const known = ['a', 'b'].flatMap((text, at) => {
    const kind = operands[at]?.kind;
    return kind === undefined ? [] : [isOf(kind, text)];
  });
  assert.ok(await isRefuted(script, ...known, `(not ${isOf(result.kind, result.text)})`), result.text);
  assert.not.ok(await isRefuted(script, ...known, `(not (isErr ${result.text}))`), 'it may be a value');
}

test.run();
