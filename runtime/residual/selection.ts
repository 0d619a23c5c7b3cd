import * as cel from '../../packages/cel/runtime/index.js';
import { and, complement, conditional, or } from './logic.js';
import { call } from './call.js';
import { readAttribute } from './row.js';
import {
  ATTRIBUTES,
  failed,
  type Field,
  isKnown,
  isUnplannable,
  kept,
  path,
  getResult,
  type Term,
  Unknown,
  unplannable,
} from './term.js';

/** `object.name`. */
export function select(object: Term, name: string): Term {
  return step(object, { name, bracketed: false });
}

/** `object[i]`: with a known name it is a selection (docs/spec/plans.md#known-and-unknown). */
export function index(object: Term, i: Term): Term {
  if (failed(object)) return object;
  if (failed(i)) return i;
  if (isKnown(object) && isKnown(i)) return cel.index(getResult(object), getResult(i));
  if (object instanceof Unknown && typeof i === 'string' && isStepwise(object))
    return step(object, { name: i, bracketed: true });
  return call('index', cel.index, object, i);
}

/** `has(object.name)`. */
export function has(object: Term, name: string): Term {
  if (isKnown(object)) return cel.has(getResult(object), name);
  if (!(object instanceof Unknown)) return object;
  const { node } = object;
  if (node.kind === 'attributes' && Object.hasOwn(node.listed, name)) return true;
  if (node.kind === 'optional') return and(node.present, has(node.value, name));
  if (node.kind === 'struct')
    return whereEvaluated(
      node.entries,
      findEntry(node.entries, name) === undefined ? hasOtherKeys(node.entries) : true,
    );
  const selected = select(object, name);
  return isUnplannable(selected) ? selected : kept('has', [selected]);
}

/** `object.?name`. */
export function optionalSelect(object: Term, name: string): Term {
  if (isKnown(object)) return cel.optionalSelect(getResult(object), name);
  if (!(object instanceof Unknown) || isUnplannable(object)) return object;
  const { node } = object;
  if (node.kind === 'optional') {
    return new Unknown(
      { kind: 'optional', present: and(node.present, has(node.value, name)), value: select(node.value, name) },
      'other',
    );
  }
  return new Unknown({ kind: 'optional', present: has(object, name), value: select(object, name) }, 'other');
}

/** `object[?i]`. */
export function optionalIndex(object: Term, i: Term): Term {
  if (isKnown(object) && isKnown(i)) return cel.optionalIndex(getResult(object), getResult(i));
  return typeof i === 'string' ? optionalSelect(object, i) : unplannable('an optional element by an unknown index');
}

function step(object: Term, field: Field): Term {
  if (isKnown(object)) return cel.select(getResult(object), field.name);
  if (!(object instanceof Unknown) || isUnplannable(object)) return object;
  const { node } = object;
  switch (node.kind) {
    case 'attributes':
      return readAttribute(node.listed, field.name, field.bracketed);
    case 'path':
      return path(node.root, [...node.fields, field]);
    case 'optional':
      return new Unknown(
        { kind: 'optional', present: and(node.present, has(node.value, field.name)), value: step(node.value, field) },
        'other',
      );
    case 'struct': {
      const entry = findEntry(node.entries, field.name);
      if (entry !== undefined) return whereEvaluated(node.entries, entry[1], entry);
      return hasOtherKeys(node.entries) === false ? cel.select({}, field.name) : unplannable('a map with unknown keys');
    }
    case 'call':
    case 'field':
    case 'macro':
      return new Unknown({ kind: 'field', operand: object, name: field.name }, 'json');
    case 'condition':
    case 'roles':
    case 'unplannable':
      return unplannable(`a field of ${node.kind}`);
  }
}

/** A term that is read from a map literal, which fails if any of its entries does. */
export function whereEvaluated(
  entries: readonly (readonly [key: Term, value: Term])[],
  term: Term,
  entry?: readonly [Term, Term],
): Term {
  const others = entries
    .filter((one) => one !== entry)
    .flat()
    .filter((part) => part instanceof Unknown && !isKnown(part));
  return others.reduceRight<Term>((rest, part) => conditional(isEvaluated(part), rest, cel.select({}, 'entry')), term);
}

/** True if a term has a value; if it fails, this fails or is false. */
function isEvaluated(term: Term): Term {
  const readable = isReadable(term);
  if (readable !== undefined) return readable;
  const same = call('eq', cel.equals, term, term);
  return or(same, complement(same));
}

/** Whether a path can be read, as a term: each of its fields is present. Undefined for other terms. */
export function isReadable(term: Term): Term | undefined {
  return listHops(term)?.reduceRight<Term>((rest, hop) => and(hop, rest), true);
}

/** Presence tests that all hold exactly if a path can be read; undefined for other terms. */
function listHops(term: Term): readonly Term[] | undefined {
  if (!(term instanceof Unknown) || term.node.kind !== 'path') return undefined;
  const { root, fields } = term.node;
  const from = root === ATTRIBUTES ? 1 : 0;
  const tests: Term[] = [];
  for (let length = Math.max(from, 1); length <= fields.length; length++) {
    const parent = path(root, fields.slice(0, length - 1));
    tests.push(has(parent, (fields[length - 1] as { name: string }).name));
  }
  return tests;
}

function isStepwise({ node }: Unknown): boolean {
  return (
    node.kind === 'attributes' ||
    node.kind === 'struct' ||
    node.kind === 'optional' ||
    (node.kind === 'path' && (node.root === ATTRIBUTES || node.fields.length > 0))
  );
}

function findEntry(entries: readonly (readonly [Term, Term])[], name: string): readonly [Term, Term] | undefined {
  return entries.findLast(([key]) => key === name);
}

/** Whether a name that no known key has may still be present: that is unknown. */
function hasOtherKeys(entries: readonly (readonly [Term, Term])[]): Term {
  return entries.every(([key]) => isKnown(key)) ? false : unplannable('a map with unknown keys');
}
