import { type CelError, type Value, Uint } from '../../packages/cel/runtime/index.js';
import { type Condition, isUnknown, type Node, type Term } from './term.js';

/*
 * Structural hashes: equal structures have equal hashes, and different ones seldom do. Only a few characters of a
 * string count.
 */

/** The hash of a term. An unknown one caches its own. */
export function likenessOfTerm(term: Term): number {
  if (!isUnknown(term)) return ofValue(term);
  if (term.likeness === 0) term.likeness = ofNode(term.node) | 1;
  return term.likeness;
}

/** The hash of a condition. */
export function likenessOfCondition(condition: Condition): number {
  if (typeof condition === 'boolean') return condition ? 3 : 5;
  switch (condition.kind) {
    case 'is':
      return likenessOfTerm(condition.term);
    case 'not':
      return mixed(7, likenessOfCondition(condition.operand));
    case 'and':
    case 'or':
      return ofList(condition.kind === 'and' ? 11 : 13, condition.operands, likenessOfCondition);
    case 'unplannable':
      return 17;
  }
}

/** The hash of a structure with a name and a number of parts, before their hashes are mixed in. */
export function likenessOfName(name: string, parts: number): number {
  return mixed(ofText(name), parts);
}

function ofNode(node: Node): number {
  switch (node.kind) {
    case 'call':
      return ofList(ofText(node.operator), node.operands, likenessOfTerm);
    case 'path':
      return ofList(ofText(node.root), node.fields, ({ name }) => ofText(name));
    case 'field':
      return mixed(ofText(node.name), likenessOfTerm(node.operand));
    case 'macro':
      return ofList(likenessOfTerm(node.range), node.bodies, likenessOfTerm);
    case 'condition':
      return mixed(29, likenessOfCondition(node.condition));
    case 'optional':
      return mixed(31, likenessOfTerm(node.value));
    case 'struct':
      return mixed(37, node.entries.length);
    case 'roles':
      return mixed(41, node.roles.length);
    case 'attributes':
      return 43;
    case 'unplannable':
      return 47;
  }
}

function ofValue(value: Value | CelError | undefined): number {
  switch (typeof value) {
    case 'string':
      return ofText(value);
    case 'number':
      return mixed(53, value | 0);
    case 'bigint':
      return mixed(59, Number(BigInt.asIntN(31, value)));
    case 'boolean':
      return value ? 61 : 67;
    case 'object':
      if (Array.isArray(value))
        return value.length === 0 ? 71 : mixed(value.length, mixed(ofElement(value[0]), ofElement(value.at(-1))));
      return value instanceof Uint ? mixed(73, Number(BigInt.asIntN(31, value.value))) : 79;
    default:
      return 83;
  }
}

/** Nested lists have equal hashes: reading them would take twice as long for every level. */
function ofElement(element: Value): number {
  return Array.isArray(element) ? 97 : ofValue(element);
}

function ofText(text: string): number {
  const { length } = text;
  if (length === 0) return 89;
  return mixed(
    mixed(length, text.charCodeAt(0)),
    mixed(text.charCodeAt(length >> 1), mixed(text.charCodeAt(length - 1), text.charCodeAt(Math.max(length - 2, 0)))),
  );
}

function ofList<T>(start: number, list: readonly T[], of: (element: T) => number): number {
  let likeness = mixed(start, list.length);
  for (let i = 0; i < list.length; i++) likeness = mixed(likeness, of(list[i] as T));
  return likeness;
}

/** The hash of a structure with one more part. */
export function mixed(a: number, b: number): number {
  return ((Math.imul(a, 0x01000193) ^ b) + (a >>> 7)) | 0;
}
