import { literalAndGlob, literalOrGlob, type Matcher } from '../../runtime/policy/index.js';
import { nameOfPrincipalAction, nameOfResourceRule, nameOfRoleRule, sanitize } from '../ast/names.js';
import type { LinkedPolicy, LinkedPrincipalPolicy, LinkedResourcePolicy, LinkedRolePolicy } from '../ast/policy-set.js';
import type { Condition, Effect, Output, ScopePermissions } from '../ast/policy.js';
import type { Place } from '../diagnostics/span.js';
import { listEntries, TextIndex } from '../globs/text-index.js';
import { conditionText } from './expressions-of.js';

/** A rule of any policy, described by what it matches, so that rules of one policy can be compared. */
export interface ComparedRule {
  /** Its index among the rules of the policy. */
  readonly index: number;
  readonly name: string;
  readonly place: Place;
  /** `limit`: a rule of a role policy, which only narrows access. */
  readonly effect: 'allow' | 'deny' | 'limit';
  /** The string that requests are compared with: sanitized in a principal policy, `*` in a resource policy. */
  readonly resource: string;
  readonly actions: readonly string[];
  /** `*` in principal and role policies. */
  readonly roles: readonly string[];
  readonly derivedRoles: readonly string[];
  readonly namesDerivedRole: ReadonlySet<string>;
  /** The parent roles of its derived roles. */
  readonly parentRoles: readonly string[];
  /** Empty for a rule without a condition. */
  readonly condition: string;
  readonly hasOutput: boolean;
  /**
   * Whether it can end the search in a scope with DENY: under parental consent a conditional ALLOW can do that
   * (docs/spec/policy-language.md#effect-of-a-rule).
   */
  readonly mayDeny: boolean;
  /**
   * Whether it has a condition, either its own or that of a derived role: a condition that fails denies under strict
   * evaluation (docs/spec/policy-language.md#strict-evaluation).
   */
  readonly mayFail: boolean;
  readonly coversResource: Covers;
  readonly coversAction: Covers;
  readonly coversRole: Covers;
}

/**
 * The maximum number of rules that are compared: where an index does not help, as with globs that all begin with a
 * star, the comparison is quadratic.
 */
const MOST = 500;

/** The rules of a policy in source order, indexed for comparison with each other. */
export class ComparedPolicy {
  readonly rules: readonly ComparedRule[];
  /** Whether some rule has an output. */
  readonly hasOutputs: boolean;
  /** Whether the condition of some rule may fail. */
  readonly mayFail: boolean;
  private readonly byWording = new Map<string, { readonly rules: ComparedRule[]; index?: CoverIndex<ComparedRule> }>();
  private readonly byDerivedRole = new Map<string, number>();

  constructor(policy: LinkedPolicy) {
    this.rules = listRules(policy)
      .slice(0, MOST)
      .map((rule, index) => ({ ...rule, index, namesDerivedRole: new Set(rule.derivedRoles) }));
    this.hasOutputs = this.rules.some(({ hasOutput }) => hasOutput);
    this.mayFail = this.rules.some(({ mayFail }) => mayFail);
    for (const rule of this.rules) {
      for (const name of rule.namesDerivedRole) this.byDerivedRole.set(name, this.rulesNaming(name) + 1);
      for (const key of listWordings(rule)) {
        const group = this.byWording.get(key) ?? { rules: [] };
        group.rules.push(rule);
        this.byWording.set(key, group);
      }
    }
  }

  /** The number of rules that name a derived role. */
  rulesNaming(name: string): number {
    return this.byDerivedRole.get(name) ?? 0;
  }

  /**
   * Returns the first rule that satisfies `isSought`, among those with the same effect, condition and derived role that
   * may cover the given rule.
   */
  findSimilar(rule: ComparedRule, isSought: Sought): ComparedRule | undefined {
    const reached = { resource: rule.resource, action: rule.actions[0], role: rule.roles[0] };
    return this.findAmong(formatWording(rule.effect, rule.condition, rule.derivedRoles[0]), reached, isSought);
  }

  /**
   * Returns the first rule with this effect and without a condition that satisfies `isSought`, among those that may
   * cover `reached`.
   */
  findUnconditional(effect: ComparedRule['effect'], reached: Reached, isSought: Sought): ComparedRule | undefined {
    return this.findAmong(formatWording(effect, '', undefined), reached, isSought);
  }

  /** Returns the first rule with a condition that satisfies `isSought`, among those that may cover `reached`. */
  findConditional(reached: Reached, isSought: Sought): ComparedRule | undefined {
    return this.findAmong(CONDITIONAL, reached, isSought);
  }

  private findAmong(wording: string, reached: Reached, isSought: Sought): ComparedRule | undefined {
    const group = this.byWording.get(wording);
    if (group === undefined) return undefined;
    if (group.rules.length <= FEW) return group.rules.find(isSought);
    group.index ??= new CoverIndex(group.rules);
    return group.index.find(reached, isSought);
  }
}

/** Tests all that covering a rule takes. */
type Sought = (rule: ComparedRule) => boolean;

/** So many rules are tested in less time than an index of them takes to build. */
const FEW = 8;

/**
 * The rules of a policy. Several warnings need this; a linked policy never changes, and the entry is collected with it.
 */
export function comparePolicy(policy: LinkedPolicy): ComparedPolicy {
  const known = cache.get(policy) ?? new ComparedPolicy(policy);
  cache.set(policy, known);
  return known;
}

const cache = new WeakMap<LinkedPolicy, ComparedPolicy>();

/** The groups of a rule: one for any derived role, and one for each that it names. */
function listWordings({ effect, condition, namesDerivedRole }: ComparedRule): readonly string[] {
  const wordings = [undefined, ...namesDerivedRole].map((derivedRole) => formatWording(effect, condition, derivedRole));
  return condition === '' ? wordings : [...wordings, CONDITIONAL];
}

/** The group of all rules with a condition. */
const CONDITIONAL = 'conditional';

function formatWording(effect: ComparedRule['effect'], condition: string, derivedRole: string | undefined): string {
  // With its length, so that no derived role reads like the beginning of a condition.
  const role = derivedRole === undefined ? '' : `${derivedRole.length}:${derivedRole}`;
  return `${effect} ${role} ${condition}`;
}

/** A rule before it gets its index. */
type LoneRule = Omit<ComparedRule, 'index' | 'namesDerivedRole'>;

function listRules(policy: LinkedPolicy): readonly LoneRule[] {
  switch (policy.kind) {
    case 'resource':
      return ofResourcePolicy(policy);
    case 'principal':
      return ofPrincipalPolicy(policy);
    case 'role':
      return ofRolePolicy(policy);
  }
}

function ofResourcePolicy({ policy, derivedRoles }: LinkedResourcePolicy): readonly LoneRule[] {
  return policy.rules.map((rule, index) => {
    const actions = rule.actions.map(({ value }) => value);
    const roles = rule.roles.map(({ value }) => value);
    const named = rule.derivedRoles.map(({ value }) => value);
    return {
      place: rule.place,
      condition: conditionText(rule.condition),
      hasOutput: rule.output !== undefined,
      mayDeny: mayDeny(rule, policy.scopePermissions),
      mayFail:
        rule.condition !== undefined ||
        named.some((name) => derivedRoles.get(name)?.definition.condition !== undefined),
      name: nameOfResourceRule(rule, index),
      effect: rule.effect,
      resource: '*',
      actions,
      roles,
      derivedRoles: named,
      parentRoles: named.flatMap(
        (name) => derivedRoles.get(name)?.definition.parentRoles.map(({ value }) => value) ?? [],
      ),
      coversResource: EVERYONE.coversRole,
      coversAction: makeCover(actions),
      coversRole: makeCover(roles),
    };
  });
}

function ofPrincipalPolicy({ policy }: LinkedPrincipalPolicy): readonly LoneRule[] {
  return policy.rules.flatMap((rule) => {
    const resource = sanitize(rule.resource.value);
    return rule.actions.map((action, index) => ({
      ...findCommon(action),
      ...EVERYONE,
      mayDeny: mayDeny(action, policy.scopePermissions),
      name: nameOfPrincipalAction(rule, index),
      effect: action.effect,
      resource,
      actions: [action.action.value],
      coversResource: makeCover([resource]),
      coversAction: makeCover([action.action.value]),
    }));
  });
}

function ofRolePolicy({ policy }: LinkedRolePolicy): readonly LoneRule[] {
  return policy.rules.map((rule, index) => {
    const actions = rule.allowActions.map(({ value }) => value);
    return {
      ...findCommon(rule),
      ...EVERYONE,
      name: nameOfRoleRule(rule, index),
      effect: 'limit',
      mayDeny: true,
      resource: rule.resource.value,
      actions,
      coversResource: makeCover([rule.resource.value]),
      coversAction: coverOfAllowed(actions),
    };
  });
}

const EVERYONE = { roles: ['*'], derivedRoles: [], parentRoles: [], coversRole: makeCover(['*']) };

function mayDeny(
  { effect, condition }: { readonly effect: Effect; readonly condition: Condition | undefined },
  permissions: ScopePermissions,
): boolean {
  return effect === 'deny' || (condition !== undefined && permissions === 'require-parental-consent');
}

interface Written {
  readonly place: Place;
  readonly condition: Condition | undefined;
  readonly output: Output | undefined;
}

function findCommon({
  place,
  condition,
  output,
}: Written): Pick<ComparedRule, 'place' | 'condition' | 'hasOutput' | 'mayFail'> {
  return {
    place,
    condition: conditionText(condition),
    hasOutput: output !== undefined,
    mayFail: condition !== undefined,
  };
}

/**
 * Returns the rule that the given rule repeats: one with the same effect and condition that covers all its actions,
 * roles and derived roles. Of two equivalent rules, the later repeats the earlier.
 */
export function repeatedBy(rule: ComparedRule, policy: ComparedPolicy): ComparedRule | undefined {
  if (rule.hasOutput) return undefined;
  return policy.findSimilar(rule, (other) => {
    if (rule === other || !says(other, rule) || changesOutputs(rule, other, policy)) return false;
    return !says(rule, other) || other.hasOutput || other.index < rule.index;
  });
}

/**
 * Whether removing the rule could make an output appear while the other rule stays: a DENY ends the search, and rules
 * after it emit no outputs (docs/spec/policy-language.md#when-outputs-are-emitted).
 */
export function changesOutputs(rule: ComparedRule, other: ComparedRule, { hasOutputs }: ComparedPolicy): boolean {
  return rule.mayDeny && hasOutputs && isAskedBefore(rule, other);
}

/**
 * Whether the evaluation of an action may end at the rule, while without it another condition would fail first: under
 * strict evaluation this changes the policy that is named as denying the action, and the outputs.
 */
export function orderMatters(rule: ComparedRule, other: ComparedRule, { mayFail }: ComparedPolicy): boolean {
  return mayFail && (rule.mayDeny || rule.mayFail) && isAskedBefore(rule, other);
}

/** The resources of a principal policy are not ordered. */
function isAskedBefore(rule: ComparedRule, other: ComparedRule): boolean {
  return other.index > rule.index || rule.resource !== other.resource;
}

/**
 * Whether another rule names each derived role of a rule: the derived roles named by rules are listed in `runtime` and
 * in responses (docs/spec/policy-language.md#effective-derived-roles).
 */
export function isNamedElsewhere(rule: ComparedRule, policy: ComparedPolicy): boolean {
  for (const name of rule.namesDerivedRole) if (policy.rulesNaming(name) <= 1) return false;
  return true;
}

function says(other: ComparedRule, rule: ComparedRule): boolean {
  return (
    other.effect === rule.effect &&
    other.condition === rule.condition &&
    other.coversResource(rule.resource) &&
    rule.actions.every(other.coversAction) &&
    rule.roles.every(other.coversRole) &&
    rule.derivedRoles.every((name) => other.namesDerivedRole.has(name))
  );
}

/** The strings that a rule matches with. */
interface Covering {
  readonly resource: string;
  readonly actions: readonly string[];
  readonly roles: readonly string[];
}

/** What must be covered; fields that are absent are not checked. */
interface Reached {
  readonly resource: string;
  readonly action: string | undefined;
  readonly role: string | undefined;
}

/** Finds the rules that may cover a resource, an action and a role without scanning all rules. */
class CoverIndex<R extends Covering> {
  private readonly resources: TextIndex;
  private readonly actions: TextIndex;
  private readonly roles: TextIndex;

  constructor(private readonly rules: readonly R[]) {
    this.resources = new TextIndex(rules.map(({ resource }) => [resource]));
    this.actions = new TextIndex(rules.map(({ actions }) => actions));
    this.roles = new TextIndex(rules.map(({ roles }) => roles));
  }

  /**
   * Returns the first rule in source order that satisfies `isSought`. Tests only rules that may cover what is reached.
   */
  find({ resource, action, role }: Reached, isSought: (rule: R) => boolean): R | undefined {
    let fewest = this.resources.find(resource);
    for (const [index, text] of [
      [this.actions, action],
      [this.roles, role],
    ] as const) {
      const found = text === undefined ? fewest : index.find(text);
      if (found.count < fewest.count) fewest = found;
    }
    const entry = listEntries(fewest).find((candidate) => isSought(this.rules[candidate] as R));
    return entry === undefined ? undefined : this.rules[entry];
  }
}

/** Whether other strings certainly match everything that a string in a policy matches. */
type Covers = (text: string) => boolean;

/**
 * Compares strings that are globs only if they contain `*` (docs/spec/policy-language.md#where-a-string-is-a-glob):
 * actions, roles, resources.
 */
function makeCover(texts: readonly string[]): Covers {
  return coveredBy(texts, literalOrGlob, /\*/);
}

/**
 * Compares the `allowActions` of role policies, which are always globs too
 * (docs/spec/policy-language.md#where-a-string-is-a-glob).
 */
function coverOfAllowed(texts: readonly string[]): Covers {
  return coveredBy(texts, literalAndGlob, /[*?[\]{}\\]/);
}

// A glob is covered by itself and by the glob that matches everything; whether one glob contains another is not
// computed.
function coveredBy(texts: readonly string[], matcher: (text: string) => Matcher, special: RegExp): Covers {
  const make = (): Covers => {
    const own = new Set(texts);
    if (own.has('*') || own.has('**')) return () => true;
    const matchers = texts.filter((text) => special.test(text)).map(matcher);
    return (text) => own.has(text) || (!special.test(text) && matchers.some((matches) => matches(text)));
  };
  // Most rules are never compared with another one.
  let covers: Covers | undefined;
  return (text) => {
    covers ??= make();
    return covers(text);
  };
}
