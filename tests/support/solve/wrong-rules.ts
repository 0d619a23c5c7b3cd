/** A mistake in the encoding that would be a wrong proof, and requests that show it. */
export interface WrongRule {
  /** Completes `it would be wrong ...`. */
  readonly name: string;
  readonly expression: string;
  /** Of the resource. */
  readonly attributes: readonly { readonly [name: string]: unknown }[];
  /** The query with the mistake. */
  readonly seeded: (query: string) => string;
}

/** Each is shown by its own requests: a wrong rule that they do not notice fails the test. */
export const WRONG_RULES: readonly WrongRule[] = [
  {
    name: 'to read a missing attribute as null',
    expression: 'R.attr.x == null',
    attributes: [{}],
    seeded: (query) =>
      replaced(query, '(jsonOf (entry (map v) k)) Err))', '(let ((e (entry (map v) k))) (ite (isErr e) Null e)) Err))'),
  },
  {
    name: 'to take a map literal for an opaque value',
    expression: '{"p": R.attr.n}.p > 1.0',
    attributes: [{ n: 2 }],
    seeded: (query) => replaced(query, /\(Map t(\d+)\)/g, '(Oth (asOther t$1))', '(declare-fun asOther (M) O)'),
  },
  {
    name: 'to fail where the `==` of a `!=` fails',
    expression: 'hierarchy("a.b") != R.attr.x',
    attributes: [{ x: 1 }],
    seeded: (query) =>
      replaced(query, '(Bool (not (isTrue same)))', 'same').replace('(boolOf (equalOthers a b))', 'Err'),
  },
  {
    name: 'to compare integers beyond 2^53 with doubles exactly',
    expression: '-(-R.attr.n) == 9007199254740993',
    attributes: [{ n: 9007199254740992 }],
    seeded: (query) => replaced(query, '(rounded i)', '(to_real i)'),
  },
  {
    name: 'to forget the offset of a timestamp',
    expression:
      'timestamp(R.attr.t) == timestamp(R.attr.u) && string(timestamp(R.attr.t)) != string(timestamp(R.attr.u))',
    attributes: [{ t: '2024-05-06T07:08:09Z', u: '2024-05-06T09:08:09+02:00' }],
    seeded: (query) =>
      replaced(
        query,
        '(timestampOf (parseTimestamp (str v)))',
        '(let ((t (timestampOf (parseTimestamp (str v))))) (ite (isErr t) Err (Ts (instant t) 0)))',
      ),
  },
  {
    name: 'to find an absent key in a constant map',
    expression: '!("c" in C.table)',
    attributes: [{}],
    seeded: (query) => replaced(query, /\(assert \(isErr (\(entry t\d+ "c"\))\)\)/, '(assert (= $1 Null))'),
  },
  {
    name: 'to count what is in both lists in the second one, where they have as many elements',
    expression: 'size(R.attr.l.intersect(["a", "b"])) == 2',
    attributes: [{ l: ['a', 'a'] }],
    seeded: (query) => replaced(query, '(< 2 (length ', '(<= 2 (length '),
  },
  {
    name: 'to find integers among integers only',
    expression: '1 in R.attr.l',
    attributes: [{ l: [1] }],
    seeded: (query) => replaced(query, '(listed (normal x) l)', '(and (isDouble x) (listed x l))'),
  },
  {
    name: 'to look for bytes in a map of a policy as in JSON',
    expression: '!(dyn(b"a") in dyn({"a": R.attr.n}))',
    attributes: [{ n: 1 }],
    seeded: (query) => replaced(query, /\(boolOf \|key [^|]*\|\)/g, '(Bool false)'),
  },
  {
    name: 'to compare the elements of an empty list',
    expression: 'R.attr.l.all(x, x != R.attr.missing)',
    attributes: [{ l: [] }],
    seeded: (query) =>
      replaced(query, /\(ite \(isErr (t\d+)\) \(ite \(isFalse (t\d+)\) Err \2\)/, '(ite (isErr $1) (Bool false)'),
  },
  {
    name: 'to let the difference of timestamps saturate',
    expression: 'now() - timestamp("1700-01-01T00:00:00Z") > duration("1h")',
    attributes: [{}],
    seeded: (query) =>
      replaced(
        query,
        '(durationOf (Dur (- (instant a) (instant b))))',
        '(Dur (saturated (- (instant a) (instant b))))',
        '(define-fun saturated ((n Int)) Int (ite (> n 9223372036854775807) 9223372036854775807 n))',
      ),
  },
  {
    name: 'to read zero and minus zero as one value',
    expression: '1.0 / R.attr.n > 0.0 && 1.0 / (-R.attr.n) < 0.0',
    attributes: [{ n: 0 }],
    seeded: (query) => replaced(query, '(ite (= (dbl a) 0.0) NegZero (Dbl (- (dbl a))))', '(Dbl (- (dbl a)))'),
  },
  {
    name: 'to take the index of a list for one of a map',
    expression: '!(R.attr.l[1.0] == "b")',
    attributes: [{ l: ['a', 'c'] }],
    seeded: (query) => replaced(query, '(to_int (dbl i))', '(- (to_int (dbl i)) 3)'),
  },
  {
    name: 'to name a macro by the names of its parts alone',
    expression: 'R.attr.l.exists(x, x.k == 1) && !R.attr.l.exists(x, x.k == 2)',
    attributes: [{ l: [{ k: 1 }] }],
    seeded: (query) => replaced(query, /(\(\|macro [^|]*\| t\d+) \(Int 2\)/g, '$1 (Int 1)'),
  },
];

function replaced(query: string, from: string | RegExp, to: string, declaration?: string): string {
  const result = query.replace(from, to);
  if (result === query) throw new Error(`the mistake has no place in ${query}`);
  return declaration === undefined ? result : result.replace('(define-fun isErr', `${declaration}\n(define-fun isErr`);
}
