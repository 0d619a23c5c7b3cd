import * as cel from '../cel/index.js';
import { call } from './call.js';
import { and, or } from './logic.js';
import { isKnown, operandsOf, resultOf, type Term, Unknown } from './term.js';

/** `a == b`. */
export const equals = (a: Term, b: Term): Term => call('eq', cel.equals, a, b);

/** `a != b`. */
export const notEquals = (a: Term, b: Term): Term => call('ne', cel.notEquals, a, b);

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

/** `a in b`. A known right side that is no collection has no overload, whatever the left (planner.md D-10). */
export function inCollection(a: Term, b: Term): Term {
  if (b instanceof Unknown && b.node.kind === 'roles' && isKnown(a)) return anyRole(b, (name) => resultOf(a) === name);
  if (isKnown(b) && !isKnown(a)) {
    const known = cel.inCollection(null, resultOf(b));
    if (typeof known !== 'boolean') return known;
  }
  return call('in', cel.inCollection, a, b);
}

/** Whether some derived role that may be active passes and is. */
export function anyRole(list: Unknown, passes: (name: string) => Term): Term {
  const roles = list.node.kind === 'roles' ? list.node.roles : [];
  return roles.reduceRight<Term>((rest, { name, condition }) => {
    const active = typeof condition === 'boolean' ? condition : new Unknown({ kind: 'condition', condition }, 'bool');
    return or(and(active, passes(name)), rest);
  }, false);
}

/** `timeSince(t) < d` is `t > now - d`: no filter asks for the time (planner.md D-16). */
function ordered(operator: string, run: (a: cel.Result, b: cel.Result) => cel.Result, a: Term, b: Term): Term {
  const [since, now] = operandsOf(a, 'timeSince') ?? [];
  if (since !== undefined && isKnown(b) && resultOf(b) instanceof cel.Duration) {
    const { mirrored, function: mirroredRun } = MIRRORED[operator] as Mirror;
    return call(mirrored, mirroredRun, since, cel.subtract(resultOf(now), resultOf(b)));
  }
  const [until, later] = operandsOf(b, 'timeSince') ?? [];
  if (until !== undefined && isKnown(a) && resultOf(a) instanceof cel.Duration) {
    const { mirrored, function: mirroredRun } = MIRRORED[operator] as Mirror;
    return call(mirrored, mirroredRun, cel.subtract(resultOf(later), resultOf(a)), until);
  }
  return call(operator, run, a, b);
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

/** `timeSince(t)`; what it is measured from is an operand while it waits to be compared. */
export function timeSince(t: Term, request: Parameters<typeof cel.now>[0]): Term {
  const now = cel.now(request);
  return call('timeSince', (since: cel.Result) => cel.timeSince(since, request), t, ...(isKnown(t) ? [] : [now]));
}
