import { type CelError, type Value, Uint } from '../../packages/cel/runtime/index.js';
import { type Condition, isUnknown, type Node, type Term } from './term.js';

/*
 * Structural hashes: equal structures have equal hashes, and different ones seldom do, so that a plan of many similar
 * conditions takes linear time.
 */

/** Characters that are read of a string, at both of its ends. No request has many strings that are longer. */
const MOST_CHARACTERS = 4096;

/** Elements that are read of a list, at both of its ends, and the most properties of an object that are. */
const MOST_ELEMENTS = 8;

/** The hash of a term. An unknown one caches its own. */
export function likenessOfTerm(term: Term): number {
  if (typeof term !== 'object' || !isUnknown(term)) return ofValue(term);
  if (term.likeness === 0) term.likeness = ofNode(term.node) | 1;
  return term.likeness;
}

/** The hash of a condition. */
export function likenessOfCondition(condition: Condition): number {
  if (typeof condition === 'boolean') return condition ? 3 : 5;
  switch (condition.kind) {
    case 'is':
      return condition.term.likeness || likenessOfTerm(condition.term);
    case 'not':
      return mixed(7, likenessOfCondition(condition.operand));
    case 'and':
    case 'or':
      return ofList(condition.kind === 'and' ? 11 : 13, condition.operands, likenessOfCondition);
    case 'unplannable':
      return 17;
  }
}

/** The hash of a condition without its nots, and without CEL's: equal for a condition and its opposites. */
export function likenessUnderNots(condition: Condition): number {
  let under = condition;
  while (typeof under !== 'boolean' && under.kind === 'not') under = under.operand;
  if (typeof under === 'boolean' || under.kind !== 'is') return likenessOfCondition(under);
  let { term } = under;
  for (let { node } = term; node.kind === 'call' && node.operator === 'not'; { node } = term) {
    const [operand] = node.operands;
    if (!isUnknown(operand)) break;
    term = operand;
  }
  return term.likeness || likenessOfTerm(term);
}

/** The hash of a structure with a name and a number of parts, before their hashes are mixed in. */
export function likenessOfName(name: string, parts: number): number {
  return mixed(ofName(name), parts);
}

function ofNode(node: Node): number {
  switch (node.kind) {
    case 'call':
      return ofList(ofName(node.operator), node.operands, likenessOfTerm);
    case 'path':
      return ofList(ofName(node.root), node.fields, ({ name }) => ofText(name));
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
      return mixed(53, ofNumber(value));
    case 'bigint':
      return mixed(59, ofInteger(value));
    case 'boolean':
      return value ? 61 : 67;
    case 'object':
      if (Array.isArray(value)) return ofElements(value);
      return value instanceof Uint ? mixed(73, ofInteger(value.value)) : ofProperties(value);
    default:
      return 83;
  }
}

/** The first and the last elements of a list. */
function ofElements(list: readonly Value[]): number {
  const { length } = list;
  const half = Math.min(length, MOST_ELEMENTS / 2);
  let likeness = mixed(71, length);
  for (let i = 0; i < half; i++) likeness = mixed(likeness, ofElement(list[i] as Value));
  for (let i = Math.max(half, length - half); i < length; i++) likeness = mixed(likeness, ofElement(list[i] as Value));
  return likeness;
}

/** Objects are equal in whatever order they have their properties. */
function ofProperties(value: object | null): number {
  if (value === null) return 79;
  const names = Object.keys(value);
  let sum = 0;
  if (names.length <= MOST_ELEMENTS)
    for (const name of names)
      sum += mixed(ofText(name), ofElement((value as { readonly [name: string]: Value })[name]));
  return mixed(mixed(79, names.length), sum | 0);
}

/** Nested lists and objects have equal hashes: reading them would take twice as long for every level. */
function ofElement(element: Value | undefined): number {
  return typeof element === 'object' && !(element instanceof Uint) ? 97 : ofValue(element);
}

/** All bits of a number. */
function ofNumber(value: number): number {
  if ((value | 0) === value) return value;
  if (Number.isNaN(value)) return 83;
  double[0] = value;
  return mixed(halves[0] as number, halves[1] as number);
}

const double = /* @__PURE__ */ new Float64Array(1);
const halves = /* @__PURE__ */ new Int32Array(double.buffer);

function ofInteger(value: bigint): number {
  return mixed(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
}

function ofText(text: string): number {
  const { length } = text;
  if (length <= MOST_CHARACTERS) return ofCharacters(text, 0, length);
  return mixed(ofCharacters(text, 0, MOST_CHARACTERS / 2), ofCharacters(text, length - MOST_CHARACTERS / 2, length));
}

function ofCharacters(text: string, from: number, to: number): number {
  let likeness = text.length;
  let i = from;
  // Two at a time: each step waits for the one before.
  for (; i + 1 < to; i += 2)
    likeness = Math.imul(likeness, 0x01000193) ^ (text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16));
  return i < to ? mixed(likeness, text.charCodeAt(i)) : likeness;
}

/** Names that the library gives are few and short: their length and three of their characters are enough. */
function ofName(name: string): number {
  const { length } = name;
  const ends = name.charCodeAt(0) | (name.charCodeAt(length - 1) << 8);
  return ends | (name.charCodeAt(length >> 1) << 16) | (length << 24);
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
