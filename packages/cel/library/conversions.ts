import { either, global, row, rowAs, type FunctionSection } from './function.js';
import {
  bool,
  bytes,
  cidr,
  double,
  duration,
  dyn,
  int,
  ip,
  parameter,
  string,
  timestamp,
  typeType,
  uint,
} from './types.js';

const A = parameter('A');

/** docs/spec/conditions.md#core-functions. */
export const conversions: FunctionSection = {
  title: 'Conversions',
  rows: [
    rowAs(
      'int',
      'toInt',
      {
        meaning:
          'Converts to a 64-bit integer: a string of decimal digits, the integer part of a double, a timestamp ' +
          'in Unix seconds, a duration in nanoseconds.',
        examples: [
          ['int("42")', '42'],
          ['int(3.9)', '3'],
          ['int(timestamp("1970-01-01T00:01:00Z"))', '60'],
        ],
      },
      [int, uint, double, string, duration, timestamp].map((from) => global([from], int)),
    ),
    rowAs(
      'uint',
      'toUint',
      {
        meaning: 'Converts to an unsigned 64-bit integer.',
        examples: [
          ['uint("42")', '42'],
          ['uint(-1)', 'error: unsigned integer overflow'],
        ],
      },
      [uint, int, double, string].map((from) => global([from], uint)),
    ),
    rowAs(
      'double',
      'toDouble',
      {
        meaning: 'Converts to a floating-point number.',
        examples: [
          ['double("1e3")', '1000'],
          ['double(5) / 2.0', '2.5'],
        ],
      },
      [double, int, uint, string].map((from) => global([from], double)),
    ),
    rowAs(
      'string',
      'toText',
      {
        meaning:
          'Converts to a string. A double of a million or more is written with an exponent, so use ' +
          '`string(int(x))` for ids.',
        examples: [
          ['string(12)', '"12"'],
          ['string(1234567.0)', '"1.234567e+06"'],
          ['string(duration("90m"))', '"5400s"'],
        ],
      },
      [string, bool, int, uint, double, bytes, timestamp, duration, ip, cidr].map((from) => global([from], string)),
    ),
    rowAs(
      'bool',
      'toBool',
      {
        meaning: 'Converts a string to a boolean: `true`, `t`, `1` and `false`, `f`, `0`.',
        examples: [['bool("true")', 'true']],
      },
      [bool, string].map((from) => global([from], bool)),
    ),
    rowAs(
      'bytes',
      'toBytes',
      { meaning: 'Converts a string to its UTF-8 bytes.', examples: [['bytes("é").size()', '2']] },
      [bytes, string].map((from) => global([from], bytes)),
    ),
    rowAs(
      'timestamp',
      'toTimestamp',
      {
        meaning: 'Converts an RFC 3339 string or Unix seconds to a timestamp.',
        examples: [
          ['timestamp("2024-02-29T12:00:00+02:00")', '"2024-02-29T12:00:00+02:00"'],
          ['timestamp(60)', '"1970-01-01T00:01:00Z"'],
        ],
      },
      [timestamp, int, string].map((from) => global([from], timestamp)),
    ),
    rowAs(
      'duration',
      'toDuration',
      {
        meaning:
          'Parses a duration, one or more numbers with units: `h`, `m`, `s`, `ms`, `us`, `ns`. There is no unit ' +
          'for days.',
        examples: [['duration("1h30m")', '"5400s"']],
      },
      [duration, string].map((from) => global([from], duration)),
    ),
    rowAs(
      'dyn',
      'dynOf',
      {
        meaning: 'Returns the value unchanged, but hides its type from the type checker.',
        examples: [['dyn(1) == 1.0', 'true']],
      },
      global([A], dyn),
    ),
    rowAs(
      'type',
      'typeOf',
      {
        meaning: 'Returns the type of a value, to compare it with another type.',
        examples: [['type(R.attr.owner) == string', 'true']],
      },
      global([A], typeType(A)),
    ),

    // The member form captures `spiffeTrustDomain(x).id()` (docs/spec/conditions.md#path-and-spiffe-functions).
    rowAs(
      'id',
      'identity',
      { meaning: 'Returns the value unchanged.', examples: [['id("a")', '"a"']] },
      either([dyn], dyn),
    ),
    row(
      'base64.encode',
      { meaning: 'Encodes bytes as base64.', examples: [['base64.encode(bytes("hi"))', '"aGk="']] },
      global([bytes], string),
    ),
    row(
      'base64.decode',
      {
        meaning: 'Decodes base64 to bytes. Padding is optional.',
        examples: [['string(base64.decode("aGk"))', '"hi"']],
      },
      global([string], bytes),
    ),
    row(
      'json.encode',
      {
        meaning: 'Encodes a value as compact JSON, with sorted keys.',
        examples: [['json.encode({"b": 1, "a": [true, null]})', String.raw`"{\"a\":[true,null],\"b\":1}"`]],
      },
      global([dyn], string),
    ),
  ],
};
