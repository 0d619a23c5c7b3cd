import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { format } from './format.js';
import { IpValue } from './ip-address.js';
import { EvaluationLimitError } from './meter.js';
import { CelError, Duration, Timestamp, TypeValue, Uint, type Value, ValueMap } from './values.js';

const formatted = (template: string, ...args: readonly Value[]) => {
  const result = format(template, args);
  return result instanceof CelError ? result.message : result;
};

test('%s prints every type in its own form', () => {
  const cases: readonly (readonly [Value, string])[] = [
    ['a', 'a'],
    [1, '1'],
    [1e21, '1000000000000000000000'],
    [5n, '5'],
    [new Uint(7n), '7'],
    [null, 'null'],
    [true, 'true'],
    [new Uint8Array([0x61, 0xc3, 0xa9]), 'aé'],
    [[1n, 'a', null, 1.5, [true]], '[1, a, null, 1.5, [true]]'],
    [{ b: 1, a: 2.5 }, '{a: 2.5, b: 1}'],
    [{ '😀': 3, '\uffff': 4, é: 1, z: 2 }, '{z: 2, é: 1, \uffff: 4, 😀: 3}'],
    [
      new ValueMap(
        new Map([
          ['b', [true, 2n]],
          ['i', [1n, 1n]],
        ]),
      ),
      '{1: 1, true: 2}',
    ],
    [new Duration(3_601_500_000_000n), '3601.5s'],
    [new Timestamp(1_609_452_000, 500_000_000, 120), '2020-12-31T22:00:00.5Z'],
    [new TypeValue('int'), 'int'],
  ];
  for (const [value, text] of cases) assert.is(formatted('%s', value), text);
});

test('the number clauses print ints, uints and doubles', () => {
  const cases: readonly (readonly [string, Value, string])[] = [
    ['%d', 1.5, '1.5'],
    ['%d', new Uint(18446744073709551615n), '18446744073709551615'],
    ['%f', 1.5, '1.500000'],
    ['%.0f', 2.5, '2'],
    ['%.3f', 1n, '1.000'],
    ['%f', Number.NaN, 'NaN'],
    ['%e', 1234.5, '1.234500e+03'],
    ['%.2e', 0.00012345, '1.23e-04'],
    ['%e', -Infinity, '-Infinity'],
    ['%b', true, '1'],
    ['%b', -5n, '-101'],
    ['%o', -8n, '-10'],
    ['%x', -255n, '-ff'],
    ['%X', 255n, 'FF'],
    ['%x', 'aé', '61c3a9'],
    ['%X', new Uint8Array([0xab]), 'AB'],
    ['%.5d', 1n, '1'],
    ['%%%s%%', 1n, '%1%'],
  ];
  for (const [template, value, text] of cases) assert.is(formatted(template, value), text, template);
});

test('errors of each clause name the accepted types and the actual one', () => {
  const cases: readonly (readonly [string, Value, string])[] = [
    ['%d', 'a', 'decimal clause can only be used on ints, uints, and doubles, was given string'],
    ['%f', true, 'fixed-point clause can only be used on ints, uints, and doubles, was given bool'],
    ['%e', null, 'scientific clause can only be used on ints, uints, and doubles, was given null_type'],
    ['%o', 1, 'octal clause can only be used on ints and uints, was given double'],
    ['%b', 1, 'only ints, uints, and bools can be formatted as binary, was given double'],
    ['%x', 5, 'only ints, uints, bytes, and strings can be formatted as hex, was given double'],
    [
      '%s',
      [new IpValue(4, 1n)],
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given net.IP',
    ],
  ];
  for (const [template, value, text] of cases)
    assert.is(formatted(template, value), `error during formatting: ${text}`);
});

test('an invalid template is the result when it is evaluated', () => {
  const clause = 'could not parse formatting clause: ';
  const precision = `${clause}error while parsing precision: `;
  assert.is(formatted('%s'), 'index 0 out of range');
  assert.is(formatted('%s %s', 1n), 'index 1 out of range');
  assert.is(formatted('abc%', 1n), 'unexpected end of string');
  assert.is(formatted('%5d', 1n), `${clause}unrecognized formatting clause "5"`);
  assert.is(formatted('%z', 1n), `${clause}unrecognized formatting clause "z"`);
  assert.is(formatted('%.101f', 1n), `${precision}precision 101 exceeds maximum allowed precision 100`);
  assert.is(formatted('%.3', 1n), `${precision}could not find end of precision specifier`);
  assert.is(
    formatted('%.f', 1n),
    `${precision}error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`,
  );
  assert.is(formatted('%s', 1n, 2n), '1');
  assert.is(formatted('abc', 1n), 'abc');
});

test('a template or arguments of another type have no overload', () => {
  assert.equal(format('%s', 5), new CelError('no such overload: format(string, double)'));
  assert.equal(format(null, [1]), new CelError('no such overload: format(null_type, list)'));
  assert.is(format(undefined, 5), undefined);
});

test('a deeply nested list fails the call without a crash', () => {
  let deep: Value = [];
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  assert.throws(
    () => format('%s', [deep]),
    (error: unknown) => error instanceof EvaluationLimitError && error.reason === 'depth',
  );
});

test.run();
