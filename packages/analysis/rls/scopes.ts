import * as residual from '../../../runtime/residual/index.js';
import type { RowScope } from '../../../compiler/tables/row-security.js';
import type { Program } from '../../../compiler/ir/program.js';
import type { Decisions } from '../decision/decisions.js';
import { sessionTerm } from '../program/filters.js';
import { conditionInScope, type DecisionPlace, NotInDatabase, type SessionParts } from './decision.js';

/** Where a table's rows are decided about: in one scope, or each in that of its column. */
export interface TablePlace extends Omit<DecisionPlace, 'scope'> {
  readonly scope: RowScope;
}

/** The variable of the scope of a row. */
export const SCOPE = 'request.resource.scope';

/** More scopes would make a condition that PostgreSQL plans for long. */
const MOST_SCOPES = 200;

/**
 * When whoever runs a statement may do an action with a row. The rows of a scope that has no policy share a condition: no
 * policy of resources decides about them.
 *
 * @throws {NotInDatabase} for decisions that depend on more than the condition can say.
 */
export function sessionCondition(
  decisions: Decisions,
  place: TablePlace,
  action: string,
  parts: SessionParts,
): residual.Condition {
  const { scope: own } = place;
  if (typeof own === 'string') return conditionInScope(decisions, { ...place, scope: own }, action, parts);
  const { program } = decisions;
  if (program.tenantRoles !== undefined)
    throw new NotInDatabase('roles of tenants, which give a principal other roles for each action and scope');
  const scopes = listScopes(program);
  if (scopes.length > MOST_SCOPES)
    throw new NotInDatabase(`policies of ${scopes.length} scopes: a condition has at most ${MOST_SCOPES}`);
  const term = sessionTerm(SCOPE, 'string');
  const isAmong = (names: readonly string[]): residual.Condition =>
    residual.holds(residual.inCollection(term, names.flatMap(spellings)));
  return residual.anyOf(
    ...listPlaces(decisions, place).map((own) =>
      residual.allOf(
        own.isOther === true
          ? // A row without a scope is nobody's.
            residual.holds(residual.complement(residual.inCollection(term, scopes.flatMap(spellings))))
          : isAmong([own.scope]),
        conditionInScope(decisions, own, action, parts),
      ),
    ),
  );
}

/** The places of a table's rows: one, or one for each scope with a policy and one for all others. */
export function listPlaces({ program }: Decisions, { scope, ...rest }: TablePlace): readonly DecisionPlace[] {
  if (typeof scope === 'string') return [{ ...rest, scope }];
  const scopes = listScopes(program);
  const other = `${[...scopes].sort((a, b) => b.length - a.length)[0] ?? ''}x`;
  return [...scopes.map((each) => ({ ...rest, scope: each })), { ...rest, scope: other, isOther: true }];
}

/** The scopes for which a policy can be found, sorted. */
function listScopes({ modules }: Program): readonly string[] {
  const scopes = modules.flatMap((module) =>
    module.kind === 'resource' || (module.kind === 'role' && module.rules.length > 0) ? [module.scope] : [],
  );
  return [...new Set(scopes)].sort();
}

/** A scope as a request may write it. */
function spellings(scope: string): readonly string[] {
  return [scope, `.${scope}`];
}
