import * as v from 'valibot';
import { SQL_TYPES, type SqlTable } from '../../runtime/residual/sql/table.js';
import { ConfigError } from './config-error.js';
import { plainValue } from './node.js';
import { readConfig } from './read.js';

/** The words of a file of tables for what NULL is, and for the digits of a second. */
const NULLS = { missing: 'missing', 'as-null': 'null', never: 'never' } as const;
const PRECISIONS = { milliseconds: 3, microseconds: 6 } as const;

const column = v.pipe(
  v.strictObject({
    column: v.string(),
    type: v.picklist(SQL_TYPES),
    nulls: v.optional(v.picklist(['missing', 'as-null', 'never'])),
    collation: v.optional(v.picklist(['binary', 'deterministic', 'other'])),
    zone: v.optional(v.picklist(['utc', '+00:00'])),
    precision: v.optional(v.picklist(['milliseconds', 'microseconds'])),
  }),
  v.transform(({ nulls, precision, collation, zone, ...rest }) => ({
    ...rest,
    ...(nulls && { null: NULLS[nulls] }),
    ...(precision && { precision: PRECISIONS[precision] }),
    ...(collation && { collation }),
    ...(zone && { zone }),
  })),
);

/** An attribute that is stored in another table, which sources do not read. */
const relation = v.looseObject({ relation: v.string() });

/** The parts of a file of tables that sources read (docs/plans.md#tables-in-a-file). */
const tableFile = v.object({
  tables: v.record(
    v.string(),
    v.object({
      name: v.string(),
      id: v.optional(column),
      columns: v.record(v.string(), v.union([relation, column])),
    }),
  ),
});

/**
 * The table of a kind in a file of tables, with the attributes that its own columns hold. Throws a ConfigError if the file
 * has none, or is not right.
 */
export function readTable(text: string, file: string, kind: string): SqlTable {
  const { output, issues = [], success } = v.safeParse(tableFile, plainValue(readConfig(text, file)));
  const [issue] = issues;
  if (!success)
    throw new ConfigError(`\`${issue?.path?.map(({ key }) => String(key)).join('.')}\`: ${issue?.message}`, file);
  const table = Object.hasOwn(output.tables, kind) ? output.tables[kind] : undefined;
  if (table === undefined) throw new ConfigError(`has no table for \`${kind}\``, file);
  const { name, id, columns } = table;
  const own = Object.entries(columns).flatMap(([path, stored]) =>
    'relation' in stored ? [] : [[path, stored] as const],
  );
  return { name, ...(id && { id }), columns: Object.fromEntries(own) };
}
