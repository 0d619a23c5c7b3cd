import type { Request, RoleRule, Rule } from '../../policy/index.js';
import { limitsDoNotApply } from '../find/chains.js';
import { entriesFor, isReached } from '../find/tables.js';
import { type Judges, UNDECIDED } from './evaluation.js';

/** What a survey is told of. The request is filled again: read it during the call. */
export interface Surveyor {
  /** A rule that matches the action and the role; `role` is that of the principal, also if its ancestor matched. */
  rule(role: string, policy: string, rule: Rule, request: Request): void;
  /** A role policy that limits the role, with those of its rules that list the action. */
  limits(role: string, policy: string, rules: readonly RoleRule[], request: Request): void;
}

/**
 * Parts of the engine that decide nothing, so that every rule that could decide is reached: in all scopes, for all
 * roles, whether or not another rule decided. In place of a bundle's own parts they answer why it decides as it does.
 */
export function surveyParts<Parts extends Judges>(own: Parts, surveyor: Surveyor): Judges {
  const { principalJudge, roleJudge } = own;
  return {
    surveys: true,
    principalJudge,
    visitRules: ({ lineage, resource, request }, table, bits, action) => {
      for (const entry of entriesFor(table, action)) {
        if (isReached(entry, bits, lineage, action, resource.kind))
          surveyor.rule(lineage[0] ?? '', table.key, entry.rule, request);
      }
      return UNDECIDED;
    },
    roleJudge: roleJudge && {
      ...roleJudge,
      judge: ({ lineage, request }, { byRole }, hasRule, action) => {
        if (limitsDoNotApply(byRole, lineage, hasRule)) return UNDECIDED;
        for (const role of lineage) {
          const limit = byRole.get(role);
          if (limit === undefined) continue;
          const listing = limit.rules.flatMap(({ rule }) => (rule.allows(action) ? [rule] : []));
          surveyor.limits(lineage[0] as string, limit.key, listing, request);
        }
        return UNDECIDED;
      },
    },
  };
}
