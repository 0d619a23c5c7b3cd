import { FORMATS } from '#runtime/schema';
import { append } from '../../append.js';
import type { SchemaTerm } from '../../ir/schema.js';
import { isTrue, itemsOf, type SchemaObject } from './schema-object.js';
import { call, count, number, record, text, value } from './terms.js';

/** The keywords about a value as a whole, about numbers and about texts. */
export function scalarKeywords(object: SchemaObject): readonly SchemaTerm[] {
  const { keyword } = object;
  const terms: SchemaTerm[] = [];
  const stated = keyword('const');
  if (stated !== undefined) terms.push(call('is', value(stated)));
  const values = itemsOf(keyword('enum'));
  if (values.length > 0) terms.push(call('isIn', ...values.map(value)));
  append(terms, limits(object));
  const divisor = keyword('multipleOf');
  if (divisor !== undefined) terms.push(call('multipleOf', number(divisor)));
  for (const name of ['minLength', 'maxLength']) {
    const node = keyword(name);
    if (node !== undefined) terms.push(call(name, count(node)));
  }
  const pattern = keyword('pattern');
  if (pattern !== undefined) terms.push(call('pattern', value(pattern)));
  const format = keyword('format');
  if (format?.kind === 'string' && FORMATS.has(format.value)) terms.push(call('format', value(format)));
  return [...terms, ...contentOf(object)];
}

/** In draft 4, `exclusiveMinimum: true` is a remark about `minimum`. */
function limits({ keyword }: SchemaObject): readonly SchemaTerm[] {
  return (['minimum', 'maximum'] as const).flatMap((name) => {
    const exclusive = name === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
    const limit = keyword(name);
    const other = keyword(exclusive);
    const terms: SchemaTerm[] = [];
    if (limit !== undefined) terms.push(call(isTrue(other) ? exclusive : name, number(limit)));
    if (other?.kind === 'number') terms.push(call(exclusive, number(other)));
    return terms;
  });
}

/** Under an encoding that is not known, nothing can be said about the content. */
function contentOf({ keyword, schema }: SchemaObject): readonly SchemaTerm[] {
  const encoding = keyword('contentEncoding');
  const isBase64 = encoding?.kind === 'string' && encoding.value === 'base64';
  if (encoding !== undefined && !isBase64) return [];
  const media = keyword('contentMediaType');
  const isJson = media?.kind === 'string' && media.value === 'application/json';
  const inner = keyword('contentSchema');
  if (!isBase64 && !isJson && inner === undefined) return [];
  return [
    call(
      'content',
      record([
        ['contentEncoding', isBase64 ? text('base64') : undefined],
        ['contentMediaType', isJson ? text('application/json') : undefined],
        ['contentSchema', inner && schema(inner)],
      ]),
    ),
  ];
}
