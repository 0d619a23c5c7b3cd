import type { Types } from '../../ast/checked.js';
import type { LinkedPolicy, PolicySet } from '../../ast/policy-set.js';
import { type Note, notesOfOthers } from '../../diagnostics/diagnostic.js';
import type { Problems } from '../../diagnostics/problems.js';
import {
  changesOutputs,
  isNamedElsewhere,
  type ComparedPolicy,
  comparePolicy,
  type ComparedRule,
  orderMatters,
  repeatedBy,
} from '../rule-coverage.js';

/**
 * Warns about rules that never decide anything because of another rule of their policy
 * (docs/spec/policy-language.md#one-role-in-one-scope): a DENY without a condition hides every ALLOW for its actions
 * and roles, and a rule without a condition makes the same rule with one redundant. Reports only certain cases.
 */
export function warnOfUnreachableRules({ policies }: PolicySet, _types: Types, report: Problems): void {
  for (const linked of policies) {
    const policy = comparePolicy(linked);
    const byCause = new Map<string, [Unreachable, ...Unreachable[]]>();
    for (const rule of policy.rules) {
      const verdict = verdictOn(rule, policy, linked.kind);
      if (verdict !== undefined) addToCause(byCause, [verdict.reason, rule.mayFail], { rule, verdict });
    }
    for (const [{ rule, verdict }, ...others] of byCause.values()) {
      const { mayFail } = rule;
      const notes = [
        ...verdict.by.slice(0, 3).map(makeNote),
        { message: verdict.suggestion },
        ...(mayFail ? [{ message: STRICT_NOTE }] : []),
        ...alike(others),
      ];
      const about = { rule: rule.name, more: others.length, reason: verdict.reason, mayFail };
      report.add('rule/unreachable', rule.place, about, { notes });
    }
  }
}

interface Unreachable {
  readonly rule: ComparedRule;
  readonly verdict: Verdict;
}

/** Rules of one cause get one warning: a DENY may hide a whole policy. */
function addToCause<T>(causes: Map<string, [T, ...T[]]>, cause: readonly unknown[], found: T): void {
  const key = JSON.stringify(cause);
  const known = causes.get(key);
  if (known === undefined) causes.set(key, [found]);
  else known.push(found);
}

function alike(others: readonly { readonly rule: ComparedRule }[]): readonly Note[] {
  return notesOfOthers(others.map(({ rule }) => ({ message: `also \`${rule.name}\``, span: rule.place.span })));
}

const STRICT_NOTE = 'with `engine.strictEvaluation`, this rule denies an action when its condition fails';

interface Verdict {
  readonly reason: string;
  readonly by: readonly ComparedRule[];
  readonly suggestion: string;
}

function verdictOn(rule: ComparedRule, policy: ComparedPolicy, kind: LinkedPolicy['kind']): Verdict | undefined {
  if (!isNamedElsewhere(rule, policy)) return undefined;
  return (
    hiddenByDenies(rule, policy, kind) ??
    (repeatedBy(rule, policy) !== undefined ? undefined : saidAlready(rule, policy))
  );
}

/** Whether every action of the rule is denied without a condition for every role of the rule. */
function hiddenByDenies(rule: ComparedRule, policy: ComparedPolicy, kind: LinkedPolicy['kind']): Verdict | undefined {
  if (rule.effect !== 'allow') return undefined;
  const roles = [...rule.roles, ...rule.parentRoles];
  if (roles.length * rule.actions.length > MOST_PAIRS) return undefined;
  const by = new Set<ComparedRule>();
  for (const role of roles) {
    for (const action of rule.actions) {
      const reached = { resource: rule.resource, action, role };
      const hides = (other: ComparedRule): boolean =>
        coversPair(other, reached) && !showsOutputBefore(rule, other, kind) && !changesOutputs(rule, other, policy);
      const deny = policy.findUnconditional('deny', reached, hides);
      if (deny === undefined) return undefined;
      by.add(deny);
    }
  }
  const names = [...by].map(({ name }) => `\`${name}\``).join(', ');
  return {
    reason: `${names} ${by.size === 1 ? 'denies' : 'deny'} all of it unconditionally`,
    by: [...by],
    suggestion:
      'a DENY overrides every ALLOW of the policy, wherever it is: add a condition to it, give it fewer actions or roles, or remove this rule',
  };
}

/** Rules with more pairs of role and action are skipped, because each pair needs a lookup. */
const MOST_PAIRS = 2000;

/** The output appears unless the DENY ends the search first; the resources of a principal policy are not ordered. */
function showsOutputBefore(rule: ComparedRule, deny: ComparedRule, kind: LinkedPolicy['kind']): boolean {
  return rule.hasOutput && (kind !== 'resource' || deny.index > rule.index);
}

/**
 * Finds a rule with the same effect and without a condition that covers everything this rule covers under its
 * condition.
 */
function saidAlready(rule: ComparedRule, policy: ComparedPolicy): Verdict | undefined {
  if (rule.hasOutput) return undefined;
  if (rule.effect === 'limit') return limitedAlready(rule, policy);
  // Under parental consent a conditional ALLOW denies when its condition does not hold
  // (docs/spec/policy-language.md#one-role-in-one-scope).
  if (rule.condition === '' || (rule.effect === 'allow' && rule.mayDeny)) return undefined;
  const reached = { resource: rule.resource, action: rule.actions[0], role: rule.roles[0] ?? rule.parentRoles[0] };
  const saysAll = (candidate: ComparedRule): boolean =>
    candidate !== rule && coversAll(candidate, rule) && !changesOutputs(rule, candidate, policy);
  const other = policy.findUnconditional(rule.effect, reached, saysAll);
  if (other === undefined) return undefined;
  const verb = rule.effect === 'allow' ? 'allows' : 'denies';
  return {
    reason: `\`${other.name}\` ${verb} all of it unconditionally`,
    by: [other],
    suggestion: `give \`${other.name}\` fewer actions or roles, or remove this rule`,
  };
}

/**
 * Finds a redundant rule of a role policy: all rules that allow an action must hold, so a rule without a condition adds
 * nothing to another one.
 */
function limitedAlready(rule: ComparedRule, policy: ComparedPolicy): Verdict | undefined {
  if (rule.condition !== '') return undefined;
  const reached = { resource: rule.resource, action: rule.actions[0], role: undefined };
  const other = policy.findConditional(reached, (candidate) => coversAll(candidate, rule));
  if (other === undefined) return undefined;
  return {
    reason: `\`${other.name}\` allows the same under a condition, and all rules of a role policy must hold`,
    by: [other],
    suggestion: `remove the actions from \`${other.name}\`, or remove this rule`,
  };
}

/** A combination of resource, action and role. */
interface Pair {
  readonly resource: string;
  readonly action: string;
  readonly role: string;
}

function coversPair(other: ComparedRule, { resource, action, role }: Pair): boolean {
  return other.coversRole(role) && other.coversAction(action) && other.coversResource(resource);
}

function coversAll(other: ComparedRule, rule: ComparedRule): boolean {
  return (
    other.coversResource(rule.resource) &&
    rule.actions.every(other.coversAction) &&
    [...rule.roles, ...rule.parentRoles].every(other.coversRole)
  );
}

function makeNote({ name, place }: ComparedRule): Note {
  return { message: `\`${name}\` is here`, span: place.span };
}

/**
 * Warns about rules that repeat another rule of their policy: same effect and condition, no additional action or role.
 */
export function warnOfRepeatedRules({ policies }: PolicySet, _types: Types, report: Problems): void {
  for (const linked of policies) {
    const policy = comparePolicy(linked);
    const byCause = new Map<string, [Repeated, ...Repeated[]]>();
    for (const rule of policy.rules) {
      const other = repeatedBy(rule, policy);
      if (other === undefined) continue;
      const matters = orderMatters(rule, other, policy);
      addToCause(byCause, [other.index, matters], { rule, other, matters });
    }
    for (const [{ rule, other, matters }, ...others] of byCause.values()) {
      const notes = [
        { message: `\`${other.name}\` is here`, span: other.place.span },
        { message: 'remove this rule, or correct what was meant to differ' },
        ...alike(others),
      ];
      const about = { rule: rule.name, more: others.length, other: other.name, orderMatters: matters };
      report.add('rule/repeated', rule.place, about, { notes });
    }
  }
}

interface Repeated {
  readonly rule: ComparedRule;
  readonly other: ComparedRule;
  readonly matters: boolean;
}
