import type { Attributes, SchemaReference, SchemaReferences } from '../policy/index.js';
import type { ValidationError } from './requests.js';

/**
 * What of a request does not satisfy the schemas that apply to it, the principal's errors first
 * (docs/spec/policy-language.md#which-schemas-apply).
 */
export function validationErrors(
  schemas: SchemaReferences,
  attributes: { readonly principal: Attributes; readonly resource: Attributes },
  actions: readonly string[],
): readonly ValidationError[] {
  return [
    ...errorsOf(schemas.principal, attributes.principal, actions, 'SOURCE_PRINCIPAL'),
    ...errorsOf(schemas.resource, attributes.resource, actions, 'SOURCE_RESOURCE'),
  ];
}

/**
 * The same for a plan, where attributes of the resource that are not listed are not missing
 * (docs/spec/plans.md#schemas-in-plans).
 */
export function planErrors(
  schemas: SchemaReferences | undefined,
  attributes: Parameters<typeof validationErrors>[1],
  actions: readonly string[],
): readonly ValidationError[] {
  if (schemas === undefined) return [];
  return validationErrors(schemas, attributes, actions).filter(
    ({ source, message }) => source === 'SOURCE_PRINCIPAL' || !message.startsWith('missing properties: '),
  );
}

/** One action that is not exempt is enough for all to be held to the schema. */
function errorsOf(
  schema: SchemaReference | undefined,
  attributes: Attributes,
  actions: readonly string[],
  source: ValidationError['source'],
): readonly ValidationError[] {
  if (schema === undefined || actions.every((action) => schema.ignores(action))) return [];
  return schema.violations(attributes).map(({ path, message }) => ({ path, message, source }));
}
