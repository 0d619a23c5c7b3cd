import type { JsonValue } from '../ast/policy.js';
import type { FirstProblem } from './first-problem.js';
import type { YamlMapping, YamlNode } from './yaml/node.js';
import { numberOf } from './yaml/scalar.js';

/**
 * A value that keeps its type (docs/spec/policy-language.md#variables-and-constants): all numbers are IEEE doubles,
 * infinity and NaN are refused. Objects have no prototype, so that any key is an ordinary one.
 */
export function jsonConstant(node: YamlNode, problems: FirstProblem): JsonValue {
  switch (node.type) {
    case 'Null':
      return null;
    case 'Bool':
      return node.text.toLowerCase() === 'true';
    case 'Integer':
    case 'Float':
      return numberOf(node.text);
    case 'String':
      return node.text;
    case 'Sequence':
      return node.items.map((item) => jsonConstant(item, problems));
    case 'Mapping':
      return jsonObject(node, problems);
    case 'Nan':
    case 'Infinity':
      problems.note('policy/not-json', node.place, { type: node.type });
      return null;
  }
}

function jsonObject(node: YamlMapping, problems: FirstProblem): JsonValue {
  const result = Object.create(null) as Record<string, JsonValue>;
  for (const { key, value } of node.entries) {
    if (key.type === 'String') result[key.text] = jsonConstant(value, problems);
    else problems.note('yaml/key-type', key.place, { type: key.type });
  }
  return result;
}
