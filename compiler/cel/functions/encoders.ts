import type { CelFunction } from '../function.js';
import { bytes, dyn, string } from '../types.js';
import { global, row } from './row.js';

/** docs/spec/conditions.md#encoding-functions. */
export const encoderFunctions: readonly CelFunction[] = [
  row('base64.encode', global([bytes], string)),
  row('base64.decode', global([string], bytes)),
  row('json.encode', global([dyn], string)),
];
