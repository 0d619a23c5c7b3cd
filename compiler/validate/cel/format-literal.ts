import type { CallExpr, Expr } from '../../ast/expr.js';
import type { CelType } from '../../cel/types.js';
import type { PlacedProblem } from './checking.js';
import { parseClauses } from './format-clauses.js';

/** The type of a node, as CEL's checker gives it. */
type TypeOf = (expr: Expr) => CelType | undefined;

/**
 * What is wrong with `"…".format([…])` when both are literals: its clauses, their types, too few or too many arguments
 * (docs/spec/conditions.md#format).
 */
export function formatProblem(call: CallExpr, typeOf: TypeOf): PlacedProblem | undefined {
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
    const offender = offenderOf(clause.letter, value, typeOf);
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

// `%s` looks into list and map literals; the other clauses take no containers.
function offenderOf(letter: Letter, value: Expr, typeOf: TypeOf): Expr | undefined {
  const kind = typeOf(value)?.kind ?? 'dyn';
  if (kind !== 'dyn' && kind !== 'error' && !accepted[letter].includes(kind)) return value;
  if (letter !== 's') return undefined;
  return partsOf(value)
    .map((part) => offenderOf(letter, part, typeOf))
    .find((offender) => offender !== undefined);
}

function partsOf(value: Expr): readonly Expr[] {
  if (value.kind === 'list') return value.elements.map((element) => element.value);
  if (value.kind === 'map') return value.entries.flatMap((entry) => [entry.key, entry.value]);
  return [];
}

// The message names the type as `type(x)` does, without what it is made of.
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

function problemAt({ start, end }: Expr, message: string): PlacedProblem {
  return { message, start, end, at: start };
}
