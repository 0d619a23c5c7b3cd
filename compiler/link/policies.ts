import type { Condition, Output } from '../ast/policy.js';
import type { Bindings, LinkedPolicy } from '../ast/policy-set.js';
import { linkBindings } from './bindings.js';
import { type Catalogue, type Document, type FileOf, hasKind } from './catalogue.js';
import { linkDerivedRoles, RoleSets } from './derived-roles.js';
import { linkCondition, linkOutput } from './expressions.js';
import type { Problems } from '../diagnostics/problems.js';

/**
 * Links every executable policy with what it imports (docs/spec/policy-language.md#documents,
 * docs/spec/policy-language.md#compile-errors). Sorted by key.
 */
export function linkPolicies(catalogue: Catalogue, problems: Problems): readonly LinkedPolicy[] {
  const context = { catalogue, problems, roleSets: new RoleSets(catalogue, problems) };
  const policies = catalogue.documents.flatMap((document) => linkPolicy(document, context));
  return policies.sort((a, b) => (a.key < b.key ? -1 : 1));
}

interface Context {
  readonly catalogue: Catalogue;
  readonly problems: Problems;
  readonly roleSets: RoleSets;
}

function linkPolicy({ key, file }: Document, context: Context): readonly LinkedPolicy[] {
  const { catalogue, problems } = context;
  if (hasKind(file, 'resource')) return [linkResourcePolicy(key, file, context)];
  if (hasKind(file, 'principal')) {
    const bindings = linkBindings(file, catalogue, problems);
    for (const rule of file.policy.rules) linkRules(rule.actions, bindings, problems);
    return [{ kind: 'principal', key, file, policy: file.policy, bindings }];
  }
  if (hasKind(file, 'role')) {
    const bindings = linkBindings(file, catalogue, problems);
    linkRules(file.policy.rules, bindings, problems);
    return [{ kind: 'role', key, file, policy: file.policy, bindings }];
  }
  return [];
}

function linkResourcePolicy(
  key: string,
  file: FileOf<'resource'>,
  { catalogue, problems, roleSets }: Context,
): LinkedPolicy {
  const { policy } = file;
  const { all: importedRoles, named: derivedRoles, isBroken } = linkDerivedRoles(file, roleSets, problems);
  if (isBroken) {
    // A problem with derived roles ends a policy (docs/spec/policy-language.md#compile-errors): it stays for its
    // imported roles, with nothing of its own for later stages to report.
    const rest = { ...policy, rules: [], schemas: undefined };
    return { kind: 'resource', key, file, policy: rest, bindings: NO_BINDINGS, importedRoles, derivedRoles };
  }
  const bindings = linkBindings(file, catalogue, problems);
  linkRules(policy.rules, bindings, problems);
  return { kind: 'resource', key, file, policy, bindings, importedRoles, derivedRoles };
}

const NO_BINDINGS: Bindings = { variables: new Map(), constants: new Map() };

/** What all kinds of rules have. */
interface Rule {
  readonly condition: Condition | undefined;
  readonly output: Output | undefined;
}

function linkRules(rules: readonly Rule[], bindings: Bindings, problems: Problems): void {
  for (const rule of rules) {
    linkCondition(rule.condition, bindings, problems);
    linkOutput(rule.output, bindings, problems);
  }
}
