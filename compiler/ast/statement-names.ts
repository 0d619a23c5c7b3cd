import { nameOfPrincipalAction, nameOfResourceRule } from './names.js';
import type { Effect, Policy } from './policy.js';

/** What statements of invariants may name of a policy. */
export interface StatementNames {
  /** Kinds, and globs that match kinds. */
  readonly resources: readonly string[];
  /** Actions, and globs that match actions. */
  readonly actions: readonly string[];
  readonly rules: readonly { readonly name: string; readonly effect: Effect }[];
}

/** The names that a policy has for statements. Role policies have no rules that a statement can name. */
export function namesForStatements(policy: Policy): StatementNames {
  switch (policy.kind) {
    case 'resource':
      return {
        resources: [policy.resource.value],
        actions: policy.rules.flatMap(({ actions }) => actions.map(({ value }) => value)),
        rules: policy.rules.map((rule, index) => ({ name: nameOfResourceRule(rule, index), effect: rule.effect })),
      };
    case 'principal':
      return {
        resources: policy.rules.map(({ resource }) => resource.value),
        actions: policy.rules.flatMap(({ actions }) => actions.map(({ action }) => action.value)),
        rules: policy.rules.flatMap((rule) =>
          rule.actions.map(({ effect }, index) => ({ name: nameOfPrincipalAction(rule, index), effect })),
        ),
      };
    case 'role':
      return {
        resources: policy.rules.map(({ resource }) => resource.value),
        actions: policy.rules.flatMap(({ allowActions }) => allowActions.map(({ value }) => value)),
        rules: [],
      };
    case 'derived-roles':
    case 'export-variables':
    case 'export-constants':
    case 'invariants':
    case 'tenant-roles':
      return { resources: [], actions: [], rules: [] };
  }
}
