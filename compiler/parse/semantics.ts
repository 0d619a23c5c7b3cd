import type {
  DerivedRoles,
  Invariants,
  PolicyFile,
  PrincipalPolicy,
  PrincipalRule,
  ResourcePolicy,
} from '../ast/policy.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import type { Place } from '../diagnostics/span.js';
import { readEntries, findField, nonEmptyText, readObject, readObjects, requiredText } from './build/fields.js';
import { FORMS } from './schema/tables.js';
import type { ObjectValue } from './schema/value.js';

/**
 * Reports all problems within one enabled document other than its structure
 * (docs/spec/policy-language.md#compilation-phases.4). Returns whether there were none.
 */
export function validateSemantics(file: PolicyFile, document: ObjectValue, report: Diagnostics): boolean {
  const { policy } = file;
  switch (policy.kind) {
    case 'resource':
      return validateResourceRules(policy, report);
    case 'principal':
      return validatePrincipalRules(policy, report);
    case 'role':
      return warnOfMissingVersion(document, report);
    case 'derived-roles':
      return validateDefinitions(policy, report);
    case 'export-variables':
      return refuseLegacyVariables('variables', document, report);
    case 'export-constants':
      return refuseLegacyVariables('constants', document, report);
    case 'invariants':
      return validateStatements(policy, document, report);
    case 'tenant-roles':
      return refuseLegacyVariables('tenant roles', document, report);
  }
}

function validateResourceRules(policy: ResourcePolicy, report: Diagnostics): boolean {
  const firsts = new Map<string, First>();
  let valid = true;
  for (const [index, { place, name, roles, derivedRoles }] of policy.rules.entries()) {
    const number = index + 1;
    if (roles.length === 0 && derivedRoles.length === 0) {
      report.add('rule/no-roles', place, { rule: name?.value ?? `#${number}` });
      valid = false;
    }
    const first = name && findFirst(firsts, name.value, { number, place });
    if (first === undefined) continue;
    report.add('rule/duplicate-name', place, { name: name?.value ?? '', number, ...first });
    valid = false;
  }
  return valid;
}

function validatePrincipalRules(policy: PrincipalPolicy, report: Diagnostics): boolean {
  const firsts = new Map<string, First>();
  let valid = true;
  for (const [index, rule] of policy.rules.entries()) {
    const number = index + 1;
    const resource = rule.resource.value;
    const first = findFirst(firsts, resource, { number, place: rule.place });
    if (first) report.add('rule/duplicate-resource', rule.place, { resource, number, ...first });
    const actionsAreValid = validatePrincipalActions(rule, report);
    valid &&= first === undefined && actionsAreValid;
  }
  return valid;
}

function validatePrincipalActions(rule: PrincipalRule, report: Diagnostics): boolean {
  const firsts = new Map<string, First>();
  let valid = true;
  for (const [index, { name, place }] of rule.actions.entries()) {
    const number = index + 1;
    const first = name && findFirst(firsts, name.value, { number, place });
    if (first === undefined) continue;
    report.add('rule/duplicate-action-name', place, {
      name: name?.value ?? '',
      resource: rule.resource.value,
      number,
      ...first,
    });
    valid = false;
  }
  return valid;
}

function validateDefinitions(policy: DerivedRoles, report: Diagnostics): boolean {
  const firsts = new Map<string, First>();
  let valid = true;
  for (const [index, { name, place }] of policy.definitions.entries()) {
    const number = index + 1;
    const first = findFirst(firsts, name.value, { number, place });
    if (first === undefined) continue;
    report.add('derived-role/duplicate', place, { name: name.value, number, ...first });
    valid = false;
  }
  return valid;
}

function validateStatements(policy: Invariants, document: ObjectValue, report: Diagnostics): boolean {
  const firsts = new Map<string, First>();
  let valid = true;
  for (const [index, { name, place }] of policy.statements.entries()) {
    const first = findFirst(firsts, name.value, { number: index + 1, place });
    if (first === undefined) continue;
    report.add('invariant/duplicate-name', place, { name: name.value, at: first.at });
    valid = false;
  }
  const invariants = readObject(document, 'invariants');
  for (const { value, place } of invariants ? readObjects(invariants, 'statements') : []) {
    if (FORMS.some((form) => value.fields.has(form))) continue;
    report.add('invariant/empty', place, { name: requiredText(value, 'name').value, forms: FORMS });
    valid = false;
  }
  return valid;
}

function refuseLegacyVariables(
  policyType: 'variables' | 'constants' | 'tenant roles',
  document: ObjectValue,
  report: Diagnostics,
): boolean {
  if (readEntries(document, 'variables').length === 0) return true;
  report.add('export/legacy-variables', findField(document, 'variables')?.place, { policyType });
  return false;
}

// Accepted for now (docs/spec/policy-language.md#rolepolicy), so it never fails validation.
function warnOfMissingVersion(document: ObjectValue, report: Diagnostics): boolean {
  const policy = readObject(document, 'rolePolicy');
  if (policy && !nonEmptyText(policy, 'version'))
    report.add('role-policy/no-version', findField(document, 'rolePolicy')?.place, {}, WRITE_VERSION);
  return true;
}

const WRITE_VERSION = { notes: [{ message: 'write `version: default`' }] };

interface First {
  readonly first: number;
  /** `line:column`. */
  readonly at: string;
}

/** Returns the place where the name was used first; undefined if this is the first use, which is then recorded. */
function findFirst(
  firsts: Map<string, First>,
  name: string,
  use: { readonly number: number; readonly place: Place },
): First | undefined {
  const first = firsts.get(name);
  if (first !== undefined) return first;
  const { line, column } = use.place.span.source.lineAndColumn(use.place.anchor);
  firsts.set(name, { first: use.number, at: `${line}:${column}` });
  return undefined;
}
