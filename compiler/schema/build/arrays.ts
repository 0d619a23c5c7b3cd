import type { SchemaTerm } from '../../ir/schema.js';
import { isFalse, isTrue, itemsOf, type SchemaObject } from './schema-object.js';
import { call, constant, count, flag, list, record } from './terms.js';

/** The keywords about arrays, `unevaluatedItems` apart. */
export function arrayKeywords(object: SchemaObject): readonly SchemaTerm[] {
  const { keyword } = object;
  const terms: SchemaTerm[] = [];
  for (const name of ['minItems', 'maxItems']) {
    const node = keyword(name);
    if (node !== undefined) terms.push(call(name, count(node)));
  }
  if (isTrue(keyword('uniqueItems'))) terms.push(constant('uniqueItems'));
  return [...terms, ...itemKeywords(object), ...containsKeyword(object)];
}

function itemKeywords({ keyword, schema }: SchemaObject): readonly SchemaTerm[] {
  const items = keyword('items');
  const hasList = items?.kind === 'array';
  const prefix = itemsOf(hasList ? items : keyword('prefixItems'));
  // Beside `items` with one schema for all, `additionalItems` means nothing.
  const rest = hasList ? keyword('additionalItems') : items;
  if (prefix.length === 0 && !hasList) return rest === undefined ? [] : [call('items', schema(rest))];
  const restTerm = rest && (hasList && isFalse(rest) ? flag(false) : schema(rest));
  return [
    call(
      'tuple',
      record([
        ['prefixItems', list(prefix.map(schema))],
        ['rest', restTerm],
      ]),
    ),
  ];
}

function containsKeyword({ draft, keyword, schema }: SchemaObject): readonly SchemaTerm[] {
  const contains = keyword('contains');
  if (contains === undefined) return [];
  const least = keyword('minContains') ?? { kind: 'number', text: '1', start: 0, end: 0 };
  const most = keyword('maxContains');
  return [
    call(
      'contains',
      record([
        ['schema', schema(contains)],
        ['minContains', count(least)],
        ['maxContains', most && count(most)],
        ['evaluates', draft >= 2020 ? flag(true) : undefined],
      ]),
    ),
  ];
}
