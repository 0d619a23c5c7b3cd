import {
  type CalendarTest,
  type Comparison,
  FIRST_TIME,
  LAST_TIME,
  type Outcomes,
  Refusal,
  type Scalar,
  type Store,
  type TextTest,
} from '../translation.js';

/** An aggregation expression. */
export type Expression = boolean | string | number | { readonly [operator: string]: unknown };

/** A value in an aggregation expression. */
export interface Read {
  /** `$home.city`, or `$$t.city` for an element. */
  readonly reference: string;
  /** The object that it is a field of. */
  readonly object: Read | undefined;
  /** The names of its field and of those around it, without positions in lists: `shares.until`. */
  readonly path: string;
}

/** The largest double. Infinity and NaN are numbers of MongoDB, but not of JSON. */
export const LARGEST = Number.MAX_VALUE;
/** Drivers read larger integers as objects. */
export const LARGEST_LONG = Number.MAX_SAFE_INTEGER;

const NUMBERS = ['int', 'long', 'double'];

/** Checks that a name is one that a path of MongoDB can have. */
export function fieldName(name: string): string {
  if (name === '' || name.startsWith('$') || name.includes('.') || name.includes('\0'))
    throw new Refusal('index', `a name that no path of MongoDB can have: ${JSON.stringify(name)}`);
  return name;
}

/**
 * Tests as aggregation expressions. They read every type, so they are exact for documents that no schema guards. What is
 * no JSON is neither true nor false, nor does it fail: a test that reads it selects nothing. The same holds for objects
 * in the place of lists, and for comparisons of two lists or two objects, which MongoDB compares in another way.
 */
export class Expressions implements Store<Expression, Read> {
  readonly always = true;
  readonly never = false;
  private variables = 0;

  constructor(
    readonly target: string,
    readonly id: () => Read,
    readonly attribute: (path: readonly string[]) => Read,
    /** The paths of the fields that have dates. */
    private readonly dates: ReadonlySet<string>,
  ) {}

  allOf(expressions: readonly Expression[]): Expression {
    return joined('$and', expressions, true);
  }

  anyOf(expressions: readonly Expression[]): Expression {
    return joined('$or', expressions, false);
  }

  below(object: Read, name: string): Read {
    const path = `${object.path}.${fieldName(name)}`;
    return { reference: `${object.reference}.${name}`, object, path };
  }

  compared(read: Read, comparison: Comparison, constant: Scalar): Outcomes<Expression> {
    this.checkRead(read, comparison, constant);
    const isOfType = this.isSameType(read, constant);
    const isTrue = (): Expression => this.allOf([isOfType, compareWith(read, comparison, constant)]);
    if (comparison === 'eq') return this.outcomes(read, isTrue);
    const opposite = { lt: 'ge', le: 'gt', gt: 'le', ge: 'lt' }[comparison] as Comparison;
    const isFalse = compareWith(read, opposite, constant);
    return {
      is: (outcome) => (outcome ? isTrue() : this.allOf([isOfType, isFalse])),
      fails: () => this.anyOf([isMissing(read), this.allOf([this.isThere(read), not(isOfType)])]),
    };
  }

  among(read: Read, constants: readonly Scalar[]): Outcomes<Expression> {
    for (const one of constants) this.checkRead(read, 'in', one);
    const types = new Map<string, Scalar[]>();
    for (const one of constants) types.set(typeof one, [...(types.get(typeof one) ?? []), one]);
    return this.outcomes(read, () =>
      this.anyOf(
        [...types.values()].map((alike) => {
          const [first] = alike as [Scalar];
          if (alike.length === 1 || first === null) return this.compared(read, 'eq', first).is(true);
          return this.allOf([this.isSameType(read, first), { $in: [read.reference, { $literal: alike }] }]);
        }),
      ),
    );
  }

  presence(read: Read): Outcomes<Expression> {
    const { object } = read;
    // Check receives an object of attributes in any case.
    if (object === undefined)
      return { is: (outcome) => (outcome ? this.isThere(read) : isMissing(read)), fails: () => this.never };
    return {
      is: (outcome) =>
        outcome ? this.isThere(read) : this.allOf([isJson(object), not(isKind(object, ['array'])), isMissing(read)]),
      fails: () => this.anyOf([isMissing(object), isKind(object, ['array'])]),
    };
  }

  text(read: Read, test: TextTest, constant: string): Outcomes<Expression> {
    this.checkRead(read, test, constant);
    const isText = isKind(read, ['string']);
    const holds = (): Expression =>
      test === 'endsWith'
        ? { $regexMatch: { input: read.reference, regex: `${literalPattern(constant)}${END}` } }
        : { [test === 'contains' ? '$gte' : '$eq']: [{ $indexOfBytes: [read.reference, literal(constant)] }, 0] };
    return {
      is: (outcome) => guarded(isText, outcome ? holds() : not(holds())),
      fails: () => this.anyOf([isMissing(read), this.allOf([isJson(read), not(isText)])]),
    };
  }

  sharing(list: Read, constants: readonly Scalar[]): Outcomes<Expression> {
    const { element, some, every, fails } = this.elements(list);
    const isOne = (): Expression => this.among(element, constants).is(true);
    const isNone = (): Expression => this.among(element, constants).is(false);
    return { is: (outcome) => (outcome ? some(isOne) : every(isNone)), fails };
  }

  /** Letters of ASCII in either case; other characters as they are. */
  lowered(read: Read, test: 'eq' | TextTest, constant: string | undefined): Outcomes<Expression> {
    this.checkRead(read, test);
    const isText = isKind(read, ['string']);
    const pattern = literalPattern(constant ?? '').replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
    const [start, end] = [
      test === 'eq' || test === 'startsWith' ? '^' : '',
      test === 'eq' || test === 'endsWith' ? END : '',
    ];
    const regex = `${start}${pattern}${end}`;
    const holds: Expression = constant === undefined ? false : { $regexMatch: { input: read.reference, regex } };
    return {
      is: (outcome) => guarded(isText, outcome ? holds : not(holds)),
      fails: () => this.anyOf([isMissing(read), this.allOf([this.isThere(read), not(isText)])]),
    };
  }

  moment(read: Read, comparison: Comparison, at: number): Outcomes<Expression> {
    this.checkDate(read);
    return this.ofMoments([read], { [OPERATORS[comparison]]: [read.reference, { $literal: new Date(at) }] });
  }

  moments(left: Read, comparison: Comparison, right: Read): Outcomes<Expression> {
    for (const read of [left, right]) this.checkDate(read);
    return this.ofMoments([left, right], { [OPERATORS[comparison]]: [left.reference, right.reference] });
  }

  apart(left: Read, comparison: Comparison, right: Read, nanos: bigint): Outcomes<Expression> {
    for (const read of [left, right]) this.checkDate(read);
    const rest = ((nanos % MILLI) + MILLI) % MILLI;
    const below = Number((nanos - rest) / MILLI);
    const difference = { $subtract: [left.reference, right.reference] };
    if (rest === 0n) return this.ofMoments([left, right], { [OPERATORS[comparison]]: [difference, literal(below)] });
    // Between two milliseconds, of which dates have whole ones.
    const isBelow = { $lte: [difference, literal(below)] };
    const isUpper = comparison === 'lt' || comparison === 'le';
    return this.ofMoments([left, right], comparison === 'eq' ? false : isUpper ? isBelow : not(isBelow));
  }

  calendar(read: Read, { accessor, offset, comparison, constant }: CalendarTest): Outcomes<Expression> {
    this.checkDate(read);
    const [operator, less] = CALENDAR[accessor] ?? [];
    if (operator === undefined) throw new Refusal(accessor, 'cannot be translated exactly');
    const minutes = Math.abs(offset) / 60;
    const two = (count: number): string => String(Math.floor(count)).padStart(2, '0');
    const timezone = `${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
    const field = { [operator]: offset === 0 ? read.reference : { date: read.reference, timezone } };
    return this.ofMoments([read], { [OPERATORS[comparison]]: [field, literal(constant + (less as number))] });
  }

  pieces(read: Read, separator: string, comparison: Comparison, count: number): Outcomes<Expression> {
    this.checkRead(read, 'split');
    const isText = isKind(read, ['string']);
    const holds = { [OPERATORS[comparison]]: [{ $size: splitBy(read, separator) }, literal(count)] };
    return {
      is: (outcome) => guarded(isText, outcome ? holds : not(holds)),
      fails: () => this.anyOf([isMissing(read), this.allOf([this.isThere(read), not(isText)])]),
    };
  }

  piece(read: Read, separator: string, position: number, constant: string): Outcomes<Expression> {
    this.checkRead(read, 'split');
    const isText = isKind(read, ['string']);
    const isLong = { $gt: [{ $size: splitBy(read, separator) }, literal(position)] };
    const holds = { $eq: [{ $arrayElemAt: [splitBy(read, separator), position] }, literal(constant)] };
    return {
      is: (outcome) => guarded(isText, this.allOf([isLong, outcome ? holds : not(holds)])),
      fails: () =>
        this.anyOf([isMissing(read), this.allOf([this.isThere(read), not(isText)]), guarded(isText, not(isLong))]),
    };
  }

  /** A comparison of dates. Null, and a date that check cannot read, fail. */
  private ofMoments(reads: readonly Read[], compare: Expression): Outcomes<Expression> {
    const areDates = this.allOf(reads.map((read) => isKind(read, ['date'])));
    const areRead = this.allOf(reads.map((read) => guarded(isKind(read, ['date']), isReadTime(read))));
    return {
      is: (outcome) => guarded(areDates, this.allOf([areRead, outcome ? compare : not(compare)])),
      fails: () => this.allOf([...reads.map((read) => isKind(read, ['date', 'missing', 'null'])), not(areRead)]),
    };
  }

  /** Check reads a date as a string, of which no test is translated. */
  private checkRead({ path }: Read, operator: string, constant?: Scalar): void {
    if (this.dates.has(path) && constant !== null && typeof constant !== 'number' && typeof constant !== 'boolean')
      throw new Refusal(operator, 'a date as a string: compare it with timestamp(...)');
  }

  private checkDate({ path }: Read): void {
    if (!this.dates.has(path)) throw new Refusal('timestamp', 'of a field that the mapping does not declare as a date');
  }

  /** Where check receives a value. */
  private isThere(read: Read): Expression {
    return this.dates.has(read.path) ? or(isJson(read), isKind(read, ['date'])) : isJson(read);
  }

  size(read: Read, comparison: Comparison, size: number): Outcomes<Expression> {
    this.checkRead(read, 'size');
    const measure = (kind: string, length: Expression): Expression =>
      guarded(isKind(read, [kind]), { [OPERATORS[comparison]]: [length, literal(size)] });
    const isSized = isKind(read, ['string', 'array', 'object']);
    const holds = (): Expression =>
      this.anyOf([
        measure('string', { $strLenCP: read.reference }),
        measure('array', { $size: read.reference }),
        measure('object', { $size: { $objectToArray: read.reference } }),
      ]);
    return {
      is: (outcome) => (outcome ? holds() : this.allOf([isSized, not(holds())])),
      fails: () => this.anyOf([isMissing(read), this.allOf([isJson(read), not(isSized)])]),
    };
  }

  typed(read: Read, type: string): Outcomes<Expression> {
    this.checkRead(read, 'type');
    return this.outcomes(read, () => (type === 'double' ? isNumber(read) : isKind(read, [KINDS[type] as string])));
  }

  comparedFields(left: Read, comparison: Comparison, right: Read): Outcomes<Expression> {
    for (const read of [left, right]) this.checkRead(read, comparison);
    const both = (kinds: readonly string[]): Expression => this.allOf([isKind(left, kinds), isKind(right, kinds)]);
    const numbers = this.allOf([isNumber(left), isNumber(right)]);
    const areJson = this.allOf([isJson(left), isJson(right)]);
    const isUnread = this.anyOf([both(['array']), both(['object']), ...(comparison === 'eq' ? [] : [both(['bool'])])]);
    const compare = { [OPERATORS[comparison]]: [left.reference, right.reference] };
    const alike = this.anyOf([
      both(['string']),
      numbers,
      ...(comparison === 'eq' ? [both(['bool']), both(['null'])] : []),
    ]);
    const missing = this.allOf([
      this.anyOf([isMissing(left), isMissing(right)]),
      this.anyOf([isMissing(left), isJson(left)]),
      this.anyOf([isMissing(right), isJson(right)]),
    ]);
    const isTrue = this.allOf([alike, compare]);
    if (comparison === 'eq')
      return {
        is: (outcome) => (outcome ? isTrue : this.allOf([areJson, not(isUnread), not(isTrue)])),
        fails: () => missing,
      };
    return {
      is: (outcome) => (outcome ? isTrue : this.allOf([alike, not(compare)])),
      fails: () => this.anyOf([missing, this.allOf([areJson, not(isUnread), not(alike)])]),
    };
  }

  elements(list: Read) {
    this.variables += 1;
    const name = `e${this.variables}`;
    const each = (isWanted: Expression): Expression => ({
      $map: { input: list.reference, as: name, in: isWanted },
    });
    const isList = isKind(list, ['array']);
    return {
      element: { reference: `$$${name}`, object: undefined, path: list.path },
      some: (isWanted: () => Expression) => guarded(isList, { $anyElementTrue: [each(isWanted())] }),
      every: (isWanted: () => Expression) => guarded(isList, { $allElementsTrue: [each(isWanted())] }),
      count: (isWanted: () => Expression, comparison: Comparison, count: number) =>
        guarded(isList, {
          [OPERATORS[comparison]]: [
            { $size: { $filter: { input: list.reference, as: name, cond: isWanted() } } },
            literal(count),
          ],
        }),
      fails: (): Expression =>
        this.anyOf([isMissing(list), this.allOf([isJson(list), not(isKind(list, ['array', 'object']))])]),
    };
  }

  /** The outcomes of a test that is true or false wherever there is a value. */
  private outcomes(read: Read, isTrue: () => Expression): Outcomes<Expression> {
    return {
      is: (outcome) => (outcome ? isTrue() : this.allOf([this.isThere(read), not(isTrue())])),
      fails: () => isMissing(read),
    };
  }

  private isSameType(read: Read, constant: Scalar): Expression {
    if (typeof constant === 'number') return isNumber(read);
    if (constant === null) return isKind(read, ['null']);
    return isKind(read, [typeof constant === 'string' ? 'string' : 'bool']);
  }
}

const OPERATORS: { readonly [comparison in Comparison]: string } = {
  eq: '$eq',
  lt: '$lt',
  le: '$lte',
  gt: '$gt',
  ge: '$gte',
};

/** Nanoseconds. */
const MILLI = 1_000_000n;

/** The operators of accessors, and what these count less. */
const CALENDAR: { readonly [accessor: string]: readonly [operator: string, less: number] } = {
  getFullYear: ['$year', 0],
  getMonth: ['$month', 1],
  getDate: ['$dayOfMonth', 0],
  getDayOfMonth: ['$dayOfMonth', 1],
  getDayOfWeek: ['$dayOfWeek', 1],
  getDayOfYear: ['$dayOfYear', 1],
  getHours: ['$hour', 0],
  getMinutes: ['$minute', 0],
  getSeconds: ['$second', 0],
};

const MIRRORED = { eq: 'eq', lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' } as const;

const KINDS: { readonly [type: string]: string } = {
  string: 'string',
  bool: 'bool',
  null_type: 'null',
  list: 'array',
  map: 'object',
};

/** The end of a string; `$` also matches before a line break there. */
const END = '(?![\\s\\S])';

/** A regular expression that matches a string. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The constant stands first: Mongoose casts one that stands second to the type that its schema has for the field. */
function compareWith({ reference }: Read, comparison: Comparison, constant: Scalar): Expression {
  return { [OPERATORS[MIRRORED[comparison]]]: [literal(constant), reference] };
}

function splitBy({ reference }: Read, separator: string): Expression {
  return { $split: [reference, literal(separator)] };
}

function literal(constant: Scalar): Expression {
  return { $literal: constant };
}

function not(condition: Expression): Expression {
  return typeof condition === 'boolean' ? !condition : { $not: [condition] };
}

/** A test that is only evaluated where it has no error. */
function guarded(isOfType: Expression, test: Expression): Expression {
  return { $cond: [isOfType, test, false] };
}

function joined(operator: '$and' | '$or', expressions: readonly Expression[], neutral: boolean): Expression {
  const parts = expressions
    .filter((part) => part !== neutral)
    .flatMap((part) => (typeof part === 'object' && operator in part ? (part[operator] as Expression[]) : [part]));
  if (parts.includes(!neutral)) return !neutral;
  if (parts.length < 2) return parts[0] ?? neutral;
  return { [operator]: parts };
}

/** The type of a value: `missing` below a value that is not an object, and `unread` below one that is not JSON. */
function kindOf({ reference, object }: Read): Expression {
  const own: Expression = { $type: reference };
  if (object === undefined) return own;
  return {
    $cond: [isKind(object, ['object']), own, { $cond: [or(isMissing(object), isJson(object)), 'missing', 'unread'] }],
  };
}

function or(...parts: readonly Expression[]): Expression {
  return joined('$or', parts, false);
}

function isKind(read: Read, kinds: readonly string[]): Expression {
  const kind = kindOf(read);
  return kinds.length === 1 ? { $eq: [kind, kinds[0]] } : { $in: [kind, kinds] };
}

function isMissing(read: Read): Expression {
  return isKind(read, ['missing']);
}

function isNumber(read: Read): Expression {
  const { reference } = read;
  const within = (most: number): Expression[] => [{ $lte: [-most, reference] }, { $gte: [most, reference] }];
  return joined(
    '$and',
    [
      isKind(read, NUMBERS),
      ...within(LARGEST),
      or({ $ne: [{ $type: reference }, 'long'] }, joined('$and', within(LARGEST_LONG), true)),
    ],
    true,
  );
}

function isReadTime({ reference }: Read): Expression {
  return joined(
    '$and',
    [
      { $gte: [reference, { $literal: new Date(FIRST_TIME) }] },
      { $lte: [reference, { $literal: new Date(LAST_TIME) }] },
    ],
    true,
  );
}

function isJson(read: Read): Expression {
  return or(isKind(read, ['string', 'bool', 'null', 'array', 'object']), isNumber(read));
}
