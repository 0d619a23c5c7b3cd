import { stringify } from '../../../yaml-input/index.js';
import { type Match, translateCondition, UntranslatableError } from './conditions.js';
import { type Grant, type Grants, listLineage } from './grants.js';

/** A rule of a resource policy. */
interface Rule {
  readonly name: string;
  readonly actions: readonly string[];
  readonly effect: 'EFFECT_ALLOW';
  readonly roles: readonly string[];
  readonly condition?: { readonly match: Match };
  readonly output?: { readonly when: { readonly ruleActivated: string } };
}

/** The policies for grants, by file name, and what has no counterpart: it grants nothing. */
export interface MigratedGrants {
  readonly policies: ReadonlyMap<string, string>;
  readonly open: readonly string[];
}

/** What a role may do: an ALLOW rule for one role and one action. */
interface Allowed {
  readonly role: string;
  readonly action: string;
  readonly possession: 'any' | 'own';
  readonly attributes: readonly string[];
  readonly match: Match | undefined;
}

/**
 * Writes one policy for each resource. A deny of `accesscontrol` subtracts attributes from the grants of one role, so it is
 * applied here, and the policies only allow. What cannot be translated exactly is left out, with the grants it restricts.
 *
 * @param owner the attribute of resources that has the id of their owner.
 */
export function policiesOfGrants(grants: Grants, owner: string): MigratedGrants {
  const open: string[] = [];
  const policies = new Map<string, string>();
  for (const resource of new Set(grants.rules.map((rule) => rule.resource))) {
    const rules = grants.rules.filter((rule) => rule.resource === resource);
    const other = [resource, ...rules.map(({ role }) => role)].find((name) => !/^[\w-]+$/.test(name));
    if (other !== undefined) {
      open.push(
        `${resource}: \`${other}\` is not a plain name; groups and categories are not migrated, so no policy was written`,
      );
      continue;
    }
    const allowed = [...grants.parents.keys()].flatMap((role) => allowedTo(role, resource, grants, open));
    if (allowed.length > 0) policies.set(`${resource}.yaml`, policyText(resource, makeRules(allowed, owner)));
  }
  return { policies, open };
}

/** What a role may do with a kind of resource, in its own name and through the roles that it extends. */
function allowedTo(role: string, resource: string, grants: Grants, open: string[]): readonly Allowed[] {
  const lineage = listLineage(role, grants);
  const rules = grants.rules.filter((rule) => rule.resource === resource && lineage.includes(rule.role));
  return [...new Set(rules.map(({ action }) => action))].flatMap((action) => {
    const about = rules.filter((rule) => rule.action === action);
    const denies = about.filter(({ effect }) => effect === 'deny');
    const allows = about.filter(({ effect }) => effect === 'grant');
    const left = (why: string): readonly Allowed[] => {
      open.push(`${role} ${action} ${resource}: ${why}; no rule was written`);
      return [];
    };
    if (denies.some(({ condition }) => condition !== undefined)) return left('a deny has a condition');
    try {
      return allows.flatMap((grant) => remaining(grant, denies, role, resource));
    } catch (error) {
      if (error instanceof UntranslatableError) return left(`${error.message} has no counterpart`);
      throw error;
    }
  });
}

/** What denies leave of a grant. One for any resource is also one for the principal's own: a deny for any leaves that. */
function remaining(grant: Grant, denies: readonly Grant[], role: string, resource: string): readonly Allowed[] {
  const match = grant.condition === undefined ? undefined : translateCondition(grant.condition, resource);
  const possessions = grant.possession === 'any' ? (['any', 'own'] as const) : (['own'] as const);
  const found = possessions.flatMap((possession) => {
    const denied = denies.filter((deny) => deny.possession === possession).flatMap(({ attributes }) => attributes);
    const attributes = subtract(grant.attributes, denied);
    return attributes.some((attribute) => !attribute.startsWith('!'))
      ? [{ role, action: grant.action, possession, attributes, match }]
      : [];
  });
  // What is allowed for any resource is allowed for those of the principal, too.
  return found[0]?.possession === 'any' && sameAttributes(found) ? found.slice(0, 1) : found;
}

function sameAttributes(found: readonly Allowed[]): boolean {
  return found.length === 2 && String(found[0]?.attributes) === String(found[1]?.attributes);
}

/**
 * Attributes without those that are denied, in glob notation. A deny of all attributes leaves those there that a grant
 * names one by one, so grants and denies whose globs overlap in part are not translated.
 */
function subtract(allowed: readonly string[], denied: readonly string[]): readonly string[] {
  if (denied.length === 0) return allowed;
  const granted = allowed.filter((glob) => !glob.startsWith('!'));
  const overlaps = (glob: string, by: string): boolean =>
    glob !== by && (by === '*' || glob.startsWith(`${by}.`) || by.startsWith(`${glob}.`) || /.\*|\*./.test(glob + by));
  if (denied.some((by) => by.startsWith('!') || granted.some((glob) => glob !== '*' && overlaps(glob, by))))
    throw new UntranslatableError('a deny that overlaps a grant in part');
  if (denied.includes('*')) return [];
  const left = allowed.filter((glob) => !denied.includes(glob));
  const exceptions = granted.includes('*') ? denied.map((glob) => `!${glob}`) : [];
  return left.some((glob) => !glob.startsWith('!')) ? [...new Set([...left, ...exceptions])] : [];
}

/** Joins what several roles may do, and what roles may do with several actions. */
function makeRules(allowed: readonly Allowed[], owner: string): readonly Rule[] {
  const byRoles = new Map<string, { readonly first: Allowed; readonly roles: Set<string>; readonly action: string }>();
  for (const one of allowed) {
    const key = JSON.stringify([one.action, one.possession, one.attributes, one.match]);
    const found = byRoles.get(key) ?? { first: one, roles: new Set(), action: one.action };
    found.roles.add(one.role);
    byRoles.set(key, found);
  }
  const byActions = new Map<
    string,
    { readonly first: Allowed; readonly roles: readonly string[]; readonly actions: string[] }
  >();
  for (const { first, roles, action } of byRoles.values()) {
    const key = JSON.stringify([[...roles], first.possession, first.attributes, first.match]);
    const found = byActions.get(key) ?? { first, roles: [...roles], actions: [] };
    found.actions.push(action);
    byActions.set(key, found);
  }
  return [...byActions.values()].map(({ first, roles, actions }, index) =>
    makeRule(first, roles, actions, owner, index + 1),
  );
}

function makeRule(
  { possession, attributes, match }: Allowed,
  roles: readonly string[],
  actions: readonly string[],
  owner: string,
  number: number,
): Rule {
  const owned: readonly Match[] = possession === 'own' ? [{ expr: `R.attr.${owner} == P.id` }] : [];
  const parts = [...owned, ...(match === undefined ? [] : [match])];
  const [only] = parts;
  return {
    name: `${possession}-${number}`,
    actions,
    effect: 'EFFECT_ALLOW',
    roles,
    ...(only !== undefined && { condition: { match: parts.length === 1 ? only : { all: { of: parts } } } }),
    ...(String(attributes) !== '*' && { output: { when: { ruleActivated: JSON.stringify(attributes) } } }),
  };
}

function policyText(resource: string, rules: readonly Rule[]): string {
  const policy = { apiVersion: 'api.authz.dev/v1', resourcePolicy: { resource, version: 'default', rules } };
  return stringify(policy, { lineWidth: 0, aliasDuplicateObjects: false });
}
