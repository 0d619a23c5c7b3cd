import type { CelFunction } from '../function.js';
import { int, listOf, optionalOf, string } from '../types.js';
import { global, row } from './row.js';

/** docs/spec/conditions.md#regular-expression-functions, regular expressions. */
export const regexFunctions: readonly CelFunction[] = [
  row('regex.extract', global([string, string], optionalOf(string))),
  row('regex.extractAll', global([string, string], listOf(string))),
  row('regex.replace', global([string, string, string], string), global([string, string, string, int], string)),
];
