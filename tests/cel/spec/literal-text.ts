import type { Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js';

/** A recorded value as CEL source; undefined for a type that policies cannot write. */
export function literalText(value: Value | undefined): string | undefined {
  const kind = value?.kind;
  switch (kind?.case) {
    case 'nullValue':
      return 'null';
    case 'boolValue':
      return String(kind.value);
    case 'int64Value':
      return String(kind.value);
    case 'uint64Value':
      return `${kind.value}u`;
    case 'doubleValue':
      return doubleText(kind.value);
    case 'stringValue':
      return `"${escaped(
        [...kind.value].map((char) => char.codePointAt(0) as number),
        true,
      )}"`;
    case 'bytesValue':
      return `b"${escaped([...kind.value], false)}"`;
    case 'typeValue':
      return kind.value;
    case 'listValue':
      return joined(kind.value.values.map(literalText), '[', ']');
    case 'mapValue':
      return joined(
        kind.value.entries.map(({ key, value: item }) => {
          const [left, right] = [literalText(key), literalText(item)];
          return left === undefined || right === undefined ? undefined : `${left}: ${right}`;
        }),
        '{',
        '}',
      );
    default:
      return undefined;
  }
}

/** The type that a recorded value has at runtime, as a type value. */
export function typeText(value: Value): string | undefined {
  const { kind } = value;
  const names: { readonly [name: string]: string } = {
    nullValue: 'null_type',
    boolValue: 'bool',
    int64Value: 'int',
    uint64Value: 'uint',
    doubleValue: 'double',
    stringValue: 'string',
    bytesValue: 'bytes',
    typeValue: 'type',
    listValue: 'list',
    mapValue: 'map',
  };
  return names[kind.case ?? ''];
}

function doubleText(value: number): string {
  if (!Number.isFinite(value)) return `double("${value}")`;
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function escaped(codes: readonly number[], isText: boolean): string {
  return codes
    .map((code) => {
      if (code >= 32 && code < 127 && code !== 34 && code !== 92) return String.fromCharCode(code);
      return isText ? `\\U${code.toString(16).padStart(8, '0')}` : `\\x${code.toString(16).padStart(2, '0')}`;
    })
    .join('');
}

function joined(parts: readonly (string | undefined)[], open: string, close: string): string | undefined {
  return parts.includes(undefined) ? undefined : `${open}${parts.join(', ')}${close}`;
}
