/** Strings of JSON columns that a library parses once more: of such a row, check and the database see different values. */
import type { Operand } from '../operand.js';
import { ALWAYS, allOf, type Sql, sql } from './fragment.js';
import { columnName, type Scope } from './scope.js';
import { isRelation } from './table.js';

/** Where no column that a condition reads has a string that a library reads as another value. */
export function withoutJsonTexts(operand: Operand, scope: Scope): Sql {
  const columns = Object.entries(scope.table.columns).flatMap(([path, column]) =>
    !isRelation(column) && column.jsonStrings === 'parsed' && readsAttribute(operand, `${ATTRIBUTES}.${path}`)
      ? [column.column]
      : [],
  );
  return [...new Set(columns)].reduce((all, column) => {
    const name = columnName(scope, column, undefined);
    const isAsStored = sql`(${name} IS NULL OR jsonb_typeof(${name}) <> 'string' OR (${name} #>> '{}') !~ ${JSON_TEXT})`;
    return allOf(all, isAsStored);
  }, ALWAYS);
}

const ATTRIBUTES = 'request.resource.attr';

/** Strings that are JSON, and some others in brackets. A dot stands for line breaks as well. */
const JSON_TEXT = `'^[[:space:]]*(true|false|null|-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?|".*"|[[].*[]]|[{].*[}])[[:space:]]*$'`;

/** Whether an operand reads an attribute, a part of it, or an object that it is in. */
function readsAttribute(operand: Operand, path: string): boolean {
  if ('value' in operand) return false;
  if ('expression' in operand) return operand.expression.operands.some((part) => readsAttribute(part, path));
  const { variable } = operand;
  return variable === path || variable.startsWith(`${path}.`) || path.startsWith(`${variable}.`);
}
