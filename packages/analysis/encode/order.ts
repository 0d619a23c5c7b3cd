import * as cel from '../../cel/runtime/index.js';
import type { Operator } from '../../../compiler/ir/value.js';
import type { Script } from './script.js';
import { apply } from './smt.js';
import { besideJson, kindOf, type Term, type TermKind, unknown } from './values.js';

/** The operators that compare the order of values. */
export type OrderOperator = Extract<Operator, 'lessThan' | 'atMost' | 'greaterThan' | 'atLeast'>;

/** What functions of the prelude are called that compare values of one kind. */
const SUFFIXES: { readonly [kind in TermKind]: string } = {
  time: 'Times',
  duration: 'Durations',
  integer: 'Integers',
};

/** `a < b` and the like. What is known of both spares a solver the cases that they cannot be: most of its search. */
export function order(operator: OrderOperator, a: Term, b: Term, script: Script): Term {
  const left = b.isJson ? numberBesideJson(a, script) : a;
  const right = a.isJson ? numberBesideJson(b, script) : b;
  const kind = kindOf(a);
  const suffix = kind !== undefined && kind === kindOf(b) ? SUFFIXES[kind] : left.isJson && right.isJson ? 'Json' : '';
  return unknown(apply(`${operator}${suffix}`, left.text, right.text), true);
}

/** A number that is known, as the double that numbers of JSON are compared with. */
function numberBesideJson(term: Term, script: Script): Term {
  const { value } = term;
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || value instanceof cel.Uint;
  return isNumber ? besideJson(term, script) : term;
}
