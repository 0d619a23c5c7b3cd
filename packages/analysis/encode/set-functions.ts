import type { Script } from './script.js';
import { and, implies, not, or } from './smt.js';
import { besideJson, type Term, unknown } from './values.js';

/** `element in list`, as a term. */
type Membership = (element: Term, list: Term) => Term;

/** A function of sets as questions whether elements of one list are in the other. */
interface SetFunction {
  /** The argument whose elements are sought. */
  readonly sought: 0 | 1;
  readonly quantifier: 'some' | 'every';
}

/** Those whose result is whether some or all elements of one list equal one of the other. */
const SET_FUNCTIONS: ReadonlyMap<string, SetFunction> = new Map([
  ['hasIntersection', { sought: 0, quantifier: 'some' }],
  ['hasIntersectionGlobal', { sought: 0, quantifier: 'some' }],
  ['setsIntersects', { sought: 0, quantifier: 'some' }],
  ['isSubset', { sought: 0, quantifier: 'every' }],
  ['isSubsetGlobal', { sought: 0, quantifier: 'every' }],
  ['setsContains', { sought: 1, quantifier: 'every' }],
]);

/** The lists that functions of sets return. */
type Operation = 'intersect' | 'except';

const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['intersect', 'intersect'],
  ['intersectGlobal', 'intersect'],
  ['except', 'except'],
  ['exceptGlobal', 'except'],
]);

/**
 * The term of a function of sets; undefined for other functions, and where too little is known of the lists.
 *
 * @param membership `element in list`.
 */
export function encodeSetCall(
  runtime: string,
  [a, b]: readonly Term[],
  membership: Membership,
  script: Script,
): Term | undefined {
  if (a === undefined || b === undefined) return undefined;
  const asked = SET_FUNCTIONS.get(runtime);
  if (asked !== undefined) return encodeQuestion(asked, a, b, membership, script);
  const operation = OPERATIONS.get(runtime);
  return operation === undefined ? undefined : encodeOperation(operation, a, b, membership, script);
}

/** Whether some or all elements of one list are in the other, where the sought elements were written down. */
function encodeQuestion(own: SetFunction, a: Term, b: Term, membership: Membership, script: Script): Term | undefined {
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

/**
 * The list that an operation returns, with what is known of it; undefined where nothing is. An operation is a function
 * of its lists; facts about its length are stated.
 */
function encodeOperation(own: Operation, a: Term, b: Term, membership: Membership, script: Script): Term | undefined {
  const isIn = (element: Term, list: Term): string => `(isTrue ${membership(element, list).text})`;
  const image = script.define('L', script.uninterpreted(own, 'L', 'V V', a.text, b.text));
  const areLists = and(...[a, b].map(({ text }) => `((_ is Lst) ${text})`));
  const text = script.define('V', `(ite ${areLists} (Lst ${image}) Err)`);
  const state = (fact: string): void => script.assert(implies(areLists, fact));
  const isJson = a.isJson && b.isJson;

  // Which of two lists is shorter, and gives the elements, shows if both were written down.
  const isSwapped =
    own === 'intersect' && a.elements !== undefined && (b.elements?.length ?? Infinity) < a.elements.length;
  const [from, other] = isSwapped ? [b, a] : [a, b];
  if (from.elements !== undefined && (own === 'except' || other.elements !== undefined)) {
    const candidates = from.elements.map((element) => {
      const isOther = script.define('Bool', isIn(element, other));
      return { element, isIn: own === 'intersect' ? isOther : not(isOther) };
    });
    state(`(= (len ${image}) ${countMembers(candidates)})`);
    return { text, isJson, candidates };
  }
  // Either list may give the elements. JSON that is equal is the same, and equals the same values.
  if (!isJson) return undefined;
  const [written, given] = a.elements === undefined ? [b, a] : [a, b];
  if (own === 'intersect' && written.elements !== undefined) {
    const candidates = written.elements.map((element) => ({
      element,
      isIn: script.define('Bool', isIn(element, given)),
    }));
    const { length } = written.elements;
    const found = or(...candidates.map((candidate) => candidate.isIn));
    state(`(= (> (len ${image}) 0) ${found})`);
    state(`(<= (len ${image}) ${length})`);
    state(`(<= (len ${image}) (length (lst ${given.text})))`);
    // On a tie the first list gives the elements.
    const isShorter = `(${written === a ? '<=' : '<'} ${length} (length (lst ${given.text})))`;
    state(implies(isShorter, `(= (len ${image}) ${countMembers(candidates)})`));
    return { text, isJson, candidates, mayRepeat: true };
  }
  state(`(<= (len ${image}) (length (lst ${a.text})))`);
  if (own === 'intersect') state(`(<= (len ${image}) (length (lst ${b.text})))`);
  const contains = (element: Term): string => {
    const isOther = isIn(element, b);
    const found = and(isIn(element, a), own === 'intersect' ? isOther : not(isOther));
    state(implies(found, `(> (len ${image}) 0)`));
    return found;
  };
  return { text, isJson, contains };
}

function countMembers(candidates: readonly { readonly isIn: string }[]): string {
  return `(+ 0 ${candidates.map(({ isIn }) => `(ite ${isIn} 1 0)`).join(' ')})`;
}

/** `sets.equivalent(a, b)`: each contains the other. Undefined for other functions. */
export function equivalence(
  runtime: string,
  [a, b]: readonly Term[],
  contains: (all: Term, some: Term) => Term,
  script: Script,
): Term | undefined {
  if (runtime !== 'setsEquivalent' || a === undefined || b === undefined) return undefined;
  const [forth, back] = [contains(a, b), contains(b, a)];
  const failing = or(...[forth, back].map(({ text }) => `(isErr ${text})`));
  return unknown(
    script.define('V', `(ite ${failing} Err (Bool ${and(`(isTrue ${forth.text})`, `(isTrue ${back.text})`)}))`),
    true,
  );
}

/** Functions that only ask whether elements of their lists are equal. */
const COMPARING: ReadonlySet<string> = new Set(SET_FUNCTIONS.keys());

/** The arguments of a call, with constants as the plain JSON that equals them where that makes no difference. */
export function normalArguments(runtime: string, args: readonly Term[], script: Script): readonly Term[] {
  if (!COMPARING.has(runtime)) return args;
  return args.map((arg, at) =>
    args.every((other, index) => index === at || other.isJson) ? besideJson(arg, script) : arg,
  );
}
