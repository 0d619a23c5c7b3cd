import type { JsonValue } from '../../runtime/residual/index.js';
import { Refusal, type Statement } from './statement.js';

/** The possible types of a value, as `json_type` names them; every number is `real`. */
export type Type = 'null' | 'true' | 'false' | 'real' | 'text' | 'array' | 'object';

/** A CEL value in SQL. It needs two expressions, because SQL's NULL distinguishes neither failures nor null. */
export interface SqlValue {
  /** A `Type`; NULL where the evaluation fails. */
  readonly type: string;
  /** A number (NULL for NaN), a string, 1 or 0, the JSON of a list or map; anything where the evaluation fails. */
  readonly value: string;
  /** All types that it can have. */
  readonly types: readonly Type[];
  /** Whether it may be an int: next to a double it has no arithmetic. */
  readonly mayBeInt: boolean;
  /** Its position in a document, for selections from it. */
  readonly place?: { readonly document: string; readonly path: string };
}

export const ANYTHING: readonly Type[] = ['null', 'true', 'false', 'real', 'text', 'array', 'object'];

/** A value of one type. */
export function valueOf(type: string, value: string, types: readonly Type[], mayBeInt = false): SqlValue {
  return { type, value, types, mayBeInt };
}

/** A constant. Its numbers are doubles. */
export function constant(statement: Statement, json: JsonValue): SqlValue {
  if (json === null) return valueOf("'null'", 'NULL', ['null']);
  switch (typeof json) {
    case 'boolean':
      return valueOf(json ? "'true'" : "'false'", json ? '1' : '0', [json ? 'true' : 'false']);
    case 'number':
      return valueOf("'real'", `CAST(${statement.given(json)} AS REAL)`, ['real']);
    case 'string':
      return valueOf("'text'", statement.given(wellFormed(json)), ['text']);
    default: {
      const type = Array.isArray(json) ? 'array' : 'object';
      const document = statement.given(wellFormed(JSON.stringify(json)));
      return { ...valueOf(`'${type}'`, document, [type]), place: { document, path: '$' } };
    }
  }
}

/** A part of a JSON document by its path. */
export function part(statement: Statement, document: string, path: string): SqlValue {
  const where = `${document}, ${statement.given(path)}`;
  return { ...valueOf(unified(`json_type(${where})`), `json_extract(${where})`, ANYTHING), place: { document, path } };
}

/** `value.name`. */
export function field(statement: Statement, value: SqlValue, name: string): SqlValue {
  // SQLite reads a quoted label up to the next quote, and leaves escapes as they are.
  if (/["\\\u0000-\u001f]/.test(name))
    throw new Refusal('get-field', `a SQLite path cannot contain the name ${JSON.stringify(name)}`);
  return step(statement, value, `."${wellFormed(name)}"`);
}

/** `value[position]`. */
export function element(statement: Statement, value: SqlValue, position: number): SqlValue {
  return step(statement, value, `[${position}]`);
}

/** The row of `json_each` as an element of a list or the value of an entry. */
export function item(alias: string): SqlValue {
  return valueOf(unified(`${alias}.type`), `${alias}.value`, ANYTHING);
}

/** The value of a condition: 1, 0, and NULL where it fails. */
export function ofBoolean(condition: string): SqlValue {
  return valueOf(`CASE (${condition}) WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`, `(${condition})`, ['true', 'false']);
}

/** A value as a condition: anything other than a boolean fails. */
export function asBoolean({ type, types }: SqlValue): string {
  return types.includes('true') || types.includes('false')
    ? `CASE ${type} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`
    : 'NULL';
}

/** Whether UTF-8 can represent a string. */
function wellFormed(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new Refusal('value', 'a string with an unpaired surrogate');
  return text;
}

function step(statement: Statement, value: SqlValue, segment: string): SqlValue {
  if (value.place !== undefined) return part(statement, value.place.document, value.place.path + segment);
  // Any other text is not JSON and would fail the statement.
  return part(statement, `CASE WHEN ${value.type} IN ('array', 'object') THEN ${value.value} END`, `$${segment}`);
}

function unified(type: string): string {
  return `replace(${type}, 'integer', 'real')`;
}
