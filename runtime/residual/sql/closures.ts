import type { Dialect } from './dialect.js';
import { allOf, ALWAYS, exists, listed, NEVER, sql, type Sql } from './fragment.js';
import { requireAllRows } from './key-sets.js';
import { counting, readElement, matching, related } from './related-table.js';
import { Refusal } from './refusal.js';
import { columnName, identifier, type Scope } from './scope.js';
import { findClosureProblem, type SqlRelation } from './table.js';
import type { RelatedRows, SqlValue } from './value.js';

/*
 * Lists of the rows that a row reaches by any number of steps, such as the folders above a document. A set of keys that a
 * recursive query makes is without duplicates, which ends cycles.
 */

/** The rows of a related table, and those that they are related to. */
export type ReachedRows = RelatedRows & { readonly relation: Recursive };

type Recursive = SqlRelation & { readonly closure: NonNullable<SqlRelation['closure']> };

/** Whether rows of a related table are found by several steps. */
export function isReached(rows: RelatedRows): rows is ReachedRows {
  return rows.relation.closure !== undefined;
}

/**
 * Where one of the rows passes. A condition that reads nothing else is asked of the whole table once: the rows below
 * those that pass. Any other one is asked of the rows above each row.
 *
 * @param passes renders the condition of an element.
 * @param outside what the condition reads that was rendered before.
 */
export function someReached(
  scope: Scope,
  rows: ReachedRows,
  passes: (element: SqlValue) => Sql,
  outside: readonly SqlValue[] = [],
): Sql {
  const { statement, closures } = scope;
  requireAllRows(scope, rows, 'the closure');
  const alias = statement.alias();
  const { element, isThere } = readElement(scope, rows.relation, alias);
  const condition = passes(element);
  if (condition === NEVER) return NEVER;
  const isAlone = statement.readsOnly(alias, condition) && [...scope.bound.values(), ...outside].every(isKnown);
  if (isAlone && closures !== 'row') return amongBelow(scope, rows, alias, allOf(isThere, condition));
  return exists(related(scope, rows.relation, alias), allOf(isAbove(scope, rows, alias), isThere, condition));
}

/** Where there is an element: the first step finds a row, unless rows may have no element. */
export function isAnyReached(scope: Scope, rows: ReachedRows): Sql {
  const alias = scope.statement.alias();
  const { isThere } = readElement(scope, rows.relation, alias);
  if (isThere !== ALWAYS) return someReached(scope, rows, () => ALWAYS);
  requireAllRows(scope, rows, 'the closure');
  const { relation, owner } = rows;
  const pairs = Object.entries(relation.on).map(([theirs, ours]) =>
    [columnName(scope, theirs, alias), columnName(scope, ours, owner)].map((column) => scope.dialect.byBytes(column)),
  );
  const areSame =
    scope.dialect.name === 'mysql' ? pairs.map(([theirs, ours]) => sql`${theirs as Sql} = ${ours as Sql}`) : [];
  return scope.dialect.exists(
    related(scope, relation, alias),
    allOf(matching(scope, relation, owner, alias), ...areSame),
  );
}

/**
 * Whether a row of the related table is one of those that a row reaches. It is evaluated for each row.
 * @throws Refusal if the database cannot do so.
 */
export function isAbove(scope: Scope, rows: ReachedRows, alias: string): Sql {
  const { dialect, statement } = scope;
  const { relation, owner } = rows;
  requireAllRows(scope, rows, 'the closure');
  if (dialect.name === 'mysql')
    throw new Refusal(
      relation.table,
      'a closure whose elements are counted, or compared with the row itself: a recursive query of MySQL and MariaDB cannot read the row',
    );
  statement.perRowClosures.add(relation.table);
  const [first, above, next] = [statement.alias(), statement.alias(), statement.alias()];
  const { keys, steps } = listColumns(relation);
  const [ours, theirs] = [names(dialect, 'k', keys), names(dialect, 'n', steps)];
  const select = (one: string): Sql => listed([...keys, ...steps].map((column) => columnName(scope, column, one)));
  const start = sql`SELECT ${select(first)} FROM ${related(scope, relation, first)} WHERE ${matching(scope, relation, owner, first)}`;
  const isNext = keys.map((key, index) => sql`${columnName(scope, key, next)} = ${above}.${theirs[index] as string}`);
  const step = sql`SELECT ${select(next)} FROM ${related(scope, relation, next)} JOIN ${above} ON ${allOf(...isNext)}${filtered(scope, relation, next)}`;
  const all = sql`WITH RECURSIVE ${above}(${listed([...ours, ...theirs].map(text))}) AS (${start} UNION ${step}) SELECT DISTINCT ${listed(ours.map(text))} FROM ${above}`;
  // Of several rows with a key, some may not count.
  return allOf(
    sql`${tuple(keys.map((key) => columnName(scope, key, alias)))} IN (${all})`,
    counting(scope, relation, alias),
  );
}

/** Where a row is below one of those that pass: its key is in the set of them and of all rows that lead to them. */
function amongBelow(scope: Scope, { relation, owner }: ReachedRows, passing: string, condition: Sql): Sql {
  const { dialect, statement } = scope;
  const [below, next] = [statement.alias(), statement.alias()];
  const { keys, steps } = listColumns(relation);
  const ours = keys.map((key) => columnName(scope, relation.on[key] as string, owner));
  const found = names(dialect, 'k', keys);
  const bytes = dialect.name === 'mysql' ? names(dialect, 'b', keys) : [];
  const columns = listed([...found, ...bytes].map(text));
  const select = (alias: string): Sql =>
    listed(
      withBytes(
        scope,
        keys.map((key) => columnName(scope, key, alias)),
      ),
    );
  const start = sql`SELECT ${select(passing)} FROM ${related(scope, relation, passing)} WHERE ${allOf(counting(scope, relation, passing), condition)}`;
  const leads = (alias: string, set: string): Sql =>
    allOf(
      ...withBytes(
        scope,
        steps.map((column) => columnName(scope, column, alias)),
      ).map((column, index) => sql`${column} = ${set}.${[...found, ...bytes][index] as string}`),
    );
  const step = sql`SELECT ${select(next)} FROM ${related(scope, relation, next)} JOIN ${below} ON ${leads(next, below)}${filtered(scope, relation, next)}`;
  const isKey = allOf(...found.map((name) => sql`${name} IS NOT NULL`));
  const isWhole = (): Sql => {
    const [known, further, other, twice] = [statement.alias(), statement.alias(), statement.alias(), statement.alias()];
    const n = identifier('n', dialect);
    const among = sql`(${select(further)}) NOT IN (SELECT ${columns} FROM ${below} AS ${other} WHERE ${isKey})`;
    const isCutOff = sql`EXISTS (SELECT 1 FROM ${related(scope, relation, further)} JOIN ${below} AS ${known} ON ${leads(further, known)} WHERE ${allOf(counting(scope, relation, further), among)})`;
    return sql`(SELECT ${twice}.${n} FROM (SELECT 1 AS ${n} UNION ALL SELECT 2) AS ${twice} WHERE ${isCutOff}) IS NULL`;
  };
  // MariaDB ends a recursion after `max_recursive_iterations` without a word: then the statement fails, as in MySQL.
  const isSound = dialect.name === 'mysql' ? allOf(isKey, isWhole()) : isKey;
  const set = sql`WITH RECURSIVE ${below}(${columns}) AS (${start} UNION ${step}) SELECT DISTINCT ${columns} FROM ${below} WHERE ${isSound}`;
  // The planner expects so many rows that it would compare each row with each key.
  if (dialect.name === 'postgresql' && scope.isNegated === undefined && ours.length === 1)
    return sql`${ours[0] as Sql} = ANY (ARRAY(${set}))`;
  return sql`${tuple(withBytes(scope, ours))} IN (${set})`;
}

/** Columns, and in MySQL their bytes too: its collations treat different keys as equal. */
function withBytes({ dialect }: Scope, columns: readonly Sql[]): readonly Sql[] {
  return dialect.name === 'mysql' ? [...columns, ...columns.map((column) => dialect.byBytes(column))] : columns;
}

/** The columns by which rows are found, and those of a row that lead to the next ones. */
function listColumns({ on, closure, relation, table }: Recursive): {
  readonly keys: readonly string[];
  readonly steps: readonly string[];
} {
  const keys = Object.keys(on);
  const problem = findClosureProblem({ on, closure, relation });
  if (problem !== undefined) throw new TypeError(`\`closure\` of the relation to \`${table}\`: ${problem}`);
  return { keys, steps: keys.map((key) => closure[key] as string) };
}

function filtered(scope: Scope, relation: SqlRelation, alias: string): Sql {
  const condition = counting(scope, relation, alias);
  return condition === ALWAYS ? sql`` : sql` WHERE ${condition}`;
}

/** Whether a value is the same for every row, or a row, whose columns are known to be of its table. */
function isKnown(value: SqlValue): boolean {
  return (value.kind !== 'scalar' || value.isOfStatement === true) && value.kind !== 'json' && value.kind !== 'shifted';
}

function names(dialect: Dialect, prefix: string, columns: readonly string[]): readonly string[] {
  return columns.map((_, index) => identifier(`${prefix}${index + 1}`, dialect));
}

function text(name: string): Sql {
  return sql`${name}`;
}

function tuple(columns: readonly Sql[]): Sql {
  return columns.length === 1 ? (columns[0] as Sql) : sql`(${listed(columns)})`;
}
