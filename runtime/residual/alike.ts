import { CelError, MAX_DEPTH, tooDeep } from '../../packages/cel/runtime/index.js';
import { likenessOfTerm } from './likeness.js';
import { type Condition, type Field, isUnknown, type Node, type Term, type Unknown } from './term.js';

/*
 * Whether terms and conditions are structurally equal. A plan compares often, and mostly things that differ
 * (bench/plan.bench.ts); so their structural hashes are compared first.
 */

/** Whether two terms are structurally equal. */
export function sameTerm(a: Term, b: Term): boolean {
  if (a === b) return true;
  if (!isUnknown(a)) return !isUnknown(b) && sameValue(a, b);
  return isUnknown(b) && sameUnknown(a, b);
}

/** Whether two conditions are structurally equal. */
export function sameCondition(a: Condition, b: Condition): boolean {
  if (a === b) return true;
  if (typeof a === 'boolean' || typeof b === 'boolean') return false;
  switch (a.kind) {
    case 'is':
      return b.kind === 'is' && sameUnknown(a.term, b.term) && sameReference(a.term.reference, b.term.reference);
    case 'not':
      return b.kind === 'not' && sameCondition(a.operand, b.operand);
    case 'and':
    case 'or':
      return b.kind === a.kind && sameList(a.operands, b.operands, sameCondition);
    case 'unplannable':
      return b.kind === 'unplannable' && a.reason === b.reason;
  }
}

/** Terms that differ mostly differ in their hash. */
function sameUnknown(a: Unknown, b: Unknown): boolean {
  if (a === b) return true;
  const likeness = a.likeness || likenessOfTerm(a);
  return likeness === (b.likeness || likenessOfTerm(b)) && sameNode(a.node, b.node);
}

/** Terms that are equal here may have different forms in the reference. */
function sameReference(a: Node | undefined, b: Node | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && sameNode(a, b));
}

function sameNode(a: Node, b: Node): boolean {
  if (a === b) return true;
  switch (a.kind) {
    case 'call':
      return (
        b.kind === 'call' && a.operator === b.operator && a.run === b.run && sameList(a.operands, b.operands, sameTerm)
      );
    case 'path':
      return b.kind === 'path' && a.root === b.root && sameList(a.fields, b.fields, sameField);
    case 'attributes':
      return b.kind === 'attributes' && sameValue(a.listed, b.listed);
    case 'field':
      return b.kind === 'field' && a.name === b.name && sameTerm(a.operand, b.operand);
    case 'struct':
      return b.kind === 'struct' && sameList(a.entries, b.entries, sameEntry);
    case 'macro':
      return (
        b.kind === 'macro' &&
        a.operator === b.operator &&
        sameTexts(a.variables, b.variables) &&
        sameTerm(a.range, b.range) &&
        sameList(a.bodies, b.bodies, sameTerm)
      );
    case 'condition':
      return b.kind === 'condition' && sameCondition(a.condition, b.condition);
    case 'roles':
      return (
        b.kind === 'roles' &&
        sameCondition(a.readable, b.readable) &&
        sameList(
          a.roles,
          b.roles,
          (one, other) => one.name === other.name && sameCondition(one.condition, other.condition),
        )
      );
    case 'optional':
      return b.kind === 'optional' && sameTerm(a.present, b.present) && sameTerm(a.value, b.value);
    case 'unplannable':
      return b.kind === 'unplannable' && a.reason === b.reason;
  }
}

function sameField(a: Field, b: Field): boolean {
  return a.name === b.name && a.bracketed === b.bracketed;
}

function sameEntry(a: readonly [Term, Term], b: readonly [Term, Term]): boolean {
  return sameTerm(a[0], b[0]) && sameTerm(a[1], b[1]);
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return sameList(a, b, Object.is);
}

/** Whether two lists have equal elements. */
export function sameList<T>(a: readonly T[], b: readonly T[], same: (one: T, other: T) => boolean): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!same(a[i] as T, b[i] as T)) return false;
  return true;
}

/**
 * Whether two values are equal. The own properties of a value of CEL describe it completely. Fails the call for values
 * nested more than `MAX_DEPTH` levels.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  return sameWithin(MAX_DEPTH, a, b);
}

function sameWithin(depth: number, a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b) || a instanceof CelError) return false;
  if (depth === 0) tooDeep();
  const same = (one: unknown, other: unknown): boolean => sameWithin(depth - 1, one, other);
  if (Array.isArray(a) && Array.isArray(b)) return sameList(a, b, same);
  if (a instanceof Map) return b instanceof Map && a.size === b.size && sameList([...a].flat(), [...b].flat(), same);
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every(
    (name) =>
      Object.hasOwn(b, name) && same((a as { [key: string]: unknown })[name], (b as { [key: string]: unknown })[name]),
  );
}
