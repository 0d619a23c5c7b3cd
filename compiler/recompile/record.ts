import { importKey, makePolicyKey } from '../ast/names.js';
import { listRoles as namedRolesOf } from '../ast/roles.js';
import { namesForStatements } from '../ast/statement-names.js';
import type { Policy, PolicyFile } from '../ast/policy.js';
import { filterFunctions } from '../emit/filter-functions.js';
import type { Places } from '../emit/index.js';
import { isVisited } from '../emit/outline.js';
import { definitionKey } from '../emit/schema-locations.js';
import type { Module } from '../ir/program.js';
import { type DocumentRecord, digest } from './snapshot.js';

/** Whether no other document can import it. */
export function isLeaf({ kind }: Pick<DocumentRecord, 'kind'>): boolean {
  return kind === 'resource' || kind === 'principal' || kind === 'role';
}

/** The keys of the same policy at the ancestors of its scope, from the nearest to the root. */
export function keysAbove(key: string): readonly string[] {
  const start = key.lastIndexOf('/');
  if (start === -1) return [];
  const keys: string[] = [];
  for (let end = key.lastIndexOf('.'); end > start; end = key.lastIndexOf('.', end - 1)) keys.push(key.slice(0, end));
  return [...keys, key.slice(0, start)];
}

/** The record of a document, with the module it was compiled to, if it was. */
export function makeRecord({ policy }: PolicyFile, module: Module | undefined, places: Places): DocumentRecord {
  return {
    key: makePolicyKey(policy),
    kind: policy.kind,
    imports: listImports(policy),
    header: serializeHeader(policy),
    names: digest(JSON.stringify([namesForStatements(policy), namedRolesOf(policy).map(({ value }) => value)])),
    facts: module === undefined ? '' : serializeFacts(module, places),
    functions: module === undefined ? [] : filterFunctions({ modules: [module], schemas: [] }),
    stem: (module && places.locations.get(module.key)?.path) ?? '',
    rules: module === undefined ? 0 : countRules(module),
  };
}

function listImports(policy: Policy): readonly string[] {
  if (!('variables' in policy)) return [];
  const roles = policy.kind === 'resource' ? policy.importDerivedRoles : [];
  return [
    ...roles.map(({ value }) => importKey('derived_roles', value)),
    ...policy.variables.imports.map(({ value }) => importKey('export_variables', value)),
    ...policy.constants.imports.map(({ value }) => importKey('export_constants', value)),
  ];
}

/**
 * Everything in a policy except what only its own compilation reads: the bodies of its rules, its local definitions,
 * and places. A new field is therefore part of the header until it is listed here.
 */
function serializeHeader(policy: Policy): string {
  return digest(
    JSON.stringify({ ...policy, ...withoutBodies(policy) }, (name, value) => (name === 'place' ? undefined : value)),
  );
}

function withoutBodies(policy: Policy): object {
  switch (policy.kind) {
    case 'resource': {
      const named = new Set(policy.rules.flatMap(({ derivedRoles }) => derivedRoles.map(({ value }) => value)));
      return { ...importsAlone(policy), rules: [...named].sort() };
    }
    case 'principal':
    case 'role':
      return { ...importsAlone(policy), rules: policy.rules.map(({ resource }) => resource.value) };
    // Other documents read all of them: everything is compiled again if one changes.
    case 'derived-roles':
      return { ...importsAlone(policy), definitions: undefined };
    case 'export-variables':
    case 'export-constants':
      return { definitions: undefined };
    case 'invariants':
      return { ...importsAlone(policy), statements: undefined };
    case 'tenant-roles':
      return { grants: undefined };
  }
}

/** The definitions of a policy without the local ones, in whose expressions are whole numbers: JSON has none. */
function importsAlone({ variables, constants }: Extract<Policy, { readonly variables: unknown }>): object {
  return { variables: variables.imports, constants: constants.imports };
}

function serializeFacts(module: Module, { locations, schemas }: Places): string {
  const imported = module.kind === 'resource' ? module.derivedRoles.map((role) => role.module) : [];
  const named = module.kind === 'resource' ? [module.schemas.principal, module.schemas.resource] : [];
  return digest(
    JSON.stringify([
      module.kind === 'derived-roles' || isVisited(module),
      [module.key, ...new Set(imported)].map((key) => {
        const location = locations.get(key);
        return (
          location && {
            ...location,
            derivedRoles: [...location.derivedRoles],
            unconditional: [...location.unconditional],
          }
        );
      }),
      named.map((schema) =>
        schema === undefined || 'unavailable' in schema.validator
          ? schema
          : [schema, schemas.paths.get(schema.validator.file), schemas.names.get(definitionKey(schema.validator))],
      ),
    ]),
  );
}

/** A rule with several derived roles is lowered to several. */
function countRules(module: Module): number {
  return module.kind === 'derived-roles' ? 0 : new Set(module.rules.map(({ span }) => span.start)).size;
}
