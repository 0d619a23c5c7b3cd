/** Plans as `where` objects of Prisma Client. */
import { requireAbsences } from '../absence.js';
import { refuseClosures } from '../closures.js';
import {
  type Bounds,
  type Comparison,
  type Elements,
  type FilterOptions,
  FIRST_TIME,
  LAST_TIME,
  type Outcomes,
  type PlannedFilter,
  Refusal,
  type Scalar,
  type Store,
  type TextTest,
  translated,
} from '../translation.js';
import type { RowReader } from '../attributes.js';
import { constantWhere } from './constants.js';
import { amongCounting, isMissing, isThere } from './counting.js';
import { type PrismaSchema, readDataModel } from './data-model.js';
import { requireFields } from './field-types.js';
import { escapePattern, loweredPattern, matchPattern, piecesOfText, sizeOfText, textOutcomes } from './patterns.js';
import { spellings } from '../spellings.js';
import { recordReader } from './records.js';
import { compareFields, compareTimes, elementIn } from './two-fields.js';
import {
  ALWAYS,
  idColumn,
  type NamedAttributes,
  type NamedColumn,
  type NamedMapping,
  type NamedRecord,
  type NamedRecords,
  NEVER,
  type PrismaMapping,
  type Where,
} from './mapping.js';
import {
  checkDigits,
  compareNumbers,
  isNotNull,
  LARGEST,
  NAMES,
  nextText,
  OPPOSITES,
  writeOrder,
  orderOfIntegers,
  orderOfTimes,
  storedValue,
  test,
  TYPES,
} from './column-tests.js';

export {
  type Bit,
  type CanFields,
  canFor,
  type CanNames,
  type CanOptions,
  type PlannedCapabilities,
  prismaCan,
  type ColumnMasks,
  type MaskedRow,
  type MaskOptions,
  type PrismaMask,
  prismaMask,
  type PrismaSql,
  type SourceOptions,
  type RecordsAsked,
  type Mapping,
} from './can.js';
export type { RowAttributes, RowReader, RowResource } from '../attributes.js';
export type { FactsOf } from '../column-source.js';
export { prismaFacts } from './facts.js';
export { ColumnTypeError } from '../column-types.js';
export type { PrismaSchema } from './data-model.js';
export type {
  PrismaAttribute,
  PrismaAttributes,
  PrismaColumn,
  PrismaMapping,
  PrismaRecord,
  PrismaRecords,
} from './mapping.js';
export { type FilterOptions, type PlannedFilter, UnsupportedPlanError } from '../translation.js';

/** Turns a plan into a `where` object, and reads records that a query returned. */
export interface PrismaAdapter<Where> extends RowReader<object, object> {
  /** @throws {UnsupportedPlanError} for a plan that cannot be translated exactly. */
  (plan: PlannedFilter, options?: FilterOptions): Where;
}

/**
 * Creates the function that turns a plan into a `where` object: `prismaAdapter<Prisma.NoteWhereInput>('Note', ..., prisma)`.
 *
 * @example
 * import { prismaAdapter } from 'authz/adapters/prisma';
 * import { createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * // In your project: import type { Prisma } from './prisma/client.js', and Prisma.AlbumWhereInput.
 * interface AlbumWhereInput {
 *   AND?: AlbumWhereInput | AlbumWhereInput[];
 *   ownerId?: string | { equals?: string };
 *   status?: string | { equals?: string } | null;
 * }
 * const allowed = prismaAdapter<AlbumWhereInput>('Album', {
 *   provider: 'postgresql',
 *   attributes: {
 *     owner: { field: 'ownerId', type: 'text', null: 'never' },
 *     status: { field: 'status', type: 'text' },
 *   },
 * });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plan = createEngine(policies).plan({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * // In a query: prisma.album.findMany({ where: allowed(plan) })
 * console.log(JSON.stringify(allowed(plan)));
 * // => {"AND":[{"OR":[{"AND":[{"status":{"not":"LOCKED"}},{"status":{"not":null}}]},{"status":null}]},{"ownerId":{"equals":"ann"}}]}
 *
 * @param schema the client, or the text of the schema, by whose types of fields the mapping is checked.
 * @throws {ColumnTypeError} if a word of the mapping is not right for the type of its field.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function prismaAdapter<Where extends object>(
  model: string,
  mapping: PrismaMapping<Where>,
  schema?: PrismaSchema,
): PrismaAdapter<Where> {
  const given = mapping as unknown as NamedMapping;
  const named = schema === undefined ? given : requireFields(model, given, readDataModel(schema));
  refuseClosures(named.attributes, 'Prisma');
  requireAbsences(given.attributes);
  const whereOf = (plan: PlannedFilter, options?: FilterOptions): Where => {
    const where = translated(plan, new Records(`the model \`${model}\``, named), BOUNDS[mapping.provider], options);
    const isConstant = where === ALWAYS || where === NEVER;
    return toConjunction(isConstant ? constantWhere(model, named, where === ALWAYS) : where) as Where;
  };
  return Object.assign(whereOf, recordReader(model, named));
}

/** Prisma splits a query with more parameters, which changes what it selects. */
const BOUNDS: { readonly [provider in NamedMapping['provider']]: Bounds } = {
  postgresql: { steps: 5_000, depth: 100 },
  sqlite: { steps: 900, depth: 100 },
};

/** What an operand reads: a column, a related record, or related records, and the records on the way to it. */
interface Read {
  readonly stored: NamedColumn | NamedRecord | NamedRecords | Model;
  readonly records: readonly NamedRecord[];
  /** The model whose `where` it is in. */
  readonly model: Model;
}

/** The resource, or an element of a list. */
interface Model {
  readonly attributes: NamedAttributes;
  readonly value?: NamedColumn;
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
    const column = idColumn(this.mapping);
    if (column === undefined) throw new Refusal('variable', 'no field is mapped for request.resource.id');
    return { stored: column, records: [], model: this.root };
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
    if (comparison === 'eq') return this.among(read, [constant]);
    const column = this.readColumn(read, comparison);
    if (column.type === 'integer-as-text') throw new Refusal(comparison, 'the order of integers as strings');
    if (column.type === 'uuid') throw new Refusal(comparison, 'the order of UUIDs');
    const isNull = column.null === 'never' ? NEVER : { [column.field]: null };
    if (TYPES[column.type] !== typeof constant) return this.at(read, { is: () => NEVER, fails: () => ALWAYS });
    if (typeof constant === 'string' && !this.isBinary(column))
      throw new Refusal(comparison, 'the order of a text column, which is not declared to be that of bytes');
    const where = (one: Exclude<Comparison, 'eq'>): Where => {
      const ordered =
        column.type === 'integer' ? orderOfIntegers(one, constant as number, column.bits) : writeOrder(one, constant);
      if (typeof ordered === 'object') return test(column, ordered);
      return ordered ? isNotNull(column) : NEVER;
    };
    return this.at(read, {
      is: (outcome) => where(outcome ? comparison : OPPOSITES[comparison]),
      fails: () => isNull,
    });
  }

  among(read: Read, constants: readonly Scalar[]): Outcomes<Where> {
    const column = this.readColumn(read, 'eq');
    const { field, type, null: absence = 'missing' } = column;
    const equal = [...new Set(constants.flatMap((constant) => storedValue(column, constant) ?? []))];
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
    if ('relation' in stored) {
      const [present, missing] = stored.relation === 'one' ? [isThere(stored), isMissing(stored)] : [ALWAYS, NEVER];
      return this.at(read, { is: (outcome) => (outcome ? present : missing), fails: () => NEVER });
    }
    const isMissable = stored.type !== 'list' && (stored.null ?? 'missing') === 'missing';
    const { field } = stored;
    return this.at(read, {
      is: (outcome) => (isMissable ? { [field]: outcome ? { not: null } : null } : outcome ? ALWAYS : NEVER),
      fails: () => NEVER,
    });
  }

  text(read: Read, operator: TextTest, constant: string): Outcomes<Where> {
    const column = this.readColumn(read, operator);
    const { field, type } = column;
    // Whether it is a string.
    if (constant === '' && TYPES[type] === 'string')
      return this.at(read, {
        is: (outcome) => (outcome ? isNotNull(column) : NEVER),
        fails: () => (column.null === 'never' ? NEVER : { [field]: null }),
      });
    if (type === 'integer-as-text' || type === 'uuid') throw new Refusal(operator, `of a field of the type ${type}`);
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
    this.requirePatterns(operator);
    return this.at(read, matchPattern(column, operator, escapePattern(constant)));
  }

  /** The outcomes of a test of strings; it fails for other values. */
  private ofText(read: Read, operator: string, outcomes: (column: NamedColumn) => Outcomes<Where>): Outcomes<Where> {
    const column = this.readColumn(read, operator);
    if (TYPES[column.type] !== 'string') return this.at(read, { is: () => NEVER, fails: () => ALWAYS });
    if (column.type !== 'text') throw new Refusal(operator, `of a field of the type ${column.type}`);
    return this.at(read, outcomes(column));
  }

  lowered(read: Read, operator: 'eq' | TextTest, constant: string | undefined): Outcomes<Where> {
    return this.ofText(read, `${operator} of lowerAscii`, (column) => {
      const none = textOutcomes(column, (outcome) => (outcome ? NEVER : isNotNull(column)));
      if (constant === undefined) return none;
      const all = operator === 'eq' ? spellings(constant) : undefined;
      if (all !== undefined) {
        const stored = all.filter((one) => column.values?.includes(one) !== false);
        if (stored.length === 0) return none;
        return textOutcomes(column, (outcome) => test(column, { [outcome ? 'in' : 'notIn']: stored }));
      }
      this.requirePatterns(operator);
      if (column.values !== undefined) throw new Refusal(operator, 'of an enum');
      if (column.collation !== 'binary')
        throw new Refusal('lowerAscii', 'of a text column that is not declared to have the order of bytes');
      if (/[^\0-\x7f]/.test(constant)) throw new Refusal('lowerAscii', 'compared with letters beyond ASCII');
      return loweredPattern(column, operator, escapePattern(constant), this.combines);
    });
  }

  pieces(read: Read, separator: string, comparison: Comparison, count: number): Outcomes<Where> {
    this.requirePatterns('split');
    return this.ofText(read, 'split', (column) => {
      if (column.values !== undefined) throw new Refusal('split', 'of an enum');
      return piecesOfText(column, separator, comparison, count);
    });
  }

  piece(read: Read, separator: string, position: number, constant: string): Outcomes<Where> {
    if (position !== 0) throw new Refusal('split', 'by a piece other than the first');
    if (constant.includes(separator))
      return this.ofText(read, 'split', (column) =>
        textOutcomes(column, (outcome) => (outcome ? NEVER : isNotNull(column))),
      );
    const [isWhole, isStart] = [
      this.compared(read, 'eq', constant),
      this.text(read, 'startsWith', constant + separator),
    ];
    return {
      is: (outcome) =>
        outcome ? this.anyOf([isWhole.is(true), isStart.is(true)]) : this.allOf([isWhole.is(false), isStart.is(false)]),
      fails: () => isStart.fails(),
    };
  }

  private requirePatterns(operator: string): void {
    if (this.mapping.provider === 'sqlite') throw new Refusal(operator, 'ignores case in SQLite');
  }

  comparedFields(left: Read, comparison: Comparison, right: Read): Outcomes<Where> {
    const [one, other] = [this.readColumn(left, comparison), this.readColumn(right, comparison)];
    requireOneRecord(left, right, comparison);
    return this.at(
      left,
      compareFields(one, comparison, other, this.combines, (column) => this.isBinary(column)),
    );
  }

  /** A list of strings is a column, which is searched for whole elements. */
  spellsElements({ stored }: Read): boolean {
    return 'type' in stored && stored.type === 'list';
  }

  /** Whether a list has the value of another field. */
  sharingField(list: Read, element: Read): Outcomes<Where> {
    const { stored } = list;
    if (!('type' in stored) || stored.type !== 'list') throw new Refusal('in', 'of two attributes');
    requireOneRecord(list, element, 'in');
    return this.at(list, elementIn(this.listOf(list), this.readColumn(element, 'in'), this.combines));
  }

  private readonly combines = {
    allOf: (parts: readonly Where[]): Where => this.allOf(parts),
    anyOf: (parts: readonly Where[]): Where => this.anyOf(parts),
  };

  moment(read: Read, comparison: Comparison, at: number): Outcomes<Where> {
    const column = this.readSingle(read, 'timestamp');
    if (column.type !== 'timestamp') throw new Refusal('timestamp', 'of a field that is not mapped as a timestamp');
    if (this.mapping.provider === 'sqlite') throw new Refusal('timestamp', STRINGS_OF_TIMES);
    const isTime = (one: Comparison): Where => test(column, orderOfTimes(one, at));
    return this.at(read, {
      is: (outcome) =>
        comparison !== 'eq'
          ? isTime(outcome ? comparison : OPPOSITES[comparison])
          : outcome
            ? isTime('eq')
            : this.anyOf([isTime('lt'), isTime('gt')]),
      fails: () =>
        this.anyOf([
          column.null === 'never' ? NEVER : { [column.field]: null },
          test(column, { lt: new Date(FIRST_TIME) }),
          test(column, { gt: new Date(LAST_TIME) }),
        ]),
    });
  }

  moments(left: Read, comparison: Comparison, right: Read): Outcomes<Where> {
    const [one, other] = [this.readSingle(left, 'timestamp'), this.readSingle(right, 'timestamp')];
    if (one.type !== 'timestamp' || other.type !== 'timestamp')
      throw new Refusal('timestamp', 'of a field that is not mapped as a timestamp');
    if (this.mapping.provider === 'sqlite') throw new Refusal('timestamp', STRINGS_OF_TIMES);
    requireOneRecord(left, right, 'timestamp');
    return this.at(left, compareTimes(one, comparison, other, this.combines));
  }

  isText({ stored }: Read): boolean {
    return 'type' in stored && stored.type === 'text';
  }

  sharing(read: Read, constants: readonly Scalar[]): Outcomes<Where> {
    const { stored } = read;
    if ('relation' in stored && stored.relation === 'many') {
      const { element, some, every } = this.elements(read);
      const isOne = (): Where => this.among(element, constants).is(true);
      return { is: (outcome) => (outcome ? some(isOne) : every(isOne, isOne)), fails: () => this.recordsFail(read) };
    }
    if (!('type' in stored) || stored.type !== 'list') throw new Refusal('in', 'of something that is not a list');
    const { field, values } = this.listOf(read);
    const texts = constants.filter((constant) => typeof constant === 'string' && values?.includes(constant) !== false);
    if (texts.length === 0) return this.at(read, { is: (outcome) => (outcome ? NEVER : ALWAYS), fails: () => NEVER });
    const hasOne = { [field]: texts.length === 1 ? { has: texts[0] } : { hasSome: texts } };
    const isNull = { [field]: { equals: null } };
    return this.at(read, {
      // Prisma reads a NULL as a list without elements.
      is: (outcome) => (outcome ? this.allOf([hasOne, { NOT: isNull }]) : this.anyOf([{ NOT: hasOne }, isNull])),
      fails: () => NEVER,
    });
  }

  sameList(read: Read, constants: readonly Scalar[]): Outcomes<Where> {
    const { stored } = read;
    const isList = 'type' in stored && stored.type === 'list';
    if (!isList) {
      if ('relation' in stored || !('type' in stored)) throw new Refusal('eq', 'of related records and a list');
      const outcomes = this.among(read, [null]);
      // No value is a list.
      return {
        is: (outcome) => (outcome ? NEVER : this.anyOf([outcomes.is(true), outcomes.is(false)])),
        fails: () => outcomes.fails(),
      };
    }
    const { field, values } = this.listOf(read);
    const isPossible = constants.every((one) => typeof one === 'string' && values?.includes(one) !== false);
    if (!isPossible) return this.at(read, { is: (outcome) => (outcome ? NEVER : ALWAYS), fails: () => NEVER });
    const isNull = { [field]: { equals: null } };
    const isSame = { [field]: { equals: constants } };
    return this.at(read, {
      is: (outcome) => (outcome ? this.allOf([isSame, { NOT: isNull }]) : this.anyOf([{ NOT: isSame }, isNull])),
      fails: () => NEVER,
    });
  }

  size(read: Read, comparison: Comparison, size: number): Outcomes<Where> {
    const { stored } = read;
    if (this.isText(read)) {
      this.requirePatterns('size');
      return this.ofText(read, 'size', (column) => {
        if (column.values !== undefined) throw new Refusal('size', 'of an enum');
        return sizeOfText(column, comparison, size);
      });
    }
    const isEmptyWanted = compareNumbers(0, comparison, size);
    const isFullWanted = compareNumbers(1, comparison, size);
    if (size > 1 || (size === 1 && comparison !== 'lt' && comparison !== 'ge'))
      throw new Refusal('size', 'other than whether there are elements');
    if (!('field' in stored)) throw new Refusal('size', 'of an element');
    const { field } = stored;
    let isEmpty: Where;
    let isFull: Where;
    if ('relation' in stored && stored.relation === 'many') {
      const counting = amongCounting(stored, ALWAYS);
      [isEmpty, isFull] = [{ [field]: { none: counting } }, { [field]: { some: counting } }];
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
    const { stored } = read;
    const whole =
      'relation' in stored ? WHOLES[stored.relation] : 'type' in stored && stored.type === 'list' ? 'list' : '';
    if (whole === 'map') throw new Refusal('type', 'of a related record');
    if (whole !== '') {
      const isOfType = whole === type;
      return this.at(read, { is: (outcome) => (outcome === isOfType ? ALWAYS : NEVER), fails: () => NEVER });
    }
    const column = this.readColumn(read, 'type');
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
      return this.at(read, {
        is: () => ({ [stored.field]: { [quantifier]: amongCounting(stored, where) } }),
        fails: () => NEVER,
      }).is(true);
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

  private isBinary({ collation }: NamedColumn): boolean {
    return collation === 'binary' || this.mapping.provider === 'sqlite';
  }

  /** A column that is not read as a time. */
  private readColumn(read: Read, operator: string): NamedColumn {
    const column = this.readSingle(read, operator);
    if (column.type === 'timestamp' && operator !== 'type')
      throw new Refusal(operator, 'a timestamp as a string: compare it with timestamp(...)');
    return column;
  }

  private readSingle({ stored }: Read, operator: string): NamedColumn {
    const column = 'type' in stored ? stored : 'value' in stored && !('relation' in stored) ? stored.value : undefined;
    if (column === undefined || column.type === 'list')
      throw new Refusal(operator, 'of related records or of a list as a whole');
    return column;
  }

  private listOf({ stored }: Read): NamedColumn {
    if (this.mapping.provider === 'sqlite') throw new Refusal('list', 'SQLite has no lists');
    return stored as NamedColumn;
  }

  /** The queries of a test of a record, as queries of the model: each record on the way must be there. */
  private at({ records, model }: Read, outcomes: Outcomes<Where>): Outcomes<Where> {
    if (model !== this.model) throw OUTSIDE;
    const through = (where: Where, count = records.length): Where =>
      records.slice(0, count).reduceRight((inner, record) => {
        if (inner === NEVER) return NEVER;
        return inner === ALWAYS ? isThere(record) : { [record.field]: { is: amongCounting(record, inner) } };
      }, where);
    return {
      is: (outcome) => through(outcomes.is(outcome)),
      fails: () =>
        this.anyOf([
          ...records.map((record, position) => through(isMissing(record), position)),
          through(outcomes.fails()),
        ]),
    };
  }
}

const STRINGS_OF_TIMES = 'SQLite orders the strings in which Prisma stores times, which have several formats';

/** Prisma compares the fields of one record. */
function requireOneRecord(left: Read, right: Read, operator: string): void {
  const isOne =
    left.model === right.model &&
    left.records.length === right.records.length &&
    left.records.every((record, index) => record === right.records[index]);
  if (!isOne) throw new Refusal(operator, 'of fields of two records');
}

/** The types of what is related. */
const WHOLES = { one: 'map', many: 'list' } as const;

const OUTSIDE = new Refusal('exists', 'a condition on elements that also reads the resource or other elements');

/** Wraps the tests in a separate list, so that fields written beside it replace none of them. */
function toConjunction(where: Where): Where {
  return Object.keys(where).length === 1 && Array.isArray(where.AND) ? where : { AND: [where] };
}

function joined(operator: 'AND' | 'OR', parts: readonly Where[], neutral: Where): Where {
  const flat = parts.flatMap((part) =>
    Object.keys(part).length === 1 && Array.isArray(part[operator]) ? (part[operator] as Where[]) : [part],
  );
  return flat.length < 2 ? (flat[0] ?? neutral) : { [operator]: flat };
}
