import type { AuxDataInput, PrincipalInput, ResourceInput } from '../../runtime/engine/index.js';
import type { Attributes } from '../../runtime/policy/index.js';
import type { JsonValue } from '../../compiler/ast/policy.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { entriesOf, requiredText, textOf, textsOf } from '../../compiler/parse/build/fields.js';
import type { ObjectValue } from '../../compiler/parse/schema/value.js';
import type { Fixtures } from './suite.js';

/** The fixtures of a document, either a suite or a fixture file beside it; missing ones are empty. */
export function buildFixtures(document: ObjectValue): Fixtures {
  return {
    principals: mapOf(document, 'principals', principalOf),
    resources: mapOf(document, 'resources', resourceOf),
    auxData: mapOf(document, 'auxData', auxDataOf),
    principalGroups: mapOf(document, 'principalGroups', (group) => textsOf(group, 'principals')),
    resourceGroups: mapOf(document, 'resourceGroups', (group) => textsOf(group, 'resources')),
  };
}

/** A map of JSON values; undefined if the object has none. It has no prototype, so that any key is an ordinary one. */
export function attributesOf(object: ObjectValue, name: string): Attributes | undefined {
  if (!object.fields.has(name)) return undefined;
  const attributes = Object.create(null) as Record<string, JsonValue>;
  for (const { name: key, value } of entriesOf(object, name))
    if (value.kind === 'json') attributes[key.value] = value.value;
  return attributes;
}

function mapOf<T>(document: ObjectValue, name: string, build: (value: ObjectValue) => T): ReadonlyMap<string, T> {
  // A field that the type does not have: a fixture file contains only one kind.
  if (!document.fields.has(name)) return new Map();
  return new Map(
    entriesOf(document, name).map(({ name: key, value }) => [
      key.value,
      value.kind === 'object' ? build(value) : invariant(`an entry of ${name} is not an object`),
    ]),
  );
}

function principalOf(principal: ObjectValue): PrincipalInput {
  return {
    id: requiredText(principal, 'id').value,
    roles: textsOf(principal, 'roles').map(({ value }) => value),
    attr: attributesOf(principal, 'attr'),
    policyVersion: textOf(principal, 'policyVersion')?.value,
    scope: textOf(principal, 'scope')?.value,
  };
}

function resourceOf(resource: ObjectValue): ResourceInput {
  return {
    kind: requiredText(resource, 'kind').value,
    id: requiredText(resource, 'id').value,
    attr: attributesOf(resource, 'attr'),
    policyVersion: textOf(resource, 'policyVersion')?.value,
    scope: textOf(resource, 'scope')?.value,
  };
}

function auxDataOf(auxData: ObjectValue): AuxDataInput {
  const tokens = Object.create(null) as Record<string, { readonly claims: Attributes }>;
  for (const { name, value } of entriesOf(auxData, 'jwts')) {
    if (value.kind === 'object') tokens[name.value] = { claims: attributesOf(value, 'claims') ?? {} };
  }
  return { jwt: attributesOf(auxData, 'jwt'), jwts: tokens };
}
