import * as v from 'valibot';
import { pathOfRole } from '../../runtime/residual/sql/subjects.js';
import {
  isRelation,
  SQL_TYPES,
  type SqlColumns,
  type SqlTable,
  type SqlUsers,
} from '../../runtime/residual/sql/table.js';
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

const columns: v.GenericSchema<unknown, SqlColumns> = v.record(
  v.string(),
  v.union([v.lazy(() => relation), column], 'must be a column with one of the types of tables, or a relation'),
);

const pairs = v.record(v.string(), v.string());

/** The values of columns, whose whole numbers the configuration reads as `bigint`. */
const where = v.record(
  v.string(),
  v.union([v.string(), v.boolean(), v.null(), v.number(), v.pipe(v.bigint(), v.transform(Number))]),
);

/** An attribute that is stored in another table. */
const relation = v.strictObject({
  relation: v.picklist(['one', 'many']),
  table: v.string(),
  on: pairs,
  closure: v.exactOptional(pairs),
  unique: v.exactOptional(v.boolean()),
  where: v.exactOptional(where),
  trust: v.exactOptional(v.literal('plain')),
  columns: v.exactOptional(v.lazy(() => columns)),
  value: v.exactOptional(column),
});

const table = v.object({ name: v.string(), id: v.exactOptional(column), columns: v.optional(columns, {}) });

/** Only the parts that sources read (docs/plans.md#tables-in-a-file). */
const tableFile = v.object({
  tables: v.optional(v.record(v.string(), table), {}),
  users: v.exactOptional(
    v.object({
      ...table.entries,
      id: column,
      roles: v.union([relation, column]),
      where: v.exactOptional(where),
      scope: v.exactOptional(
        v.union(
          [
            v.string(),
            v.pipe(
              v.strictObject({ column: v.string() }),
              v.transform(({ column: name }) => ({ column: name, type: 'text' }) as const),
            ),
          ],
          'must be a scope, such as `acme`, or its column: `{column: scope}`',
        ),
      ),
    }),
  ),
});

/** The parts of a file of tables that sources read, and its path for messages. */
export type TableFile = v.InferOutput<typeof tableFile> & { readonly path: string };

/** Finds the table of a kind in a file of tables. Throws a ConfigError if the file has none. */
export function findTable({ tables, path }: TableFile, kind: string): SqlTable {
  const found = Object.hasOwn(tables, kind) ? tables[kind] : undefined;
  if (found === undefined) throw new ConfigError(`has no table for \`${kind}\``, path);
  return found;
}

/** Finds the table of users in a file of tables. Throws a ConfigError if the file has none, or servers cannot read it. */
export function findUsers({ users, path }: TableFile): SqlUsers {
  if (users === undefined) throw new ConfigError('has no `users`: add them, or name the `table` of the source', path);
  const { roles } = users;
  if (isRelation(roles) && (roles.relation !== 'many' || pathOfRole(roles) === undefined))
    throw new ConfigError(
      '`users.roles`: rows of another table need `relation: many` and a `value`, or one column, which may be that of `relation: one`',
      path,
    );
  return users;
}

/** Reads the text of a file of tables. Throws a ConfigError if it is not right. */
export function parseTableFile(text: string, path: string): TableFile {
  const { output, issues = [], success } = v.safeParse(tableFile, plainValue(readConfig(text, path)));
  const [issue] = issues;
  if (!success)
    throw new ConfigError(`\`${issue?.path?.map(({ key }) => String(key)).join('.')}\`: ${issue?.message}`, path);
  return { ...output, path };
}
