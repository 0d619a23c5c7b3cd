import type { CelFunction } from '../function.js';
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  parameter,
  string,
  timestamp,
  typeOf,
  uint,
} from '../types.js';
import { cidr, hierarchy, ip } from './opaque.js';
import { either, global, impure, member, row, rowAs } from './row.js';

const A = parameter('A');
const B = parameter('B');

/** docs/spec/conditions.md#core-functions. */
export const coreFunctions: readonly CelFunction[] = [
  row(
    'size',
    either([string], int),
    either([bytes], int),
    either([listOf(A)], int),
    either([mapOf(A, B)], int),
    member([hierarchy], int),
  ),

  row('contains', member([string, string], bool)),
  row('startsWith', member([string, string], bool)),
  row('endsWith', member([string, string], bool)),
  row('matches', either([string, string], bool)),

  rowAs(
    'int',
    'toInt',
    [int, uint, double, string, duration, timestamp].map((from) => global([from], int)),
  ),
  rowAs(
    'uint',
    'toUint',
    [uint, int, double, string].map((from) => global([from], uint)),
  ),
  rowAs(
    'double',
    'toDouble',
    [double, int, uint, string].map((from) => global([from], double)),
  ),
  rowAs(
    'string',
    'toText',
    [string, bool, int, uint, double, bytes, timestamp, duration, ip, cidr].map((from) => global([from], string)),
  ),
  rowAs(
    'bool',
    'toBool',
    [bool, string].map((from) => global([from], bool)),
  ),
  rowAs(
    'bytes',
    'toBytes',
    [bytes, string].map((from) => global([from], bytes)),
  ),
  rowAs(
    'timestamp',
    'toTimestamp',
    [timestamp, int, string].map((from) => global([from], timestamp)),
  ),
  rowAs(
    'duration',
    'toDuration',
    [duration, string].map((from) => global([from], duration)),
  ),
  rowAs('dyn', 'dynOf', global([A], dyn)),
  rowAs('type', 'typeOf', global([A], typeOf(A))),

  // The member form captures `spiffeTrustDomain(x).id()` (docs/spec/conditions.md#path-and-spiffe-functions).
  rowAs('id', 'identity', either([dyn], dyn)),

  impure(row('now', global([], timestamp))),
  impure(row('timeSince', either([timestamp], duration))),
];
