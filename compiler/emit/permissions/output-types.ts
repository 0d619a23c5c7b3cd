import type { Output } from '../../ir/program.js';
import type { Value } from '../../ir/value.js';
import { quote } from '../quote.js';
import {
  byText,
  composedType,
  differentTypes,
  JSON_TYPE,
  joinedTypes,
  namedType,
  stringType,
  type TypeText,
} from './type-text.js';

/** The type of the values of an output. */
export function outputType({ ruleActivated, conditionNotMet }: Output): TypeText {
  return union([ruleActivated, conditionNotMet].flatMap((value) => (value === undefined ? [] : [writeType(value)])));
}

/** Literals have literal types, everything else the type that CEL infers. */
function writeType(value: Value): TypeText {
  if (value.kind === 'literal' && value.literal === 'string') return stringType(value.value);
  if (value.kind === 'literal' && value.literal === 'bool') return namedType(String(value.value));
  if (value.kind === 'map') return mapType(value);
  if (value.kind === 'list')
    return composedType(['readonly (', union(value.elements.map((element) => writeType(element.value))), ')[]']);
  if (value.kind === 'operator' && value.operator === 'conditional')
    return union(value.operands.slice(1).map(writeType));
  switch (value.type.kind) {
    case 'bool':
      return namedType('boolean');
    case 'string':
    case 'timestamp':
      return namedType('string');
    case 'null':
      return namedType('null');
    default:
      return JSON_TYPE;
  }
}

function mapType({ entries }: Extract<Value, { readonly kind: 'map' }>): TypeText {
  const members = entries.map(({ key, value, optional }) =>
    key.kind === 'literal' && key.literal === 'string'
      ? composedType([
          `readonly ${quote(key.value)}`,
          ...(optional ? ['?: ', union([optionalType(value), namedType('undefined')])] : [': ', writeType(value)]),
          ';',
        ])
      : undefined,
  );
  const known = members.filter((member) => member !== undefined);
  if (known.length < members.length || known.length === 0) return JSON_TYPE;
  return composedType(['{ ', joinedTypes(known, ' '), ' }'], true);
}

/** The value of an optional entry is an optional; the map holds the value inside it. */
function optionalType({ type }: Value): TypeText {
  return type.kind === 'optional' && type.value.kind === 'string' ? namedType('string') : JSON_TYPE;
}

/** A union of types; nothing is narrower than `Json`. */
export function union(types: readonly TypeText[]): TypeText {
  const different = [...differentTypes(types)].sort(byText);
  const isUndefined = ({ text }: TypeText): boolean => text === 'undefined';
  if (different.some(({ text }) => text === JSON_TYPE.text))
    return joinedTypes([JSON_TYPE, ...different.filter(isUndefined)], ' | ');
  return different.length === 0 ? namedType('never') : joinedTypes(different, ' | ');
}
