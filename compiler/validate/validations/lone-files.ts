import type { Types } from '../../ast/checked.js';
import { importKey, policyKeyOf } from '../../ast/names.js';
import { placeOfDocument } from '../../ast/places.js';
import type { Policy, PolicyFile } from '../../ast/policy.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';

/**
 * Warns of derived roles and exports that nobody imports: they have no effect, and nobody looks into them
 * (docs/spec/policy-language.md#documents).
 */
export function warnOfLoneFiles({ documents }: PolicySet, _types: Types, report: Problems): void {
  const imported = new Set(documents.flatMap(importsOf));
  for (const file of documents.filter(({ policy }) => isImportable(policy))) {
    const policy = policyKeyOf(file.policy);
    if (imported.has(policy)) continue;
    const notes = [{ message: 'it is not compiled: import it, set `disabled: true`, or remove the file' }];
    report.add('file/never-imported', placeOfDocument(file), { policy }, { notes, facts: { policy } });
  }
}

function isImportable({ kind }: Policy): boolean {
  return kind === 'derived-roles' || kind === 'export-variables' || kind === 'export-constants';
}

function importsOf({ policy }: PolicyFile): readonly string[] {
  if (policy.kind === 'export-variables' || policy.kind === 'export-constants') return [];
  const roles = policy.kind === 'resource' ? policy.importDerivedRoles : [];
  return [
    ...roles.map(({ value }) => importKey('derived_roles', value)),
    ...policy.variables.imports.map(({ value }) => importKey('export_variables', value)),
    ...policy.constants.imports.map(({ value }) => importKey('export_constants', value)),
  ];
}
