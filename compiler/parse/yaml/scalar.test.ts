import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseNumber, typePlainScalar } from './scalar.js';

const TABLE: readonly (readonly [type: string, text: string, ...sources: string[]])[] = [
  ['Integer', '10', '10', '+10', '1_0', '0xa', '0xA', '0o12', '012', '0b1010', '1__0_'],
  ['Integer', '-5', '-5', '-0x5', '-05'],
  ['Integer', '-31', '-0x1F'],
  ['Integer', '1000', '1_000'],
  ['Integer', '7', '007', '0o7'],
  ['Integer', '0', '0', '-0', '00', '+0'],
  ['Integer', '18446744073709551615', '18446744073709551615', '0xffffffffffffffff'],
  ['Integer', '-9223372036854775808', '-9223372036854775808'],
  ['Null', '', '', '~', 'null', 'Null', 'NULL'],
];

for (const [type, text, ...sources] of TABLE) {
  for (const source of sources) {
    test(`\`${source}\` is read as ${type} with the text \`${text}\``, () =>
      assert.equal(typePlainScalar(source), { type, text }));
  }
}

const KEPT: readonly (readonly [type: string, ...sources: string[]])[] = [
  ['Float', '1.5', '.5', '1.', '0.0', '1.0e3', '1_000.5', '-1.5', '+1.5', '1.5E-3', '00.5'],
  ['Nan', '.nan', '.NaN', '.NAN'],
  ['Infinity', '.inf', '-.inf', '.INF', '-.Inf'],
  ['Bool', 'true', 'True', 'TRUE', 'false', 'False', 'FALSE'],
  ['String', '1e3', '1E3', '1e-3', '12e03', 'yes', 'no', 'on', 'off', 'y', 'n'],
  ['String', '0o8', '08', '0b2', '0x', '0X10', '1:30', '2020-01-01', 'NaN', 'Infinity', 'tRue', 'nULL'],
  [
    'String',
    '18446744073709551616',
    '-9223372036854775809',
    '_1',
    '1.2.3',
    '.',
    '-',
    '+',
    '..',
    '1.0e',
    '1.5e999',
    '+.inf',
    '10.0.0.1',
  ],
];

for (const [type, ...sources] of KEPT) {
  for (const source of sources) {
    test(`\`${source}\` is read as ${type}`, () => assert.equal(typePlainScalar(source), { type, text: source }));
  }
}

test('numbers of constants are IEEE doubles', () => {
  assert.is(parseNumber(typePlainScalar('9007199254740993').text), 9007199254740992);
  assert.is(parseNumber(typePlainScalar('0x1F').text), 31);
  assert.is(parseNumber(typePlainScalar('1_000.5').text), 1000.5);
  assert.is(parseNumber(typePlainScalar('-.5').text), -0.5);
});

test('a scalar of a million digits is a string, in linear time', () => {
  const digits = '9'.repeat(1_000_000);
  assert.is(typePlainScalar(digits).type, 'String');
  assert.is(typePlainScalar(`1.${digits}`).type, 'Float');
  assert.is(typePlainScalar(`${digits}e${digits}`).type, 'String');
});

test.run();
