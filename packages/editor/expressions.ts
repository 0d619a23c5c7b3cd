import type { Condition, Expression, Match, Output, Policy, PolicyFile } from '../../compiler/ast/policy.js';
import { listPremises } from '../../compiler/ast/premises.js';

/** The expressions in the text of a document, also those that do not parse, in no particular order. */
export function expressionsIn(file: PolicyFile): readonly Expression[] {
  const known = cache.get(file);
  if (known !== undefined) return known;
  const { policy } = file;
  const expressions = [
    ...file.legacyVariables.map(({ expression }) => expression),
    ...listVariables(policy).map(({ expression }) => expression),
    ...listConditions(policy).flatMap(expressionsOfCondition),
    ...listOutputs(policy).flatMap(({ ruleActivated, conditionNotMet, legacy }) =>
      [ruleActivated, conditionNotMet, legacy].filter((expression) => expression !== undefined),
    ),
  ];
  cache.set(file, expressions);
  return expressions;
}

const cache = new WeakMap<PolicyFile, readonly Expression[]>();

function listVariables(policy: Policy) {
  if (policy.kind === 'export-variables') return policy.definitions;
  return 'variables' in policy ? policy.variables.local : [];
}

function listConditions(policy: Policy): readonly Condition[] {
  switch (policy.kind) {
    case 'resource':
    case 'role':
      return policy.rules.flatMap(({ condition }) => condition ?? []);
    case 'principal':
      return policy.rules.flatMap(({ actions }) => actions.flatMap(({ condition }) => condition ?? []));
    case 'derived-roles':
      return policy.definitions.flatMap(({ condition }) => condition ?? []);
    case 'invariants':
      return listPremises(policy);
    case 'export-variables':
    case 'export-constants':
    case 'tenant-roles':
      return [];
  }
}

function listOutputs(policy: Policy): readonly Output[] {
  switch (policy.kind) {
    case 'resource':
    case 'role':
      return policy.rules.flatMap(({ output }) => output ?? []);
    case 'principal':
      return policy.rules.flatMap(({ actions }) => actions.flatMap(({ output }) => output ?? []));
    default:
      return [];
  }
}

function expressionsOfCondition({ match: whole }: Condition): readonly Expression[] {
  const expressions: Expression[] = [];
  const pending: Match[] = [whole];
  for (let match = pending.pop(); match !== undefined; match = pending.pop()) {
    if (match.kind === 'expr') expressions.push(match.expression);
    else if (match.kind !== 'script') for (const part of match.of) pending.push(part);
  }
  return expressions;
}
