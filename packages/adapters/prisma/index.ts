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
} from '../translation.js';
import { constantWhere } from './constants.js';
import {
  ALWAYS,
  type NamedAttributes,
  type NamedMapping,
  type NamedRecord,
  type NamedRecords,
  NEVER,
  type PrismaColumn,
  type PrismaMapping,
  type Where,
} from './mapping.js';
import {
  checkDigits,
  compareNumbers,
  isNotNull,
  isValueOf,
  LARGEST,
  NAMES,
  nextText,
  OPPOSITES,
  orderOf,
  orderOfIntegers,
  test,
  TYPES,
} from './column-tests.js';

export type {
  PrismaAttribute,
  PrismaAttributes,
  PrismaColumn,
  PrismaMapping,
  PrismaRecord,
  PrismaRecords,
} from './mapping.js';
export { type FilterOptions, type PlannedFilter, UnsupportedPlanError } from '../translation.js';

/**
 * Creates the function that turns a plan into a `where` object: `prismaAdapter<Prisma.NoteWhereInput>('Note', ...)`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function prismaAdapter<Where extends object>(
  model: string,
  mapping: PrismaMapping<Where>,
): (plan: PlannedFilter, options?: FilterOptions) => Where {
  const named = mapping as unknown as NamedMapping;
  return (plan, options) => {
    const where = translated(plan, new Records(`the model \`${model}\``, named), BOUNDS[mapping.provider], options);
    const isConstant = where === ALWAYS || where === NEVER;
    return conjunctionOf(isConstant ? constantWhere(model, named, where === ALWAYS) : where) as Where;
  };
}

/** Prisma splits a query with more parameters, which changes what it selects. */
const BOUNDS: { readonly [provider in NamedMapping['provider']]: Bounds } = {
  postgresql: { steps: 5_000, depth: 100 },
  sqlite: { steps: 900, depth: 100 },
};

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
      if (typeof ordered === 'object') return test(column, ordered);
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
    const isOne = equal.length === 0 ? NEVER : test(column, equal.length === 1 ? { equals: equal[0] } : { in: equal });
    // PostgreSQL has NaN and infinity in a column of numbers, and JSON has not.
    const hasNan = type === 'number' && this.mapping.provider === 'postgresql';
    const finite = hasNan ? { gte: -LARGEST, lte: LARGEST } : {};
    if (type === 'number') for (const constant of equal) checkDigits(constant as number);
    const other = {
      ...(equal.length === 0 ? {} : equal.length === 1 ? { not: equal[0] } : { notIn: equal }),
      ...finite,
    };
    const hasNull = constants.includes(null);
    const isNull = absence === 'null' ? { [field]: null } : NEVER;
    // Where NULL is selected beside it, the test may be NULL there.
    const isOther =
      equal.length === 0 && !hasNan
        ? isNotNull(column)
        : absence === 'null' && !hasNull
          ? { [field]: other }
          : test(column, other);
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

  text(read: Read, operator: TextTest, constant: string): Outcomes<Where> {
    const column = this.columnOf(read, operator);
    const { field, type } = column;
    if (type !== 'text') return this.at(read, { is: () => NEVER, fails: () => ALWAYS });
    if (column.values !== undefined) throw new Refusal(operator, 'of an enum');
    const isNull = column.null === 'never' ? NEVER : { [field]: null };
    if (operator === 'startsWith' && this.isBinary(column)) {
      const next = nextText(constant);
      return this.at(read, {
        is: (outcome) =>
          outcome
            ? test(column, { gte: constant, ...(next !== undefined && { lt: next }) })
            : this.anyOf([test(column, { lt: constant }), next === undefined ? NEVER : test(column, { gte: next })]),
        fails: () => isNull,
      });
    }
    if (this.mapping.provider === 'sqlite') throw new Refusal(operator, 'ignores case in SQLite');
    if (/[%_\\]/.test(constant))
      throw new Refusal(operator, 'a string with `%`, `_` or a backslash, which Prisma does not escape');
    return this.at(read, {
      is: (outcome) => test(column, outcome ? { [operator]: constant } : { not: { [operator]: constant } }),
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
    const hasOne = { [field]: texts.length === 1 ? { has: texts[0] } : { hasSome: texts } };
    const isNull = { [field]: { equals: null } };
    return this.at(read, {
      // Prisma reads a NULL as a list without elements.
      is: (outcome) => (outcome ? this.allOf([hasOne, { NOT: isNull }]) : this.anyOf([{ NOT: hasOne }, isNull])),
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
      const isNull = { [field]: { equals: null } };
      isEmpty = this.anyOf([{ [field]: { isEmpty: true } }, isNull]);
      isFull = this.allOf([{ [field]: { isEmpty: false } }, { NOT: isNull }]);
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

/** Wraps the tests in a separate list, so that fields written beside it replace none of them. */
function conjunctionOf(where: Where): Where {
  return Object.keys(where).length === 1 && Array.isArray(where.AND) ? where : { AND: [where] };
}

function joined(operator: 'AND' | 'OR', parts: readonly Where[], neutral: Where): Where {
  const flat = parts.flatMap((part) =>
    Object.keys(part).length === 1 && Array.isArray(part[operator]) ? (part[operator] as Where[]) : [part],
  );
  return flat.length < 2 ? (flat[0] ?? neutral) : { [operator]: flat };
}
