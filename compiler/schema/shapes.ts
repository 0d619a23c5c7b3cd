import { CelError, isTooLarge, matches } from '../../packages/cel/runtime/index.js';
import type { JsonNode } from '../ir/json-node.js';
import type { Shape } from './keywords.js';

/** The requirement that a keyword's value violates: `must be …`. Undefined if the value is valid. */
export function misshape(node: JsonNode, shape: Shape): string | undefined {
  switch (shape) {
    case 'schema':
    case 'value':
      return undefined;
    case 'schema-or-schema-list':
      return node.kind === 'array' ? misshape(node, 'schema-list') : undefined;
    case 'schema-or-boolean':
      return node.kind === 'object' || node.kind === 'boolean' ? undefined : 'must be a schema, true or false';
    case 'schema-list':
      return node.kind === 'array' && node.items.length > 0 ? undefined : 'must be a list of schemas';
    case 'schema-map':
      return node.kind === 'object' ? undefined : 'must be an object';
    case 'schema-by-pattern':
      if (node.kind !== 'object') return 'must be an object';
      return [...node.members.keys()].map(badPattern).find((message) => message !== undefined);
    case 'schema-or-names-map':
      if (node.kind !== 'object') return 'must be an object';
      return [...node.members.values()].some((item) => item.kind === 'array' && !isNames(item))
        ? 'must map names to schemas or to lists of names'
        : undefined;
    case 'names-map':
      return node.kind === 'object' && [...node.members.values()].every(isNames)
        ? undefined
        : 'must map names to lists of names';
    case 'names':
      return isNames(node) ? undefined : 'must be a list of different names';
    case 'types':
      return areTypes(node)
        ? undefined
        : 'must name one or several of array, boolean, integer, null, number, object and string';
    case 'values':
      return node.kind === 'array' && node.items.length > 0 ? undefined : 'must be a list of values';
    case 'count':
      return isCount(node) ? undefined : 'must be a non-negative integer';
    case 'number':
      return node.kind === 'number' ? undefined : 'must be a number';
    case 'positive-number':
      return node.kind === 'number' && Number(node.text) > 0 ? undefined : 'must be a number greater than 0';
    case 'boolean':
      return node.kind === 'boolean' ? undefined : 'must be true or false';
    case 'pattern':
      return node.kind === 'string' ? badPattern(node.value) : 'must be a string';
    case 'text':
      return node.kind === 'string' ? undefined : 'must be a string';
  }
}

/** The schemas in a keyword's value, each with the rest of its JSON pointer; the value has the expected shape. */
export function schemasWithin(
  node: JsonNode,
  shape: Shape,
): readonly { readonly steps: readonly string[]; readonly node: JsonNode }[] {
  switch (shape) {
    case 'schema':
    case 'schema-or-boolean':
      return [{ steps: [], node }];
    case 'schema-list':
    case 'schema-or-schema-list':
      return node.kind === 'array'
        ? node.items.map((item, index) => ({ steps: [String(index)], node: item }))
        : [{ steps: [], node }];
    case 'schema-map':
    case 'schema-by-pattern':
    case 'schema-or-names-map':
      if (node.kind !== 'object') return [];
      return [...node.members]
        .filter(([, item]) => shape !== 'schema-or-names-map' || item.kind !== 'array')
        .map(([name, item]) => ({ steps: [name], node: item }));
    case 'names-map':
    case 'names':
    case 'types':
    case 'values':
    case 'value':
    case 'count':
    case 'number':
    case 'positive-number':
    case 'boolean':
    case 'pattern':
    case 'text':
      return [];
  }
}

const TYPES: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

function areTypes(node: JsonNode): boolean {
  if (node.kind === 'string') return TYPES.has(node.value);
  return (
    node.kind === 'array' &&
    node.items.length > 0 &&
    isNames(node) &&
    node.items.every((item) => item.kind === 'string' && TYPES.has(item.value))
  );
}

function isNames(node: JsonNode): boolean {
  if (node.kind !== 'array') return false;
  const names = node.items.map((item) => (item.kind === 'string' ? item.value : undefined));
  return !names.includes(undefined) && new Set(names).size === names.length;
}

function isCount(node: JsonNode): boolean {
  return node.kind === 'number' && Number.isSafeInteger(Number(node.text)) && Number(node.text) >= 0;
}

function badPattern(pattern: string): string | undefined {
  if (isTooLarge(pattern)) return 'must expand to fewer instructions: use smaller counts in the regular expression';
  const answer = matches('', pattern);
  return answer instanceof CelError ? `must be a regular expression of RE2: ${answer.message}` : undefined;
}
