/** Plans as queries of Elasticsearch and OpenSearch. */
import { requireAbsences } from './absence.js';
import { refuseClosures } from './closures.js';
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

/** A query of the query DSL, as JSON. It belongs where no score is needed: in the `filter` of a `bool` query. */
export interface SearchQuery {
  readonly [query: string]: unknown;
}

/** The names of the fields of a document, and of what is below them: `home.city`, `title.raw`. */
export type SearchField<Document> = (keyof Document & string) | `${keyof Document & string}.${string}`;

/** A field of the index. It has one value in each document, unless it is `many`. */
export interface SearchColumn<Document> {
  readonly field: SearchField<Document>;
  /**
   * The type in the mapping of the index. Other types of numbers lose digits, and `text` is analysed. The source of a
   * `date` is a string as `toISOString` writes it.
   */
  readonly type: 'keyword' | 'long' | 'double' | 'boolean' | 'date';
  /** Whether it has a list of values, which is never missing for check: an empty list if there is none. */
  readonly many?: boolean;
  /** What check receives if the document does not have it: no attribute, null, or that never is. `missing` if absent. */
  readonly null?: 'missing' | 'null' | 'never';
}

/** A field of the type `nested`: a list of objects, which is never missing for check. */
export interface SearchNested<Document> {
  readonly nested: SearchField<Document>;
  /** The fields of an object, with the whole path of each: `shares.user`. */
  readonly attributes: { readonly [attributePath: string]: SearchColumn<Document> };
}

/** Where the attributes of a resource are stored. */
export interface SearchMapping<Document> {
  /** The keyword field with the id of the resource as check receives it. */
  readonly id?: SearchField<Document>;
  /** Fields by attribute: `owner`; `home.city` for a field of one. Plans that read other attributes are refused. */
  readonly attributes: { readonly [attributePath: string]: SearchColumn<Document> | SearchNested<Document> };
}

/**
 * Creates the function that turns a plan into a query: `elasticsearchAdapter<Note>('notes', ...)`.
 *
 * @example
 * import { elasticsearchAdapter } from 'authz/adapters/elasticsearch';
 * import { createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * interface Album {
 *   ownerId: string;
 *   status: string;
 * }
 * const allowed = elasticsearchAdapter<Album>('albums', {
 *   attributes: { owner: { field: 'ownerId', type: 'keyword' }, status: { field: 'status', type: 'keyword' } },
 * });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plan = createEngine(policies).plan({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * // In a search: client.search({ index: 'albums', query: allowed(plan) })
 * console.log(Object.keys(allowed(plan))); // => [ 'bool' ]
 *
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function elasticsearchAdapter<Document extends object>(
  index: string,
  mapping: SearchMapping<Document>,
): (plan: PlannedFilter, options?: FilterOptions) => SearchQuery {
  refuseClosures(mapping.attributes, 'Elasticsearch');
  requireAbsences(mapping.attributes);
  return (plan, options) => translated(plan, new Queries(`the index \`${index}\``, mapping), BOUNDS, options);
}

/** A query has at most 1,024 clauses, and 20 levels of `bool` in some versions; each is two or three levels of JSON. */
const BOUNDS: Bounds = { steps: 1_000, depth: 50 };

/** A mapping, by names that may be any. */
interface NamedMapping {
  readonly id?: string;
  readonly attributes: { readonly [attributePath: string]: NamedColumn | NamedNested };
}
interface NamedColumn {
  readonly field: string;
  readonly type: 'keyword' | 'long' | 'double' | 'boolean' | 'date';
  readonly many?: boolean;
  readonly null?: 'missing' | 'null' | 'never';
}
interface NamedNested {
  readonly nested: string;
  readonly attributes: { readonly [attributePath: string]: NamedColumn };
}

/** What an operand reads. */
interface Read {
  readonly stored: NamedColumn | NamedNested | 'element';
  /** The nested field whose objects are read; each object is a document of its own. */
  readonly within: NamedNested | undefined;
  /** Whether it is any of the values of a field. */
  readonly isAny?: boolean;
  /** Whether it is a field of an object, which the index does not have. */
  readonly isInside?: boolean;
}

const ALWAYS: SearchQuery = { match_all: {} };
const NEVER: SearchQuery = { match_none: {} };

class Queries implements Store<SearchQuery, Read> {
  readonly always = ALWAYS;
  readonly never = NEVER;
  /** The documents of the query that is being made. */
  private within: NamedNested | undefined = undefined;
  /** Whether it is about any of several values, of which a second test may find another one. */
  private isAny = false;

  constructor(
    readonly target: string,
    private readonly mapping: NamedMapping,
  ) {}

  allOf(parts: readonly SearchQuery[]): SearchQuery {
    if (parts.includes(NEVER)) return NEVER;
    const left = parts.filter((part) => part !== ALWAYS);
    if (left.length < 2) return left[0] ?? ALWAYS;
    if (this.isAny) throw new Refusal('and', 'of tests of an element, which may be true of different elements');
    return { bool: { filter: left.flatMap((part) => clauses(part, 'filter') ?? [part]) } };
  }

  anyOf(parts: readonly SearchQuery[]): SearchQuery {
    if (parts.includes(ALWAYS)) return ALWAYS;
    const left = parts.filter((part) => part !== NEVER);
    if (left.length < 2) return left[0] ?? NEVER;
    return { bool: { should: left.flatMap((part) => clauses(part, 'should') ?? [part]), minimum_should_match: 1 } };
  }

  id(): Read {
    const { id } = this.mapping;
    if (id === undefined) throw new Refusal('variable', 'no field is mapped for request.resource.id');
    return { stored: { field: id, type: 'keyword', null: 'never' }, within: undefined };
  }

  attribute(path: readonly string[]): Read {
    const { attributes } = this.mapping;
    const name = path.join('.');
    const stored = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if (stored === undefined) throw new Refusal('variable', `no field is mapped for request.resource.attr.${name}`);
    return { stored, within: undefined, isInside: path.length > 1 };
  }

  below({ stored, within }: Read, name: string): Read {
    const field =
      stored === 'element' && within !== undefined && Object.hasOwn(within.attributes, name)
        ? within.attributes[name]
        : undefined;
    if (field === undefined) throw new Refusal('variable', `no field is mapped for ${name}`);
    return { stored: field, within };
  }

  compared(read: Read, comparison: Comparison, constant: Scalar): Outcomes<SearchQuery> {
    if (comparison === 'eq') return this.among(read, [constant]);
    const column = this.readColumn(read, comparison);
    if (TYPES[column.type] !== typeof constant) return this.test(read, () => NEVER, { isFalse: NEVER, fails: ALWAYS });
    const range = (one: Exclude<Comparison, 'eq'>): SearchQuery => writeRange(column, one, constant);
    const opposite = { lt: 'ge', le: 'gt', gt: 'le', ge: 'lt' }[comparison] as Exclude<Comparison, 'eq'>;
    return this.test(read, () => range(comparison), { isFalse: range(opposite), fails: this.isMissing(read, column) });
  }

  among(read: Read, constants: readonly Scalar[]): Outcomes<SearchQuery> {
    const column = this.readColumn(read, 'eq');
    const { field, type, null: absence = 'missing' } = column;
    const equal = [...new Set(constants.filter((constant) => isValueOf(type, constant)))];
    const zero = type === 'double' && equal.includes(0) ? [range(field, { gte: '-0.0', lte: 0 })] : [];
    const others = zero.length > 0 ? equal.filter((constant) => constant !== 0) : equal;
    const isOne = this.anyOf([
      ...zero,
      others.length === 0
        ? NEVER
        : others.length === 1
          ? { term: { [field]: { value: others[0] } } }
          : { terms: { [field]: others } },
    ]);
    if (read.isAny === true) return this.test(read, () => isOne, { isFalse: otherThan(column, equal), fails: NEVER });
    const isNull = absence === 'null' ? this.isMissing(read, column) : NEVER;
    const isThere = absence === 'never' ? ALWAYS : { exists: { field } };
    const hasNull = constants.includes(null);
    return this.test(read, () => this.anyOf([isOne, hasNull ? isNull : NEVER]), {
      isFalse: this.anyOf([this.allOf([isThere, negate(isOne)]), hasNull ? NEVER : isNull]),
      fails: absence === 'missing' ? this.isMissing(read, column) : NEVER,
    });
  }

  presence(read: Read): Outcomes<SearchQuery> {
    const { stored } = read;
    if (stored === 'element') throw new Refusal('has', 'of an element');
    if ('nested' in stored || stored.many === true || (stored.null ?? 'missing') !== 'missing')
      return this.test(read, () => ALWAYS, { isFalse: NEVER, fails: NEVER });
    this.check(read);
    const isMissing = this.isMissing(read, stored);
    const toldApart = (query: SearchQuery): SearchQuery => {
      if (read.isInside === true)
        throw new Refusal('has', 'that is false, as an index does not tell an empty object from none');
      return query;
    };
    const isThere = { exists: { field: stored.field } };
    return {
      is: (outcome) => (outcome ? isThere : toldApart(isMissing)),
      fails: () => NEVER,
      isNot: (outcome) => (outcome ? isMissing : toldApart(isThere)),
    };
  }

  moment(read: Read, comparison: Comparison, at: number): Outcomes<SearchQuery> {
    const column = this.readSingle(read, 'timestamp');
    const { field } = column;
    if (column.type !== 'date') throw new Refusal('timestamp', 'of a field that is not mapped as a date');
    const text = new Date(at).toISOString();
    const where = (bounds: object): SearchQuery => range(field, { ...bounds, format: 'strict_date_time' });
    const bounds = {
      eq: where({ gte: text, lte: text }),
      lt: where({ lt: text }),
      le: where({ lte: text }),
      gt: where({ gt: text }),
      ge: where({ gte: text }),
    };
    const isOther = this.anyOf([bounds.lt, bounds.gt]);
    const isFalse = { eq: isOther, lt: bounds.ge, le: bounds.gt, gt: bounds.le, ge: bounds.lt }[comparison];
    return this.test(read, () => bounds[comparison], { isFalse, fails: this.isMissing(read, column) });
  }

  moments(): Outcomes<SearchQuery> {
    throw new Refusal('timestamp', 'of two attributes');
  }

  typed(read: Read, type: string): Outcomes<SearchQuery> {
    const { stored } = read;
    const is = (isOfType: boolean): Outcomes<SearchQuery> =>
      this.test(read, () => (isOfType ? ALWAYS : NEVER), { isFalse: isOfType ? NEVER : ALWAYS, fails: NEVER });
    if (stored === 'element') return is(type === 'map');
    if ('nested' in stored || stored.many === true) return is(type === 'list');
    const { field, null: absence = 'missing' } = stored;
    const isMissing = this.isMissing(read, stored);
    const isThere: SearchQuery = absence === 'never' ? ALWAYS : { exists: { field } };
    const isNull = absence === 'null' ? isMissing : NEVER;
    const [isTrue, isFalse] =
      type === 'null_type'
        ? [isNull, isThere]
        : CEL_TYPES[stored.type] === type
          ? [isThere, isNull]
          : [NEVER, this.anyOf([isThere, isNull])];
    return this.test(read, () => isTrue, { isFalse, fails: absence === 'missing' ? isMissing : NEVER });
  }

  isText({ stored }: Read): boolean {
    return stored !== 'element' && !('nested' in stored) && stored.many !== true && stored.type === 'keyword';
  }

  text(read: Read, test: TextTest, constant: string): Outcomes<SearchQuery> {
    return this.textOutcomes(read, test, (field) =>
      test === 'startsWith'
        ? { prefix: { [field]: { value: constant } } }
        : { wildcard: { [field]: { value: `*${literalPattern(constant)}${test === 'contains' ? '*' : ''}` } } },
    );
  }

  /** `case_insensitive` is about the letters of ASCII. */
  lowered(read: Read, test: 'eq' | TextTest, constant: string | undefined): Outcomes<SearchQuery> {
    return this.textOutcomes(read, `${test} of lowerAscii`, (field) => {
      if (constant === undefined) return NEVER;
      const alike = (value: string): SearchQuery => ({ [field]: { value, case_insensitive: true } });
      if (test === 'eq') return { term: alike(constant) };
      if (test === 'startsWith') return { prefix: alike(constant) };
      return { wildcard: alike(`*${literalPattern(constant)}${test === 'contains' ? '*' : ''}`) };
    });
  }

  pieces(read: Read, separator: string, comparison: Comparison, count: number): Outcomes<SearchQuery> {
    if (Math.abs(count) > MOST_PIECES) throw new Refusal('split', `into more than ${MOST_PIECES} pieces`);
    return this.textOutcomes(read, 'split', (field) => {
      const areAtLeast = (least: number): SearchQuery =>
        least < 2
          ? ALWAYS
          : { wildcard: { [field]: { value: `*${`${literalPattern(separator)}*`.repeat(least - 1)}` } } };
      switch (comparison) {
        case 'eq':
          return count < 1 ? NEVER : this.allOf([areAtLeast(count), negate(areAtLeast(count + 1))]);
        case 'lt':
          return negate(areAtLeast(count));
        case 'le':
          return negate(areAtLeast(count + 1));
        case 'gt':
          return areAtLeast(count + 1);
        case 'ge':
          return areAtLeast(count);
      }
    });
  }

  private textOutcomes(read: Read, test: string, query: (field: string) => SearchQuery): Outcomes<SearchQuery> {
    const column = this.readColumn(read, test);
    const { field } = column;
    if (column.type !== 'keyword') return this.test(read, () => NEVER, { isFalse: NEVER, fails: ALWAYS });
    const isThere = column.null === 'never' ? ALWAYS : { exists: { field } };
    const found = query(field);
    // A query that negates finds documents without the field, too.
    const holds = 'bool' in found || found === ALWAYS ? this.allOf([isThere, found]) : found;
    if (read.isAny === true) {
      this.check(read);
      if ('bool' in found) throw new Refusal(test, 'of an element, in more than one test');
      const is = (outcome: boolean): SearchQuery => {
        if (!outcome) throw new Refusal(test, 'that is false for an element');
        return holds;
      };
      return { is, fails: () => NEVER };
    }
    return this.test(read, () => holds, {
      isFalse: this.allOf([isThere, negate(found)]),
      fails: this.isMissing(read, column),
    });
  }

  sharing(read: Read, constants: readonly Scalar[]): Outcomes<SearchQuery> {
    const { stored } = read;
    if (stored === 'element' || 'nested' in stored || stored.many !== true)
      throw new Refusal('in', 'of something that is not declared as `many`');
    const isOne = this.among({ ...read, stored: { ...stored, many: false, null: 'never' } }, constants).is(true);
    return { is: (outcome) => (outcome ? isOne : negate(isOne)), fails: () => NEVER };
  }

  size(read: Read, comparison: Comparison, size: number): Outcomes<SearchQuery> {
    const { stored } = read;
    if (stored === 'element' || !('nested' in stored || stored.many === true))
      throw new Refusal('size', 'of something that is not declared as `many`');
    if (size > 1 || (size === 1 && comparison !== 'lt' && comparison !== 'ge'))
      throw new Refusal('size', 'other than whether there are elements');
    const isFull: SearchQuery =
      'nested' in stored ? { nested: { path: stored.nested, query: ALWAYS } } : { exists: { field: stored.field } };
    const isWanted = (count: number): boolean =>
      ({ eq: count === size, lt: count < size, le: count <= size, gt: count > size, ge: count >= size })[comparison];
    const where = (outcome: boolean): SearchQuery =>
      this.anyOf([isWanted(0) === outcome ? negate(isFull) : NEVER, isWanted(1) === outcome ? isFull : NEVER]);
    return this.test(read, () => where(true), { isFalse: where(false), fails: NEVER });
  }

  elements(read: Read): Elements<SearchQuery, Read> {
    const { stored } = read;
    this.check(read);
    if (stored === 'element') throw new Refusal('exists', 'over an element');
    if ('nested' in stored) {
      const related = (query: SearchQuery): SearchQuery =>
        query === NEVER ? NEVER : { nested: { path: stored.nested, query } };
      return {
        element: { stored: 'element', within: stored },
        some: (isWanted) => related(this.about(stored, false, isWanted)),
        every: (_, isUnwanted) => negate(related(this.about(stored, false, isUnwanted))),
        fails: () => NEVER,
      };
    }
    if (stored.many !== true) throw new Refusal('exists', 'over something that is not declared as `many`');
    // Each value is in the same field: one test finds one of them.
    const within: NamedNested = { nested: stored.field, attributes: {} };
    return {
      element: { stored: { ...stored, many: false, null: 'never' }, within, isAny: true },
      some: (isWanted) => this.existing(stored, this.about(within, true, isWanted)),
      every: (_, isUnwanted) => negate(this.existing(stored, this.about(within, true, isUnwanted))),
      fails: () => NEVER,
    };
  }

  /** A query about a value, where there is one. */
  private existing({ field }: NamedColumn, query: SearchQuery): SearchQuery {
    return query === ALWAYS ? { exists: { field } } : query;
  }

  private about(within: NamedNested, isAny: boolean, query: () => SearchQuery): SearchQuery {
    const outer = [this.within, this.isAny] as const;
    [this.within, this.isAny] = [within, isAny];
    try {
      return query();
    } finally {
      [this.within, this.isAny] = outer;
    }
  }

  private check(read: Read): void {
    if (read.within !== this.within)
      throw new Refusal('exists', 'a condition on elements that also reads the resource or other elements');
  }

  private test(
    read: Read,
    holds: () => SearchQuery,
    { isFalse, fails }: { readonly isFalse: SearchQuery; readonly fails: SearchQuery },
  ): Outcomes<SearchQuery> {
    this.check(read);
    return { is: (outcome) => (outcome ? holds() : isFalse), fails: () => fails };
  }

  /** A field with one value that is not read as a time. */
  private readColumn(read: Read, operator: string): NamedColumn {
    const column = this.readSingle(read, operator);
    if (column.type === 'date') throw new Refusal(operator, 'a date as a string: compare it with timestamp(...)');
    return column;
  }

  private readSingle({ stored }: Read, operator: string): NamedColumn {
    if (stored === 'element' || 'nested' in stored) throw new Refusal(operator, 'of an object');
    if (stored.many === true) throw new Refusal(operator, 'of a list as a whole, whose values are all in one field');
    return stored;
  }

  /** Where a document has no value, and not one that was too long or malformed for the index. */
  private isMissing(read: Read, { field, null: absence }: NamedColumn): SearchQuery {
    if (absence === 'never' || read.isAny === true) return NEVER;
    return { bool: { must_not: [{ exists: { field } }, { term: { _ignored: { value: field } } }] } };
  }
}

const TYPES = { keyword: 'string', long: 'number', double: 'number', boolean: 'boolean', date: 'string' } as const;
const CEL_TYPES = { keyword: 'string', long: 'double', double: 'double', boolean: 'bool', date: 'string' } as const;

/** A pattern of so many wildcards is still cheap. */
const MOST_PIECES = 20;

/** A pattern of `wildcard` that matches a string. */
function literalPattern(text: string): string {
  return text.replace(/[*?\\]/g, '\\$&');
}

function isValueOf(type: NamedColumn['type'], constant: Scalar): boolean {
  return typeof constant === TYPES[type] && (type !== 'long' || Number.isSafeInteger(constant));
}

function negate(query: SearchQuery): SearchQuery {
  if (query === NEVER) return ALWAYS;
  return query === ALWAYS ? NEVER : { bool: { must_not: [query] } };
}

/** The clauses of a query that has no others. */
function clauses({ bool }: SearchQuery, occurrence: 'filter' | 'should'): readonly SearchQuery[] | undefined {
  const all = bool as { readonly [name: string]: readonly SearchQuery[] } | undefined;
  const names = Object.keys(all ?? {}).filter((name) => name !== 'minimum_should_match');
  return names.length === 1 && names[0] === occurrence ? all?.[occurrence] : undefined;
}

function range(field: string, bounds: object): SearchQuery {
  return { range: { [field]: bounds } };
}

/** The index orders -0.0 before 0.0, and JSON writes both as 0. */
function writeRange(
  { field, type }: NamedColumn,
  comparison: Exclude<Comparison, 'eq'>,
  constant: Scalar,
): SearchQuery {
  const operator = { lt: 'lt', le: 'lte', gt: 'gt', ge: 'gte' }[comparison];
  if (type === 'long' && Math.abs(constant as number) > Number.MAX_SAFE_INTEGER)
    throw new Refusal(comparison, 'a number that is too large for an integer');
  const isLow = comparison === 'lt' || comparison === 'ge';
  if (constant !== 0) return range(field, { [operator]: constant });
  return range(field, { [operator]: type === 'double' && isLow ? '-0.0' : 0 });
}

/** The values other than some: those between them. */
function otherThan({ field, type }: NamedColumn, values: readonly Scalar[]): SearchQuery {
  if (type === 'boolean') throw new Refusal('ne', 'of the elements of a list of booleans');
  if (type === 'double' && values.includes(0)) throw new Refusal('ne', 'of zero and the elements of a list');
  if (values.length === 0) return ALWAYS;
  const sorted = [...values].sort((a, b) =>
    typeof a === 'string' ? inBytes(a, b as string) : (a as number) - (b as number),
  );
  const gaps = sorted.map((value, position) =>
    range(field, { gt: value, ...(position + 1 < sorted.length && { lt: sorted[position + 1] }) }),
  );
  return { bool: { should: [range(field, { lt: sorted[0] }), ...gaps], minimum_should_match: 1 } };
}

/** The order of keywords, which is that of their bytes. */
function inBytes(a: string, b: string): number {
  const [one, other] = [[...a], [...b]];
  const position = one.findIndex((point, index) => point !== other[index]);
  if (position === -1) return one.length - other.length;
  return ((one[position] as string).codePointAt(0) as number) - (other[position]?.codePointAt(0) ?? -1);
}
