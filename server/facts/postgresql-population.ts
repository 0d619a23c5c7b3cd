import { DATABASE_TYPES, fitsType, normalType, typeWord, wordInYaml } from '../../packages/adapters/column-types.js';
import { quotePath } from '../../packages/adapters/column-source.js';
import type { Filter } from '../../runtime/residual/index.js';
import {
  renderSql,
  renderSubjects,
  type SqlColumn,
  type SqlCondition,
  type SqlProblem,
  type SqlTable,
  type SqlUsers,
} from '../../runtime/residual/sql/index.js';
import { isRelation, pathOfColumn, type SqlColumns } from '../../runtime/residual/sql/table.js';
import type { FoundIds, Population } from '../service/population.js';
import { RpcError } from '../service/rpc-error.js';
import { firstName } from './source-tables.js';
import { plainName } from './related-rows.js';

/**
 * Runs a query in a transaction that cannot write and that the database ends after some time. Rejects with an RpcError if it cannot be
 * run, or not in time.
 */
export type RunReadOnly = (text: string, values: readonly unknown[]) => Promise<readonly object[]>;

/** The rows of a table whose ids may be searched. */
export interface SearchedTable extends SqlTable {
  readonly id: SqlColumn;
  /** Where users have their roles, and which rows are users; absent: the rows are resources, or have the roles of the request. */
  readonly users?: Pick<SqlUsers, 'roles' | 'where'>;
}

/**
 * The rows of a table of PostgreSQL. Ids are ordered as the database orders their column, which an index of a key answers. All that a
 * caller says is a parameter; names come from the configuration.
 */
export function postgresqlPopulation(table: SearchedTable, run: RunReadOnly): Population {
  const id = idColumn(table);
  const from = quotePath(table.name, 'postgresql');
  const own = table.users && { ...withoutUsers(table), ...table.users };
  let isExamined = false;
  const requireSearchable = async (): Promise<void> => {
    if (isExamined) return;
    const problem = await findProblem(table, run);
    if (problem !== undefined)
      throw new RpcError('failed_precondition', `the rows of \`${table.name}\` cannot be searched: ${problem}`);
    isExamined = true;
  };
  return {
    attributes: new Set(Object.keys(table.columns).map(firstName)),
    canHave: id.canHave,
    ...(own !== undefined && { hasRoles: true }),
    has: async (wanted) => {
      if (!id.canHave(wanted)) return false;
      const options = { dialect: 'postgresql', offset: 1 } as const;
      const condition = own && renderSubjects({ kind: 'KIND_ALWAYS_ALLOWED' }, own, options);
      const isUser = condition?.kind === 'sql' ? ` AND (${condition.text})` : '';
      const values = [wanted, ...(condition?.kind === 'sql' ? condition.parameters : [])];
      const text = `SELECT 1 AS found FROM ${from} WHERE ${id.column} = ${id.given(1)}${isUser} LIMIT 1`;
      return (await run(text, values)).length > 0;
    },
    find: async ({ filter, roles, after, most }) => {
      await requireSearchable();
      const first = [most, ...(after === undefined ? [] : [after]), ...(roles === undefined ? [] : [roles])];
      const options = { dialect: 'postgresql', offset: first.length } as const;
      const start = { own: first, after };
      if (own !== undefined) return find(from, id, start, renderSubjects(filter as Filter, own, options), run);
      if (roles === undefined) return find(from, id, start, renderSql(filter as Filter, table, options), run);
      const users = asUsers(table);
      const rows = `(SELECT *, $${first.length}::text[] AS ${quotePath(ROLES, 'postgresql')} FROM ${from}) AS ${quotePath(USERS, 'postgresql')}`;
      return find(rows, idColumn(users), start, renderSubjects(filter as Filter, users, options), run);
    },
  };
}

function withoutUsers({ users: _, ...table }: SearchedTable): Omit<SearchedTable, 'users'> {
  return table;
}

/** Why the rows of a table cannot be searched exactly; undefined if they can. */
async function findProblem(table: SearchedTable, run: RunReadOnly): Promise<string | undefined> {
  const key = plainName(table.id.column);
  const shared = await run(SHARED_ROWS, [quotePath(table.name, 'postgresql'), [key]]);
  if (shared.length > 0) return `\`${key}\` has no unique index, so rows may share an id`;
  const roles = table.users === undefined ? {} : { roles: table.users.roles };
  return findMisfit(table.name, { ' id': table.id, ...table.columns, ...roles }, '', run);
}

/** The first column, of a table or of those related to it, that the database compares differently than check does. */
async function findMisfit(
  name: string,
  columns: SqlColumns,
  before: string,
  run: RunReadOnly,
): Promise<string | undefined> {
  const stored = (await run(COLUMN_TYPES, [quotePath(name, 'postgresql')])) as readonly StoredType[];
  const types = new Map(stored.map((one) => [one.column, one]));
  for (const mapped of Object.values(columns)) {
    if (!isRelation(mapped)) {
      const problem = misfit(mapped, types.get(plainName(mapped.column)), before);
      if (problem !== undefined) return problem;
      continue;
    }
    const { table, on, relation, unique, value, columns: own = {} } = mapped;
    const keys = Object.keys(on);
    if (
      relation === 'one' &&
      unique === true &&
      (await run(SHARED_ROWS, [quotePath(table, 'postgresql'), keys])).length > 0
    )
      return `\`${table}\` has no unique index on ${keys.map((one) => `\`${one}\``).join(' and ')}, and the file of tables declares \`unique: true\``;
    const problem = await findMisfit(table, value === undefined ? own : { value }, `${table}.`, run);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Finds a table that has no unique index of some columns, or of some of them. Rows that share an id would be found where one of them is
 * allowed, and no check tells them apart. Of a view, only the configuration can say that.
 */
const SHARED_ROWS = `
  SELECT 1 AS found FROM pg_catalog.pg_class AS searched
  WHERE searched.oid = pg_catalog.to_regclass($1::text) AND searched.relkind IN ('r', 'p', 'f')
    AND NOT EXISTS (
      SELECT 1 FROM pg_catalog.pg_index AS i
      WHERE i.indrelid = searched.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM pg_catalog.generate_series(0, i.indnkeyatts - 1) AS key (position)
          LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[key.position]
          WHERE a.attname IS NULL OR a.attname <> ALL ($2::text[])
        )
    )`;

/** The columns of a table with their types, of a domain the type below it, and whether different strings may be equal. */
const COLUMN_TYPES = `
  SELECT a.attname AS "column",
    CASE t.typtype WHEN 'e' THEN 'enum' WHEN 'd' THEN pg_catalog.format_type(t.typbasetype, NULL)
      ELSE pg_catalog.format_type(a.atttypid, NULL) END AS "type",
    EXISTS (SELECT 1 FROM pg_catalog.pg_collation AS c WHERE c.oid = a.attcollation AND NOT c.collisdeterministic) AS "isFolded"
  FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
  WHERE a.attrelid = pg_catalog.to_regclass($1::text) AND a.attnum > 0 AND NOT a.attisdropped`;

interface StoredType {
  readonly column: string;
  readonly type: string;
  readonly isFolded: boolean;
}

/**
 * Why conditions on a column would not compare what check receives of it; undefined if they do, or if the type is not known. The
 * driver reads 0.1 of a `real`, whose value is another double.
 */
function misfit(mapped: SqlColumn, stored: StoredType | undefined, before: string): string | undefined {
  if (stored === undefined) return undefined;
  const { type, isFolded } = stored;
  const name = normalType(type, 'postgresql');
  const row = DATABASE_TYPES.postgresql[name];
  const column = `the column \`${before}${plainName(mapped.column)}\``;
  if (isFolded && mapped.type === 'text' && mapped.collation !== 'other')
    return `${column} has a collation in which different strings may be equal. Write \`collation: other\``;
  if (row === undefined || fitsType(row, mapped)) return undefined;
  // The driver reads decimals as strings, which become the double that the database compares.
  if (mapped.type === 'number' && row.words.some((word) => word === 'integer' || word === 'decimal')) return undefined;
  const what = `${column} has the type \`${type}\``;
  if (row.words.length === 0) return `${what}, which no mapping supports: ${row.why}`;
  const right = row.words.map((word) => `\`${wordInYaml(word)}\``).join(', or ');
  return `${what}, and the file of tables declares \`${wordInYaml(typeWord(mapped))}\`. Write ${right}`;
}

/** The name of the rows with the roles that all of them have, and of these roles. */
const USERS = 'searched_users';
const ROLES = 'searched_roles';

function asUsers({ id, columns }: SearchedTable): SqlUsers {
  const own = <Column extends SqlColumn>(column: Column): Column => ({
    ...column,
    column: plainName(column.column),
  });
  return {
    name: USERS,
    id: own(id),
    columns: Object.fromEntries(
      Object.entries(columns).map(([path, column]) => [path, isRelation(column) ? column : own(column)]),
    ),
    roles: { column: ROLES, type: 'text[]', null: 'never' },
  };
}

/** @param own how many rows, the id after which to begin if there is one, and what else the statement has before the condition. */
async function find(
  from: string,
  { column, ordered, given, isThere }: IdColumn,
  { own, after }: { readonly own: readonly unknown[]; readonly after: string | undefined },
  condition: SqlCondition,
  run: RunReadOnly,
): Promise<FoundIds> {
  if (condition.kind === 'refused') return { kind: 'refused', reasons: condition.problems.map(describe) };
  const start = after === undefined ? '' : ` AND ${ordered} > ${given(2)}`;
  const text =
    `SELECT ${column}::text AS found FROM ${from} WHERE ${isThere}${start} AND (${condition.text}) ` +
    `ORDER BY ${ordered} LIMIT $1::integer`;
  const rows = await run(text, [...own, ...condition.parameters]);
  return { kind: 'found', ids: rows.map((row) => (row as { readonly found: string }).found) };
}

/** How much of a filter a message has. */
const LONGEST_PART = 200;

function describe({ reason, part }: SqlProblem): string {
  return `${reason}: \`${part.length > LONGEST_PART ? `${part.slice(0, LONGEST_PART)}…` : part}\``;
}

/** How a table has its ids. */
interface IdColumn {
  readonly column: string;
  /** What rows are ordered by and compared with. */
  readonly ordered: string;
  /** A parameter as a value of the column. */
  readonly given: (position: number) => string;
  /** The rows that have an id that check accepts. */
  readonly isThere: string;
  readonly canHave: (id: string) => boolean;
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const INTEGER = /^(0|-?[1-9]\d{0,18})$/;

function idColumn({ name, id }: SearchedTable): IdColumn {
  const column = quotePath(pathOfColumn({ name }, id.column), 'postgresql');
  switch (id.type) {
    case 'uuid':
      return {
        column,
        ordered: column,
        given: (position) => `$${position}::uuid`,
        isThere: `${column} IS NOT NULL`,
        canHave: (wanted) => UUID.test(wanted),
      };
    case 'integer-as-text':
      return {
        column,
        ordered: column,
        given: (position) => `$${position}::bigint`,
        isThere: `${column} IS NOT NULL`,
        canHave: (wanted) => INTEGER.test(wanted) && BigInt.asIntN(64, BigInt(wanted)) === BigInt(wanted),
      };
    case 'text': {
      // Where different strings may be equal, neither order nor equality tells ids apart.
      const text = id.collation === 'other' ? `${column}::text COLLATE "C"` : column;
      return {
        column: id.collation === 'other' ? text : column,
        ordered: text,
        given: (position) => `$${position}::text`,
        isThere: `${column} <> ''`,
        // PostgreSQL has no strings with NUL.
        canHave: (wanted) => wanted !== '' && !wanted.includes('\0') && !LONE_SURROGATE.test(wanted),
      };
    }
    default:
      throw new TypeError(`the id of \`${name}\` must be of the type text, uuid or integer-as-text to be searched`);
  }
}
