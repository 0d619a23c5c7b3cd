import type { Schema } from '../ir/program.js';
import { bracketed, type Doc } from './doc.js';
import { objectDoc } from './object.js';
import { quote } from './quote.js';

/** The `schemas` of a resource policy, or nothing. */
export function schemasDoc(schemas: { readonly principal: Schema | undefined; readonly resource: Schema | undefined }): Doc | undefined {
  if (schemas.principal === undefined && schemas.resource === undefined) return undefined;
  return objectDoc([
    ['principal', schemas.principal && schemaDoc(schemas.principal)],
    ['resource', schemas.resource && schemaDoc(schemas.resource)],
  ]);
}

function schemaDoc({ ref, ignoredActions }: Schema): Doc {
  return objectDoc([
    ['ref', quote(ref)],
    ['ignores', bracketed('anyOf([', ignoredActions.map((action) => `glob(${quote(action)})`), '])')],
    ['violations', '() => []'],
  ]);
}
