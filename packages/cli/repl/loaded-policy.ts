import { makePolicyKey, ruleName } from '../../../compiler/ast/names.js';
import type { Condition, Expression, JsonValue, Policy, PolicyFile } from '../../../compiler/ast/policy.js';
import { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import { isImporter } from '../../../compiler/inspect/document.js';
import { findMentions } from '../../../compiler/inspect/mentions.js';
import { makeCatalogue } from '../../../compiler/link/catalogue.js';
import { reportMissingImports } from '../../../compiler/link/imports.js';

/** A policy whose conditions can be tried: its names, and its rules that have conditions. */
export interface LoadedPolicy {
  readonly key: string;
  readonly variables: ReadonlyMap<string, Expression>;
  readonly constants: ReadonlyMap<string, JsonValue>;
  /**
   * The names that its conditions and outputs read: `V` and `C` as a whole hold only these
   * (docs/spec/policy-language.md#compiling-variables-and-constants).
   */
  readonly used: { readonly variables: ReadonlySet<string>; readonly constants: ReadonlySet<string> };
  readonly rules: readonly ConditionalRule[];
  /** The problems with its imports, one per line. */
  readonly problems: readonly string[];
}

export interface ConditionalRule {
  /** `owners: view, edit, EFFECT_ALLOW`. */
  readonly title: string;
  readonly condition: Condition;
}

/**
 * A policy with the names that it can use.
 *
 * @param others policies that it may import from.
 */
export function loadedPolicy(file: PolicyFile, others: readonly PolicyFile[]): LoadedPolicy {
  const report = new Diagnostics();
  const key = makePolicyKey(file.policy);
  const catalogue = makeCatalogue(
    [file, ...others.filter(({ policy, disabled }) => !disabled && makePolicyKey(policy) !== key)],
    new Diagnostics(),
  );
  reportMissingImports(catalogue, report);
  const problems = report
    .sorted()
    .filter(({ source }) => source === file.source)
    .map(({ message }) => message);
  const mentions = isImporter(file) ? findMentions(file, catalogue) : undefined;
  return {
    key,
    variables: new Map(
      mentions?.variables.defined.map(({ name, value }) => [name.value, value]) ?? exportedVariables(file.policy),
    ),
    constants: new Map(
      mentions?.constants.defined.map(({ name, value }) => [name.value, value]) ?? exportedConstants(file.policy),
    ),
    used: { variables: mentions?.variables.used ?? new Set(), constants: mentions?.constants.used ?? new Set() },
    rules: listRules(file.policy).flatMap(({ title, condition }) =>
      condition === undefined ? [] : [{ title, condition }],
    ),
    problems,
  };
}

function exportedVariables(policy: Policy): readonly (readonly [string, Expression])[] {
  return policy.kind === 'export-variables'
    ? policy.definitions.map(({ name, expression }) => [name.value, expression])
    : [];
}

function exportedConstants(policy: Policy): readonly (readonly [string, JsonValue])[] {
  return policy.kind === 'export-constants'
    ? policy.definitions.map(({ name, value }) => [name.value, value.value])
    : [];
}

function listRules(policy: Policy): readonly { readonly title: string; readonly condition: Condition | undefined }[] {
  switch (policy.kind) {
    case 'resource':
      return policy.rules.map(({ name, actions, effect, condition }, index) => ({
        title: `${name?.value ?? ruleName(index)}: ${listed(actions)}, ${effectName(effect)}`,
        condition,
      }));
    case 'principal':
      return policy.rules.flatMap(({ resource, actions }) =>
        actions.map(({ name, action, effect, condition }, index) => ({
          title: `${name?.value ?? ruleName(index)}: ${action.value} of ${resource.value}, ${effectName(effect)}`,
          condition,
        })),
      );
    case 'role':
      return policy.rules.map(({ name, resource, allowActions, condition }, index) => ({
        title: `${name?.value ?? ruleName(index)}: ${listed(allowActions)} of ${resource.value}`,
        condition,
      }));
    case 'derived-roles':
      return policy.definitions.map(({ name, parentRoles, condition }) => ({
        title: `${name.value}: of ${listed(parentRoles)}`,
        condition,
      }));
    case 'invariants':
      return policy.statements.flatMap(({ name, claim }) =>
        claim.form === 'final'
          ? []
          : [
              { title: `${name.value}: when`, condition: claim.about.when },
              { title: `${name.value}: unless`, condition: claim.about.unless },
            ],
      );
    case 'export-variables':
    case 'export-constants':
    case 'tenant-roles':
      return [];
  }
}

function listed(names: readonly { readonly value: string }[]): string {
  return names.map(({ value }) => value).join(', ');
}

function effectName(effect: 'allow' | 'deny'): string {
  return effect === 'allow' ? 'EFFECT_ALLOW' : 'EFFECT_DENY';
}
