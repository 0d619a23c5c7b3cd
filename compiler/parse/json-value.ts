import type { JsonValue } from '../ast/policy.js';
import { adviseKey } from './advice.js';
import type { ParseProblems } from './problems.js';
import type { YamlKey, YamlMapping, YamlNode, YamlSpecial, YamlText } from './yaml/node.js';
import { parseNumber } from './yaml/scalar.js';

/**
 * The differences between readers of JSON values: how strings are read, and what happens to nodes that JSON cannot
 * represent.
 */
export interface JsonReader {
  /** @param node a node of type `String`. */
  readonly stringValue: (node: YamlText) => string | number;
  /** Called for NaN and infinities; if it returns, the value is null. */
  readonly rejectNumber: (node: YamlSpecial) => void;
  /** Called for a key that is not a string; if it returns, the entry is left out. */
  readonly rejectKey: (key: YamlKey) => void;
}

/**
 * Returns the JSON value of a YAML node. All numbers are IEEE doubles. Objects have no prototype, so that no key is
 * special.
 */
function jsonValue(node: YamlNode, reader: JsonReader): JsonValue {
  switch (node.type) {
    case 'Null':
      return null;
    case 'Bool':
      return node.text.toLowerCase() === 'true';
    case 'Integer':
    case 'Float':
      return parseNumber(node.text);
    case 'String':
      return reader.stringValue(node);
    case 'Sequence':
      return node.items.map((item) => jsonValue(item, reader));
    case 'Broken':
      return null;
    case 'Mapping':
      return jsonObject(node, reader);
    case 'Nan':
    case 'Infinity':
      reader.rejectNumber(node);
      return null;
  }
}

/** Returns the JSON object of a YAML mapping. */
export function jsonObject(node: YamlMapping, reader: JsonReader): { readonly [name: string]: JsonValue } {
  const result = Object.create(null) as Record<string, JsonValue>;
  for (const { key, value } of node.entries) {
    if (key.type === 'String') result[key.text] = jsonValue(value, reader);
    else reader.rejectKey(key);
  }
  return result;
}

/**
 * Returns the value of a policy constant, which keeps its type (docs/spec/policy-language.md#variables-and-constants).
 */
export function jsonConstant(node: YamlNode, problems: ParseProblems): JsonValue {
  return jsonValue(node, {
    stringValue: ({ text }) => text,
    rejectNumber: ({ place, type }) => problems.note('policy/not-json', place, { type }),
    rejectKey: (key) => problems.note('yaml/key-type', key.place, { type: key.type }, () => adviseKey(key)),
  });
}
