import type { CelFunction } from '../function.js';
import { dyn, int, listOf, parameter, string } from '../types.js';
import { global, member, row } from './row.js';

const A = parameter('A');

/** docs/spec/conditions.md#string-functions. `reverse` is of strings and of lists, one function. */
export const stringFunctions: readonly CelFunction[] = [
  row('charAt', member([string, int], string)),
  row('indexOf', member([string, string], int), member([string, string, int], int)),
  row('lastIndexOf', member([string, string], int), member([string, string, int], int)),
  row('lowerAscii', member([string], string)),
  row('upperAscii', member([string], string)),
  row('replace', member([string, string, string], string), member([string, string, string, int], string)),
  row('split', member([string, string], listOf(string)), member([string, string, int], listOf(string))),
  row('substring', member([string, int], string), member([string, int, int], string)),
  row('trim', member([string], string)),
  row('reverse', member([string], string), member([listOf(A)], listOf(A))),
  row('join', member([listOf(string)], string), member([listOf(string), string], string)),
  row('format', member([string, listOf(dyn)], string)),
  row('strings.quote', global([string], string)),
];
