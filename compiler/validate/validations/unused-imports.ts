import type { Types } from '../../ast/checked.js';
import { importKey, policyKeyOf, sanitize } from '../../ast/names.js';
import type { PolicyFile } from '../../ast/policy.js';
import type { LinkedPolicy, PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';
import type { Located } from '../../diagnostics/span.js';
import { usingDocumentsOf } from '../using-documents.js';

/** Warns of imported sets of derived roles, variables and constants of which the importing document uses nothing. */
export function warnOfUnusedImports(policies: PolicySet, _types: Types, report: Problems): void {
  const warn = (kind: string, name: Located<string>): void =>
    report.add(
      'import/unused',
      name.place,
      { import: kind, name: name.value },
      { notes: [{ message: 'remove the import' }] },
    );

  for (const linked of policies.policies) for (const name of unusedRoleSets(linked)) warn('derived roles', name);

  const files = new Map(policies.documents.map((file) => [policyKeyOf(file.policy), file]));
  for (const { variables, constants, uses } of usingDocumentsOf(policies)) {
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

// Asked for each document that imports it; a policy never changes, and the entry goes with it.
const cache = new WeakMap<PolicyFile['policy'], ReadonlySet<string>>();
