import type { JsonValue } from '../ast/policy.js';
import type { Literal } from '../ir/value.js';
import { braced, bracketed, type Doc, literal as literalPiece } from './doc.js';
import { cel } from './mentions.js';
import { propertyName, quoted } from './quote.js';

/** A scalar as JavaScript. A uint and bytes are objects: the caller hoists them. */
export function literalDoc(literal: Literal): Doc {
  switch (literal.literal) {
    case 'null':
      return 'null';
    case 'bool':
      return String(literal.value);
    case 'int':
      return literalPiece(`${literal.value}n`);
    case 'uint':
      return ['new ', cel('Uint('), literalPiece(`${literal.value}n`), ')'];
    case 'double':
      return numberDoc(literal.value);
    case 'string':
      return quoted(literal.value);
    case 'bytes':
      return bracketed('new Uint8Array([', [...literal.value].map(numberDoc), '])');
    case 'json':
      return jsonDoc(literal.value);
  }
}

/** A constant of the policy as JavaScript. */
export function jsonDoc(value: JsonValue): Doc {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return numberDoc(value);
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return bracketed('[', value.map(jsonDoc), ']');
  const entries = Object.entries(value as { readonly [key: string]: JsonValue });
  return braced(entries.map(([key, item]) => [propertyName(key), ': ', jsonDoc(item)]));
}

/** A double; minus zero keeps its sign. */
export function numberDoc(value: number): Doc {
  return literalPiece(Object.is(value, -0) ? '-0' : String(value));
}
