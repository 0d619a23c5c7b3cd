import { renderSql, type SqlDialect, type SqlTable } from '../../runtime/residual/sql/index.js';
import { planConditions } from '../support/plan/condition-engine.js';

/** Table names that a subquery, or a function or column in it, could capture, and SQL keywords. */
const TABLES = [
  'authz_1',
  'AUTHZ_1',
  'authz__1',
  'e1',
  'value',
  'place',
  'key',
  'type',
  'json_each',
  'parts',
  'rest',
  'jsonb_each',
  'order',
  'a"b',
  'a`b',
  'ß',
];
const COLUMNS = [
  'authz_1',
  'authz_2',
  'value',
  'place',
  'key',
  'type',
  'e1',
  'json',
  'rest',
  'counted',
  'select',
  'offset',
  'rownum',
  'a"b',
];

/** Subqueries that read the table. Each is true of the first row only. */
export const CONDITIONS = [
  'R.attr.list.exists(t, t.startsWith(R.attr.text))',
  'R.attr.list.exists(t, R.attr.list.exists(u, u.endsWith("y") && u.startsWith(R.attr.text)))',
  'R.attr.text + "y" in R.attr.list',
  'R.attr.map.exists(k, v, v == R.attr.text)',
  'size(R.attr.map) == 1 && R.attr.list.exists_one(t, t == R.attr.text)',
  'R.attr.list.exists(t, size(t) == 2 && R.attr.text == "x")',
];

/** The filters of the conditions above, planned once. */
let planned: ReturnType<typeof planConditions> | undefined;

/** A table and its columns. */
export interface Names {
  readonly table: string;
  readonly text: string;
  readonly list: string;
  readonly map: string;
}

/** Each table with columns of every name, three at a time. */
export function names(): readonly Names[] {
  return TABLES.map((table, index) => {
    const [text, list, map] = [0, 1, 2].map((next) => COLUMNS[(index * 3 + next) % COLUMNS.length] as string) as [
      string,
      string,
      string,
    ];
    return { table, text, list, map };
  });
}

/** The conditions for a table with some names, as SQL. */
export async function rendered(
  dialect: SqlDialect,
  { table, text, list, map }: Names,
): Promise<readonly { readonly text: string; readonly parameters: readonly unknown[] }[]> {
  const sqlTable: SqlTable = {
    name: table,
    columns: {
      text: { column: text, type: 'text' },
      list: { column: list, type: 'list' },
      map: { column: map, type: 'json' },
    },
  };
  planned ??= planConditions('thing', CONDITIONS);
  return (await planned).map((filter) => {
    const condition = renderSql(filter, sqlTable, { dialect });
    if (condition.kind === 'refused') throw new Error(condition.problems.map(({ reason }) => reason).join('; '));
    return condition;
  });
}
