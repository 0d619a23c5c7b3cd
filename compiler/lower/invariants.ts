import type { Types } from '../ast/checked.js';
import type * as authored from '../ast/policy.js';
import type { LinkedInvariants, PolicySet } from '../ast/policy-set.js';
import type { Located } from '../diagnostics/span.js';
import type { About, Claim, InvariantSet } from '../ir/invariants.js';
import type { DerivedRole } from '../ir/program.js';
import { listValues } from '../ir/visit.js';
import { usedBindings } from './modules.js';
import { lowerCondition } from './rules.js';

/** The documents of invariants, sorted by key. */
export function lowerInvariants({ invariants }: PolicySet, types: Types): readonly InvariantSet[] {
  return invariants.map((linked) => lowerSet(linked, types));
}

function lowerSet({ key, file, policy, bindings }: LinkedInvariants, types: Types): InvariantSet {
  const definitions = policy.statements.flatMap((statement) => lowerPremises(statement, types));
  const values = definitions.flatMap(({ condition }) => listValues(condition));
  const sourcePath = file.source.path;
  const name = policy.name.value;
  return {
    key,
    name,
    sourcePath,
    statements: policy.statements.map((statement) => ({
      name: statement.name.value,
      span: statement.place.span,
      claim: lowerClaim(statement),
    })),
    conditions: {
      kind: 'derived-roles',
      key,
      sourcePath,
      description: file.description,
      name,
      definitions,
      ...usedBindings(values, bindings, types),
    },
  };
}

const PREMISES = ['when', 'unless'] as const;

function lowerPremises({ name, claim }: authored.Statement, types: Types): readonly DerivedRole[] {
  if (claim.form === 'final') return [];
  const { about } = claim;
  return PREMISES.flatMap((premise) => {
    const condition = about[premise];
    if (condition === undefined) return [];
    return {
      span: condition.place.span,
      name: premiseName(premise, name),
      parentRoles: [],
      condition: lowerCondition(condition, types),
    };
  });
}

/** Names of statements are unique within a document. */
function premiseName(premise: (typeof PREMISES)[number], { value }: Located<string>): string {
  return `${premise} of ${value}`;
}

function lowerClaim({ name, claim }: authored.Statement): Claim {
  if (claim.form === 'final') return { form: claim.form, rule: claim.rule.value };
  const about = lowerAbout(claim.about, name);
  return claim.form === 'implies'
    ? { form: claim.form, about, also: listTexts(claim.also) }
    : { form: claim.form, about };
}

function lowerAbout(about: authored.About, name: Located<string>): About {
  const { id, roles, allRoles, notRoles } = about.principal;
  const [when, unless] = PREMISES.map((premise) => about[premise] && premiseName(premise, name));
  return {
    resource: about.resource?.value ?? '*',
    version: about.version?.value,
    scope: about.scope?.value,
    actions: listTexts(about.actions),
    principal: { id: id?.value, roles: listTexts(roles), allRoles: listTexts(allRoles), notRoles: listTexts(notRoles) },
    when,
    unless,
  };
}

function listTexts(located: readonly Located<string>[]): readonly string[] {
  return located.map(({ value }) => value);
}
