import type { Match, RoleRule, Rule } from '../ir/program.js';
import { comment } from './comment.js';
import { commented, type Doc } from './doc.js';

/** A comment above a rule, in the terms of the policy: `ALLOW view, edit to [owner] when` and the condition. */
export function describeRule(rule: Rule, sharedCondition?: string): Doc {
  const who = rule.derivedRole === undefined ? rule.roles.join(', ') : rule.derivedRole.name;
  const what = rule.resource === undefined ? rule.actions.join(', ') : `${rule.actions.join(', ')} on ${rule.resource}`;
  const verb = rule.written === 'allow' ? 'ALLOW' : 'DENY';
  const unless = sharedCondition === undefined ? 'DENY unless' : 'DENY when';
  const consent = rule.inverted ? `, with the consent of the parent scope: ${unless}` : ' when';
  const head = rule.resource === undefined ? `${verb} ${what} to [${who}]` : `${verb} ${what}`;
  return sharedCondition === undefined
    ? described(head, consent, rule.condition)
    : commented(comment(`${head}${consent} ${sharedCondition}`));
}

/** `readCondition: any of` and the condition, if several rules share it. */
export function describeCondition(name: string, inverted: boolean, condition: Match): Doc {
  return described(name, inverted ? ': unless' : ': whether', condition);
}

/** `a role may view, edit document when` and the condition. */
export function describeRoleRule(role: string, rule: RoleRule): Doc {
  return described(`${role} may at most ${rule.allowActions.join(', ')} on ${rule.resource}`, ' when', rule.condition);
}

/** `owner: [user] where` and the condition. */
export function describeDerivedRole(role: {
  readonly name: string;
  readonly parentRoles: readonly string[];
  readonly condition: Match | undefined;
}): Doc {
  return described(`${role.name}: [${role.parentRoles.join(', ')}]`, ' where', role.condition);
}

const OPERATORS = { all: 'all of', any: 'any of', none: 'none of' } as const;

function described(head: string, joint: string, condition: Match | undefined): Doc {
  if (condition === undefined) return commented(comment(head));
  const opening = condition.kind === 'expr' ? joint : `${joint} ${OPERATORS[condition.kind]}`;
  const inner = condition.kind === 'expr' ? [condition] : condition.of;
  return commented([comment(`${head}${opening}`), ...inner.map((match) => matchLines(match, '  '))].join('\n'));
}

function matchLines(match: Match, indentation: string): string {
  if (match.kind === 'expr') return comment(match.expression.text, indentation);
  return [
    comment(OPERATORS[match.kind], indentation),
    ...match.of.map((inner) => matchLines(inner, `${indentation}  `)),
  ].join('\n');
}
