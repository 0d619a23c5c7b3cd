import type { Output } from '../../ir/program.js';
import type { Value } from '../../ir/value.js';
import { quote } from '../quote.js';

/** The type of the values of an output. */
export function outputType({ ruleActivated, conditionNotMet }: Output): string {
  return union([ruleActivated, conditionNotMet].flatMap((value) => (value === undefined ? [] : [typeOf(value)])));
}

/** Literals have literal types, everything else the type that CEL infers. */
function typeOf(value: Value): string {
  if (value.kind === 'literal' && value.literal === 'string') return quote(value.value);
  if (value.kind === 'literal' && value.literal === 'bool') return String(value.value);
  if (value.kind === 'map') return mapType(value);
  if (value.kind === 'list') return `readonly (${union(value.elements.map((element) => typeOf(element.value)))})[]`;
  if (value.kind === 'operator' && value.operator === 'conditional') return union(value.operands.slice(1).map(typeOf));
  switch (value.type.kind) {
    case 'bool':
      return 'boolean';
    case 'string':
    case 'timestamp':
      return 'string';
    case 'null':
      return 'null';
    default:
      return 'Json';
  }
}

function mapType({ entries }: Extract<Value, { readonly kind: 'map' }>): string {
  const members = entries.map(({ key, value, optional }) =>
    key.kind === 'literal' && key.literal === 'string'
      ? `readonly ${quote(key.value)}${optional ? `?: ${union([optionalType(value), 'undefined'])}` : `: ${typeOf(value)}`};`
      : undefined,
  );
  return members.includes(undefined) || members.length === 0 ? 'Json' : `{ ${members.join(' ')} }`;
}

/** The value of an optional entry is an optional; the map holds the value inside it. */
function optionalType({ type }: Value): string {
  return type.kind === 'optional' && type.value.kind === 'string' ? 'string' : 'Json';
}

/** A union of types; nothing is narrower than `Json`. */
export function union(types: readonly string[]): string {
  const different = [...new Set(types)].sort();
  if (different.includes('Json')) return different.includes('undefined') ? 'Json | undefined' : 'Json';
  return different.length === 0 ? 'never' : different.join(' | ');
}
