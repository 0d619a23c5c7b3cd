import type { Types } from '../ast/checked.js';
import type { PolicySet } from '../ast/policy-set.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import type { Problems } from '../diagnostics/problems.js';
import { warnOfComparisons } from './validations/comparisons.js';
import { warnOfConsentAtRoot } from './validations/consent-at-root.js';
import { warnOfConstantConditions } from './validations/constant-conditions.js';
import { warnOfDeprecatedSpellings } from './validations/deprecated-spellings.js';
import { checkExpressions } from './validations/expressions.js';
import { warnOfFailingOperators } from './validations/failing-operators.js';
import { warnOfGlobs } from './validations/globs.js';
import { warnOfLoneFiles } from './validations/lone-files.js';
import { warnOfPrincipalResources } from './validations/principal-resources.js';
import { warnOfRepeatedRules } from './validations/repeated-rules.js';
import { warnOfRoleResources } from './validations/role-resources.js';
import { warnOfRuleNames } from './validations/rule-names.js';
import { warnOfUnreachableRules } from './validations/unreachable-rules.js';
import { warnOfUnreachableScopes } from './validations/unreachable-scopes.js';
import { warnOfUnusedDefinitions } from './validations/unused-definitions.js';
import { warnOfUnusedDerivedRoles } from './validations/unused-derived-roles.js';
import { warnOfUnusedImports } from './validations/unused-imports.js';

/** One thing that must hold. It reports errors, and gives the side tables it worked out, if any. */
export type Validation = (policies: PolicySet, report: Diagnostics) => Types;

/** All validations, in the order they report in. */
export const validations: readonly Validation[] = [checkExpressions];

/**
 * One thing that is surely not as meant. It reports warnings, on policies in which nothing is wrong; `types` has all
 * their expressions.
 */
export type Warning = (policies: PolicySet, types: Types, report: Problems) => void;

/** All warnings, by what they are about. The order does not matter. */
export const warnings: readonly Warning[] = [
  // Rules
  warnOfUnreachableRules,
  warnOfRepeatedRules,
  warnOfRuleNames,
  // Conditions and expressions
  warnOfConstantConditions,
  warnOfComparisons,
  warnOfFailingOperators,
  // Texts that match
  warnOfGlobs,
  warnOfRoleResources,
  warnOfPrincipalResources,
  // What nobody uses
  warnOfUnusedDefinitions,
  warnOfUnusedImports,
  warnOfUnusedDerivedRoles,
  warnOfLoneFiles,
  // Scopes
  warnOfUnreachableScopes,
  warnOfConsentAtRoot,
  // Older spellings
  warnOfDeprecatedSpellings,
];
