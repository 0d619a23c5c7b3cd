/** Mistakes that somebody may make in closures, each of which a comparison must notice. */

export interface ClosureMutant {
  readonly name: string;
  /** Must occur exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Where it is noticed: by what a database selects, or by its plan. */
  readonly by: 'sqlite' | 'postgresql' | 'mysql' | 'plan';
}

export const FILE = 'runtime/residual/sql/closures.ts';

export const MUTANTS: readonly ClosureMutant[] = [
  {
    name: 'the set keeps duplicates, which the planner expects to be many',
    find: 'SELECT DISTINCT ${columns} FROM ${below}',
    replace: 'SELECT ${columns} FROM ${below}',
    by: 'plan',
  },
  {
    name: 'a set is compared as a list where it is excluded',
    find: "dialect.name === 'postgresql' && scope.isNegated === undefined && ours.length === 1",
    replace: "dialect.name === 'postgresql' && ours.length === 1",
    by: 'plan',
  },
  {
    name: 'a set that is wanted is no list',
    find: "if (dialect.name === 'postgresql' && scope.isNegated === undefined",
    replace: "if (dialect.name === 'mysql' && scope.isNegated === undefined",
    by: 'plan',
  },
  {
    name: 'a cycle below a row never ends',
    find: '(${start} UNION ${step}) SELECT DISTINCT ${columns}',
    replace: '(${start} UNION ALL ${step}) SELECT DISTINCT ${columns}',
    by: 'postgresql',
  },
  {
    name: 'a cycle above a row never ends',
    find: '(${start} UNION ${step}) SELECT DISTINCT ${listed(ours.map(text))}',
    replace: '(${start} UNION ALL ${step}) SELECT DISTINCT ${listed(ours.map(text))}',
    by: 'postgresql',
  },
  {
    name: 'further steps go the other way in a set',
    find: 'steps.map((column) => columnName(scope, column, alias))',
    replace: 'keys.map((column) => columnName(scope, column, alias))',
    by: 'sqlite',
  },
  {
    name: 'further steps go the other way for each row',
    find: '${above}.${theirs[index] as string}',
    replace: '${above}.${ours[index] as string}',
    by: 'sqlite',
  },
  {
    name: 'there is no further step in a set',
    find: '(${start} UNION ${step}) SELECT DISTINCT ${columns}',
    replace: '(${start} UNION ${start}) SELECT DISTINCT ${columns}',
    by: 'sqlite',
  },
  {
    name: 'there is no further step for each row',
    find: '(${start} UNION ${step}) SELECT DISTINCT ${listed(ours.map(text))}',
    replace: '(${start} UNION ${start}) SELECT DISTINCT ${listed(ours.map(text))}',
    by: 'sqlite',
  },
  {
    name: 'rows that do not count begin a set',
    find: 'WHERE ${allOf(counting(scope, relation, passing), condition)}`',
    replace: 'WHERE ${condition}`',
    by: 'sqlite',
  },
  {
    name: 'a set goes through rows that do not count',
    find: 'ON ${leads(next, below)}${filtered(scope, relation, next)}`',
    replace: 'ON ${leads(next, below)}`',
    by: 'sqlite',
  },
  {
    name: 'a chain for each row goes through rows that do not count',
    find: 'ON ${allOf(...isNext)}${filtered(scope, relation, next)}`',
    replace: 'ON ${allOf(...isNext)}`',
    by: 'sqlite',
  },
  {
    name: 'rows without a value are elements of a set',
    find: 'return amongBelow(scope, rows, alias, allOf(isThere, condition));',
    replace: 'return amongBelow(scope, rows, alias, condition);',
    by: 'sqlite',
  },
  {
    name: 'rows without a value are elements for each row',
    find: 'allOf(isAbove(scope, rows, alias), isThere, condition)',
    replace: 'allOf(isAbove(scope, rows, alias), condition)',
    by: 'sqlite',
  },
  {
    name: 'a condition that reads the row is asked of a set',
    find: 'statement.readsOnly(alias, condition) && [',
    replace: '[',
    by: 'plan',
  },
  {
    name: 'a condition that reads an element of another list is asked of a set',
    find: '[...scope.bound.values(), ...outside].every(isKnown)',
    replace: 'true',
    by: 'plan',
  },
  {
    name: 'what the caller asks for is not asked for each row',
    find: "if (isAlone && closures !== 'row')",
    replace: 'if (isAlone)',
    by: 'plan',
  },
  {
    name: 'the first step may have no value',
    find: 'if (isThere !== ALWAYS) return someReached(scope, rows, () => ALWAYS);',
    replace: '',
    by: 'sqlite',
  },
  {
    name: 'a row of several columns is found by one of them',
    find: 'return columns.length === 1 ? (columns[0] as Sql) : sql`(${listed(columns)})`;',
    replace: 'return columns[0] as Sql;',
    by: 'sqlite',
  },
  {
    name: 'a collation of MySQL decides which keys are the same',
    find: "return dialect.name === 'mysql' ? [...columns, ...columns.map((column) => dialect.byBytes(column))] : columns;",
    replace: 'return columns;',
    by: 'mysql',
  },
  {
    name: 'a collation of MySQL decides whether there is a first step',
    find: "scope.dialect.name === 'mysql' ? pairs.map",
    replace: "scope.dialect.name === 'sqlite' ? pairs.map",
    by: 'mysql',
  },
  {
    name: 'MariaDB cuts a recursion off without a word',
    find: "dialect.name === 'mysql' ? allOf(isKey, isWhole()) : isKey",
    replace: 'isKey',
    by: 'mysql',
  },
];
