import type { CelFunction } from '../function.js';
import { bool, listOf, string } from '../types.js';
import { either, global, row } from './row.js';

/** docs/spec/conditions.md#path-and-spiffe-functions, paths. */
export const pathFunctions: readonly CelFunction[] = [
  row('basePath', global([string], string)),
  row('dirPath', global([string], string)),
  row('extPath', global([string], string)),
  row('volumeName', global([string], string)),
  row('relPath', global([string, string], string)),
  row('joinPath', global([listOf(string)], string)),
  row('pathHasPrefix', either([string, string], bool)),
  row('pathMatch', either([string, string], bool)),
  row('pathMatchAnyOf', either([string, listOf(string)], bool)),
];
