import type { SchemaTerm } from '../../ir/schema.js';
import { itemsOf, type SchemaObject } from './schema-object.js';
import { call, record } from './terms.js';

/** The keywords that combine schemas of the same value. */
export function combinationKeywords({ keyword, schema }: SchemaObject): readonly SchemaTerm[] {
  const terms: SchemaTerm[] = [];
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    const schemas = itemsOf(keyword(name));
    if (schemas.length > 0) terms.push(call(name, ...schemas.map(schema)));
  }
  const not = keyword('not');
  if (not !== undefined) terms.push(call('not', schema(not)));
  const condition = keyword('if');
  if (condition === undefined) return terms;
  const [then, otherwise] = ['then', 'else'].map((name) => keyword(name));
  terms.push(
    call(
      'ifThen',
      record([
        ['if', schema(condition)],
        ['then', then && schema(then)],
        ['else', otherwise && schema(otherwise)],
      ]),
    ),
  );
  return terms;
}
