import { literalAndGlob, literalOrGlob, type Matcher } from '#runtime/policy';
import { nameOfPrincipalAction, nameOfResourceRule, nameOfRoleRule, sanitize } from '../ast/names.js';
import type { LinkedPolicy, LinkedPrincipalPolicy, LinkedResourcePolicy, LinkedRolePolicy } from '../ast/policy-set.js';
import type { Condition, Effect, Output, ScopePermissions } from '../ast/policy.js';
import type { Place } from '../diagnostics/span.js';
import { entriesOf, TextIndex } from '../globs/text-index.js';
import { conditionText } from './expressions-of.js';

/** A rule of any policy, seen as what it reaches: for comparing the rules of one policy with each other. */
export interface ComparedRule {
  /** Its place among the rules of the policy. */
  readonly index: number;
  readonly name: string;
  readonly place: Place;
  /** `limit`: a rule of a role policy, which only narrows. */
  readonly effect: 'allow' | 'deny' | 'limit';
  /** As rules are compared with requests: sanitised in a principal policy, `*` in a resource policy. */
  readonly resource: string;
  readonly actions: readonly string[];
  /** `*` in principal and role policies. */
  readonly roles: readonly string[];
  readonly derivedRoles: readonly string[];
  readonly namesDerivedRole: ReadonlySet<string>;
  /** The parent roles of its derived roles. */
  readonly parentRoles: readonly string[];
  /** Empty for a rule without condition. */
  readonly condition: string;
  readonly hasOutput: boolean;
  /**
   * Whether it can end the search in a scope with DENY: under parental consent a conditional ALLOW can
   * (docs/spec/policy-language.md#effect-of-a-rule).
   */
  readonly mayDeny: boolean;
  /**
   * Whether it has a condition, its own or that of a derived role: one that fails denies under strict evaluation
   * (docs/spec/policy-language.md#strict-evaluation).
   */
  readonly mayFail: boolean;
  readonly coversResource: Covers;
  readonly coversAction: Covers;
  readonly coversRole: Covers;
}

/**
 * Rules beyond this number are not compared: where an index does not help, as with globs that all begin with a star,
 * the comparison is quadratic.
 */
const MOST = 500;

/** The rules of a policy in the order of the file, to be compared with each other. */
export class ComparedPolicy {
  readonly rules: readonly ComparedRule[];
  /** Whether a rule has an output. */
  readonly hasOutputs: boolean;
  /** Whether the condition of a rule may fail. */
  readonly mayFail: boolean;
  private readonly byWording = new Map<string, { readonly rules: ComparedRule[]; index?: CoverIndex<ComparedRule> }>();
  private readonly byDerivedRole = new Map<string, number>();

  constructor(policy: LinkedPolicy) {
    this.rules = rulesOf(policy)
      .slice(0, MOST)
      .map((rule, index) => ({ ...rule, index, namesDerivedRole: new Set(rule.derivedRoles) }));
    this.hasOutputs = this.rules.some(({ hasOutput }) => hasOutput);
    this.mayFail = this.rules.some(({ mayFail }) => mayFail);
    for (const rule of this.rules) {
      for (const name of rule.namesDerivedRole) this.byDerivedRole.set(name, this.rulesNaming(name) + 1);
      for (const key of wordingsOf(rule)) {
        const group = this.byWording.get(key) ?? { rules: [] };
        group.rules.push(rule);
        this.byWording.set(key, group);
      }
    }
  }

  /** How many rules name a derived role. */
  rulesNaming(name: string): number {
    return this.byDerivedRole.get(name) ?? 0;
  }

  /**
   * The first rule of the same effect, condition and derived role that is sought, of those that may cover what a rule
   * reaches.
   */
  findSimilar(rule: ComparedRule, isSought: Sought): ComparedRule | undefined {
    const reached = { resource: rule.resource, action: rule.actions[0], role: rule.roles[0] };
    return this.findAmong(wordingOf(rule.effect, rule.condition, rule.derivedRoles[0]), reached, isSought);
  }

  /** The first rule of an effect without condition that is sought, of those that may cover what is reached. */
  findUnconditional(effect: ComparedRule['effect'], reached: Reached, isSought: Sought): ComparedRule | undefined {
    return this.findAmong(wordingOf(effect, '', undefined), reached, isSought);
  }

  /** The first rule with a condition that is sought, of those that may cover what is reached. */
  findConditional(reached: Reached, isSought: Sought): ComparedRule | undefined {
    return this.findAmong(CONDITIONAL, reached, isSought);
  }

  private findAmong(wording: string, reached: Reached, isSought: Sought): ComparedRule | undefined {
    const group = this.byWording.get(wording);
    if (group === undefined) return undefined;
    group.index ??= new CoverIndex(group.rules);
    return group.index.find(reached, isSought);
  }
}

type Sought = (rule: ComparedRule) => boolean;

/** The rules of a policy. Several warnings ask; a linked policy never changes, and the entry goes with it. */
export function comparedPolicyOf(policy: LinkedPolicy): ComparedPolicy {
  const known = cache.get(policy) ?? new ComparedPolicy(policy);
  cache.set(policy, known);
  return known;
}

const cache = new WeakMap<LinkedPolicy, ComparedPolicy>();

/** The groups of a rule: with any derived role, and with each that it names. */
function wordingsOf({ effect, condition, namesDerivedRole }: ComparedRule): readonly string[] {
  const wordings = [undefined, ...namesDerivedRole].map((derivedRole) => wordingOf(effect, condition, derivedRole));
  return condition === '' ? wordings : [...wordings, CONDITIONAL];
}

/** The group of all rules with a condition. */
const CONDITIONAL = 'conditional';

function wordingOf(effect: ComparedRule['effect'], condition: string, derivedRole: string | undefined): string {
  return JSON.stringify([effect, condition, derivedRole ?? null]);
}

/** A rule before it has its place among the others. */
type LoneRule = Omit<ComparedRule, 'index' | 'namesDerivedRole'>;

function rulesOf(policy: LinkedPolicy): readonly LoneRule[] {
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
      coversAction: coverOf(actions),
      coversRole: coverOf(roles),
    };
  });
}

function ofPrincipalPolicy({ policy }: LinkedPrincipalPolicy): readonly LoneRule[] {
  return policy.rules.flatMap((rule) => {
    const resource = sanitize(rule.resource.value);
    return rule.actions.map((action, index) => ({
      ...commonOf(action),
      ...EVERYONE,
      mayDeny: mayDeny(action, policy.scopePermissions),
      name: nameOfPrincipalAction(rule, index),
      effect: action.effect,
      resource,
      actions: [action.action.value],
      coversResource: coverOf([resource]),
      coversAction: coverOf([action.action.value]),
    }));
  });
}

function ofRolePolicy({ policy }: LinkedRolePolicy): readonly LoneRule[] {
  return policy.rules.map((rule, index) => {
    const actions = rule.allowActions.map(({ value }) => value);
    return {
      ...commonOf(rule),
      ...EVERYONE,
      name: nameOfRoleRule(rule, index),
      effect: 'limit',
      mayDeny: true,
      resource: rule.resource.value,
      actions,
      coversResource: coverOf([rule.resource.value]),
      coversAction: coverOfAllowed(actions),
    };
  });
}

const EVERYONE = { roles: ['*'], derivedRoles: [], parentRoles: [], coversRole: coverOf(['*']) };

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

function commonOf({
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
 * The rule that a rule repeats: one that says all that it says in the same way, with the same effect and condition, and
 * no action, role or derived role less. Of two rules that say the same, the later one repeats the earlier.
 */
export function repeatedBy(rule: ComparedRule, policy: ComparedPolicy): ComparedRule | undefined {
  if (rule.hasOutput) return undefined;
  return policy.findSimilar(rule, (other) => {
    if (rule === other || !says(other, rule) || changesOutputs(rule, other, policy)) return false;
    return !says(rule, other) || other.hasOutput || other.index < rule.index;
  });
}

/**
 * Whether an output could appear that a rule holds back, were only the other one there: a DENY ends the search, and
 * rules after it show nothing (docs/spec/policy-language.md#when-outputs-are-emitted).
 */
export function changesOutputs(rule: ComparedRule, other: ComparedRule, { hasOutputs }: ComparedPolicy): boolean {
  return rule.mayDeny && hasOutputs && isAskedBefore(rule, other);
}

/**
 * Whether the evaluation of an action may end at a rule where without it another condition would fail first: under
 * strict evaluation that shows in the policy that denied the action and in its outputs.
 */
export function orderMatters(rule: ComparedRule, other: ComparedRule, { mayFail }: ComparedPolicy): boolean {
  return mayFail && (rule.mayDeny || rule.mayFail) && isAskedBefore(rule, other);
}

/** The resources of a principal policy come in no order. */
function isAskedBefore(rule: ComparedRule, other: ComparedRule): boolean {
  return other.index > rule.index || rule.resource !== other.resource;
}

/**
 * Whether every derived role of a rule is named by another rule: those named by a rule are listed in `runtime` and in
 * answers (docs/spec/policy-language.md#effective-derived-roles).
 */
export function isNamedElsewhere(rule: ComparedRule, policy: ComparedPolicy): boolean {
  return [...new Set(rule.derivedRoles)].every((name) => policy.rulesNaming(name) > 1);
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

/** The texts of a rule. */
interface Covering {
  readonly resource: string;
  readonly actions: readonly string[];
  readonly roles: readonly string[];
}

/** What is to be covered; of texts that are left out, nothing is asked. */
interface Reached {
  readonly resource: string;
  readonly action: string | undefined;
  readonly role: string | undefined;
}

/** Finds the rules that may cover a resource, an action and a role, without a look at all of them. */
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
   * The first rule in the order of the file that is what is looked for. Only rules that may cover what is reached are
   * asked.
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
    const entry = entriesOf(fewest).find((candidate) => isSought(this.rules[candidate] as R));
    return entry === undefined ? undefined : this.rules[entry];
  }
}

/** Whether all that a text of a policy reaches is surely reached by other texts. */
type Covers = (text: string) => boolean;

/**
 * Of texts that are globs only with a `*` (docs/spec/policy-language.md#where-a-string-is-a-glob): actions, roles,
 * resources.
 */
function coverOf(texts: readonly string[]): Covers {
  return coveredBy(texts, literalOrGlob, /\*/);
}

/**
 * Of the `allowActions` of role policies, which are always globs as well
 * (docs/spec/policy-language.md#where-a-string-is-a-glob).
 */
function coverOfAllowed(texts: readonly string[]): Covers {
  return coveredBy(texts, literalAndGlob, /[*?[\]{}\\]/);
}

// A glob is covered by itself and by what matches everything; whether one glob contains another is not worked out.
function coveredBy(texts: readonly string[], matcher: (text: string) => Matcher, special: RegExp): Covers {
  const own = new Set(texts);
  if (own.has('*') || own.has('**')) return () => true;
  const matchers = texts.filter((text) => special.test(text)).map(matcher);
  return (text) => own.has(text) || (!special.test(text) && matchers.some((matches) => matches(text)));
}
