import { isList, keyOf, someItem } from './collections.js';
import { isReached, someReached } from './closures.js';
import type { Items } from './dialect.js';
import { allOf, ALWAYS, anyOf, NEVER, sql, type Sql, unless } from './fragment.js';
import { requireAllRows } from './key-sets.js';
import { Refusal } from './refusal.js';
import { itemsOfRows, type RelatedItems } from './relations.js';
import { aliasOfItems, negated, rootOf, type Scope } from './scope.js';
import { byKeys } from './semi-joins.js';
import { isRelation } from './table.js';
import { type Json, type RelatedRows, scalar, type SqlValue } from './value.js';
import { presence, variableValue } from './variables.js';

/** The condition of a macro on a body that may fail for some elements (docs/spec/conditions.md#comprehensions). */
export type Quantifier = 'exists' | 'all' | 'exists_one' | Counted;

/** A comparison of the number of elements that pass: how it is written where it is true, and where it is false. */
export interface Counted {
  readonly isTrue: string;
  readonly isFalse: string;
  readonly count: number;
}

const EXACTLY_ONE: Counted = { isTrue: '=', isFalse: '<>', count: 1 };

/** The name of a macro, for refusals. */
export function macroName(quantifier: Quantifier): string {
  return typeof quantifier === 'string' ? quantifier : 'filter';
}

/** Whether a name is a macro that returns a boolean. */
export function isQuantifier(operator: string): operator is 'exists' | 'all' | 'exists_one' {
  return operator === 'exists' || operator === 'all' || operator === 'exists_one';
}

/** A macro to render. */
export interface Quantified {
  readonly quantifier: Quantifier;
  readonly range: SqlValue;
  /** One or two. */
  readonly variables: number;
  /** Where the body is true for the variables' values, or where it is false. */
  readonly body: (values: readonly SqlValue[], outcome: boolean) => Sql;
}

/** Where a macro over a list, or over the keys of a map, is true; or where it is false. Over anything else it fails. */
export function quantified(scope: Scope, macro: Quantified, outcome: boolean): Sql {
  const { guesses } = scope.statement;
  const rendered = renderQuantified(scope, macro, outcome);
  // With one element more or less it may be true or false.
  const isCount = macro.quantifier !== 'exists' && macro.quantifier !== 'all';
  if (isCount && scope.statement.guesses > guesses)
    throw new Refusal(macroName(macro.quantifier), 'in a denial, over elements for which SQL cannot tell the result');
  return rendered;
}

function renderQuantified(scope: Scope, macro: Quantified, outcome: boolean): Sql {
  const { range } = macro;
  switch (range.kind) {
    case 'constant':
      return overConstants(macro, range.value, outcome);
    case 'row':
      throw new Refusal(macroName(macro.quantifier), 'over the fields of a related row');
    case 'rows':
      return over(scope, macro, overRows(scope, macro, range), outcome);
    case 'json': {
      const overList = over(scope, macro, overJson(scope, macro, range, 'array'), outcome);
      if (range.list !== undefined) return overList;
      return anyOf(overList, over(scope, macro, overJson(scope, macro, range, 'object'), outcome));
    }
    default:
      return NEVER;
  }
}

/** Each is rendered separately. */
const MOST_CONSTANTS = 100;

/** A collection that a macro reads. */
interface Range {
  /** Where it is one. */
  readonly isOfType: Sql;
  /** A table with a row for each element, and the values of the variables in it. */
  readonly items: () => RangeItems;
  /** Where an element passes, if another form is better than a search of the items. */
  readonly some?: (of: Scope, passes: (values: readonly SqlValue[]) => Sql) => Sql;
}

interface RangeItems {
  readonly from: Sql;
  readonly where?: Sql;
  readonly values: readonly SqlValue[];
  readonly related?: RelatedItems;
  readonly range?: RelatedItems['range'];
}

function overJson(scope: Scope, { variables }: Quantified, json: Json, type: 'array' | 'object'): Range {
  return {
    isOfType: type === 'array' ? isList(scope, json) : scope.dialect.hasType(json, 'object'),
    items: () => {
      const items = scope.dialect.items(json, type, aliasOfItems(scope));
      return { from: items.from, values: bindVariables(scope, items, type, variables) };
    },
  };
}

function overRows(scope: Scope, { quantifier, variables }: Quantified, rows: RelatedRows): Range {
  if (variables === 2)
    throw new Refusal(macroName(quantifier), 'over the positions of related rows, which have no order');
  return {
    isOfType: ALWAYS,
    items: () => {
      const related = itemsOfRows(scope, rows);
      const { from, where, element } = related;
      return { from, where, values: [element], related, range: related.range };
    },
    ...(isReached(rows) && {
      some: (of: Scope, passes: (values: readonly SqlValue[]) => Sql) =>
        someReached(of, rows, (element) => passes([element])),
    }),
  };
}

function over(scope: Scope, { quantifier, body }: Quantified, range: Range, outcome: boolean): Sql {
  const { isOfType, items } = range;
  const bodyOf = (of: RangeItems, wanted: boolean): Sql => body(of.values, wanted);
  const some = (wanted: boolean): Sql => {
    if (range.some !== undefined) return range.some(scope, (values) => body(values, wanted));
    const found = items();
    const keyed = found.related && byKeys(scope, found.related, () => bodyOf(found, wanted));
    return keyed ?? someItem(scope, found, (of) => bodyOf(of, wanted));
  };
  const noneIs = (passes: (values: readonly SqlValue[]) => Sql): Sql =>
    unless(range.some?.(negated(scope), passes) ?? someItem(scope, items(), ({ values }) => passes(values)));
  const allAre = (wanted: boolean): Sql =>
    allOf(
      isOfType,
      noneIs((values) => unless(body(values, wanted))),
    );
  switch (quantifier) {
    case 'exists':
      return outcome ? some(true) : allAre(false);
    case 'all':
      return outcome ? allAre(true) : some(false);
    default: {
      const { isTrue, isFalse, count } = quantifier === 'exists_one' ? EXACTLY_ONE : quantifier;
      const evaluates = noneIs((values) => unless(anyOf(body(values, true), body(values, false))));
      const counted = items();
      if (counted.range !== undefined) requireAllRows(scope, counted.range, 'the number of rows');
      const passing = sql`SELECT count(*) FROM ${counted.from} WHERE ${allOf(counted.where ?? ALWAYS, bodyOf(counted, true))}`;
      return allOf(isOfType, evaluates, sql`(${passing}) ${outcome ? isTrue : isFalse} ${String(count)}`);
    }
  }
}

function bindVariables(
  scope: Scope,
  { key, element }: Items,
  type: 'array' | 'object',
  variables: number,
): readonly SqlValue[] {
  const name =
    type === 'array'
      ? scalar('integer', key, scope.dialect.computed, { null: 'null', isInt: true })
      : keyOf(scope, key);
  if (variables === 2) return [name, element];
  return [type === 'array' ? element : name];
}

function overConstants({ quantifier, variables, body }: Quantified, constants: unknown, outcome: boolean): Sql {
  if (typeof quantifier !== 'string') throw new Refusal('filter', 'over a constant list');
  if (!Array.isArray(constants)) throw new Refusal(quantifier, 'over a constant that is not a list');
  if (constants.length > MOST_CONSTANTS) throw new Refusal(quantifier, 'over a constant list that is too long');
  if (variables === 2) throw new Refusal(quantifier, 'over the positions of a constant list');
  const each = (wanted: boolean): readonly Sql[] =>
    constants.map((value) => body([{ kind: 'constant', value }], wanted));
  switch (quantifier) {
    case 'exists':
      return outcome ? anyOf(...each(true)) : allOf(...each(false));
    case 'all':
      return outcome ? allOf(...each(true)) : anyOf(...each(false));
    case 'exists_one': {
      if (constants.length > 10) throw new Refusal(quantifier, 'over a constant list that is too long');
      const [passing, failing] = [each(true), each(false)];
      const exactlyOne = anyOf(
        ...passing.map((one, position) => allOf(one, ...failing.filter((_, other) => other !== position))),
      );
      const evaluates = allOf(...passing.map((one, position) => anyOf(one, failing[position] as Sql)));
      return outcome ? exactlyOne : allOf(evaluates, unless(exactlyOne));
    }
  }
}

/**
 * The fields of an object that has no column but consists of columns: all attributes, or `address` if `address.city`
 * has one.
 */
export function listFields(variable: string, scope: Scope): readonly string[] | undefined {
  const { table } = scope;
  // All attributes of a row.
  const attributes = `${rootOf(scope)}.attr`;
  const isOfAttributes = variable === attributes || variable.startsWith(`${attributes}.`);
  if (!isOfAttributes) return undefined;
  const path = variable === attributes ? [] : variable.slice(attributes.length + 1).split('.');
  if (path.some((_, length) => Object.hasOwn(table.columns, path.slice(0, length + 1).join('.')))) return undefined;
  const below = Object.keys(table.columns)
    .map((attribute) => attribute.split('.'))
    .filter((fields) => fields.length > path.length && path.every((name, position) => fields[position] === name));
  if (below.length === 0 && path.length > 0) return undefined;
  return [...new Set(below.map((fields) => fields[path.length] as string))];
}

/** A macro over the fields of such an object. */
export interface OverFields {
  readonly quantifier: Quantifier;
  readonly variable: string;
  readonly fields: readonly string[];
  /** One for the name, or two with the value. */
  readonly variables: number;
  readonly body: (values: readonly SqlValue[], outcome: boolean) => Sql;
}

/** Where a macro over the names of its fields, or over both names and values, is true; or where it is false. */
export function overFields(scope: Scope, macro: OverFields, outcome: boolean): Sql {
  const { quantifier, variable, fields, variables, body } = macro;
  if (quantifier !== 'exists' && quantifier !== 'all')
    throw new Refusal(macroName(quantifier), 'over the attributes of a row');
  if (Object.values(scope.table.columns).some(isRelation))
    throw new Refusal(quantifier, 'over attributes of which some are in other tables');
  const each = fields.map(
    (name): { readonly isThere: (wanted: boolean) => Sql; readonly holds: (wanted: boolean) => Sql } => {
      const field = `${variable}.${name}`;
      const key: SqlValue = { kind: 'constant', value: name };
      return {
        isThere: (wanted) => fieldPresence(field, wanted, scope),
        holds: (wanted) => body(variables === 1 ? [key] : [key, variableValue(field, scope)], wanted),
      };
    },
  );
  if ((quantifier === 'all') === outcome)
    return allOf(...each.map(({ isThere, holds }) => anyOf(isThere(false), holds(outcome))));
  return anyOf(...each.map(({ isThere, holds }) => allOf(isThere(true), holds(outcome))));
}

/** Check always receives such an object, even if it is empty. */
export function fieldPresence(variable: string, outcome: boolean, scope: Scope): Sql {
  if (listFields(variable, scope) !== undefined) return outcome ? ALWAYS : NEVER;
  return presence({ variable }, outcome, scope);
}
