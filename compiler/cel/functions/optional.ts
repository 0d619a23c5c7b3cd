import type { CelFunction } from '../function.js';
import { bool, listOf, optionalOf, parameter } from '../types.js';
import { global, member, row, rowAs } from './row.js';

const A = parameter('A');

/** docs/spec/conditions.md#optional-functions, optionals. `optMap` and `optFlatMap` are macros. */
export const optionalFunctions: readonly CelFunction[] = [
  row('optional.of', global([A], optionalOf(A))),
  row('optional.none', global([], optionalOf(A))),
  row('optional.ofNonZeroValue', global([A], optionalOf(A))),
  rowAs('hasValue', 'optionalHasValue', member([optionalOf(A)], bool)),
  rowAs('value', 'optionalValue', member([optionalOf(A)], A)),
  rowAs('or', 'optionalOr', member([optionalOf(A), optionalOf(A)], optionalOf(A))),
  rowAs('orValue', 'optionalOrValue', member([optionalOf(A), A], A)),
  row('optional.unwrap', global([listOf(optionalOf(A))], listOf(A))),
  row('unwrapOpt', member([listOf(optionalOf(A))], listOf(A))),
];
