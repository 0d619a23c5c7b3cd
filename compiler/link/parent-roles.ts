import { sanitize } from '../ast/names.js';
import type { RolePolicy } from '../ast/policy.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { type Catalogue, type Document, type FileOf, hasKind } from './catalogue.js';
import { listAncestors } from './scopes.js';

/**
 * Warns about versions of a role policy with different parent roles: the reference PDP confuses these
 * (docs/spec/policy-language.md#parent-roles).
 */
export function reportParentRoles(catalogue: Catalogue, report: Diagnostics): void {
  const first = new Map<string, RoleDocument>();
  for (const document of catalogue.documents.filter(isRolePolicy)) {
    const { policy } = document.file;
    const role = `${sanitize(policy.role.value)}/${policy.scope}`;
    const other = first.get(role);
    if (other === undefined) first.set(role, document);
    else if (formatParents(policy) !== formatParents(other.file.policy)) {
      report.add(
        'role-policy/parent-roles-differ',
        policy.role.place,
        { policy: document.key, other: other.key },
        { notes: [{ message: 'the other version', span: other.file.policy.role.place.span }] },
      );
    }
  }
}

/**
 * Warns about versions that have policies, but no role policy for a role that has parents in another version: there the
 * role has no parents, while the reference PDP uses those of any version.
 */
export function reportMissingParentRoles({ documents }: Catalogue, report: Diagnostics): void {
  const roles = new Map<string, RoleDocument[]>();
  for (const document of documents.filter(isRolePolicy)) {
    const { role, scope } = document.file.policy;
    const key = `${sanitize(role.value)}/${scope}`;
    roles.set(key, [...(roles.get(key) ?? []), document]);
  }
  if (roles.size === 0) return;
  const versionsIn = versionsByScope(documents);
  for (const versions of roles.values()) {
    const withParents = versions.find(({ file }) => file.policy.parentRoles.length > 0);
    if (withParents === undefined) continue;
    const { role, version, scope } = withParents.file.policy;
    const own = new Set(versions.map(({ file }) => sanitize(file.policy.version)));
    const without = new Set(
      [scope, ...listAncestors(scope)]
        .flatMap((other) => [...(versionsIn.get(other) ?? [])])
        .filter((other) => !own.has(sanitize(other))),
    );
    if (without.size === 0) continue;
    report.add(
      'role-policy/parent-roles-in-one-version',
      role.place,
      { role: role.value, version, others: [...without].sort().join(', ') },
      {
        notes: [
          {
            message:
              'add a role policy with these `parentRoles` for each of these versions, or ignore this if the role must not exist there',
          },
        ],
      },
    );
  }
}

/** The versions of resource policies, by scope. */
function versionsByScope(documents: readonly Document[]): ReadonlyMap<string, ReadonlySet<string>> {
  const versions = new Map<string, Set<string>>();
  for (const { file } of documents) {
    if (!hasKind(file, 'resource')) continue;
    const { scope, version } = file.policy;
    const known = versions.get(scope);
    if (known === undefined) versions.set(scope, new Set([version.value]));
    else known.add(version.value);
  }
  return versions;
}

type RoleDocument = Document & { readonly file: FileOf<'role'> };

function isRolePolicy(document: Document): document is RoleDocument {
  return hasKind(document.file, 'role');
}

function formatParents(policy: RolePolicy): string {
  return JSON.stringify(policy.parentRoles.map((role) => role.value).sort());
}
