import { sanitize } from '../ast/names.js';
import type { RolePolicy } from '../ast/policy.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { type Catalogue, type Document, type FileOf, hasKind } from './catalogue.js';

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
    else if (parentsOf(policy) !== parentsOf(other.file.policy)) {
      report.add(
        'role-policy/parent-roles-differ',
        policy.role.place,
        { policy: document.key, other: other.key },
        { notes: [{ message: 'the other version', span: other.file.policy.role.place.span }] },
      );
    }
  }
}

type RoleDocument = Document & { readonly file: FileOf<'role'> };

function isRolePolicy(document: Document): document is RoleDocument {
  return hasKind(document.file, 'role');
}

function parentsOf(policy: RolePolicy): string {
  return JSON.stringify(policy.parentRoles.map((role) => role.value).sort());
}
