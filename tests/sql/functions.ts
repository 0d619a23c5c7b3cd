import { Refusal } from './statement.js';
import { type SqlValue, type Type, valueOf } from './value.js';

/**
 * `s.startsWith(part)`. Does not use LIKE, which has wildcards and ignores case. Compares bytes, because SQLite's
 * strings end at a NUL. A part of an empty blob is NULL.
 */
export function startsWith(s: SqlValue, part: SqlValue): string {
  return ofTexts(s, part, `ifnull(substr(${bytes(s)}, 1, length(${bytes(part)})), x'') = ${bytes(part)}`);
}

/** `s.endsWith(part)`. */
export function endsWith(s: SqlValue, part: SqlValue): string {
  return ofTexts(
    s,
    part,
    `(length(${bytes(part)}) = 0 OR ifnull(substr(${bytes(s)}, -length(${bytes(part)})), x'') = ${bytes(part)})`,
  );
}

/** `s.contains(part)`. */
export function contains(s: SqlValue, part: SqlValue): string {
  return ofTexts(s, part, `instr(${bytes(s)}, ${bytes(part)}) > 0`);
}

/** `size(x)`: code points of a string, elements of a list, entries of a map. */
export function size(x: SqlValue): SqlValue {
  const { type, value, types } = x;
  const cases = [
    ...(types.includes('text') ? [`WHEN 'text' THEN ${codePoints(x)}`] : []),
    ...(types.includes('array') ? [`WHEN 'array' THEN json_array_length(${value})`] : []),
    ...(types.includes('object') ? [`WHEN 'object' THEN (SELECT count(*) FROM json_each(${value}))`] : []),
  ];
  if (cases.length === 0) return FAILED;
  return valueOf(
    `CASE WHEN ${type} IN ('text', 'array', 'object') THEN 'real' END`,
    `CASE ${type} ${cases.join(' ')} END`,
    ['real'],
    true,
  );
}

/** `s.lowerAscii()`, `s.upperAscii()`: SQLite's `lower` and `upper` change only ASCII letters. */
export function inCase(name: 'lower' | 'upper', s: SqlValue): SqlValue {
  return valueOf(`CASE WHEN ${s.type} = 'text' THEN 'text' END`, `${name}(${s.value})`, ['text']);
}

/** `a + b`, where the kind of addition is known. */
export function add(a: SqlValue, b: SqlValue): SqlValue {
  const only = (type: Type): boolean => [a, b].some(({ types }) => types.length === 1 && types[0] === type);
  if (only('real')) return arithmetic('add', a, '+', b);
  if (!only('text')) throw new Refusal('add', 'nobody can say whether numbers, texts or lists are added');
  return valueOf(`CASE WHEN ${a.type} = 'text' AND ${b.type} = 'text' THEN 'text' END`, `(${a.value} || ${b.value})`, [
    'text',
  ]);
}

/** `a - b`, `a * b`. */
export function arithmetic(operator: string, a: SqlValue, symbol: '+' | '-' | '*' | '/', b: SqlValue): SqlValue {
  if (a.mayBeInt || b.mayBeInt) throw new Refusal(operator, 'arithmetic of ints');
  const type = `CASE WHEN ${a.type} = 'real' AND ${b.type} = 'real' THEN 'real' END`;
  return valueOf(type, `(CAST(${a.value} AS REAL) ${symbol} CAST(${b.value} AS REAL))`, ['real']);
}

const FAILED = valueOf('NULL', 'NULL', []);

function ofTexts(s: SqlValue, part: SqlValue, condition: string): string {
  const canBe = s.types.includes('text') && part.types.includes('text');
  return canBe ? `CASE WHEN ${s.type} = 'text' AND ${part.type} = 'text' THEN ${condition} END` : 'NULL';
}

function bytes({ value }: SqlValue): string {
  return `CAST(${value} AS BLOB)`;
}

/** `length` counts up to the first NUL, so the length is counted from NUL to NUL. */
function codePoints(text: SqlValue): string {
  const first = `SELECT ${bytes(text)}, 0`;
  const next = `SELECT substr(rest, instr(rest, x'00') + 1), counted + length(CAST(substr(rest, 1, instr(rest, x'00') - 1) AS TEXT)) + 1 FROM parts WHERE instr(rest, x'00') > 0`;
  return `(WITH RECURSIVE parts(rest, counted) AS (${first} UNION ALL ${next}) SELECT counted + length(CAST(rest AS TEXT)) FROM parts WHERE instr(rest, x'00') = 0)`;
}
