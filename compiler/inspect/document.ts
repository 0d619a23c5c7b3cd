import { makePolicyKey } from '../ast/names.js';
import { listPremises } from '../ast/premises.js';
import type { Condition, Expression, Output, Policy, PolicyFile } from '../ast/policy.js';
import type { Importer } from '../link/bindings.js';
import { expressionsOfCondition } from '../validate/expressions-of.js';

/** Whether a document has rules or definitions that may use imported variables and constants. */
export function isImporter(file: PolicyFile): file is Importer {
  return 'variables' in file.policy;
}

/** The name, version and scope of a policy; sets only have a name. */
export function readNames(policy: Policy): { readonly name: string; readonly version: string; readonly scope: string } {
  switch (policy.kind) {
    case 'resource':
      return { name: policy.resource.value, version: policy.version.value, scope: policy.scope };
    case 'principal':
      return { name: policy.principal.value, version: policy.version.value, scope: policy.scope };
    case 'role':
      return { name: policy.role.value, version: policy.version, scope: policy.scope };
    case 'derived-roles':
    case 'export-variables':
    case 'export-constants':
    case 'invariants':
      return { name: policy.name.value, version: '', scope: '' };
    case 'tenant-roles':
      return { name: makePolicyKey(policy), version: '', scope: '' };
  }
}

/** The actions and action patterns that the rules name. */
export function listActions(policy: Policy): readonly string[] {
  switch (policy.kind) {
    case 'resource':
      return policy.rules.flatMap(({ actions }) => actions.map(({ value }) => value));
    case 'principal':
      return policy.rules.flatMap(({ actions }) => actions.map(({ action }) => action.value));
    case 'role':
      return policy.rules.flatMap(({ allowActions }) => allowActions.map(({ value }) => value));
    case 'derived-roles':
    case 'export-variables':
    case 'export-constants':
    case 'invariants':
    case 'tenant-roles':
      return [];
  }
}

/** The expressions of conditions and outputs. */
export function expressionsOfRules(policy: Policy): readonly Expression[] {
  switch (policy.kind) {
    case 'resource':
    case 'role':
      return policy.rules.flatMap(ofRule);
    case 'principal':
      return policy.rules.flatMap(({ actions }) => actions.flatMap(ofRule));
    case 'derived-roles':
      return policy.definitions.flatMap(({ condition }) => expressionsOfCondition(condition));
    case 'invariants':
      return listPremises(policy).flatMap(expressionsOfCondition);
    case 'export-variables':
    case 'export-constants':
    case 'tenant-roles':
      return [];
  }
}

function ofRule({
  condition,
  output,
}: {
  readonly condition: Condition | undefined;
  readonly output: Output | undefined;
}): readonly Expression[] {
  const outputs = output === undefined ? [] : [output.ruleActivated, output.conditionNotMet, output.legacy];
  return [...expressionsOfCondition(condition), ...outputs.filter((expression) => expression !== undefined)];
}
