import { policyKeyOf } from '../ast/names.js';
import type { PolicyFile } from '../ast/policy.js';
import type { PolicySet } from '../ast/policy-set.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { type Catalogue, catalogueOf } from './catalogue.js';
import { reportMissingImports } from './imports.js';
import { reportParentRoles } from './parent-roles.js';
import { placeOfDocument } from '../ast/places.js';
import { linkPolicies } from './policies.js';
import { withoutRepeats } from '../diagnostics/problems.js';
import { reportMissingScopes, withoutDeepScopes } from './scope-chain.js';
import { reportScopePermissions } from './scope-permissions.js';

/**
 * Resolves every name across the files of a set: imports, scope chains, derived roles, variables and constants
 * (docs/spec/policy-language.md#compilation-phases, phases 5 and 6). Problems of single policies are reported only when
 * nothing at all is wrong with the files and the set; an empty set is returned otherwise.
 *
 * @param files those that parsed, disabled ones included.
 */
export function link(files: readonly PolicyFile[], report: Diagnostics): PolicySet {
  const catalogue = catalogueOf(
    withoutDeepScopes(
      files.filter((file) => !file.disabled),
      report,
    ),
    report,
  );
  for (const examine of SET_RULES) examine(catalogue, report);
  if (report.hasErrors) {
    reportDisabled(files, report);
    return { policies: [], documents: [] };
  }
  return {
    policies: linkPolicies(catalogue, withoutRepeats(report)),
    documents: catalogue.documents.map(({ file }) => file),
  };
}

/**
 * What must hold of the set as a whole (docs/spec/policy-language.md#rules-for-the-whole-set). The order does not
 * matter.
 */
const SET_RULES: readonly ((catalogue: Catalogue, report: Diagnostics) => void)[] = [
  reportMissingImports,
  reportMissingScopes,
  reportScopePermissions,
  reportParentRoles,
];

/**
 * Disabled documents are listed beside real problems, whose cause they may be (docs/spec/policy-language.md#reports).
 */
function reportDisabled(files: readonly PolicyFile[], report: Diagnostics): void {
  for (const file of files.filter(({ disabled }) => disabled)) {
    const policy = policyKeyOf(file.policy);
    report.add(
      'policy/disabled',
      placeOfDocument(file),
      { policy },
      { notes: [{ message: 'remove `disabled: true`, or what still needs the document' }], facts: { policy } },
    );
  }
}
