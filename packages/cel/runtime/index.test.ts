import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as cel from './index.js';

type Operation = (...args: readonly unknown[]) => cel.Result;

const failure = new cel.CelError('first');
const nested = (levels: number): cel.Value => (levels === 0 ? 1 : [nested(levels - 1)]);

/** The one thing that is thrown: where a value is nested too deeply, the call has to fail. */
const TOO_DEEP = Symbol('too deep');
function unlessTooDeep<T>(evaluate: () => T): T | typeof TOO_DEEP {
  try {
    return evaluate();
  } catch (error) {
    assert.ok(error instanceof cel.EvaluationLimitError && error.reason === 'depth', String(error));
    return TOO_DEEP;
  }
}

const VALUES: readonly cel.Value[] = [
  null,
  true,
  0n,
  -(2n ** 63n),
  2n ** 63n - 1n,
  new cel.Uint(2n ** 64n - 1n),
  5,
  -1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  'a.b',
  '😀',
  Uint8Array.of(0xff),
  [],
  ['a', 5],
  nested(3000),
  {},
  JSON.parse('{"__proto__": 1, "a": null}'),
  Object.create(null),
  cel.mapOf([
    [1n, 'a'],
    [[1], null],
  ]) as cel.ValueMap,
  new cel.Timestamp(0, 0, 0),
  new cel.Duration(-(2n ** 63n)),
  new cel.TypeValue('int'),
  cel.optionalNone(),
  new cel.Optional({ a: 1 }),
  new cel.Message('authz.Variables', { a: 1n }),
  new cel.Message('authz.engine.v1.Request.Principal', { id: 'alice' }),
  cel.toIp('10.0.0.1') as cel.Value,
  cel.hierarchy('a.b') as cel.Value,
  cel.spiffeID('spiffe://a/b') as cel.Value,
];

/** Functions of results alone: how many arguments they take. */
const OPERATIONS: readonly (readonly [arity: number, Operation])[] = (
  [
    [
      2,
      'equals notEquals lessThan atMost greaterThan atLeast inCollection add subtract multiply divide modulo index optionalIndex',
    ],
    [
      1,
      'negate size toInt toUint toDouble toText toBool toBytes dynOf identity typeOf lowerAscii upperAscii trim reverse join stringsQuote',
    ],
    [2, 'contains startsWith endsWith charAt indexOf lastIndexOf split substring join flatten'],
    [3, 'indexOf lastIndexOf replace split substring slice'],
    [
      1,
      'base64Encode base64Decode jsonEncode mathAbs mathCeil mathFloor mathRound mathTrunc mathSign mathSqrt mathIsNaN mathIsInf mathIsFinite mathBitNot',
    ],
    [2, 'mathBitAnd mathBitOr mathBitXor mathBitShiftLeft mathBitShiftRight mathGreatest mathLeast'],
    [
      1,
      'flatten sort distinct first last listsRange optionalOf optionalOfNonZeroValue optionalHasValue optionalValue optionalUnwrap unwrapOpt mathGreatest stored',
    ],
    [2, 'intersect except hasIntersection isSubset setsContains setsEquivalent setsIntersects'],
  ] as const
).flatMap(([arity, names]) =>
  names.split(' ').map((name) => [arity, (cel as unknown as Record<string, Operation>)[name] as Operation] as const),
);

test('only deeply nested values throw, and every result is a value or a failure', () => {
  for (const [arity, operation] of OPERATIONS) {
    for (const a of VALUES) {
      for (const b of arity > 1 ? VALUES : [null]) {
        const args = [a, b, 2n].slice(0, arity);
        unlessTooDeep(() => cel.toOutput(cel.stored(operation(...args))));
      }
    }
  }
});

test('the first failed argument from the left is the result', () => {
  for (const [arity, operation] of OPERATIONS) {
    for (let position = 0; position < arity; position++) {
      const args: unknown[] = Array.from({ length: arity }, (_, i) => (i < position ? 'a' : failure));
      args[position + 1] = new cel.CelError('second');
      assert.is(operation(...args.slice(0, arity)), failure, operation.name);
      args[position] = undefined;
      assert.is(operation(...args.slice(0, arity)), undefined, operation.name);
    }
  }
});

test('macros neither throw nor hide the failure of their range', () => {
  const one = [cel.all, cel.exists, cel.existsOne, cel.filter, cel.mapEach, cel.sortBy, cel.optMap, cel.optFlatMap];
  const two = [cel.all2, cel.exists2, cel.existsOne2, cel.transformList, cel.transformMap, cel.transformMapEntry];
  for (const range of VALUES) {
    for (const macro of one) unlessTooDeep(() => macro(range, (x) => x));
    for (const macro of two) unlessTooDeep(() => macro(range, (_i, v) => v));
  }
  for (const macro of one)
    assert.is(
      macro(failure, (x) => x),
      failure,
    );
  for (const macro of two)
    assert.is(
      macro(failure, (_i, v) => v),
      failure,
    );
});

test('conditions on failures are false in either polarity', () => {
  const {
    isEqual,
    differs,
    less,
    lessOrEqual,
    greater,
    greaterOrEqual,
    notLess,
    notLessOrEqual,
    notGreater,
    notGreaterOrEqual,
    isIn,
    isNotIn,
  } = cel;
  for (const holds of [
    isEqual,
    differs,
    less,
    lessOrEqual,
    greater,
    greaterOrEqual,
    notLess,
    notLessOrEqual,
    notGreater,
    notGreaterOrEqual,
    isIn,
    isNotIn,
  ]) {
    for (const x of VALUES) {
      for (const failed of [undefined, failure]) {
        assert.is(holds(x, failed), false);
        assert.is(holds(failed, x), false);
      }
      for (const y of VALUES) assert.ok([true, false, TOO_DEEP].includes(unlessTooDeep(() => holds(x, y))));
    }
  }
});

test('the two polarities agree with the result', () => {
  for (const x of VALUES) {
    for (const y of VALUES) {
      if (
        unlessTooDeep(() => cel.equals(x, y)) === TOO_DEEP ||
        unlessTooDeep(() => cel.inCollection(x, y)) === TOO_DEEP
      )
        continue;
      const pairs: readonly (readonly [cel.Result, boolean, boolean])[] = [
        [cel.equals(x, y), cel.isEqual(x, y), cel.differs(x, y)],
        [cel.lessThan(x, y), cel.less(x, y), cel.notLess(x, y)],
        [cel.atMost(x, y), cel.lessOrEqual(x, y), cel.notLessOrEqual(x, y)],
        [cel.greaterThan(x, y), cel.greater(x, y), cel.notGreater(x, y)],
        [cel.atLeast(x, y), cel.greaterOrEqual(x, y), cel.notGreaterOrEqual(x, y)],
        [cel.inCollection(x, y), cel.isIn(x, y), cel.isNotIn(x, y)],
      ];
      for (const [result, isTrue, isFalse] of pairs) {
        assert.is(isTrue, result === true);
        if (!cel.isFailure(result)) assert.is(isFalse, result === false);
      }
    }
  }
});

test('whether an attribute has a text is asked like membership of any value', () => {
  const attributes = [...VALUES, undefined, failure, ['a', 'b'], { a: 1, b: undefined }, new Date(0)];
  for (const attribute of attributes.filter((value) => !(value instanceof cel.ValueMap))) {
    for (const text of ['a', 'b', '', 'toString', '__proto__', '0', 'length', 'seconds', 'x'.repeat(100)])
      assert.is(cel.isStringIn(text, attribute as cel.Result), cel.isIn(text, attribute as cel.Result));
  }
});

test.run();
