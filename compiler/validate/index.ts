import type { Types } from '../ast/checked.js';
import type { PolicySet } from '../ast/policy-set.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import type { Code } from '../diagnostics/messages.js';
import { onceByCause, type Problems, withoutRepeats } from '../diagnostics/problems.js';
import { warnOfConstantConditions } from './validations/constant-conditions.js';
import { warnOfDeprecatedSpellings } from './validations/deprecated-spellings.js';
import { checkExpressions } from './validations/expressions.js';
import { warnOfGlobs } from './validations/globs.js';
import { checkPremises, checkStatementNames, warnOfFailingPremises } from './validations/invariants.js';
import { warnOfArguments } from './validations/arguments.js';
import { warnOfComparisons, warnOfFailingOperators } from './validations/operand-types.js';
import { warnOfRepeatedRules, warnOfUnreachableRules } from './validations/redundant-rules.js';
import { warnOfPrincipalResources, warnOfRoleResources } from './validations/resource-kinds.js';
import { warnOfRuleNames } from './validations/rule-names.js';
import { warnOfPatterns } from './validations/patterns.js';
import { checkTenantRoles } from './validations/tenant-roles.js';
import { warnOfConsentAtRoot, warnOfUnreachableScopes } from './validations/scopes.js';
import {
  warnOfLoneFiles,
  warnOfUnusedDefinitions,
  warnOfUnusedDerivedRoles,
  warnOfUnusedImports,
} from './validations/unused.js';

/**
 * Validates linked policies: reports problems and returns the side tables of all valid expressions. The policies are
 * not changed. Warnings are computed only if there are no errors: where something is missing, much of the rest looks
 * unused.
 */
export function validate(policies: PolicySet, report: Diagnostics): Types {
  const chosen = policies.isPartial === true ? [checkExpressions] : validations;
  const types: Types = new Map(chosen.flatMap((validation) => [...validation(policies, report)]));
  if (report.hasErrors) return types;
  const once = withoutRepeats(report);
  onceByCause(
    once,
    (problems) => {
      for (const warn of [...warnings, ...setWarnings]) warn(policies, types, problems);
    },
    REPEATED_NAMES,
  );
  return types;
}

/**
 * The warnings that depend on the set as a whole, and read neither conditions nor local definitions. For sets that are
 * compiled in parts.
 */
export function validateSet(policies: PolicySet, report: Diagnostics): void {
  const once = withoutRepeats(report);
  onceByCause(
    once,
    (problems) => {
      for (const warn of setWarnings) warn(policies, new Map(), problems);
    },
    REPEATED_NAMES,
  );
}

/** Warnings about a name, which rules may repeat. */
const REPEATED_NAMES: ReadonlySet<Code> = new Set([
  'glob/literal',
  'glob/unreliable',
  'principal-policy/never-matches',
  'role-policy/never-matches',
]);

/** A validation reports errors and returns the side tables that it computed, if any. */
export type Validation = (policies: PolicySet, report: Diagnostics) => Types;

/** All validations, in the order in which they report. */
const validations: readonly Validation[] = [checkExpressions, checkStatementNames, checkPremises, checkTenantRoles];

/**
 * A check for code that is valid but probably not intended. It reports warnings, and runs only on policies without
 * errors; `types` contains all their expressions.
 */
export type Warning = (policies: PolicySet, types: Types, report: Problems) => void;

/** The warnings about single policies and what they import, by topic. The order does not matter. */
const warnings: readonly Warning[] = [
  // Rules
  warnOfUnreachableRules,
  warnOfRepeatedRules,
  warnOfRuleNames,
  // Conditions and expressions
  warnOfConstantConditions,
  warnOfComparisons,
  warnOfFailingOperators,
  warnOfPatterns,
  warnOfArguments,
  warnOfFailingPremises,
  // Globs
  warnOfGlobs,
  // Unused definitions
  warnOfUnusedDefinitions,
  warnOfUnusedImports,
  // Scopes
  warnOfUnreachableScopes,
  warnOfConsentAtRoot,
  // Deprecated spellings
  warnOfDeprecatedSpellings,
];

/** The warnings about the set as a whole. */
const setWarnings: readonly Warning[] = [
  warnOfRoleResources,
  warnOfPrincipalResources,
  warnOfUnusedDerivedRoles,
  warnOfLoneFiles,
];
