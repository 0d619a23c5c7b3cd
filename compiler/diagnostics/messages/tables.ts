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
The \`closure\` of a related table in a table file is invalid. A \`closure\` lists all rows that are reached in one or more steps, such as the folders above a document. The first step finds rows by the columns of
\`on\`, and each further step by the columns of \`closure\`. Both must have the same columns of the related table on the left.

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
The \`roles\` of \`users\` in a table file are invalid. \`users\` declares where principals are stored. Their roles are strings: a column with a list, a column with one role, or the rows of another table, whose column \`value\` has
the role.

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

If a separate table has the ids and names of roles, declare one column, which refers to \`one\` row of that table ([who may do what](../who-may.md#users-of-a-database)):

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
The database does not have a table or column that the table file declares, so a condition that uses it would fail. \`authzc plan --database\` looks up names without a schema as a query
of the same connection does: in the search path of PostgreSQL, or in the current database of MySQL.

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
          ? `which no mapping supports${why === undefined ? '' : `: ${why}`}`
          : `but the file says \`${declared}\`. Write ${right.map((word) => `\`${word}\``).join(', or ')}`
      }`,
    explanation: `
A column has another type than the table file declares. The declared type determines how values become attributes of a check, and how the database compares them. With a different type, the database and a check decide differently: a
\`char(8)\` ignores trailing blanks, a \`real\` is rounded, a \`date\` has no time. Lists would contain rows that a check denies.

Declare the matching type ([types of columns](../adapters.md#types)), or change the type of the column.
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
      `${field}: \`${column}\` has the collation \`${collation}\`, but the file says \`${declared}\`${isDefault ? ', which is the default' : ''}. Write \`collation: ${right}\``,
    explanation: `
A column has another collation than the table file declares. A check compares strings by their bytes. With \`NOCASE\`, \`utf8mb4_0900_ai_ci\` or a nondeterministic collation of PostgreSQL, different strings can be equal, so
\`Anna\` would see the rows of \`anna\`. A collation that does not sort by bytes is not \`binary\`.

Declare the collation of the column, so that the condition compares bytes too ([collations](../plans.md#column-types)).
`,
  }),
  'tables/nullable': message<Column>({
    severity: 'error',
    stage: 'load',
    kind: 'table of a database',
    text: ({ field, column }) => `${field}: \`${column}\` may be NULL, but the file says \`nulls: never\``,
    explanation: `
A column can be NULL, but the table file declares \`nulls: never\`. Conditions then do not test the column for NULL, so a DENY on its value does not apply to a NULL, and lists contain rows that a check denies. Databases report all columns
of views as nullable.

Declare what a check receives for NULL: \`nulls: missing\` or \`nulls: as-null\`. Or make the column \`NOT NULL\`.
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
      `${field}: no unique index of \`${table}\` has only ${columns.map((column) => `\`${column}\``).join(' and ')}, but the file says \`unique: true\``,
    explanation: `
The table file declares \`unique: true\` for a relation to \`one\` row, but no unique index prevents a second row. If there are several rows, a condition holds if any of them satisfies it, but a check receives only one.

Remove \`unique\`, so that conditions count the rows, or create a unique index.
`,
  }),
};
