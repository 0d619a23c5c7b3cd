import type { Types } from '../../ast/checked.js';
import { importKey, makePolicyKey, sanitize } from '../../ast/names.js';
import { placeOfDocument } from '../../ast/places.js';
import type { LinkedPolicy, PolicySet } from '../../ast/policy-set.js';
import type { Policy, PolicyFile } from '../../ast/policy.js';
import type { Problems } from '../../diagnostics/problems.js';
import type { Located } from '../../diagnostics/span.js';
import { collectImportedRoles } from '../expressions-of.js';
import { listUsingDocuments } from '../using-documents.js';

/**
 * Warns about variables and constants that a document defines locally and never uses
 * (docs/spec/policy-language.md#compiling-variables-and-constants).
 */
export function warnOfUnusedDefinitions(policies: PolicySet, _types: Types, report: Problems): void {
  for (const { file, variables, constants, uses } of listUsingDocuments(policies)) {
    for (const { name } of [...variables.local, ...file.legacyVariables]) {
      if (uses.variable(name.value)) continue;
      report.add(
        'variable/unused',
        name.place,
        { name: name.value },
        { notes: [{ message: `remove it, or use it as \`V.${name.value}\`` }] },
      );
    }
    for (const { name } of constants.local) {
      if (uses.constant(name.value)) continue;
      report.add(
        'constant/unused',
        name.place,
        { name: name.value },
        { notes: [{ message: `remove it, or use it as \`C.${name.value}\`` }] },
      );
    }
  }
}

/**
 * Warns about imported sets of derived roles, variables and constants that the importing document does not use at all.
 */
export function warnOfUnusedImports(policies: PolicySet, _types: Types, report: Problems): void {
  const warn = (kind: string, name: Located<string>): void =>
    report.add(
      'import/unused',
      name.place,
      { import: kind, name: name.value },
      { notes: [{ message: 'remove the import' }] },
    );

  for (const linked of policies.policies) for (const name of unusedRoleSets(linked)) warn('derived roles', name);

  const files = new Map(policies.documents.map((file) => [makePolicyKey(file.policy), file]));
  for (const { variables, constants, uses } of listUsingDocuments(policies)) {
    for (const name of variables.imports) {
      const from = files.get(importKey('export_variables', name.value));
      if (from !== undefined && !uses.oneVariable(namesIn(from))) warn('variables', name);
    }
    for (const name of constants.imports) {
      const from = files.get(importKey('export_constants', name.value));
      if (from !== undefined && !uses.oneConstant(namesIn(from))) warn('constants', name);
    }
  }
}

function unusedRoleSets(linked: LinkedPolicy): readonly Located<string>[] {
  if (linked.kind !== 'resource') return [];
  const used = new Set([...linked.derivedRoles.values()].map(({ set }) => sanitize(set)));
  return linked.policy.importDerivedRoles.filter((name) => !used.has(sanitize(name.value)));
}

function namesIn({ policy }: PolicyFile): ReadonlySet<string> {
  const isExport = policy.kind === 'export-variables' || policy.kind === 'export-constants';
  const names = cache.get(policy) ?? new Set(isExport ? policy.definitions.map(({ name }) => name.value) : []);
  cache.set(policy, names);
  return names;
}

// Needed for each document that imports it; a policy never changes, and the entry is collected with it.
const cache = new WeakMap<PolicyFile['policy'], ReadonlySet<string>>();

/**
 * Warns about derived roles that no rule names, in sets that are otherwise used; a set that is not used at all is an
 * unused import.
 */
export function warnOfUnusedDerivedRoles({ policies }: PolicySet, _types: Types, report: Problems): void {
  const resourcePolicies = policies.filter((linked) => linked.kind === 'resource');
  const imported = collectImportedRoles(policies);
  const used = new Set(resourcePolicies.flatMap(({ derivedRoles }) => [...derivedRoles.values()]));
  const usedSets = new Set([...used].map(({ file }) => file));
  for (const role of imported) {
    if (used.has(role) || !usedSets.has(role.file)) continue;
    const { name } = role.definition;
    report.add(
      'derived-role/never-used',
      name.place,
      { name: name.value },
      { notes: [{ message: 'remove it, or name it under `derivedRoles` of a rule' }] },
    );
  }
}

/**
 * Warns about derived roles and exports that are never imported: they have no effect and are not checked
 * (docs/spec/policy-language.md#documents).
 */
export function warnOfLoneFiles({ documents }: PolicySet, _types: Types, report: Problems): void {
  const imported = new Set(documents.flatMap(listImports));
  for (const file of documents.filter(({ policy }) => isImportable(policy))) {
    const policy = makePolicyKey(file.policy);
    if (imported.has(policy)) continue;
    const notes = [{ message: 'it is not compiled: import it, set `disabled: true`, or remove the file' }];
    report.add('file/never-imported', placeOfDocument(file), { policy }, { notes, facts: { policy } });
  }
}

function isImportable({ kind }: Policy): boolean {
  return kind === 'derived-roles' || kind === 'export-variables' || kind === 'export-constants';
}

function listImports({ policy }: PolicyFile): readonly string[] {
  if (!('variables' in policy)) return [];
  const roles = policy.kind === 'resource' ? policy.importDerivedRoles : [];
  return [
    ...roles.map(({ value }) => importKey('derived_roles', value)),
    ...policy.variables.imports.map(({ value }) => importKey('export_variables', value)),
    ...policy.constants.imports.map(({ value }) => importKey('export_constants', value)),
  ];
}
