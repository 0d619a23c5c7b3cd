import { global, row, type FunctionSection, type Overload } from './function.js';
import { bool, type CelType, double, int, uint } from './types.js';

/** docs/spec/conditions.md#math-functions. */
export const numbers: FunctionSection = {
  title: 'Numbers',
  rows: [
    row(
      'math.abs',
      { meaning: 'Returns the absolute value.', examples: [['math.abs(-3)', '3']] },
      makeOverloads(double, int, uint),
    ),
    row(
      'math.ceil',
      { meaning: 'Rounds up to an integer.', examples: [['math.ceil(1.2)', '2']] },
      makeOverloads(double),
    ),
    row(
      'math.floor',
      { meaning: 'Rounds down to an integer.', examples: [['math.floor(-1.2)', '-2']] },
      makeOverloads(double),
    ),
    row(
      'math.round',
      {
        meaning: 'Rounds to the nearest integer, and halves away from zero.',
        examples: [
          ['math.round(2.5)', '3'],
          ['math.round(-2.5)', '-3'],
        ],
      },
      makeOverloads(double),
    ),
    row(
      'math.trunc',
      { meaning: 'Removes the fractional part.', examples: [['math.trunc(-1.7)', '-1']] },
      makeOverloads(double),
    ),
    row(
      'math.sign',
      { meaning: 'Returns -1, 0 or 1.', examples: [['math.sign(-4)', '-1']] },
      makeOverloads(double, int, uint),
    ),
    row(
      'math.sqrt',
      { meaning: 'Returns the square root.', examples: [['math.sqrt(9)', '3']] },
      [double, int, uint].map((from) => global([from], double)),
    ),
    row(
      'math.isNaN',
      { meaning: 'Returns whether a double is NaN.', examples: [['math.isNaN(0.0 / 0.0)', 'true']] },
      global([double], bool),
    ),
    row(
      'math.isInf',
      { meaning: 'Returns whether a double is infinite.', examples: [['math.isInf(1.0 / 0.0)', 'true']] },
      global([double], bool),
    ),
    row(
      'math.isFinite',
      { meaning: 'Returns whether a double is neither infinite nor NaN.', examples: [['math.isFinite(1.5)', 'true']] },
      global([double], bool),
    ),
    row(
      'math.bitAnd',
      { meaning: 'Returns the bitwise AND.', examples: [['math.bitAnd(6, 3)', '2']] },
      sameOfTwo(int, uint),
    ),
    row(
      'math.bitOr',
      { meaning: 'Returns the bitwise OR.', examples: [['math.bitOr(6, 3)', '7']] },
      sameOfTwo(int, uint),
    ),
    row(
      'math.bitXor',
      { meaning: 'Returns the bitwise exclusive OR.', examples: [['math.bitXor(6, 3)', '5']] },
      sameOfTwo(int, uint),
    ),
    row(
      'math.bitNot',
      { meaning: 'Returns the bitwise complement.', examples: [['math.bitNot(0)', '-1']] },
      makeOverloads(int, uint),
    ),
    row(
      'math.bitShiftLeft',
      { meaning: 'Shifts bits to the left.', examples: [['math.bitShiftLeft(1, 4)', '16']] },
      global([int, int], int),
      global([uint, int], uint),
    ),
    row(
      'math.bitShiftRight',
      { meaning: 'Shifts bits to the right and fills with zeros.', examples: [['math.bitShiftRight(16, 3)', '2']] },
      global([int, int], int),
      global([uint, int], uint),
    ),
  ],
};

function makeOverloads(...types: readonly CelType[]): readonly Overload[] {
  return types.map((type) => global([type], type));
}

function sameOfTwo(...types: readonly CelType[]): readonly Overload[] {
  return types.map((type) => global([type, type], type));
}
