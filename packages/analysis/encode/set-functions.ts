import type { Script } from './script.js';
import { and, or } from './smt.js';
import { besideJson, type Term, unknown } from './values.js';

/** A function of sets as questions whether elements of one list are in the other. */
interface SetFunction {
  /** The argument whose elements are sought. */
  readonly sought: 0 | 1;
  readonly quantifier: 'some' | 'every';
}

/** Those whose result is whether some or all elements of one list equal one of the other. */
const SET_FUNCTIONS: { readonly [runtime: string]: SetFunction } = {
  hasIntersection: { sought: 0, quantifier: 'some' },
  hasIntersectionGlobal: { sought: 0, quantifier: 'some' },
  setsIntersects: { sought: 0, quantifier: 'some' },
  isSubset: { sought: 0, quantifier: 'every' },
  isSubsetGlobal: { sought: 0, quantifier: 'every' },
  setsContains: { sought: 1, quantifier: 'every' },
};

/**
 * A function of sets where the elements that it seeks were written down; undefined for others.
 *
 * @param membership `element in list`.
 */
export function setFunction(
  runtime: string,
  args: readonly Term[],
  membership: (element: Term, list: Term) => Term,
  script: Script,
): Term | undefined {
  const own = Object.hasOwn(SET_FUNCTIONS, runtime) ? SET_FUNCTIONS[runtime] : undefined;
  const [a, b] = args;
  if (own === undefined || a === undefined || b === undefined) return undefined;
  const [sought, list] = own.sought === 0 ? [a, b] : [b, a];
  if (sought.elements !== undefined) return quantified(own, sought, sought.elements, list);
  if (own.quantifier === 'every' || list.elements === undefined || !sought.isJson) return undefined;
  // Equality of plain JSON is symmetric.
  const elements = list.elements.map((element) => besideJson(element, script));
  return elements.every(({ isJson }) => isJson) ? quantified(own, list, elements, sought) : undefined;

  function quantified({ quantifier }: SetFunction, of: Term, elements: readonly Term[], within: Term): Term {
    const areIn = elements.map((element) => `(isTrue ${membership(element, within).text})`);
    const result = quantifier === 'some' ? or(...areIn) : and(...areIn);
    const areLists = [of, within].map(({ text }) => `((_ is Lst) ${text})`);
    return unknown(script.define('V', `(ite ${and(...areLists)} (Bool ${result}) Err)`), true);
  }
}

/** Functions that only ask whether elements of their lists are equal. */
const COMPARING: ReadonlySet<string> = new Set([...Object.keys(SET_FUNCTIONS), 'setsEquivalent']);

/** The arguments of a call, with constants as the plain JSON that equals them where that makes no difference. */
export function normalArguments(runtime: string, args: readonly Term[], script: Script): readonly Term[] {
  if (!COMPARING.has(runtime)) return args;
  return args.map((arg, at) =>
    args.every((other, index) => index === at || other.isJson) ? besideJson(arg, script) : arg,
  );
}
