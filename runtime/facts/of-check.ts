import {
  type AuxDataInput,
  chainOf,
  type Engine,
  type PrincipalInput,
  type ResourceInput,
  type TenantDocuments,
} from '../engine/index.js';
import type { ReadLevel, ReadSet, ReadSetOptions, ReadSetQuery } from '../policy/index.js';

/** A check of one resource. */
export interface ResourceCheck {
  readonly principal: PrincipalInput;
  readonly resource: Omit<ResourceInput, 'id'>;
  readonly actions: readonly string[];
  readonly auxData?: AuxDataInput | undefined;
  readonly tenants?: TenantDocuments | undefined;
}

/** The options of an engine on which it depends what its decisions read. */
export function readingOptions({
  defaultPolicyVersion,
  defaultScope,
  lenientScopeSearch,
  strictEvaluation,
  schemaEnforcement,
}: ReadSetOptions): ReadSetOptions {
  return { defaultPolicyVersion, defaultScope, lenientScopeSearch, strictEvaluation, schemaEnforcement };
}

/** What a check reads: for its principal, then for its actors, each with the roles that its tenant gives it. */
export function readSetsOfCheck(
  readSetOf: (query: ReadSetQuery) => ReadSet,
  engine: Pick<Engine, 'tenants'>,
  { principal, resource, actions, tenants }: ResourceCheck,
  level: ReadLevel,
): readonly ReadSet[] {
  return chainOf(principal).map((actor) =>
    readSetOf({
      kind: resource.kind,
      action: actions,
      roles: rolesForAny(engine, { principal: actor, resource, actions, tenants }),
      scope: resource.scope,
      version: resource.policyVersion,
      principal: actor,
      level,
    }),
  );
}

/** The roles with which any of some actions is decided, with those of the policies in place of those of a tenant. */
export function rolesForAny(
  { tenants: view }: Pick<Engine, 'tenants'>,
  { principal, resource, actions, tenants }: Omit<ResourceCheck, 'auxData'>,
): readonly string[] {
  if (view === undefined) return principal.roles;
  const roles = actions.flatMap((action) => view.rolesFor({ principal, resource, action, tenants }).roles);
  return [...new Set(roles)];
}
