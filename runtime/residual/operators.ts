import * as cel from '../../packages/cel/runtime/index.js';
import { call, compareAttribute } from './call.js';
import { and, complement, conditional, or } from './logic.js';
import { findProblem } from './problem.js';
import { isReadable } from './selection.js';
import { type Condition, isKnown, matchOperands, getResult, type Term, Unknown } from './term.js';

/** `a == b`. */
export const equals = (a: Term, b: Term): Term => compareAttribute('eq', cel.equals, a, b) ?? byBranch(a, b, equal);

/** `a != b`. */
export const notEquals = (a: Term, b: Term): Term =>
  compareAttribute('ne', cel.notEquals, a, b) ?? byBranch(a, b, different);

/** `a < b`. */
export const lessThan = (a: Term, b: Term): Term => ordered('lt', cel.lessThan, a, b);

/** `a <= b`. */
export const atMost = (a: Term, b: Term): Term => ordered('le', cel.atMost, a, b);

/** `a > b`. */
export const greaterThan = (a: Term, b: Term): Term => ordered('gt', cel.greaterThan, a, b);

/** `a >= b`. */
export const atLeast = (a: Term, b: Term): Term => ordered('ge', cel.atLeast, a, b);

/** `a + b`. */
export const add = (a: Term, b: Term): Term => call('add', cel.add, a, b);

/** `a - b`. */
export const subtract = (a: Term, b: Term): Term => call('sub', cel.subtract, a, b);

/** `a * b`. */
export const multiply = (a: Term, b: Term): Term => call('mult', cel.multiply, a, b);

/** `a / b`. */
export const divide = (a: Term, b: Term): Term => call('div', cel.divide, a, b);

/** `a % b`. */
export const modulo = (a: Term, b: Term): Term => call('mod', cel.modulo, a, b);

/** `-a`. */
export const negate = (a: Term): Term => call('-_', cel.negate, a);

/** `a in b`. */
export const inCollection = (a: Term, b: Term): Term =>
  (b instanceof Unknown ? compareAttribute('in', cel.inCollection, a, b) : undefined) ?? byBranch(a, b, membership);

function equal(a: Term, b: Term): Term {
  return sameRoles(a, b) ?? sameRoles(b, a) ?? call('eq', cel.equals, a, b);
}

function different(a: Term, b: Term): Term {
  const same = sameRoles(a, b) ?? sameRoles(b, a);
  return same === undefined ? call('ne', cel.notEquals, a, b) : complement(same);
}

/**
 * A known right side that is not a collection has no overload, for any left side
 * (docs/spec/plans.md#d-10-known-operands-of-a-wrong-type); an empty one contains no element.
 */
function membership(a: Term, b: Term): Term {
  if (b instanceof Unknown && b.node.kind === 'roles' && isKnown(a)) return anyRole(b, (name) => getResult(a) === name);
  if (isKnown(b) && !isKnown(a)) {
    const known = cel.inCollection(null, getResult(b));
    if (typeof known !== 'boolean') return known;
    const readable = cel.size(getResult(b)) === 0n ? isReadable(a) : undefined;
    if (readable !== undefined) return conditional(readable, false, cel.select({}, 'element'));
  }
  const term = call('in', cel.inCollection, a, b);
  // The reference represents a map literal by its keys, and so loses a value that fails.
  if (
    !(term instanceof Unknown) ||
    !(b instanceof Unknown) ||
    b.node.kind !== 'struct' ||
    !b.node.entries.every(([, value]) => isKnown(value))
  )
    return term;
  const keys = { kind: 'call', operator: 'list', operands: b.node.entries.map(([key]) => key) } as const;
  return new Unknown(term.node, term.sort, { kind: 'call', operator: 'in', operands: [a, new Unknown(keys, 'other')] });
}

/** `runtime.effectiveDerivedRoles == ["a", "b"]`: those of the list are active, the others are not. */
function sameRoles(list: Term, wanted: Term): Term | undefined {
  if (!(list instanceof Unknown) || list.node.kind !== 'roles' || !isKnown(wanted)) return undefined;
  const names = getResult(wanted);
  const { readable } = list.node;
  if (!Array.isArray(names)) return whereReadable(readable, cel.equals([], names));
  const possible = list.node.roles.filter(({ name }) => names.includes(name)).map(({ name }) => name);
  if (cel.equals(possible, names) !== true) return whereReadable(readable, false);
  const same = list.node.roles.reduceRight<Term>((rest, { name, condition }) => {
    const active = activeTerm(condition);
    return and(names.includes(name) ? active : complement(active), rest);
  }, true);
  return whereReadable(readable, same);
}

/** Reading the list fails if a derived role could not be evaluated. */
function whereReadable(readable: Condition, term: Term): Term {
  return conditional(activeTerm(readable), term, cel.select({}, 'effectiveDerivedRoles'));
}

function activeTerm(condition: Condition): Term {
  return typeof condition === 'boolean' ? condition : new Unknown({ kind: 'condition', condition }, 'bool');
}

/** Whether a derived role that may be active passes and is active. */
export function anyRole(list: Unknown, passes: (name: string) => Term): Term {
  if (list.node.kind !== 'roles') return false;
  const { roles, readable } = list.node;
  const any = roles.reduceRight<Term>((rest, { name, condition }) => {
    return or(and(activeTerm(condition), passes(name)), rest);
  }, false);
  return whereReadable(readable, any);
}

/** A comparison of more branches than this with one another is not expanded. */
const MOST_BRANCHES = 32;

/** `(c ? a : b) < d` is `c ? a < d : b < d`: stores compare columns with constants, not with choices. */
function byBranch(a: Term, b: Term, compare: (a: Term, b: Term) => Term): Term {
  if (matchOperands(a, 'if') === undefined && matchOperands(b, 'if') === undefined) return compare(a, b);
  const whole = compare(a, b);
  if (!(whole instanceof Unknown) || branchCount(a) * branchCount(b) > MOST_BRANCHES) return whole;
  const compared = branches(a, (one) => branches(b, (other) => compare(one, other)));
  if (!(compared instanceof Unknown) || findProblem(whole) !== undefined) return compared;
  return new Unknown(compared.node, 'bool', whole.reference ?? whole.node);
}

function branches(term: Term, of: (branch: Term) => Term): Term {
  const parts = matchOperands(term, 'if') as readonly [Term, Term, Term] | undefined;
  return parts === undefined ? of(term) : conditional(parts[0], branches(parts[1], of), branches(parts[2], of));
}

/** The number of branches that a term has, or would have if its choices were lifted one by one. */
function branchCount(term: Term): number {
  if (!(term instanceof Unknown) || term.node.kind !== 'call') return 1;
  const { operator, operands } = term.node;
  return operands
    .slice(operator === 'if' ? 1 : 0)
    .reduce<number>((sum, part) => sum + branchCount(part) - 1, operator === 'if' ? 2 : 1);
}

function ordered(operator: string, run: (a: cel.Result, b: cel.Result) => cel.Result, a: Term, b: Term): Term {
  return (
    compareAttribute(operator, run, a, b) ?? byBranch(a, b, (one, other) => sinceOrOrdered(operator, run, one, other))
  );
}

/** `timeSince(t) < d` is `t > now - d`: a filter never reads the time (docs/spec/plans.md#d-16-time). */
function sinceOrOrdered(operator: string, run: (a: cel.Result, b: cel.Result) => cel.Result, a: Term, b: Term): Term {
  const [since, now] = matchOperands(a, 'timeSince') ?? [];
  if (since !== undefined && isKnown(b) && getResult(b) instanceof cel.Duration) {
    const { mirrored, function: mirroredRun } = MIRRORED[operator] as Mirror;
    return asked(call(mirrored, mirroredRun, since, cel.subtract(getResult(now), getResult(b))), operator, a, b);
  }
  const [until, later] = matchOperands(b, 'timeSince') ?? [];
  if (until !== undefined && isKnown(a) && getResult(a) instanceof cel.Duration) {
    const { mirrored, function: mirroredRun } = MIRRORED[operator] as Mirror;
    return asked(call(mirrored, mirroredRun, cel.subtract(getResult(later), getResult(a)), until), operator, a, b);
  }
  const units = sinceInUnits(operator, a, b);
  if (units !== undefined) return asked(units, operator, a, b);
  const mirror = MIRRORED[operator]?.mirrored;
  const unitsOfB = mirror === undefined ? undefined : sinceInUnits(mirror, b, a);
  return unitsOfB === undefined ? call(operator, run, a, b) : asked(unitsOfB, operator, a, b);
}

/** `timeSince(t).getMinutes() >= 60` is `timeSince(t) >= duration("3600s")`: units are cut off toward zero. */
function sinceInUnits(operator: string, a: Term, b: Term): Term | undefined {
  if (!(a instanceof Unknown) || a.node.kind !== 'call' || !isKnown(b)) return undefined;
  const unit = Object.hasOwn(UNITS, a.node.operator) ? UNITS[a.node.operator] : undefined;
  const [since, ...zone] = a.node.operands;
  const count = getResult(b);
  if (unit === undefined || since === undefined || zone.length > 0 || matchOperands(since, 'timeSince') === undefined)
    return undefined;
  if ((typeof count !== 'bigint' && typeof count !== 'number') || !Number.isSafeInteger(Number(count)))
    return undefined;
  const isLeast = (least: bigint): Term | undefined => {
    const bound = new cel.Duration(least > 0n ? least * unit : (least - 1n) * unit);
    if (bound.nanos > cel.MAX_NANOS || bound.nanos < cel.MIN_NANOS) return undefined;
    return least > 0n
      ? sinceOrOrdered('ge', cel.atLeast, since, bound)
      : sinceOrOrdered('gt', cel.greaterThan, since, bound);
  };
  const term = isLeast(BigInt(Number(count)) + (operator === 'gt' || operator === 'le' ? 1n : 0n));
  return term === undefined || operator === 'ge' || operator === 'gt' ? term : complement(term);
}

/** Nanoseconds. */
const UNITS: { readonly [accessor: string]: bigint } = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
  getMilliseconds: 1_000_000n,
};

/** The reference leaves the time to the reader of the filter. */
function asked(term: Term, operator: string, a: Term, b: Term): Term {
  return term instanceof Unknown
    ? new Unknown(term.node, term.sort, { kind: 'call', operator, operands: [a, b] })
    : term;
}

interface Mirror {
  readonly mirrored: string;
  readonly function: (a: cel.Result, b: cel.Result) => cel.Result;
}

const MIRRORED: { readonly [operator: string]: Mirror | undefined } = {
  lt: { mirrored: 'gt', function: cel.greaterThan },
  le: { mirrored: 'ge', function: cel.atLeast },
  gt: { mirrored: 'lt', function: cel.lessThan },
  ge: { mirrored: 'le', function: cel.atMost },
};

/** `timeSince(t)`; the reference time is an operand until it is compared. */
export function timeSince(t: Term, request: Parameters<typeof cel.now>[0]): Term {
  const now = cel.now(request);
  return call('timeSince', (since: cel.Result) => cel.timeSince(since, request), t, ...(isKnown(t) ? [] : [now]));
}
