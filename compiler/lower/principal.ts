import type { Types } from '../ast/checked.js';
import { sanitize } from '../ast/names.js';
import type { LinkedPrincipalPolicy } from '../ast/policy-set.js';
import type { PrincipalModule, Rule } from '../ir/program.js';
import { valuesOf } from '../ir/visit.js';
import { actionTable, ReachIndex } from './reach-index.js';
import { usedBindings } from './bindings.js';
import { lowerCondition, lowerOutput, readsRuntime, underConsent, valuesOfRule } from './rules.js';

/** A principal policy: a table for each kind a rule names, and the rules that reach any other kind by glob. */
export function lowerPrincipalPolicy(linked: LinkedPrincipalPolicy, types: Types): PrincipalModule {
  const { policy } = linked;
  const authored = policy.rules.flatMap((block) =>
    block.actions.map((action, index): Rule => {
      const condition = lowerCondition(action.condition, types);
      const name = action.name?.value ?? `${block.resource.value}_rule-${String(index + 1).padStart(3, '0')}`;
      return {
        span: action.place.span,
        name,
        named: action.name !== undefined,
        ...underConsent(action.effect, condition !== undefined, policy.scopePermissions),
        written: action.effect,
        actions: [action.action.value],
        roles: ['*'],
        resource: sanitize(block.resource.value),
        derivedRole: undefined,
        condition,
        output: lowerOutput(action.output, types),
        memo: undefined,
      };
    }),
  );
  const namesakes = namesakesOf(authored);
  const rules = authored.map((rule) =>
    sharesResults(rule, namesakes.get(rule.name), linked, types)
      ? { ...rule, memo: `${linked.key}#${rule.name}` }
      : rule,
  );
  const { variables, constants } = usedBindings(rules.flatMap(valuesOfRule), linked.bindings, types);
  const indexes = [...rules.keys()];
  const reach = new ReachIndex(rules.map((rule, index) => [index, [rule.resource as string]]));
  const kinds = [...new Set(rules.map((rule) => rule.resource as string))].filter((text) => !text.includes('*'));
  return {
    kind: 'principal',
    key: linked.key,
    sourcePath: linked.file.source.path,
    description: linked.file.description,
    principal: policy.principal.value,
    version: policy.version.value,
    scope: policy.scope,
    overridesParent: policy.scopePermissions !== 'require-parental-consent',
    rules,
    kinds: kinds.map((kind) => ({ kind, table: actionTable(rules, reach.reaching(kind)) })),
    otherKinds: indexes.filter((index) => rules[index]?.resource?.includes('*')),
    readsRuntime: readsRuntime([...rules.flatMap(valuesOfRule), ...variables.map(({ value }) => value)]),
    variables,
    constants,
  };
}

/** How many rules of a policy have one name. */
interface Namesakes {
  all: number;
  globs: number;
  /** By the kind that they are about. */
  readonly kinds: Map<string, number>;
}

/**
 * Whether its first result is used for the whole check although a later one could differ
 * (docs/spec/policy-language.md#rules-that-share-a-name): `runtime` changes between actions, and a rule of the same
 * name may have been first.
 */
function sharesResults(
  rule: Rule,
  namesakes: Namesakes | undefined,
  linked: LinkedPrincipalPolicy,
  types: Types,
): boolean {
  const values = valuesOf(rule.condition);
  const variables = usedBindings(values, linked.bindings, types).variables.map(({ value }) => value);
  return readsRuntime([...values, ...variables]) || (namesakes !== undefined && meetsAnother(rule, namesakes));
}

function namesakesOf(rules: readonly Rule[]): ReadonlyMap<string, Namesakes> {
  const groups = new Map<string, Namesakes>();
  for (const { name, resource = '' } of rules) {
    const group = groups.get(name) ?? { all: 0, globs: 0, kinds: new Map() };
    groups.set(name, group);
    group.all += 1;
    if (resource.includes('*')) group.globs += 1;
    else group.kinds.set(resource, (group.kinds.get(resource) ?? 0) + 1);
  }
  return groups;
}

/** Whether one request may reach a rule and another of its name: a glob may match any kind. */
function meetsAnother({ resource = '' }: Rule, { all, globs, kinds }: Namesakes): boolean {
  return resource.includes('*') ? all > 1 : globs > 0 || (kinds.get(resource) ?? 0) > 1;
}
