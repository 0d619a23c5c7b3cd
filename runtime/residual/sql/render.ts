import type { Filter } from '../filter.js';
import type { SqlCondition, SqlOptions } from './condition-result.js';
import type { SqlTable } from './table.js';

/**
 * The condition that is TRUE exactly for the rows of a table that check allows: where `selects` selects the row. For the others it is FALSE or NULL, so it is
 * for `WHERE`, beside `AND`, and not for `NOT`.
 *
 * @throws for a table that is none: a name with a NUL.
 */
export function renderSql(filter: Filter, _table: SqlTable, _options: SqlOptions): SqlCondition {
  switch (filter.kind) {
    case 'KIND_ALWAYS_ALLOWED':
      return { kind: 'sql', text: '1 = 1', parameters: [] };
    case 'KIND_ALWAYS_DENIED':
      return { kind: 'sql', text: '1 = 0', parameters: [] };
    case 'KIND_CONDITIONAL':
      return { kind: 'refused', problems: [{ operator: 'filter', reason: 'conditions are not rendered yet', part: '' }] };
  }
}
