/** Plans as `where` objects of Prisma Client. */
import {
  type Bounds,
  type Comparison,
  type Elements,
  type FilterOptions,
  type Outcomes,
  type PlannedFilter,
  Refusal,
  type Scalar,
  type Store,
  type TextTest,
  translated,
} from './translation.js';

export { type FilterOptions, type PlannedFilter, UnsupportedPlanError } from './translation.js';

/** A field of a model that has a column. */
export interface PrismaColumn<Field extends string> {
  readonly field: Field;
  /** `String`, `Int`, `Float`, `Boolean`, and `String[]`. */
  readonly type: 'text' | 'integer' | 'number' | 'boolean' | 'list';
  /**
   * What check receives for NULL: no attribute, null, or the column is never NULL. `missing` if absent; a list is never
   * missing.
   */
  readonly null?: 'missing' | 'null' | 'never';
  /** Of an enum: its values. Prisma rejects others. */
  readonly values?: readonly string[];
  /** Declares that a text column has the order of bytes: `COLLATE "C"` of PostgreSQL. SQLite has it by default. */
  readonly collation?: 'binary';
}

/** A related record: an object. */
export interface PrismaRecord<Field extends string, Where> {
  readonly field: Field;
  readonly relation: 'one';
  /** `never` for a required relation. `missing` if absent. */
  readonly null?: 'missing' | 'never';
  readonly attributes: PrismaAttributes<Where>;
}

/** Related records: a list, which is never missing. */
export interface PrismaRecords<Field extends string, Where> {
  readonly field: Field;
  readonly relation: 'many';
  /** Of objects. */
  readonly attributes?: PrismaAttributes<Where>;
  /** Of values: the field that has them. */
  readonly value?: PrismaColumn<FieldName<Where>>;
}

/** By attribute: `owner`, or `home.city` for a field of one. */
export interface PrismaAttributes<Where> {
  readonly [attributePath: string]: PrismaAttribute<Where>;
}

/** Where an attribute is stored: by the names of fields that the model has. */
export type PrismaAttribute<Where> = {
  readonly [Field in FieldName<Where>]:
    | PrismaColumn<Field>
    | PrismaRecord<Field, RecordWhere<Where[Field]>>
    | PrismaRecords<Field, RecordsWhere<Where[Field]>>;
}[FieldName<Where>];

type FieldName<Where> = Exclude<keyof Where & string, 'AND' | 'OR' | 'NOT'>;
type RecordWhere<Filter> = Filter extends { is?: infer Where } ? NonNullable<Where> : never;
type RecordsWhere<Filter> = Filter extends { some?: infer Where } ? NonNullable<Where> : never;

/** Where the attributes of a resource are stored. */
export interface PrismaMapping<Where> {
  readonly provider: 'postgresql' | 'sqlite';
  /** The id of the resource as check receives it: a `String`. */
  readonly id?: FieldName<Where>;
  /** Plans that read other attributes are refused. */
  readonly attributes: PrismaAttributes<Where>;
}

/**
 * Creates the function that turns a plan into a `where` object: `prismaAdapter<Prisma.NoteWhereInput>('Note', ...)`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function prismaAdapter<Where extends object>(
  model: string,
  mapping: PrismaMapping<Where>,
): (plan: PlannedFilter, options?: FilterOptions) => Where {
  const named = mapping as unknown as NamedMapping;
  return (plan, options) =>
    translated(plan, new Records(`the model \`${model}\``, named), BOUNDS[mapping.provider], options) as Where;
}

/** Prisma splits a query with more parameters, which changes what it selects. */
const BOUNDS: { readonly [provider in NamedMapping['provider']]: Bounds } = {
  postgresql: { steps: 5_000, depth: 100 },
  sqlite: { steps: 900, depth: 100 },
};

/** A mapping, by names that may be any. */
interface NamedMapping {
  readonly provider: 'postgresql' | 'sqlite';
  readonly id?: string;
  readonly attributes: NamedAttributes;
}
interface NamedAttributes {
  readonly [attributePath: string]: PrismaColumn<string> | NamedRecord | NamedRecords;
}
interface NamedRecord {
  readonly field: string;
  readonly relation: 'one';
  readonly null?: 'missing' | 'never';
  readonly attributes: NamedAttributes;
}
interface NamedRecords {
  readonly field: string;
  readonly relation: 'many';
  readonly attributes?: NamedAttributes;
  readonly value?: PrismaColumn<string>;
}

interface Where {
  readonly [field: string]: unknown;
}

/** What an operand reads: a column, a related record, or related records, and the records on the way to it. */
interface Read {
  readonly stored: PrismaColumn<string> | NamedRecord | NamedRecords | Model;
  readonly records: readonly NamedRecord[];
  /** The model whose `where` it is in. */
  readonly model: Model;
}

/** The resource, or an element of a list. */
interface Model {
  readonly attributes: NamedAttributes;
  readonly value?: PrismaColumn<string>;
}

const ALWAYS: Where = {};
/** Prisma selects nothing by it. */
const NEVER: Where = { OR: [] };

class Records implements Store<Where, Read> {
  readonly always = ALWAYS;
  readonly never = NEVER;
  private readonly root: Model;
  /** Whose fields the query that is being made can have. */
  private model: Model;

  constructor(
    readonly target: string,
    private readonly mapping: NamedMapping,
  ) {
    this.root = { attributes: mapping.attributes };
    this.model = this.root;
  }

  allOf(parts: readonly Where[]): Where {
    if (parts.includes(NEVER)) return NEVER;
    return joined(
      'AND',
      parts.filter((part) => part !== ALWAYS),
      ALWAYS,
    );
  }

  anyOf(parts: readonly Where[]): Where {
    if (parts.includes(ALWAYS)) return ALWAYS;
    return joined(
      'OR',
      parts.filter((part) => part !== NEVER),
      NEVER,
    );
  }

  id(): Read {
    const { id } = this.mapping;
    if (id === undefined) throw new Refusal('variable', 'no field is mapped for request.resource.id');
    return { stored: { field: id, type: 'text', null: 'never' }, records: [], model: this.root };
  }

  attribute(path: readonly string[]): Read {
    return this.found(this.root, path, [], this.root, `request.resource.attr.${path.join('.')}`);
  }

  below({ stored, records, model }: Read, name: string): Read {
    if ('attributes' in stored && !('relation' in stored && stored.relation === 'many')) {
      const inner = 'relation' in stored ? [...records, stored as NamedRecord] : records;
      return this.found({ attributes: stored.attributes ?? {} }, [name], inner, model, name);
    }
    throw new Refusal('get-field', `a field of something that is not a related record: ${name}`);
  }

  private found(
    { attributes }: Pick<Model, 'attributes'>,
    path: readonly string[],
    records: readonly NamedRecord[],
    model: Model,
    text: string,
  ): Read {
    for (let length = path.length; length > 0; length -= 1) {
      const name = path.slice(0, length).join('.');
      const stored = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
      if (stored === undefined) continue;
      return path.slice(length).reduce<Read>((read, field) => this.below(read, field), { stored, records, model });
    }
    throw new Refusal('variable', `no field is mapped for ${text}`);
  }

  compared(read: Read, comparison: Comparison, constant: Scalar): Outcomes<Where> {
    const column = this.columnOf(read, comparison);
    if (comparison === 'eq') return this.among(read, [constant]);
    const isNull = column.null === 'never' ? NEVER : { [column.field]: null };
    if (TYPES[column.type] !== typeof constant) return this.at(read, { is: () => NEVER, fails: () => ALWAYS });
    if (typeof constant === 'string' && !this.isBinary(column))
      throw new Refusal(comparison, 'the order of a text column, which is not declared to be that of bytes');
    const where = (one: Exclude<Comparison, 'eq'>): Where => {
      const ordered = column.type === 'integer' ? orderOfIntegers(one, constant as number) : orderOf(one, constant);
      if (typeof ordered === 'object') return { [column.field]: ordered };
      return ordered ? isNotNull(column) : NEVER;
    };
    return this.at(read, {
      is: (outcome) => where(outcome ? comparison : OPPOSITES[comparison]),
      fails: () => isNull,
    });
  }

  among(read: Read, constants: readonly Scalar[]): Outcomes<Where> {
    const column = this.columnOf(read, 'eq');
    const { field, type, null: absence = 'missing' } = column;
    const equal = [...new Set(constants.filter((constant) => isValueOf(column, constant)))];
    if (type === 'boolean' && equal.length === 2) throw new Refusal('in', 'of both booleans');
    const isOne = equal.length === 0 ? NEVER : { [field]: equal.length === 1 ? { equals: equal[0] } : { in: equal } };
    // PostgreSQL has NaN and infinity in a column of numbers, and JSON has not.
    const hasNan = type === 'number' && this.mapping.provider === 'postgresql';
    const finite = hasNan ? { gte: -LARGEST, lte: LARGEST } : {};
    if (type === 'number') for (const constant of equal) checkDigits(constant as number);
    const isOther =
      equal.length === 0 && !hasNan
        ? isNotNull(column)
        : {
            [field]: {
              ...(equal.length === 0 ? {} : equal.length === 1 ? { not: equal[0] } : { notIn: equal }),
              ...finite,
            },
          };
    const isNull = absence === 'null' ? { [field]: null } : NEVER;
    const hasNull = constants.includes(null);
    return this.at(read, {
      is: (outcome) => this.anyOf([outcome ? isOne : isOther, hasNull === outcome ? isNull : NEVER]),
      fails: () => (absence === 'missing' ? { [field]: null } : NEVER),
    });
  }

  presence(read: Read): Outcomes<Where> {
    const { stored } = read;
    if (!('field' in stored)) throw new Refusal('has', 'of an element');
    const isMissable =
      ('relation' in stored ? stored.relation === 'one' : stored.type !== 'list') &&
      ((stored as NamedRecord).null ?? 'missing') === 'missing';
    const isNull = 'relation' in stored ? { [stored.field]: { is: null } } : { [stored.field]: null };
    const isThere = { [stored.field]: 'relation' in stored ? { isNot: null } : { not: null } };
    return this.at(read, {
      is: (outcome) => (outcome ? (isMissable ? isThere : ALWAYS) : isMissable ? isNull : NEVER),
      fails: () => NEVER,
    });
  }

  text(read: Read, test: TextTest, constant: string): Outcomes<Where> {
    const column = this.columnOf(read, test);
    const { field, type } = column;
    if (type !== 'text') return this.at(read, { is: () => NEVER, fails: () => ALWAYS });
    if (column.values !== undefined) throw new Refusal(test, 'of an enum');
    const isNull = column.null === 'never' ? NEVER : { [field]: null };
    if (test === 'startsWith' && this.isBinary(column)) {
      const next = nextText(constant);
      return this.at(read, {
        is: (outcome) =>
          outcome
            ? { [field]: { gte: constant, ...(next !== undefined && { lt: next }) } }
            : this.anyOf([{ [field]: { lt: constant } }, next === undefined ? NEVER : { [field]: { gte: next } }]),
        fails: () => isNull,
      });
    }
    if (this.mapping.provider === 'sqlite') throw new Refusal(test, 'ignores case in SQLite');
    if (/[%_\\]/.test(constant))
      throw new Refusal(test, 'a string with `%`, `_` or a backslash, which Prisma does not escape');
    return this.at(read, {
      is: (outcome) => ({ [field]: outcome ? { [test]: constant } : { not: { [test]: constant } } }),
      fails: () => isNull,
    });
  }

  sharing(read: Read, constants: readonly Scalar[]): Outcomes<Where> {
    const { stored } = read;
    if ('relation' in stored && stored.relation === 'many') {
      const { element, some, every } = this.elements(read);
      const isOne = (): Where => this.among(element, constants).is(true);
      return { is: (outcome) => (outcome ? some(isOne) : every(isOne, isOne)), fails: () => this.recordsFail(read) };
    }
    if (!('type' in stored) || stored.type !== 'list') throw new Refusal('in', 'of something that is not a list');
    const { field } = this.listOf(read);
    const texts = constants.filter((constant) => typeof constant === 'string');
    if (texts.length === 0) return this.at(read, { is: (outcome) => (outcome ? NEVER : ALWAYS), fails: () => NEVER });
    const isOne = { [field]: texts.length === 1 ? { has: texts[0] } : { hasSome: texts } };
    return this.at(read, {
      // Prisma reads a NULL as a list without elements.
      is: (outcome) => (outcome ? isOne : this.anyOf([{ NOT: isOne }, { [field]: { equals: null } }])),
      fails: () => NEVER,
    });
  }

  size(read: Read, comparison: Comparison, size: number): Outcomes<Where> {
    const { stored } = read;
    const isEmptyWanted = compareNumbers(0, comparison, size);
    const isFullWanted = compareNumbers(1, comparison, size);
    if (size > 1 || (size === 1 && comparison !== 'lt' && comparison !== 'ge'))
      throw new Refusal('size', 'other than whether there are elements');
    if (!('field' in stored)) throw new Refusal('size', 'of an element');
    const { field } = stored;
    let isEmpty: Where;
    let isFull: Where;
    if ('relation' in stored && stored.relation === 'many') {
      [isEmpty, isFull] = [{ [field]: { none: {} } }, { [field]: { some: {} } }];
      if (read.model !== this.model) throw OUTSIDE;
    } else if ('type' in stored && stored.type === 'list') {
      this.listOf(read);
      isEmpty = this.anyOf([{ [field]: { isEmpty: true } }, { [field]: { equals: null } }]);
      isFull = { [field]: { isEmpty: false } };
    } else throw new Refusal('size', 'of something that is not a list');
    return this.at(read, {
      is: (outcome) =>
        this.anyOf([isEmptyWanted === outcome ? isEmpty : NEVER, isFullWanted === outcome ? isFull : NEVER]),
      fails: () => NEVER,
    });
  }

  typed(read: Read, type: string): Outcomes<Where> {
    const column = this.columnOf(read, 'type');
    const isNull = column.null === 'null' ? { [column.field]: null } : NEVER;
    const notNull = isNotNull(column);
    const [isTrue, isFalse] =
      type === 'null_type'
        ? [isNull, notNull]
        : NAMES[column.type] === type
          ? [notNull, isNull]
          : [NEVER, this.anyOf([notNull, isNull])];
    return this.at(read, {
      is: (outcome) => (outcome ? isTrue : isFalse),
      fails: () => ((column.null ?? 'missing') === 'missing' ? { [column.field]: null } : NEVER),
    });
  }

  elements(read: Read): Elements<Where, Read> {
    const { stored } = read;
    if (!('relation' in stored) || stored.relation !== 'many')
      throw new Refusal('exists', 'over the elements of something other than related records');
    const model: Model = {
      attributes: stored.attributes ?? {},
      ...(stored.value && { value: { ...stored.value, null: 'never' } }),
    };
    const within = (query: () => Where): Where => {
      const outer = this.model;
      this.model = model;
      try {
        return query();
      } finally {
        this.model = outer;
      }
    };
    const related = (quantifier: 'some' | 'none', where: Where): Where => {
      if (where === NEVER)
        return this.at(read, { is: () => (quantifier === 'some' ? NEVER : ALWAYS), fails: () => NEVER }).is(true);
      return this.at(read, { is: () => ({ [stored.field]: { [quantifier]: where } }), fails: () => NEVER }).is(true);
    };
    return {
      element: { stored: model, records: [], model },
      some: (isWanted) => related('some', within(isWanted)),
      // Not `every`, which counts a record for which SQL cannot tell.
      every: (_, isUnwanted) => related('none', within(isUnwanted)),
      fails: () => this.recordsFail(read),
    };
  }

  /** Where a record on the way is missing. */
  private recordsFail(read: Read): Where {
    return this.at(read, { is: () => NEVER, fails: () => NEVER }).fails();
  }

  private isBinary({ collation }: PrismaColumn<string>): boolean {
    return collation === 'binary' || this.mapping.provider === 'sqlite';
  }

  private columnOf({ stored }: Read, operator: string): PrismaColumn<string> {
    const column = 'type' in stored ? stored : 'value' in stored && !('relation' in stored) ? stored.value : undefined;
    if (column === undefined || column.type === 'list')
      throw new Refusal(operator, 'of related records or of a list as a whole');
    return column;
  }

  private listOf({ stored }: Read): PrismaColumn<string> {
    if (this.mapping.provider === 'sqlite') throw new Refusal('list', 'SQLite has no lists');
    return stored as PrismaColumn<string>;
  }

  /** The queries of a test of a record, as queries of the model: each record on the way must be there. */
  private at({ records, model }: Read, outcomes: Outcomes<Where>): Outcomes<Where> {
    if (model !== this.model) throw OUTSIDE;
    const through = (where: Where, count = records.length): Where =>
      records.slice(0, count).reduceRight((inner, record) => {
        if (inner === NEVER) return NEVER;
        if (inner !== ALWAYS) return { [record.field]: { is: inner } };
        return record.null === 'never' ? ALWAYS : { [record.field]: { isNot: null } };
      }, where);
    return {
      is: (outcome) => through(outcomes.is(outcome)),
      fails: () =>
        this.anyOf([
          ...records.map(({ field, null: absence }, position) =>
            through(absence === 'never' ? NEVER : { [field]: { is: null } }, position),
          ),
          through(outcomes.fails()),
        ]),
    };
  }
}

const OUTSIDE = new Refusal('exists', 'a condition on elements that also reads the resource or other elements');

/** Prisma rounds larger numbers up to infinity. */
const LARGEST = 1e308;
const TYPES = { text: 'string', integer: 'number', number: 'number', boolean: 'boolean', list: 'object' } as const;
const NAMES = { text: 'string', integer: 'double', number: 'double', boolean: 'bool', list: 'list' } as const;
const OPPOSITES = { lt: 'ge', le: 'gt', gt: 'le', ge: 'lt' } as const;

/** The value itself, where NULL is none. */
function isNotNull({ field, null: absence }: PrismaColumn<string>): Where {
  return absence === 'never' ? ALWAYS : { [field]: { not: null } };
}

function isValueOf({ type, values }: PrismaColumn<string>, constant: Scalar): boolean {
  if (constant === null || typeof constant !== TYPES[type]) return false;
  if (type === 'integer') return Number.isInteger(constant) && Math.abs((constant as number) + 0.5) < 2 ** 31;
  return values === undefined || values.includes(constant as string);
}

/** Prisma passes numbers on as decimals of at most 16 digits. */
function checkDigits(constant: number): void {
  if (Number(constant.toPrecision(15)) !== constant || Math.abs(constant) > LARGEST)
    throw new Refusal('value', `a number that Prisma rounds: ${constant}`);
}

/** An order with numbers is one of finite numbers. */
function orderOf(comparison: Exclude<Comparison, 'eq'>, constant: Scalar): Where {
  const operator = { lt: 'lt', le: 'lte', gt: 'gt', ge: 'gte' }[comparison];
  if (typeof constant !== 'number') return { [operator]: constant };
  checkDigits(constant);
  return comparison === 'lt' || comparison === 'le'
    ? { gte: -LARGEST, [operator]: constant }
    : { [operator]: constant, lte: LARGEST };
}

/** Prisma only accepts integers of 32 bits; undefined bounds are those of all. */
function orderOfIntegers(comparison: Exclude<Comparison, 'eq'>, constant: number): Where | boolean {
  // `< 2.5` is `<= 2`, and `< 2` is `<= 1`.
  const isUpper = comparison === 'lt' || comparison === 'le';
  const whole = isUpper ? Math.floor(constant) : Math.ceil(constant);
  const isStrict = (comparison === 'lt' || comparison === 'gt') && whole === constant;
  const bound = isStrict ? (isUpper ? whole - 1 : whole + 1) : whole;
  if (isUpper) return bound >= 2 ** 31 - 1 ? true : bound < -(2 ** 31) ? false : { lte: bound };
  return bound <= -(2 ** 31) ? true : bound >= 2 ** 31 ? false : { gte: bound };
}

function compareNumbers(a: number, comparison: Comparison, b: number): boolean {
  return { eq: a === b, lt: a < b, le: a <= b, gt: a > b, ge: a >= b }[comparison];
}

/** The first string after all that start with a prefix, in the order of bytes; undefined if there is none. */
function nextText(prefix: string): string | undefined {
  const points = [...prefix].map((one) => one.codePointAt(0) as number);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}

function joined(operator: 'AND' | 'OR', parts: readonly Where[], neutral: Where): Where {
  const flat = parts.flatMap((part) =>
    Object.keys(part).length === 1 && Array.isArray(part[operator]) ? (part[operator] as Where[]) : [part],
  );
  return flat.length < 2 ? (flat[0] ?? neutral) : { [operator]: flat };
}
