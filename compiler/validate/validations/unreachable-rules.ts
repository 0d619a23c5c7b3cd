import type { Types } from '../../ast/checked.js';
import type { LinkedPolicy, PolicySet } from '../../ast/policy-set.js';
import type { Note } from '../../diagnostics/diagnostic.js';
import type { Problems } from '../../diagnostics/problems.js';
import { type JudgedRule, judgedRulesOf } from '../judged-rules.js';
import { changesOutputs, isNamedElsewhere, repeats } from '../rule-cover.js';

/**
 * Warns of rules that another rule of their policy leaves nothing to decide (policy-language.md 8.3): a DENY without condition hides every
 * ALLOW for its actions and roles, and a rule without condition says what the same rule with one says. Only certain cases.
 */
export function warnOfUnreachableRules({ policies }: PolicySet, _types: Types, report: Problems): void {
  for (const policy of policies) {
    const rules = judgedRulesOf(policy);
    for (const rule of rules) {
      const verdict = verdictOn(rule, rules, policy);
      if (verdict === undefined) continue;
      const notes = [...verdict.by.slice(0, 3).map(noteOf), { message: verdict.wayOut }];
      report.add('rule/unreachable', rule.place, { rule: rule.name, reason: verdict.reason }, { notes });
    }
  }
}

interface Verdict {
  readonly reason: string;
  readonly by: readonly JudgedRule[];
  readonly wayOut: string;
}

function verdictOn(rule: JudgedRule, rules: readonly JudgedRule[], policy: LinkedPolicy): Verdict | undefined {
  if (!isNamedElsewhere(rule, rules)) return undefined;
  const others = rules.filter((other) => other !== rule);
  return hiddenByDenies(rule, rules, policy) ?? (others.some((other) => repeats(rule, other, rules)) ? undefined : saidAlready(rule, others, rules));
}

/** Every action of the rule, for every role of it, is denied without condition. */
function hiddenByDenies(rule: JudgedRule, rules: readonly JudgedRule[], policy: LinkedPolicy): Verdict | undefined {
  if (rule.effect !== 'allow') return undefined;
  const denies = rules.filter(
    (other) =>
      other.effect === 'deny' && other.condition === '' && !showsOutputBefore(rule, other, rules, policy) && !changesOutputs(rule, other, rules),
  );
  const by = new Set<JudgedRule>();
  for (const role of [...rule.roles, ...rule.parentRoles]) {
    for (const action of rule.actions) {
      const deny = denies.find((other) => other.coversRole(role) && other.coversAction(action) && other.coversResource(rule.resource));
      if (deny === undefined) return undefined;
      by.add(deny);
    }
  }
  const names = [...by].map(({ name }) => `\`${name}\``).join(', ');
  return {
    reason: `${names} ${by.size === 1 ? 'denies' : 'deny'} all of it without condition`,
    by: [...by],
    wayOut: 'a DENY stands against every ALLOW of the policy, wherever it is written: give it a condition or fewer actions and roles, or remove this rule',
  };
}

/** An output appears unless the DENY has ended the search before; the resources of a principal policy come in no order. */
function showsOutputBefore(rule: JudgedRule, deny: JudgedRule, rules: readonly JudgedRule[], { kind }: LinkedPolicy): boolean {
  return rule.hasOutput && (kind !== 'resource' || rules.indexOf(deny) > rules.indexOf(rule));
}

/** A rule of the same effect without condition reaches all that this one reaches under its condition. */
function saidAlready(rule: JudgedRule, others: readonly JudgedRule[], rules: readonly JudgedRule[]): Verdict | undefined {
  if (rule.hasOutput) return undefined;
  if (rule.effect === 'limit') return limitedAlready(rule, others);
  // Under parental consent a conditional ALLOW denies those who do not meet its condition (8.3).
  if (rule.condition === '' || (rule.effect === 'allow' && rule.mayDeny)) return undefined;
  const other = others.find(
    (candidate) =>
      candidate.effect === rule.effect && candidate.condition === '' && coversAll(candidate, rule) && !changesOutputs(rule, candidate, rules),
  );
  if (other === undefined) return undefined;
  const verb = rule.effect === 'allow' ? 'allows' : 'denies';
  return {
    reason: `\`${other.name}\` ${verb} all of it without condition`,
    by: [other],
    wayOut: `give \`${other.name}\` fewer actions or roles, or remove this rule`,
  };
}

/** The rules of a role policy that allow one action must all hold: a rule without condition adds nothing to another one. */
function limitedAlready(rule: JudgedRule, others: readonly JudgedRule[]): Verdict | undefined {
  if (rule.condition !== '') return undefined;
  const other = others.find((candidate) => candidate.condition !== '' && coversAll(candidate, rule));
  if (other === undefined) return undefined;
  return {
    reason: `\`${other.name}\` allows the same under a condition, and all rules of a role policy must hold`,
    by: [other],
    wayOut: `take the actions out of \`${other.name}\`, or remove this rule`,
  };
}

function coversAll(other: JudgedRule, rule: JudgedRule): boolean {
  return (
    other.coversResource(rule.resource) &&
    rule.actions.every(other.coversAction) &&
    [...rule.roles, ...rule.parentRoles].every(other.coversRole)
  );
}

function noteOf({ name, place }: JudgedRule): Note {
  return { message: `\`${name}\` is here`, span: place.span };
}
