import type { CelFunction, Overload } from '../function.js';
import { bool, type CelType, double, int, uint } from '../types.js';
import { global, row } from './row.js';

/** docs/spec/conditions.md#math-functions. `math.greatest` and `math.least` are macros. */
export const mathFunctions: readonly CelFunction[] = [
  row('math.abs', sameOf(double, int, uint)),
  row('math.ceil', sameOf(double)),
  row('math.floor', sameOf(double)),
  row('math.round', sameOf(double)),
  row('math.trunc', sameOf(double)),
  row('math.sign', sameOf(double, int, uint)),
  row(
    'math.sqrt',
    [double, int, uint].map((from) => global([from], double)),
  ),
  row('math.isNaN', global([double], bool)),
  row('math.isInf', global([double], bool)),
  row('math.isFinite', global([double], bool)),
  row('math.bitAnd', sameOfTwo(int, uint)),
  row('math.bitOr', sameOfTwo(int, uint)),
  row('math.bitXor', sameOfTwo(int, uint)),
  row('math.bitNot', sameOf(int, uint)),
  row('math.bitShiftLeft', global([int, int], int), global([uint, int], uint)),
  row('math.bitShiftRight', global([int, int], int), global([uint, int], uint)),
];

function sameOf(...types: readonly CelType[]): readonly Overload[] {
  return types.map((type) => global([type], type));
}

function sameOfTwo(...types: readonly CelType[]): readonly Overload[] {
  return types.map((type) => global([type, type], type));
}
