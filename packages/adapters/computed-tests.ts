/** Tests of what is computed from a field: times, strings in one case, and the pieces of strings. */
import type { JsonValue, Operand } from '../../runtime/residual/filters.js';
import { findApart, readAccessor, readInstant, readPieces } from '../../runtime/residual/idioms/index.js';
import { matchOperands } from '../../runtime/residual/operand.js';
import { Refusal } from '../../runtime/residual/sql/refusal.js';
import type { Comparison, Outcomes, Store, TextTest } from './store.js';

export const MIRRORED: { readonly [comparison in Comparison]: Comparison } = {
  eq: 'eq',
  lt: 'gt',
  le: 'ge',
  gt: 'lt',
  ge: 'le',
};

/** `timestamp(x) < timestamp("...")`, of times in milliseconds; undefined for any other comparison. */
export function timeComparison<Query, Field>(
  comparison: Comparison,
  first: Operand,
  second: Operand,
  store: Store<Query, Field>,
  field: (operand: Operand) => Field,
): Outcomes<Query> | undefined {
  const [left] = matchOperands(first, 'timestamp') ?? [];
  const [right] = matchOperands(second, 'timestamp') ?? [];
  if (left === undefined || right === undefined) return undefined;
  if ('value' in left) return timeComparison(MIRRORED[comparison], second, first, store, field);
  if (store.moment === undefined || store.moments === undefined)
    throw new Refusal('timestamp', 'cannot be translated exactly');
  if (!('value' in right)) return store.moments(field(left), comparison, field(right));
  const at = readInstant(second);
  if (at === undefined) throw new Refusal('timestamp', 'of a constant that is not a timestamp');
  const [before, isWhole] = [Number((at - (((at % MILLI) + MILLI) % MILLI)) / MILLI), at % MILLI === 0n];
  if (isWhole) return store.moment(field(left), comparison, before);
  // Between two milliseconds: nothing equals it.
  if (comparison === 'lt' || comparison === 'le') return store.moment(field(left), 'le', before);
  if (comparison === 'gt' || comparison === 'ge') return store.moment(field(left), 'gt', before);
  const isEarlier = store.moment(field(left), 'le', before);
  return {
    is: (outcome) => (outcome ? store.never : store.anyOf([isEarlier.is(true), isEarlier.is(false)])),
    fails: () => isEarlier.fails(),
  };
}

/** Nanoseconds. */
const MILLI = 1_000_000n;

/** A test of `s.lowerAscii()`. */
export function loweredTest<Query, Field>(
  test: 'eq' | TextTest,
  first: Operand,
  second: Operand,
  store: Store<Query, Field>,
  field: (operand: Operand) => Field,
): Outcomes<Query> | undefined {
  const [lower] = matchOperands(first, 'lowerAscii') ?? [];
  const text = lower ?? matchOperands(first, 'upperAscii')?.[0];
  if (text === undefined || !('value' in second) || typeof second.value !== 'string') return undefined;
  // No string has letters of the other case once it has none.
  const isPossible = !(lower === undefined ? /[a-z]/ : /[A-Z]/).test(second.value);
  const constant = plainText(test, second.value).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return store.lowered?.(field(text), test, isPossible ? constant : undefined);
}

/** How far two times are apart; undefined for any other comparison. */
export function apartComparison<Query, Field>(
  operator: Comparison,
  first: Operand,
  second: Operand,
  store: Store<Query, Field>,
  field: (operand: Operand) => Field,
): Outcomes<Query> | undefined {
  const apart = findApart({ operator, operands: [first, second] });
  if (apart === undefined) return undefined;
  if (store.apart === undefined) throw new Refusal('timestamp', 'of two attributes');
  const [left, right] = [apart.left, apart.right].map((time) =>
    field((matchOperands(time, 'timestamp') as readonly [Operand])[0]),
  ) as [Field, Field];
  return store.apart(left, operator, right, apart.nanos);
}

/** The string that is split; undefined for any other list. */
export function splitOf<Query, Field>(
  list: Operand,
  store: Store<Query, Field>,
  field: (operand: Operand) => Field,
): { readonly field: Field; readonly separator: string } | undefined {
  const pieces = readPieces(list);
  if (pieces === undefined) return undefined;
  const of = field(pieces.text);
  // What a hierarchy is made of may be a list.
  if (pieces.isHierarchy && store.isText?.(of) !== true) return undefined;
  return { field: of, separator: plainText('split', pieces.separator) };
}

/** `x.split("@")[1] == "example.com"`. */
export function pieceTest<Query, Field>(
  operand: Operand,
  constant: JsonValue,
  store: Store<Query, Field>,
  field: (operand: Operand) => Field,
): Outcomes<Query> | undefined {
  const [list, at] = matchOperands(operand, 'index') ?? [];
  const position = at !== undefined && 'value' in at ? at.value : undefined;
  const split = list === undefined || store.piece === undefined ? undefined : splitOf(list, store, field);
  if (split === undefined || !Number.isSafeInteger(position) || (position as number) < 0) return undefined;
  if (typeof constant !== 'string') return undefined;
  return store.piece?.(split.field, split.separator, position as number, plainText('split', constant));
}

/** Stores keep strings as UTF-8, which has no unpaired surrogates, and not all of them keep NUL. */
export function plainText(operator: string, text: string): string {
  if (/\p{Surrogate}|\0/u.test(text)) throw new Refusal(operator, 'a string with NUL or an unpaired surrogate');
  return text;
}

/** `timestamp(x).getHours()` compared with a number. */
export function calendarTest<Query, Field>(
  operand: Operand,
  comparison: Comparison,
  constant: JsonValue,
  store: Store<Query, Field>,
  field: (operand: Operand) => Field,
): Outcomes<Query> | undefined {
  const accessor = readAccessor(operand);
  if (accessor === undefined || store.calendar === undefined || typeof constant !== 'number') return undefined;
  const [of] = matchOperands(accessor.of, 'timestamp') as readonly [Operand];
  return store.calendar(field(of), { ...accessor, comparison, constant });
}
