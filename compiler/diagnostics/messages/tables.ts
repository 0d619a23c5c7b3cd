import { message } from './message.js';

/** A column of a file of tables, and of a database. */
export interface Column {
  readonly field: string;
  /** `contacts.owner_id`. */
  readonly column: string;
}

/** Files of tables, by themselves and compared with a database. */
export const tableMessages = {
  'tables/closure': message<{ readonly field: string; readonly problem: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'closure of a related table',
    text: ({ field, problem }) => `${field}: ${problem}`,
    explanation: `
In a file of tables, \`closure\` makes a related table a list of all rows that several steps reach, such as the folders above a document. The first step finds rows by the columns of
\`on\`, each further step by the columns of \`closure\`: both have the same columns of the other table on the left.

\`\`\`yaml
ancestors:
  relation: many
  table: folders
  on: { id: folder_id }
  closure: { id: parent_id }
  columns: { owner: { column: owner_id, type: text } }
\`\`\`

Write \`relation: many\`, and in \`closure\` the columns of \`on\` ([rows of several steps](../plans.md#rows-of-several-steps)).
`,
  }),
  'tables/roles': message<{ readonly problem: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'roles of users',
    text: ({ problem }) => `users.roles: ${problem}`,
    explanation: `
In a file of tables, \`users\` says where principals are stored. Their roles are texts: a column with a list of them, a column with one, or the rows of another table, of which \`value\` is the
column with the role.

\`\`\`yaml
users:
  name: users
  id: { column: id, type: text, nulls: never }
  roles:
    relation: many
    table: user_roles
    on: { user_id: id }
    value: { column: role, type: text, nulls: never }
\`\`\`

If roles have a table with ids and names of their own, the rows that name them have one column, which is \`one\` row of it ([who may do what](../who-may.md#users-of-a-database)):

\`\`\`yaml
roles:
  relation: many
  table: user_roles
  on: { user_id: id }
  columns:
    role: { relation: one, table: roles, on: { id: role_id }, unique: true, columns: { name: { column: name, type: text } } }
\`\`\`
`,
  }),
  'tables/missing': message<{ readonly field: string; readonly what: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'table of a database',
    text: ({ field, what }) => `${field}: the database has no ${what}`,
    explanation: `
\`authzc plan --database\` compares a file of tables with a database, which lacks this table or column. A condition over it would fail. Names without a schema are found as in a query
of the same connection, so the search path of PostgreSQL and the database of MySQL count.

Correct the name in the file, or run the migration that creates it.
`,
  }),
  'tables/column-type': message<
    Column & {
      readonly type: string;
      readonly declared: string;
      readonly right: readonly string[];
      readonly why: string | undefined;
    }
  >({
    severity: 'error',
    stage: 'load',
    kind: 'table of a database',
    text: ({ field, column, type, declared, right, why }) =>
      `${field}: \`${column}\` has the type \`${type}\`, ${
        right.length === 0
          ? `which no word fits${why === undefined ? '' : `: ${why}`}`
          : `and the file says \`${declared}\`. Write ${right.map((word) => `\`${word}\``).join(', or ')}`
      }`,
    explanation: `
The type of a column says how its values become attributes for check, and how the database compares them. If the column has another type, the database decides otherwise than check: a
\`char(8)\` ignores blanks at the end, a \`real\` is rounded, a \`date\` has no time. Lists would then have rows that check denies.

Write the word that fits ([types of columns](../adapters.md#types)), or change the type of the column.
`,
  }),
  'tables/collation': message<
    Column & {
      readonly declared: string;
      readonly isDefault: boolean;
      readonly collation: string;
      readonly right: string;
    }
  >({
    severity: 'error',
    stage: 'load',
    kind: 'table of a database',
    text: ({ field, column, declared, isDefault, collation, right }) =>
      `${field}: \`${column}\` has the collation \`${collation}\`, and the file says \`${declared}\`${isDefault ? ', which is the default' : ''}. Write \`collation: ${right}\``,
    explanation: `
Check compares strings by their bytes. A column with a collation such as \`NOCASE\`, \`utf8mb4_0900_ai_ci\` or a nondeterministic one of PostgreSQL takes strings for equal that differ, so
that \`Anna\` would see the rows of \`anna\`; one that sorts in another order than that of bytes is not \`binary\`.

Write the collation that the column has: the condition then compares bytes as well ([collations](../plans.md#column-types)).
`,
  }),
  'tables/nullable': message<Column>({
    severity: 'error',
    stage: 'load',
    kind: 'table of a database',
    text: ({ field, column }) => `${field}: \`${column}\` may be NULL, and the file says \`nulls: never\``,
    explanation: `
With \`nulls: never\`, conditions do not test a column for NULL. If it has one, a rule that denies because of its value denies nothing, and the row is selected where check denies it. Columns of
views may always be NULL, as far as a database tells.

Write what check receives for NULL: \`nulls: missing\` or \`nulls: as-null\`. Or make the column NOT NULL.
`,
  }),
  'tables/not-unique': message<{
    readonly field: string;
    readonly table: string;
    readonly columns: readonly string[];
  }>({
    severity: 'error',
    stage: 'load',
    kind: 'table of a database',
    text: ({ field, table, columns }) =>
      `${field}: no unique index of \`${table}\` has only ${columns.map((column) => `\`${column}\``).join(' and ')}, and the file says \`unique: true\``,
    explanation: `
A relation to \`one\` row with \`unique: true\` declares that the database never has a second row. Without an index that guarantees this, a condition holds if any of several rows satisfies it, and check
receives one of them.

Leave out \`unique\`, so that conditions count the rows, or create a unique index.
`,
  }),
};
