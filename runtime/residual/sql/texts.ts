import { allOf, NEVER, type Sql, unless } from './fragment.js';
import { readable } from './comparisons.js';
import { Refusal } from './refusal.js';
import { jsonAs, type Scope, textConstant } from './scope.js';
import { type Scalar, scalar, type SqlValue, FAILED } from './value.js';

export type TextTest = 'startsWith' | 'endsWith' | 'contains';

/** Where a string starts with, ends with or contains another, or where both are strings and it does not. */
export function textTest(scope: Scope, operator: TextTest, a: SqlValue, b: SqlValue, outcome: boolean): Sql {
  const { dialect } = scope;
  const text = asText(scope, operator, a);
  const constant = b.kind === 'constant' && typeof b.value === 'string' ? b.value : undefined;
  if (text !== undefined && constant?.includes('\0') === true && !dialect.hasNul)
    return outcome ? NEVER : readable(scope, text);
  const part = asText(scope, operator, b);
  if (text === undefined || part === undefined) return NEVER;
  if (constant === '') return outcome ? readable(scope, text) : NEVER;
  const plain = constant?.includes('\0') === true ? undefined : constant;
  // A collation may not support searching in strings, and columns with different collations have no common one.
  const isByBytes = dialect.name === 'postgresql' && (b.kind !== 'constant' || text.collation === 'other');
  const [whole, piece] = isByBytes
    ? [dialect.byBytes(text.sql), b.kind === 'constant' ? part.sql : dialect.byBytes(part.sql)]
    : [text.sql, part.sql];
  const holds = dialect[operator](whole, { sql: piece, constant: plain });
  return outcome ? holds : allOf(readable(scope, text), readable(scope, part), unless(holds));
}

/** `s.lowerAscii()`, `s.upperAscii()`. */
export function inCase(scope: Scope, operator: 'lower' | 'upper', a: SqlValue): SqlValue {
  const text = asText(scope, `${operator}Ascii`, a);
  const run = scope.dialect[operator];
  if (run === undefined)
    throw new Refusal(`${operator}Ascii`, `${scope.dialect.name} changes the case of letters beyond ASCII`);
  return text === undefined ? FAILED : scalar('text', run(text.sql), scope.dialect.computed);
}

/** `a + b` of strings. */
export function concat(scope: Scope, a: SqlValue, b: SqlValue): SqlValue {
  const [left, right] = [asText(scope, 'add', a), asText(scope, 'add', b)];
  if (left === undefined || right === undefined) return FAILED;
  const { dialect } = scope;
  if (dialect.name !== 'postgresql') return scalar('text', dialect.concat(left.sql, right.sql), dialect.computed);
  // A concatenation would have the collation of a column, or none.
  return scalar('text', dialect.concat(dialect.byBytes(left.sql), dialect.byBytes(right.sql)), 'binary');
}

/** Whether a value can only be a string. */
export function isText(value: SqlValue): boolean {
  return (
    (value.kind === 'scalar' && value.type === 'text') || (value.kind === 'constant' && typeof value.value === 'string')
  );
}

/** A value as a string, NULL if it is not one; undefined if it never is one. */
function asText(scope: Scope, operator: string, value: SqlValue): Scalar | undefined {
  switch (value.kind) {
    case 'constant': {
      if (typeof value.value !== 'string') return undefined;
      const constant = textConstant(scope, operator, value.value);
      if (constant === undefined)
        throw new Refusal(operator, 'a string with a NUL character, which PostgreSQL does not support');
      return scalar('text', constant, scope.dialect.computed, { null: 'null' });
    }
    case 'scalar':
      if (value.type === 'timestamp' && value.isUnread === true)
        throw new Refusal(operator, 'a timestamp column as a string: compare it with timestamp(...)');
      // No string function accepts null.
      return value.type === 'text' ? { ...value, null: 'missing' } : undefined;
    case 'json':
      return jsonAs(scope, value, 'text');
    case 'moment':
    case 'shifted':
    case 'row':
    case 'rows':
    case 'failed':
      return undefined;
  }
}

/** The number of pieces of a string that is split. */
export function pieceCount(scope: Scope, text: SqlValue, separator: string): SqlValue {
  const { dialect } = scope;
  const whole = splitText(scope, text, separator);
  return whole === undefined
    ? FAILED
    : scalar('integer', dialect.pieces(whole.sql, separator), dialect.computed, { isInt: true });
}

/** One of the pieces. */
export function pieceAt(scope: Scope, text: SqlValue, separator: string, position: number): SqlValue {
  const { dialect } = scope;
  const whole = splitText(scope, text, separator);
  if (whole === undefined) return FAILED;
  const piece = dialect.piece(whole.sql, separator, position);
  if (piece === undefined) throw new Refusal('split', `the piece at ${position}, which is too far for one expression`);
  return scalar('text', piece, dialect.computed);
}

function splitText(scope: Scope, text: SqlValue, separator: string): Scalar | undefined {
  if (textConstant(scope, 'split', separator) === undefined) throw new Refusal('split', 'by a NUL character');
  return asText(scope, 'split', text);
}
