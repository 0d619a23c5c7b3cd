import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AccessRequest,
  type Engine,
  chainOf,
  type CompiledBundle,
  createEngine,
  type EngineOptions,
  type PlanRequest,
  type PrincipalInput,
  delegation,
  explanations,
  type TenantRolesView,
  tenants,
} from '../../../runtime/engine/index.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import type { LoadedTenant } from '../../../server/service/call.js';
import { explainReadError } from '../../../server/read-error.js';
import { DOCUMENT_ENDINGS } from '../../../server/tenants/folder-source.js';
import { MAX_DOCUMENT, tooLarge } from '../../../server/tenants/tenant-source.js';
import { readTenantText } from '../../../server/tenants/tenant-text.js';
import type { CommandContext } from '../context.js';
import { InputError, MissingError, printWarning } from '../report.js';

/** The document of a tenant, read when it is first needed. */
export type TenantFiles = (tenant: string) => LoadedTenant;

/**
 * Reads documents as a server does whose `tenants.source` is the folder. Throws an InputError if the path cannot be
 * read, or is a file and not a document.
 */
export function readTenants(path: string, onRefused: OnRefused): TenantFiles {
  const read = isFolder(path) ? (tenant: string) => ofFolder(path, tenant, onRefused) : ofFile(path);
  const known = new Map<string, LoadedTenant>();
  return (tenant) => {
    const loaded = known.get(tenant) ?? read(tenant);
    known.set(tenant, loaded);
    return loaded;
  };
}

/** The warning about documents for policies that let tenants have no roles. */
export const TENANTS_WITHOUT_EFFECT = '`--tenants` has no effect: the policies have no document of `tenantRoles`';

/** Told once of each document whose roles give nothing. */
export type OnRefused = (tenant: string, error: Error) => void;

/** Warns of such a document. */
export function warnOfRefusal(context: CommandContext, tenant: string, { message }: Error): void {
  printWarning(context, `the roles of tenant \`${tenant}\` are rejected and grant nothing: ${message}`);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new MissingError(explainReadError(error), undefined, [], path);
  }
}

function ofFolder(folder: string, tenant: string, onRefused: OnRefused): LoadedTenant {
  for (const ending of DOCUMENT_ENDINGS) {
    const read = readDocument(join(folder, `${tenant}.${ending}`));
    if (read === undefined) continue;
    if ('document' in read) return read;
    onRefused(tenant, new Error(read.reason));
    return NO_ROLES;
  }
  return NO_ROLES;
}

function ofFile(file: string): TenantFiles {
  const read = readDocument(file) ?? { reason: 'file not found' };
  if ('reason' in read) throw new InputError(read.reason, undefined, [], file);
  return (tenant) => (read.document?.tenant === tenant ? read : NO_ROLES);
}

/** Undefined if there is no such file. */
function readDocument(file: string): LoadedTenant | { readonly reason: string } | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile()) return { reason: 'not a regular file' };
  return stats.size > MAX_DOCUMENT ? tooLarge('') : readTenantText(readFileSync(file, 'utf8'));
}

const NO_ROLES: LoadedTenant = { document: undefined, digest: '' };

/** The engine of a command, with the roles that decide. */
export interface DecidingEngine {
  readonly engine: Engine;
  /** A request as policies see it. Of a principal without actors. */
  readonly decided: (request: AccessRequest) => DecidedRequest;
  /** A plan as policies see it: one for each principal of a chain and each action. */
  readonly decidedPlans: (request: PlanRequest) => readonly PlanRequest[];
  /** A warning for each role of a tenant, of a principal or its actors, that gives nothing whatever is asked. */
  readonly rolesWithoutEffect: (principal: PrincipalInput) => readonly string[];
}

/** A request with the roles that decide, and the roles of a tenant that it had. */
export interface DecidedRequest {
  readonly request: AccessRequest;
  readonly tenantRoles: readonly TenantRoleInUse[];
}

/** A role of a tenant that a principal has, in the form of the server (docs/spec/server.md#explanations). */
export interface TenantRoleInUse {
  /** The role with its prefix: `tenant:desk`. */
  readonly role: string;
  /** The roles of the policies that it stands for, for this action; absent if there are none. */
  readonly roles?: readonly string[];
  readonly tenant: string;
  /** SHA-256 of the document, in hexadecimal. */
  readonly digest: string;
}

/**
 * The engine of a command, which decides as that of a server: if the policies let tenants have roles, by the documents
 * of `--tenants`. Throws an InputError if these cannot be read, and warns if they have no effect.
 */
export function decidingEngine(
  policies: CompiledBundle,
  options: EngineOptions,
  path: string | undefined,
  context: CommandContext,
): DecidingEngine {
  const refused = new Set<string>();
  const onRefused = (tenant: string, error: Error): void => {
    refused.add(tenant);
    warnOfRefusal(context, tenant, error);
  };
  const files = path === undefined ? undefined : readTenants(path, onRefused);
  const { tenantRoles } = policies;
  if (tenantRoles === undefined) {
    if (path !== undefined) printWarning(context, TENANTS_WITHOUT_EFFECT);
    const engine = createEngine(policies, { ...options, use: [...(options.use ?? []), delegation(), explanations()] });
    return {
      engine,
      decided: (request) => ({ request, tenantRoles: [] }),
      decidedPlans: (request) => chainOf(request.principal).map((principal) => ({ ...request, principal })),
      rolesWithoutEffect: () => [],
    };
  }
  const { rolePrefix, scope } = tenantRoles;
  const engine = createEngine(policies, {
    ...options,
    use: [
      ...(options.use ?? []),
      delegation(),
      tenants({ documents: (tenant) => files?.(tenant).document, onRefused }),
      explanations(),
    ],
  });
  const known = engine.tenants as TenantRolesView;
  const reasonFor = (id: string, tenant: string | undefined): string => {
    if (tenant === undefined)
      return `the scope of \`${id}\` is not a tenant${scope === '' ? '' : ` below \`${scope}\``}`;
    if (path === undefined) return `name the document of tenant \`${tenant}\` with \`--tenants\``;
    return `tenant \`${tenant}\` does not define it in \`${path}\``;
  };
  return {
    engine,
    decided: (request) => {
      const { tenant = '', roles, given } = known.rolesFor(request);
      const digest = files?.(tenant).digest ?? '';
      return {
        request: { ...request, principal: { ...request.principal, roles } },
        tenantRoles: [...given].map(([role, own]) => ({ role, ...(own.length > 0 && { roles: own }), tenant, digest })),
      };
    },
    decidedPlans: (request) =>
      chainOf(request.principal).flatMap((principal) =>
        request.actions.map((action) => {
          const { roles } = known.rolesFor({ principal, resource: request.resource, action });
          return { ...request, principal: { ...principal, roles }, actions: [action] };
        }),
      ),
    rolesWithoutEffect: (principal) =>
      chainOf(principal).flatMap((one) => {
        const { tenant, roles } = known.definedRoles(one);
        if (tenant !== undefined && refused.has(tenant)) return [];
        return one.roles
          .filter((role) => role.startsWith(rolePrefix) && !roles.includes(role))
          .map((role) => `role \`${role}\` grants nothing: ${reasonFor(one.id, tenant)}`);
      }),
  };
}

/** The roles of a principal that policies may name: all but those of a tenant. */
export function rolesOfPolicies({ tenantRoles }: CompiledBundle, { roles }: PrincipalInput): readonly string[] {
  return tenantRoles === undefined ? roles : roles.filter((role) => !role.startsWith(tenantRoles.rolePrefix));
}

/** The lines of an explanation with what each role of a tenant stands for, below the first. */
export function withTenantRoles(
  [head = '', ...lines]: readonly string[],
  tenantRoles: readonly TenantRoleInUse[],
): readonly string[] {
  const own = tenantRoles.map(({ role, roles = [], tenant }) =>
    visible(`${role} of tenant ${tenant} stands for ${roles.length === 0 ? 'no role' : roles.join(', ')}`),
  );
  return [head, ...own, ...lines];
}
