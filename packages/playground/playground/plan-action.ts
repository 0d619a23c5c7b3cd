import type { PlanResult } from '../../../runtime/engine/index.js';
import { renderSql, type SqlDialect } from '../../../runtime/residual/filters.js';
import type { ActionPlan, SqlText } from './result.js';
import { guessedTable } from './guessed-table.js';
import type { PlaygroundRequest } from './request.js';

/** A plan as the page shows it: as PlanResources returns it, and as SQL. */
export function toActionPlan(action: string, plan: PlanResult, { resource }: PlaygroundRequest): ActionPlan {
  const table = guessedTable(plan.filter, resource);
  const sql = (dialect: SqlDialect): SqlText => {
    const rendered = renderSql(plan.filter, table, { dialect });
    if (rendered.kind === 'sql') return { text: rendered.text, parameters: rendered.parameters };
    return { refused: rendered.problems.map(({ reason, part }) => `${part}: ${reason}`) };
  };
  return {
    action,
    response: {
      action,
      resourceKind: resource.kind,
      filter: plan.filter,
      meta: { filterDebug: plan.filterDebug },
      unplanned: plan.unplanned,
    },
    table,
    sql: { sqlite: sql('sqlite'), postgresql: sql('postgresql'), mysql: sql('mysql') },
  };
}
