import type { Types } from '../ast/checked.js';
import type { PolicySet } from '../ast/policy-set.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { type Problems, withoutRepeats } from '../diagnostics/problems.js';
import { warnOfConstantConditions } from './validations/constant-conditions.js';
import { warnOfDeprecatedSpellings } from './validations/deprecated-spellings.js';
import { checkExpressions } from './validations/expressions.js';
import { warnOfGlobs } from './validations/globs.js';
import { warnOfComparisons, warnOfFailingOperators } from './validations/operand-types.js';
import { warnOfRepeatedRules, warnOfUnreachableRules } from './validations/redundant-rules.js';
import { warnOfPrincipalResources, warnOfRoleResources } from './validations/resource-kinds.js';
import { warnOfRuleNames } from './validations/rule-names.js';
import { warnOfConsentAtRoot, warnOfUnreachableScopes } from './validations/scopes.js';
import {
  warnOfLoneFiles,
  warnOfUnusedDefinitions,
  warnOfUnusedDerivedRoles,
  warnOfUnusedImports,
} from './validations/unused.js';

/**
 * Judges linked policies: reports what is wrong and gives the side tables of all valid expressions. The policies are
 * untouched. Warnings are looked for only when nothing is wrong: where something is missing, much of the rest looks
 * unused.
 */
export function validate(policies: PolicySet, report: Diagnostics): Types {
  const types: Types = new Map(validations.flatMap((validation) => [...validation(policies, report)]));
  if (report.hasErrors) return types;
  const once = withoutRepeats(report);
  for (const warn of warnings) warn(policies, types, once);
  return types;
}

/** One thing that must hold. It reports errors, and gives the side tables it worked out, if any. */
export type Validation = (policies: PolicySet, report: Diagnostics) => Types;

/** All validations, in the order they report in. */
const validations: readonly Validation[] = [checkExpressions];

/**
 * One thing that is surely not as meant. It reports warnings, on policies in which nothing is wrong; `types` has all
 * their expressions.
 */
export type Warning = (policies: PolicySet, types: Types, report: Problems) => void;

/** All warnings, by what they are about. The order does not matter. */
const warnings: readonly Warning[] = [
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
  // Unused definitions
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
