import type { CelFunction } from '../function.js';
import { bytes, dyn, string } from '../types.js';
import { global, row } from './row.js';

/** conditions.md 2.5. */
export const encoderFunctions: readonly CelFunction[] = [
  row('base64.encode', global([bytes], string)),
  row('base64.decode', global([string], bytes)),
  row('json.encode', global([dyn], string)),
];
