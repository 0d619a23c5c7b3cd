import { isReached, someReached } from './closures.js';
import { ALWAYS, allOf, anyOf, compared, listed, NEVER, sql, type Sql, unless } from './fragment.js';
import { constantBytes, equality, isNull, readable } from './comparisons.js';
import { readKeys, type RelatedRange } from './key-sets.js';
import { Refusal } from './refusal.js';
import { countOfRows, itemsOfRows } from './relations.js';
import { byKeys } from './semi-joins.js';
import { aliasOfItems, jsonAs, negated, type Scope, textConstant } from './scope.js';
import { FAILED, type Json, type RelatedRows, type Scalar, scalar, type SqlValue } from './value.js';

/** Where a value is an element of a collection or a key of it, or where both are present and it is not. */
export function membership(scope: Scope, element: SqlValue, collection: SqlValue, outcome: boolean): Sql {
  if (element.kind === 'failed') return NEVER;
  switch (collection.kind) {
    case 'constant':
      return amongConstants(scope, element, collection.value, outcome);
    case 'json': {
      const isHeld = held(scope, collection, element);
      if (isHeld !== undefined)
        return allOf(...(outcome ? [isHeld] : [readable(scope, element), unless(isHeld)]), isList(scope, collection));
      return outcome
        ? isMember(scope, element, collection)
        : allOf(
            readable(scope, element),
            isCollection(scope, collection),
            unless(isMember(negated(scope), element, collection)),
          );
    }
    case 'rows':
      return outcome
        ? isElement(scope, element, collection)
        : allOf(readable(scope, element), unless(isElement(negated(scope), element, collection)));
    case 'row':
      throw new Refusal('in', 'the names of the fields of a related row');
    case 'scalar':
    case 'moment':
    case 'shifted':
    case 'failed':
      return NEVER;
  }
}

/** Where two lists have an element in common, or where both are lists without a common element. */
export function intersection(scope: Scope, a: SqlValue, b: SqlValue, outcome: boolean): Sql {
  if (a.kind === 'constant')
    return b.kind === 'constant' ? refuseConstants('hasIntersection') : intersection(scope, b, a, outcome);
  if (a.kind !== 'json' && a.kind !== 'rows') return NEVER;
  const isAnyHeld = a.kind === 'json' ? heldAny(scope, a, b) : undefined;
  if (isAnyHeld !== undefined) return allOf(outcome ? isAnyHeld : unless(isAnyHeld), isList(scope, a));
  const inner = outcome ? scope : negated(scope);
  if (outcome && a.kind === 'rows' && b.kind === 'constant' && !isReached(a)) {
    const items = itemsOfRows(scope, a);
    const keyed = byKeys(scope, items, () => membership(scope, items.element, b, true));
    if (keyed !== undefined) return keyed;
  }
  const common = someElement(inner, a, (element) => membership(inner, element, b, true), [b]);
  return outcome ? common : allOf(isList(scope, a), isList(scope, b), unless(common));
}

/** Whether a list contains one of some constants, each by an index on the list. */
function heldAny(scope: Scope, list: Json, some: SqlValue): Sql | undefined {
  if (some.kind !== 'constant' || !Array.isArray(some.value) || some.value.length > MOST_HELD) return undefined;
  const each = some.value.map((value: unknown) => held(scope, list, { kind: 'constant', value: value as null }));
  return each.every((one) => one !== undefined) ? anyOf(...each) : undefined;
}

/**
 * Whether a list contains a constant, by an index on the list; values that are not lists are not distinguished from
 * lists.
 */
function held(scope: Scope, list: Json, element: SqlValue): Sql | undefined {
  if (list.list !== undefined && element.kind === 'scalar' && element.isOfStatement === true && element.type === 'text')
    return scope.dialect.holdsText?.(list.list, element.sql);
  if (list.list === undefined || element.kind !== 'constant' || !isPlain(element.value)) return undefined;
  if (typeof element.value === 'string' && textConstant(scope, 'in', element.value) === undefined) return NEVER;
  return scope.dialect.holds?.(list, element.value);
}

/** The most elements that are compared one by one; for more of them, the list is read once. */
const MOST_HELD = 100;

/** Where all elements of a list are in another, or where both are lists and an element is not. */
export function subset(scope: Scope, some: SqlValue, all: SqlValue, outcome: boolean): Sql {
  const areLists = allOf(isList(scope, some), isList(scope, all));
  if (areLists === NEVER) return NEVER;
  const inner = outcome ? scope : negated(scope);
  if (some.kind === 'constant') {
    const included = allOf(
      ...(some.value as readonly []).map((value) => {
        const element: SqlValue = { kind: 'constant', value };
        return (all.kind === 'json' ? held(scope, all, element) : undefined) ?? membership(inner, element, all, true);
      }),
    );
    return outcome ? allOf(areLists, included) : allOf(areLists, unless(included));
  }
  const isLeft = (element: SqlValue): Sql => unless(membership(inner, element, all, true));
  const left = someElement(outcome ? negated(scope) : scope, some as Json | RelatedRows, isLeft, [all]);
  return outcome ? allOf(areLists, unless(left)) : allOf(isList(scope, all), left);
}

/** `size(x)`: code points of a string, elements of a list, entries of a map. */
export function size(scope: Scope, value: SqlValue): SqlValue {
  const { dialect } = scope;
  switch (value.kind) {
    case 'json':
      return scalar('integer', dialect.size(value, aliasOfItems(scope)), dialect.computed, { isInt: true });
    case 'scalar':
      if (value.type === 'timestamp' && value.isUnread === true)
        throw new Refusal('size', 'a timestamp column as a string');
      return value.type === 'text'
        ? scalar('integer', dialect.length(value.sql, scope.statement.alias()), dialect.computed, { isInt: true })
        : FAILED;
    case 'constant':
      return refuseConstants('size');
    case 'rows':
      return scalar('integer', countOfRows(scope, value), dialect.computed, { isInt: true, null: 'never' });
    case 'row':
      throw new Refusal('size', 'of a related row');
    case 'moment':
    case 'shifted':
    case 'failed':
      return FAILED;
  }
}

/** Where a value is a list. */
export function isList({ dialect }: Scope, value: SqlValue): Sql {
  if (value.kind === 'constant') return Array.isArray(value.value) ? ALWAYS : NEVER;
  if (value.kind === 'rows') return ALWAYS;
  if (value.kind !== 'json') return NEVER;
  return dialect.hasType(value, 'array');
}

/** Where an element of a list passes. */
export function someElement(
  scope: Scope,
  list: Json | RelatedRows,
  passes: (element: SqlValue) => Sql,
  outside: readonly SqlValue[] = [],
): Sql {
  if (list.kind === 'rows' && isReached(list)) return someReached(scope, list, passes, outside);
  if (list.kind === 'rows') return someItem(scope, itemsOfRows(scope, list), ({ element }) => passes(element));
  return someItem(scope, scope.dialect.items(list, 'array', aliasOfItems(scope)), ({ element }) => passes(element));
}

/** Where one of the items passes; NEVER if no item can pass. */
export function someItem<
  Items extends { readonly from: Sql; readonly where?: Sql; readonly range?: RelatedRange | undefined },
>(scope: Scope, items: Items, passes: (items: Items) => Sql): Sql {
  const condition = passes(items);
  if (items.range !== undefined) return readKeys(scope, items.range, condition);
  return condition === NEVER ? NEVER : scope.dialect.exists(items.from, allOf(items.where ?? ALWAYS, condition));
}

/** The name of an entry. */
export function keyOf({ dialect }: Scope, key: Sql): Scalar {
  return scalar('text', key, dialect.computed, { null: 'null' });
}

function refuseConstants(operator: string): never {
  throw new Refusal(operator, 'of constants alone');
}

function isCollection(scope: Scope, json: Json): Sql {
  return anyOf(isList(scope, json), json.list !== undefined ? NEVER : scope.dialect.hasType(json, 'object'));
}

function isElement(scope: Scope, element: SqlValue, list: Json | RelatedRows): Sql {
  if (list.kind === 'rows' && element.kind === 'constant' && !isReached(list)) {
    const items = itemsOfRows(scope, list);
    const keyed = byKeys(scope, items, () => equality(scope, items.element, element, true));
    if (keyed !== undefined) return keyed;
  }
  return someElement(scope, list, (other) => equality(scope, element, other, true), [element]);
}

function isMember(scope: Scope, element: SqlValue, collection: Json): Sql {
  const { dialect } = scope;
  const inList = isElement(scope, element, collection);
  if (collection.list !== undefined) return inList;
  const canBeKey =
    element.kind === 'json' ||
    (element.kind === 'scalar' && element.type === 'text') ||
    (element.kind === 'constant' && typeof element.value === 'string');
  const isKey = canBeKey
    ? someItem(scope, dialect.items(collection, 'object', aliasOfItems(scope)), ({ key }) =>
        equality(scope, keyOf(scope, key), element, true),
      )
    : NEVER;
  return anyOf(inList, isKey);
}

function isPlain(value: unknown): value is string | number | boolean {
  return value !== null && typeof value !== 'object';
}

/** `x IN (a, b)`: the constants that have the column's type and compare directly; the others one by one. */
function amongConstants(scope: Scope, element: SqlValue, constants: unknown, outcome: boolean): Sql {
  const values = toCollection(constants);
  if (values === undefined) return NEVER;
  if (element.kind === 'json') {
    const isAmong = jsonAmong(scope, element, values, outcome);
    if (isAmong !== undefined) return isAmong;
  }
  const column = element.kind === 'json' && values.length > 1 ? jsonOfType(scope, element, values) : element;
  const plain = column.kind === 'scalar' ? plainAmong(scope, column, values) : [];
  if (plain.length < 2 || column.kind !== 'scalar') return oneByOne(scope, element, values, outcome);
  const direct = new Set<unknown>(plain);
  const others = values
    .filter((value) => !direct.has(value))
    .map((value) => equality(scope, element, { kind: 'constant', value: value as null }, outcome));
  const isIn = amongPlain(scope, column, plain, true);
  if (outcome) return anyOf(isIn, ...others);
  const isOther = amongPlain(scope, column, plain, false);
  const isNone =
    element.kind === 'json'
      ? allOf(readable(scope, element), unless(isIn))
      : column.null === 'null'
        ? anyOf(isNull(scope, column), isOther)
        : isOther;
  return allOf(isNone, ...others);
}

/** A value of a document as a string or a number, if all of the constants are. */
function jsonOfType(scope: Scope, json: Json, values: readonly unknown[]): Json | Scalar {
  if (values.every((value) => typeof value === 'string')) return jsonAs(scope, json, 'text');
  return values.every((value) => typeof value === 'number') ? jsonAs(scope, json, 'number') : json;
}

function toCollection(constants: unknown): readonly unknown[] | undefined {
  if (Array.isArray(constants)) return constants;
  return typeof constants === 'object' && constants !== null ? Object.keys(constants) : undefined;
}

function oneByOne(scope: Scope, element: SqlValue, values: readonly unknown[], outcome: boolean): Sql {
  const each = values.map((value) => equality(scope, element, { kind: 'constant', value: value as null }, outcome));
  return outcome ? anyOf(...each) : allOf(readable(scope, element), ...each);
}

/** `->` of a document with `IN`, if the dialect's index on such an expression can be used. */
function jsonAmong(scope: Scope, json: Json, values: readonly unknown[], outcome: boolean): Sql | undefined {
  const known = values.filter((value) => typeof value !== 'string' || textConstant(scope, 'in', value) !== undefined);
  return known.length > 1 && known.every(isPlain) ? scope.dialect.among?.(json, known, outcome) : undefined;
}

/** Compares by bytes if the collation treats different strings as equal, after a test that an index can answer. */
function amongPlain(
  { dialect }: Scope,
  { sql: text, stored, type, collation, null: absence }: Scalar,
  constants: readonly (string | number)[],
  isIn: boolean,
): Sql {
  const array = dialect.array?.(constants, type);
  if (array !== undefined) {
    const among = (compared: Sql, values = array): Sql => sql`${compared} ${isIn ? '= ANY' : '<> ALL'} (${values})`;
    if (stored !== undefined && stored.cast !== '') return among(stored.column, sql`${array}${stored.cast}[]`);
    if (type !== 'text') return among(text);
    // A column may have another type whose values are written as strings, such as an enumeration.
    if (collation !== 'other') return among(sql`${text}::text`);
    const byBytes = among(dialect.byBytes(text));
    return isIn ? allOf(among(text), byBytes) : byBytes;
  }
  const word = isIn ? 'IN' : 'NOT IN';
  const each = constants.map((constant) => stored?.constant(constant as string) ?? dialect.constant(constant, type));
  const column = stored?.column ?? text;
  if (type !== 'text' || collation !== 'other')
    return compared(column, word, sql`(${listed(each)})`, absence !== 'never');
  const byBytes = sql`${dialect.byBytes(column)} ${word} (${listed(each.map((constant) => constantBytes(dialect, constant)))})`;
  return isIn ? allOf(sql`${column} IN (${listed(each)})`, byBytes) : byBytes;
}

/** The constants that a column can be compared with by `IN`. */
function plainAmong(scope: Scope, column: Scalar, values: readonly unknown[]): readonly (string | number)[] {
  const { stored } = column;
  return values.filter((value): value is string | number => {
    if (typeof value === 'string' && stored !== undefined)
      return column.collation !== 'other' && stored.constant(value) !== undefined;
    if (typeof value === 'string' && column.type === 'text') return textConstant(scope, 'in', value) !== undefined;
    if (typeof value !== 'number') return false;
    if (column.type === 'number') return true;
    return column.type === 'integer' && Number.isInteger(value) && Math.abs(value) < 2 ** 53;
  });
}
