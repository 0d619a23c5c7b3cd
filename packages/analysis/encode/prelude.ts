/*
 * The values and operators of CEL in SMT-LIB: the first part of each query. Names are those of packages/cel/runtime where there
 * is one. Functions that are declared and not defined are uninterpreted: a solver may choose any, so what it proves
 * holds for the real ones.
 *
 * A value is an image of a CEL value: two values that some operation can distinguish have different images. Lists, maps
 * and other objects are elements of sorts that have no more structure; what is known of them is what `length`,
 * `elem`, `entry` ... say. A failure is a value, `Err`, and so is an attribute that is missing.
 */

const VALUES = `
(declare-sort L 0)
(declare-sort M 0)
(declare-sort O 0)
(declare-datatypes ((V 0)) ((
  (Err) (Null) (Bool (bool Bool)) (Dbl (dbl Real)) (NegZero) (NaN) (PInf) (NInf) (Str (str String)) (Lst (lst L)) (Map (map M))
  (Int (int Int)) (Uint (uint Int)) (Ts (instant Int) (offset Int)) (Dur (nanos Int)) (Oth (oth O)))))
(define-fun isErr ((v V)) Bool ((_ is Err) v))
(define-fun isTrue ((v V)) Bool (= v (Bool true)))
(define-fun isFalse ((v V)) Bool (= v (Bool false)))
(define-fun truth ((yes Bool) (no Bool)) V (ite yes (Bool true) (ite no (Bool false) Err)))
(define-fun isDouble ((v V)) Bool
  (or ((_ is Dbl) v) ((_ is NegZero) v) ((_ is NaN) v) ((_ is PInf) v) ((_ is NInf) v)))
(define-fun isInteger ((v V)) Bool (or ((_ is Int) v) ((_ is Uint) v)))
(define-fun isNumber ((v V)) Bool (or (isInteger v) (isDouble v)))
(define-fun isJson ((v V)) Bool
  (or ((_ is Null) v) ((_ is Bool) v) ((_ is Dbl) v) ((_ is Str) v) ((_ is Lst) v) ((_ is Map) v)))`;

/** What an uninterpreted function gives, limited to what the real one can give. */
const RESULTS = `
(define-fun jsonOf ((v V)) V (ite (isJson v) v Err))
(define-fun boolOf ((v V)) V (ite ((_ is Bool) v) v Err))
(define-fun intOf ((v V)) V (ite (and ((_ is Int) v) (<= (- 9223372036854775808) (int v) 9223372036854775807)) v Err))
(define-fun uintOf ((v V)) V (ite (and ((_ is Uint) v) (<= 0 (uint v) 18446744073709551615)) v Err))
(define-fun doubleOf ((v V)) V (ite (isDouble v) v Err))
(define-fun stringOf ((v V)) V (ite ((_ is Str) v) v Err))
(define-fun listOf ((v V)) V (ite ((_ is Lst) v) v Err))
(define-fun mapOf ((v V)) V (ite ((_ is Map) v) v Err))
(define-fun configured ((v V)) V (ite (or ((_ is Oth) v) ((_ is Ts) v) ((_ is Dur) v)) Err v))
(define-fun otherOf ((v V)) V (ite ((_ is Oth) v) v Err))
(define-fun timestampOf ((v V)) V
  (ite (and ((_ is Ts) v) (<= (- 62135596800000000000) (instant v) 253402300799999999999) (<= (- 1439) (offset v) 1439)) v Err))
(define-fun durationOf ((v V)) V
  (ite (and ((_ is Dur) v) (<= (- 9223372036854775808) (nanos v) 9223372036854775807)) v Err))`;

const NUMBERS = `
(declare-fun rounded (Int) Real)
(define-fun toReal ((i Int)) Real (ite (<= (- 9007199254740992) i 9007199254740992) (to_real i) (rounded i)))
(define-fun integer ((v V)) Int (ite ((_ is Int) v) (int v) (uint v)))
(define-fun real ((v V)) Real (ite ((_ is Dbl) v) (dbl v) (ite ((_ is NegZero) v) 0.0 (toReal (integer v)))))
(define-fun rank ((v V)) Int (ite ((_ is PInf) v) 1 (ite ((_ is NInf) v) (- 1) 0)))
(define-fun isSameNumber ((a V) (b V)) Bool
  (ite (or ((_ is NaN) a) ((_ is NaN) b)) false
  (ite (and (isInteger a) (isInteger b)) (= (integer a) (integer b))
  (and (= (rank a) (rank b)) (=> (= (rank a) 0) (= (real a) (real b)))))))`;

const EQUALITY = `
(declare-fun equalOthers (V V) V)
(define-fun equal ((a V) (b V)) V
  (ite (or (isErr a) (isErr b)) Err
  (ite (isNumber a) (Bool (and (isNumber b) (isSameNumber a b)))
  (ite (and ((_ is Ts) a) ((_ is Ts) b)) (Bool (= (instant a) (instant b)))
  (ite (or (and ((_ is Lst) a) ((_ is Lst) b)) (and ((_ is Map) a) ((_ is Map) b)) (and ((_ is Oth) a) (not ((_ is Null) b))))
    (boolOf (equalOthers a b))
  (Bool (= a b)))))))
(define-fun equalJson ((a V) (b V)) V (ite (or (isErr a) (isErr b)) Err (Bool (= a b))))
(define-fun notEquals ((a V) (b V) (same V)) V (ite (or (isErr a) (isErr b)) Err (Bool (not (isTrue same)))))`;

/**
 * `a < b` and the like: of any values, of plain JSON, and of values of one kind. SMT-LIB has only two of the four for
 * strings.
 */
const ORDER = [
  ['lessThan', '<', '(str.< (str a) (str b))'],
  ['atMost', '<=', '(str.<= (str a) (str b))'],
  ['greaterThan', '>', '(str.< (str b) (str a))'],
  ['atLeast', '>=', '(str.<= (str b) (str a))'],
]
  .map(
    ([name, sign, strings]) => `
(declare-fun ${name}Others (V V) V)
(define-fun ${name} ((a V) (b V)) V
  (ite (or (isErr a) (isErr b)) Err
  (ite (and (isNumber a) (isNumber b)) (Bool (and (not ((_ is NaN) a)) (not ((_ is NaN) b))
    (ite (and (isInteger a) (isInteger b)) (${sign} (integer a) (integer b))
    (ite (= 0 (rank a) (rank b)) (${sign} (real a) (real b)) (${sign} (rank a) (rank b))))))
  (ite (and ((_ is Str) a) ((_ is Str) b)) (Bool ${strings})
  (ite (and ((_ is Bool) a) ((_ is Bool) b)) (Bool (${sign} (ite (bool a) 1 0) (ite (bool b) 1 0)))
  (ite (and ((_ is Ts) a) ((_ is Ts) b)) (Bool (${sign} (instant a) (instant b)))
  (ite (and ((_ is Dur) a) ((_ is Dur) b)) (Bool (${sign} (nanos a) (nanos b)))
  (ite ((_ is Oth) a) (boolOf (${name}Others a b)) Err))))))))
(define-fun ${name}Json ((a V) (b V)) V
  (ite (and ((_ is Dbl) a) ((_ is Dbl) b)) (Bool (${sign} (dbl a) (dbl b)))
  (ite (and ((_ is Str) a) ((_ is Str) b)) (Bool ${strings})
  (ite (and ((_ is Bool) a) ((_ is Bool) b)) (Bool (${sign} (ite (bool a) 1 0) (ite (bool b) 1 0))) Err))))
(define-fun ${name}Times ((a V) (b V)) V (ite (or (isErr a) (isErr b)) Err (Bool (${sign} (instant a) (instant b)))))
(define-fun ${name}Durations ((a V) (b V)) V (ite (or (isErr a) (isErr b)) Err (Bool (${sign} (nanos a) (nanos b)))))
(define-fun ${name}Integers ((a V) (b V)) V (ite (or (isErr a) (isErr b)) Err (Bool (${sign} (int a) (int b)))))`,
  )
  .join('');

const COLLECTIONS = `
(declare-fun len (L) Int)
(declare-fun elem (L Int) V)
(declare-fun listed (V L) Bool)
(declare-fun entry (M String) V)
(declare-fun entryAt (M V) V)
(declare-fun keyed (V M) V)
(declare-fun selectOther (V String) V)
(declare-fun indexOther (V V) V)
(declare-fun hasOther (V String) V)
(declare-fun sizeOther (V) V)
(define-fun length ((l L)) Int (ite (< (len l) 0) 0 (len l)))
(define-fun isKey ((v V)) Bool (or ((_ is Str) v) ((_ is Bool) v) (isNumber v)))
(define-fun position ((i V)) Int
  (ite (isInteger i) (integer i) (ite ((_ is NegZero) i) 0 (ite (and ((_ is Dbl) i) (is_int (dbl i))) (to_int (dbl i)) (- 1)))))
(define-fun selectKey ((v V) (k String)) V
  (ite ((_ is Map) v) (entry (map v) k) (ite ((_ is Oth) v) (selectOther v k) Err)))
(define-fun selectJson ((v V) (k String)) V (ite ((_ is Map) v) (jsonOf (entry (map v) k)) Err))
(define-fun isWithin ((l L) (i V)) Bool (and (<= 0 (position i)) (< (position i) (length l))))
(define-fun index ((v V) (i V)) V
  (ite (or (isErr v) (not (isKey i))) Err
  (ite ((_ is Map) v) (ite ((_ is Str) i) (entry (map v) (str i)) (entryAt (map v) i))
  (ite ((_ is Lst) v) (ite (and (isNumber i) (isWithin (lst v) i)) (elem (lst v) (position i)) Err)
  (ite ((_ is Oth) v) (indexOther v i) Err)))))
(define-fun elemJson ((l L) (i Int)) V (ite (isJson (elem l i)) (elem l i) Null))
(define-fun isPosition ((i V)) Bool
  (or ((_ is Int) i) (and ((_ is Uint) i) (< (uint i) 9223372036854775808)) ((_ is NegZero) i)
    (and ((_ is Dbl) i) (is_int (dbl i)) (< (- 9223372036854775808.0) (dbl i) 9223372036854775808.0))))
(define-fun indexable ((v V) (i V)) V
  (ite (or (isErr v) (not (isKey i)) (and ((_ is Lst) v) (not (isPosition i)))) Err Null))
(define-fun indexJson ((v V) (i V)) V
  (ite (and ((_ is Map) v) ((_ is Str) i)) (jsonOf (entry (map v) (str i)))
  (ite (and ((_ is Lst) v) (isNumber i) (isWithin (lst v) i)) (elemJson (lst v) (position i)) Err)))
(define-fun has ((v V) (k String)) V
  (ite (or (isErr v) ((_ is Lst) v)) Err
  (ite ((_ is Map) v) (Bool (not (isErr (entry (map v) k))))
  (ite ((_ is Oth) v) (boolOf (hasOther v k)) (Bool false)))))
(define-fun hasJson ((v V) (k String)) V
  (ite (or (isErr v) ((_ is Lst) v)) Err (Bool (not (isErr (selectJson v k))))))
(define-fun size ((v V)) V
  (ite ((_ is Str) v) (Int (str.len (str v)))
  (ite ((_ is Lst) v) (Int (length (lst v)))
  (ite (or ((_ is Map) v) ((_ is Oth) v)) (let ((n (intOf (sizeOther v)))) (ite (>= (int n) 0) n Err)) Err))))
(define-fun normal ((x V)) V
  (ite ((_ is NegZero) x) (Dbl 0.0)
  (ite (and (isInteger x) (< (- 9007199254740992) (integer x) 9007199254740992)) (Dbl (to_real (integer x)))
  (ite ((_ is Ts) x) (Ts (instant x) 0) x))))
(define-fun isListed ((x V) (l L)) Bool (and (> (length l) 0) (not ((_ is NaN) x)) (listed (normal x) l)))
(define-fun in ((x V) (c V)) V
  (ite (or (isErr x) (isErr c)) Err
  (ite ((_ is Lst) c) (Bool (isListed x (lst c)))
  (ite ((_ is Map) c) (ite ((_ is Str) x) (Bool (not (isErr (entry (map c) (str x))))) (boolOf (keyed x (map c)))) Err))))
(define-fun inJson ((x V) (c V)) V
  (ite (isErr x) Err
  (ite ((_ is Lst) c) (Bool (isListed x (lst c)))
  (ite ((_ is Map) c) (Bool (and ((_ is Str) x) (not (isErr (jsonOf (entry (map c) (str x))))))) Err))))`;

const ROLES = `
(declare-const roles L)
(declare-fun hasRole (String) Bool)
(define-fun inRoles ((x V)) V (ite (isErr x) Err (Bool (and ((_ is Str) x) (hasRole (str x))))))`;

const STRINGS = `
(define-fun contains ((a V) (b V)) V (ite (and ((_ is Str) a) ((_ is Str) b)) (Bool (str.contains (str a) (str b))) Err))
(define-fun startsWith ((a V) (b V)) V (ite (and ((_ is Str) a) ((_ is Str) b)) (Bool (str.prefixof (str b) (str a))) Err))
(define-fun endsWith ((a V) (b V)) V (ite (and ((_ is Str) a) ((_ is Str) b)) (Bool (str.suffixof (str b) (str a))) Err))`;

const ARITHMETIC = `
(declare-fun addDoubles (V V) V)
(declare-fun subtractDoubles (V V) V)
(declare-fun multiplyDoubles (V V) V)
(declare-fun divideDoubles (V V) V)
(declare-fun addOthers (V V) V)
(declare-fun append (L L) L)
(declare-fun times (Int Int) Int)
(declare-fun quotient (Int Int) Int)
(declare-fun remainder (Int Int) Int)
(define-fun toInt64 ((i Int)) V (intOf (Int i)))
(define-fun toUint64 ((i Int)) V (uintOf (Uint i)))
(define-fun areInts ((a V) (b V)) Bool (and ((_ is Int) a) ((_ is Int) b)))
(define-fun areUints ((a V) (b V)) Bool (and ((_ is Uint) a) ((_ is Uint) b)))
(define-fun areDoubles ((a V) (b V)) Bool (and (isDouble a) (isDouble b)))
(define-fun add ((a V) (b V)) V
  (ite (areInts a b) (toInt64 (+ (int a) (int b)))
  (ite (areUints a b) (toUint64 (+ (uint a) (uint b)))
  (ite (areDoubles a b) (doubleOf (addDoubles a b))
  (ite (and ((_ is Str) a) ((_ is Str) b)) (Str (str.++ (str a) (str b)))
  (ite (and ((_ is Lst) a) ((_ is Lst) b)) (Lst (append (lst a) (lst b)))
  (ite (and ((_ is Dur) a) ((_ is Dur) b)) (durationOf (Dur (+ (nanos a) (nanos b))))
  (ite (and ((_ is Ts) a) ((_ is Dur) b)) (timestampOf (Ts (+ (instant a) (nanos b)) (offset a)))
  (ite (and ((_ is Dur) a) ((_ is Ts) b)) (timestampOf (Ts (+ (instant b) (nanos a)) (offset b)))
  (ite (and ((_ is Oth) a) ((_ is Oth) b)) (otherOf (addOthers a b)) Err))))))))))
(define-fun subtract ((a V) (b V)) V
  (ite (areInts a b) (toInt64 (- (int a) (int b)))
  (ite (areUints a b) (toUint64 (- (uint a) (uint b)))
  (ite (areDoubles a b) (doubleOf (subtractDoubles a b))
  (ite (and ((_ is Dur) a) ((_ is Dur) b)) (durationOf (Dur (- (nanos a) (nanos b))))
  (ite (and ((_ is Ts) a) ((_ is Dur) b)) (timestampOf (Ts (- (instant a) (nanos b)) (offset a)))
  (ite (and ((_ is Ts) a) ((_ is Ts) b)) (durationOf (Dur (- (instant a) (instant b)))) Err)))))))
(define-fun multiply ((a V) (b V)) V
  (ite (areInts a b) (toInt64 (times (int a) (int b)))
  (ite (areUints a b) (toUint64 (times (uint a) (uint b)))
  (ite (areDoubles a b) (doubleOf (multiplyDoubles a b)) Err))))
(define-fun multiplyBy ((a V) (n Int)) V (ite ((_ is Int) a) (toInt64 (* n (int a))) Err))
(define-fun divide ((a V) (b V)) V
  (ite (areInts a b) (ite (= (int b) 0) Err (toInt64 (quotient (int a) (int b))))
  (ite (areUints a b) (ite (= (uint b) 0) Err (toUint64 (quotient (uint a) (uint b))))
  (ite (areDoubles a b) (doubleOf (divideDoubles a b)) Err))))
(define-fun modulo ((a V) (b V)) V
  (ite (areInts a b) (ite (or (= (int b) 0) (and (= (int b) (- 1)) (= (int a) (- 9223372036854775808)))) Err (toInt64 (remainder (int a) (int b))))
  (ite (areUints a b) (ite (= (uint b) 0) Err (toUint64 (remainder (uint a) (uint b)))) Err)))
(define-fun negate ((a V)) V
  (ite ((_ is Int) a) (toInt64 (- (int a)))
  (ite ((_ is Dbl) a) (ite (= (dbl a) 0.0) NegZero (Dbl (- (dbl a))))
  (ite ((_ is NegZero) a) (Dbl 0.0)
  (ite ((_ is PInf) a) NInf
  (ite ((_ is NInf) a) PInf
  (ite ((_ is NaN) a) NaN
  (ite ((_ is Dur) a) (durationOf (Dur (- (nanos a)))) Err))))))))`;

/** Instants are nanoseconds since 1970; `now` is one instant for a whole query. */
const TIME = `
(declare-const now V)
(assert (= now (timestampOf now)))
(assert ((_ is Ts) now))
(declare-fun parseTimestamp (String) V)
(declare-fun parseDuration (String) V)
(declare-fun ipBits (String) Int)
(define-fun toTimestamp ((v V)) V
  (ite ((_ is Ts) v) v
  (ite ((_ is Str) v) (timestampOf (parseTimestamp (str v)))
  (ite ((_ is Int) v) (ite (<= (- 62135596800) (int v) 253402300799) (Ts (* 1000000000 (int v)) 0) Err) Err))))
(define-fun toDuration ((v V)) V
  (ite ((_ is Dur) v) v (ite ((_ is Str) v) (durationOf (parseDuration (str v))) Err)))
(define-fun saturated ((n Int)) Int
  (ite (> n 9223372036854775807) 9223372036854775807 (ite (< n (- 9223372036854775808)) (- 9223372036854775808) n)))
(define-fun timeSince ((v V)) V (ite ((_ is Ts) v) (Dur (saturated (- (instant now) (instant v)))) Err))`;

/** All definitions. A line that begins with `(declare` or `(define` begins one. */
const DEFINITIONS: readonly string[] = [
  VALUES,
  RESULTS,
  NUMBERS,
  EQUALITY,
  ORDER,
  COLLECTIONS,
  ROLES,
  STRINGS,
  ARITHMETIC,
  TIME,
].flatMap((part) => part.trim().split(/\n(?=\((?:declare|define))/));

const NAME = /[A-Za-z]\w*/g;

/** The definition of each name, with the names that it mentions. */
const BY_NAME: ReadonlyMap<string, { readonly at: number; readonly mentioned: readonly string[] }> = new Map(
  DEFINITIONS.map((definition, at) => {
    const [, name = '', ...mentioned] = definition.match(/[A-Za-z][\w-]*/g) ?? [];
    return [name, { at, mentioned }];
  }),
);

/** The first part of a query: the definitions that it needs. */
export function selectPrelude(query: string): string {
  const needed = new Set<number>();
  const pending = new Set(['V', ...(query.match(NAME) ?? [])]);
  for (const name of pending) {
    const definition = BY_NAME.get(name);
    if (definition === undefined || needed.has(definition.at)) continue;
    needed.add(definition.at);
    for (const inner of definition.mentioned) pending.add(inner);
  }
  return DEFINITIONS.filter((_, at) => needed.has(at)).join('\n');
}
