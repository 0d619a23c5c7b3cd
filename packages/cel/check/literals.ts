import { RE2JS } from 're2js';
import {
  CelError,
  costOfPattern,
  getHours,
  inIPAddrRange,
  MAX_INSTRUCTIONS,
  type Result,
  toCidr,
  toDuration,
  toIp,
  toTimestamp,
} from '../runtime/index.js';
import type { CallExpr, Expr, LiteralExpr } from '../ast/expr.js';
import type { CelType } from '../library/types.js';
import type { Hint } from './did-you-mean.js';
import type { Checking, PlacedProblem } from './checking.js';
import { adviseDuration, advisePattern, timestampAdvice } from './literal-advice.js';

/**
 * The problems in literal arguments that can be checked at compile time (docs/spec/conditions.md#literal-arguments).
 */
export function literalProblems(checking: Checking): readonly PlacedProblem[] {
  const problems: PlacedProblem[] = [];
  for (const call of checking.calls.keys()) {
    const problem = call.kind === 'call' ? findProblem(checking, call) : undefined;
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

function findProblem(checking: Checking, call: CallExpr): PlacedProblem | undefined {
  const row = checking.calls.get(call);
  const [first] = call.args;
  const pattern = row && findPattern(call, row.runtime);
  const tooLarge = pattern?.kind === 'literal' && pattern.type === 'string' && sizeProblem(pattern.value);
  if (tooLarge) return problemAt(pattern, `regular expression is too large: ${tooLarge}; use smaller counts`);
  if (row?.runtime === 'format') return formatProblem(call, (expr) => checking.types.get(expr));
  if (first?.kind !== 'literal' || call.args.length !== 1) return undefined;
  switch (row?.runtime) {
    case 'toDuration':
      return (
        tryConversion(first, toDuration) &&
        problemAt(first, 'invalid duration argument', () => adviseDuration(first.type === 'string' ? first.value : ''))
      );
    case 'toTimestamp':
      return tryConversion(first, toTimestamp) && problemAt(first, 'invalid timestamp argument', () => timestampAdvice);
    case 'matches':
      // The global form has two arguments and is not checked.
      return first.type === 'string' ? literalPatternProblem(first) : undefined;
    case 'toIp':
      return withReason(first, 'invalid ip argument', tryConversion(first, toIp));
    case 'toCidr':
      return withReason(first, 'invalid cidr argument', tryConversion(first, toCidr));
  }
  return undefined;
}

/** The regular expression of a call of a function; undefined if the function takes none. */
export function findPattern(call: CallExpr, runtime: string): Expr | undefined {
  return /^(matches|regex)/.test(runtime) ? call.args[runtime === 'matches' ? call.args.length - 1 : 1] : undefined;
}

/** Why no function can use a regular expression, and advice; undefined if functions can. */
export function patternProblem(
  pattern: string,
): { readonly reason: string; readonly advice: readonly Hint[] } | undefined {
  const tooLarge = sizeProblem(pattern);
  if (tooLarge !== undefined) return { reason: tooLarge, advice: [{ message: 'use smaller counts' }] };
  const invalid = syntaxProblem(pattern);
  return invalid === undefined
    ? undefined
    : { reason: 'it is not a regular expression in RE2 syntax', advice: advisePattern(pattern, invalid) };
}

/** What a function reads of its last argument, and advice, if it cannot read a text; undefined if it can. */
export function argumentProblem(
  runtime: string,
  text: string,
): { readonly wanted: string; readonly advice: readonly Hint[] } | undefined {
  const reader = readers.get(runtime) ?? (/^get[A-Z]/.test(runtime) ? zoneReader : undefined);
  if (reader === undefined || !(reader.read(text) instanceof CelError)) return undefined;
  return { wanted: reader.wanted, advice: reader.advise(text) };
}

/** A function that reads a text. Runs the function itself, so that compile time and runtime agree. */
interface Reader {
  readonly wanted: string;
  readonly read: (text: string) => Result;
  readonly advise: (text: string) => readonly Hint[];
}

const rangeAdvice: readonly Hint[] = [
  { message: 'write an address and the length of its prefix, as in `"10.0.0.0/8"` and `"fe80::/10"`' },
];

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    'inIPAddrRange',
    {
      wanted: 'a range of addresses',
      read: (text) => inIPAddrRange('10.0.0.1', text),
      advise: () => rangeAdvice,
    },
  ],
  ['toCidr', { wanted: 'a range of addresses', read: toCidr, advise: () => rangeAdvice }],
  [
    'toIp',
    { wanted: 'an IP address', read: toIp, advise: () => [{ message: 'write it as in `"10.0.0.1"` or `"::1"`' }] },
  ],
  ['toDuration', { wanted: 'a duration', read: toDuration, advise: adviseDuration }],
  ['toTimestamp', { wanted: 'a timestamp', read: toTimestamp, advise: () => timestampAdvice }],
]);

/** All accessors of times read a zone in the same way. */
const zoneReader: Reader = {
  wanted: 'a time zone',
  read: (text) => getHours(toTimestamp('2026-01-31T00:00:00Z'), text),
  advise: () => [{ message: 'write a name of the IANA database or an offset, as in `"Europe/Berlin"` and `"+02:00"`' }],
};

function sizeProblem(pattern: string): string | undefined {
  const { instructions } = costOfPattern(pattern);
  return instructions <= MAX_INSTRUCTIONS
    ? undefined
    : `its repetitions expand to ${instructions} instructions, at most ${MAX_INSTRUCTIONS} are allowed`;
}

// Runs the conversion itself, so that compile time and runtime agree.
function tryConversion(literal: LiteralExpr, convert: (value: string | bigint) => Result): CelError | undefined {
  if (literal.type !== 'string' && literal.type !== 'int') return undefined;
  const converted = convert(literal.value);
  return converted instanceof CelError ? converted : undefined;
}

function withReason(literal: LiteralExpr, message: string, refusal: CelError | undefined): PlacedProblem | undefined {
  return refusal && problemAt(literal, `${message}: ${refusal.message}`);
}

function literalPatternProblem(literal: LiteralExpr & { readonly type: 'string' }): PlacedProblem | undefined {
  const reason = syntaxProblem(literal.value);
  return reason === undefined
    ? undefined
    : problemAt(literal, 'invalid matches argument', () => advisePattern(literal.value, reason));
}

function syntaxProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    // The pattern parser throws only for invalid patterns.
    return error instanceof Error ? error.message : '';
  }
}

/** The type of a node, as CEL's checker infers it. */
type TypeOf = (expr: Expr) => CelType | undefined;

/**
 * The problem in `"…".format([…])` when both are literals: an invalid clause, an argument of the wrong type, or too few
 * or too many arguments (docs/spec/conditions.md#format).
 */
function formatProblem(call: CallExpr, typeOf: TypeOf): PlacedProblem | undefined {
  const { target } = call;
  const [list] = call.args;
  if (target?.kind !== 'literal' || target.type !== 'string' || list?.kind !== 'list' || call.args.length !== 1)
    return undefined;
  const values = list.elements.map((element) => element.value);
  let used = 0;
  for (const clause of parseClauses(target.value)) {
    const value = values[used];
    if (clause.kind === 'end') return problemAt(call, 'unexpected end of string');
    if (value === undefined) return problemAt(call, `index ${used} out of range`);
    if (clause.kind === 'bad') return problemAt(call, `could not parse formatting clause: ${clause.message}`);
    const offender = findOffender(clause.letter, value, typeOf);
    if (offender !== undefined)
      return problemAt(
        offender,
        `error during formatting: ${demands[clause.letter]}, was given ${runtimeName(typeOf(offender))}`,
      );
    used += 1;
  }
  if (values.length <= used) return undefined;
  return problemAt(call, `too many arguments supplied to string.format (expected ${used}, got ${values.length})`);
}

type Letter = Extract<ReturnType<typeof parseClauses>[number], { readonly kind: 'clause' }>['letter'];

const accepted: Readonly<Record<Letter, readonly CelType['kind'][]>> = {
  s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: ['int', 'uint', 'double'],
  f: ['int', 'uint', 'double'],
  e: ['int', 'uint', 'double'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
};

const demands: Readonly<Record<Letter, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on ints, uints, and doubles',
  f: 'fixed-point clause can only be used on ints, uints, and doubles',
  e: 'scientific clause can only be used on ints, uints, and doubles',
  b: 'only ints, uints, and bools can be formatted as binary',
  x: 'only ints, uints, bytes, and strings can be formatted as hex',
  X: 'only ints, uints, bytes, and strings can be formatted as hex',
  o: 'octal clause can only be used on ints and uints',
};

// `%s` checks the elements of list and map literals; the other clauses do not accept containers.
function findOffender(letter: Letter, value: Expr, typeOf: TypeOf): Expr | undefined {
  const kind = typeOf(value)?.kind ?? 'dyn';
  if (kind !== 'dyn' && kind !== 'error' && !accepted[letter].includes(kind)) return value;
  if (letter !== 's') return undefined;
  return listParts(value)
    .map((part) => findOffender(letter, part, typeOf))
    .find((offender) => offender !== undefined);
}

function listParts(value: Expr): readonly Expr[] {
  if (value.kind === 'list') return value.elements.map((element) => element.value);
  if (value.kind === 'map') return value.entries.flatMap((entry) => [entry.key, entry.value]);
  return [];
}

// The message names the type as `type(x)` does, without type arguments.
function runtimeName(type: CelType | undefined): string {
  if (type === undefined) return 'dyn';
  switch (type.kind) {
    case 'timestamp':
      return 'google.protobuf.Timestamp';
    case 'duration':
      return 'google.protobuf.Duration';
    case 'null':
      return 'null_type';
    case 'optional':
      return 'optional_type';
    case 'message':
    case 'opaque':
      return type.name;
    case 'bool':
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'bytes':
    case 'list':
    case 'map':
    case 'type':
    case 'dyn':
    case 'error':
    case 'parameter':
      return type.kind;
  }
}

function problemAt({ start, end }: Expr, message: string, hints?: () => readonly Hint[]): PlacedProblem {
  return { message, start, end, at: start, ...(hints && { hints }) };
}

/** A `%` clause of a format string: how it formats its argument, or why it is invalid. */
export type Clause =
  | { readonly kind: 'clause'; readonly letter: 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o' }
  | { readonly kind: 'bad'; readonly message: string }
  /** A `%` at the end of the string. */
  | { readonly kind: 'end' };

/**
 * The clauses of a format string in order, without literal text and `%%` (docs/spec/conditions.md#format). Stops after
 * the first invalid clause.
 */
function parseClauses(format: string): readonly Clause[] {
  const clauses: Clause[] = [];
  let i = format.indexOf('%');
  while (i !== -1) {
    if (format[i + 1] === '%') {
      i = format.indexOf('%', i + 2);
      continue;
    }
    const { clause, next } = parseClause(format, i + 1);
    clauses.push(clause);
    if (clause.kind !== 'clause') return clauses;
    i = format.indexOf('%', next);
  }
  return clauses;
}

const MAX_PRECISION = 100n;

function parseClause(format: string, start: number): { readonly clause: Clause; readonly next: number } {
  if (start >= format.length) return { clause: { kind: 'end' }, next: start };
  const digits = format[start] === '.' ? digitsFrom(format, start + 1) : undefined;
  const at = digits === undefined ? start : start + 1 + digits.length;
  const problem = digits === undefined ? undefined : problemOfPrecision(digits, at >= format.length);
  if (problem !== undefined)
    return { clause: { kind: 'bad', message: `error while parsing precision: ${problem}` }, next: at };
  const letter = format[at] ?? '';
  if (isLetter(letter)) return { clause: { kind: 'clause', letter }, next: at + 1 };
  const message = `unrecognized formatting clause "${firstByte(format.slice(at, at + 2))}"`;
  return { clause: { kind: 'bad', message }, next: at };
}

function digitsFrom(format: string, start: number): string {
  let end = start;
  while (/^[0-9]$/.test(format.charAt(end))) end += 1;
  return format.slice(start, end);
}

function problemOfPrecision(digits: string, isAtEnd: boolean): string | undefined {
  if (isAtEnd) return 'could not find end of precision specifier';
  const parsing = `error while converting precision to integer: strconv.Atoi: parsing "${digits}"`;
  if (digits === '') return `${parsing}: invalid syntax`;
  const precision = BigInt(digits.replace(/^0+(?=.)/, '').slice(0, 20));
  if (precision > 2n ** 63n - 1n) return `${parsing}: value out of range`;
  return precision > MAX_PRECISION
    ? `precision ${precision} exceeds maximum allowed precision ${MAX_PRECISION}`
    : undefined;
}

function isLetter(text: string): text is Extract<Clause, { readonly kind: 'clause' }>['letter'] {
  return text !== '' && 'sdfebxXo'.includes(text);
}

// The reference PDP reads the string byte by byte and prints the offending byte as a character.
function firstByte(text: string): string {
  const [byte] = new TextEncoder().encode(text);
  return byte === undefined ? '' : String.fromCharCode(byte);
}
