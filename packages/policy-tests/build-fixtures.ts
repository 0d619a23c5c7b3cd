import type { AuxDataInput, PrincipalInput, ResourceInput } from '../../runtime/engine/index.js';
import type { Attributes } from '../../runtime/policy/index.js';
import type { JsonValue } from '../../compiler/ast/policy.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { readEntries, requiredText, readText, readTexts } from '../../compiler/parse/build/fields.js';
import type { ObjectValue } from '../../compiler/parse/schema/value.js';
import type { Fixtures } from './suite.js';

/** The fixtures of a document, either a suite or a fixture file beside it; missing ones are empty. */
export function buildFixtures(document: ObjectValue): Fixtures {
  return {
    principals: buildMap(document, 'principals', buildPrincipal),
    resources: buildMap(document, 'resources', buildResource),
    auxData: buildMap(document, 'auxData', buildAuxData),
    principalGroups: buildMap(document, 'principalGroups', (group) => readTexts(group, 'principals')),
    resourceGroups: buildMap(document, 'resourceGroups', (group) => readTexts(group, 'resources')),
  };
}

/** A map of JSON values; undefined if the object has none. It has no prototype, so that any key is an ordinary one. */
export function buildAttributes(object: ObjectValue, name: string): Attributes | undefined {
  if (!object.fields.has(name)) return undefined;
  const attributes = Object.create(null) as Record<string, JsonValue>;
  for (const { name: key, value } of readEntries(object, name))
    if (value.kind === 'json') attributes[key.value] = value.value;
  return attributes;
}

function buildMap<T>(document: ObjectValue, name: string, build: (value: ObjectValue) => T): ReadonlyMap<string, T> {
  // A field that the type does not have: a fixture file contains only one kind.
  if (!document.fields.has(name)) return new Map();
  return new Map(
    readEntries(document, name).map(({ name: key, value }) => [
      key.value,
      value.kind === 'object' ? build(value) : invariant(`an entry of ${name} is not an object`),
    ]),
  );
}

function buildPrincipal(principal: ObjectValue): PrincipalInput {
  return {
    id: requiredText(principal, 'id').value,
    roles: readTexts(principal, 'roles').map(({ value }) => value),
    attr: buildAttributes(principal, 'attr'),
    policyVersion: readText(principal, 'policyVersion')?.value,
    scope: readText(principal, 'scope')?.value,
  };
}

function buildResource(resource: ObjectValue): ResourceInput {
  return {
    kind: requiredText(resource, 'kind').value,
    id: requiredText(resource, 'id').value,
    attr: buildAttributes(resource, 'attr'),
    policyVersion: readText(resource, 'policyVersion')?.value,
    scope: readText(resource, 'scope')?.value,
  };
}

function buildAuxData(auxData: ObjectValue): AuxDataInput {
  const tokens = Object.create(null) as Record<string, { readonly claims: Attributes }>;
  for (const { name, value } of readEntries(auxData, 'jwts')) {
    if (value.kind === 'object') tokens[name.value] = { claims: buildAttributes(value, 'claims') ?? {} };
  }
  return { jwt: buildAttributes(auxData, 'jwt'), jwts: tokens };
}
