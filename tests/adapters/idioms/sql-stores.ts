import type { SqlCondition, SqlDialect } from '../../../runtime/residual/sql/index.js';
import type { Row } from './rows.js';

/** A database with the rows. */
export interface SqlStore {
  readonly dialect: SqlDialect;
  run(statement: string, parameters?: readonly Cell[]): Promise<unknown>;
  /** The ids of the rows that a condition selects. */
  select(condition: SqlCondition & { readonly kind: 'sql' }): Promise<readonly string[]>;
}

type Cell = string | number | boolean | null;

/** Creates the tables and stores the rows in them. */
export async function fill({ dialect, run }: SqlStore, rows: readonly Row[]): Promise<void> {
  const [text, time, json, real] = TYPES[dialect];
  for (const table of [
    `documents (id ${text}, owner ${text}, assignee ${text}, status ${text}, title ${text}, email ${text}, amount bigint, price ${real}, shared boolean, created_at ${time}, expires_at ${time}, path ${text}, ip ${text}, tags ${json})`,
    `homes (document_id ${text}, city ${text})`,
    `tags (document_id ${text}, tag ${text})`,
    `shares (document_id ${text}, user_id ${text}, team ${text}, role ${text}, until ${time})`,
    `projects (document_id ${text}, lead_id ${text}, org ${text}, is_public boolean)`,
  ])
    await run(`CREATE TABLE ${table}`);
  const insert = (table: string, values: readonly unknown[]): Promise<unknown> => {
    const places = values.map((_, index) => (dialect === 'postgresql' ? `$${index + 1}` : '?'));
    return run(
      `INSERT INTO ${table} VALUES (${places.join(', ')})`,
      values.map((value) => (value === undefined ? null : (value as Cell))),
    );
  };
  const moment = (at: unknown): unknown =>
    typeof at === 'string' && dialect === 'mysql' ? at.replace('T', ' ').replace('Z', '') : at;
  for (const { id, attr } of rows) {
    const { owner, assignee, status, title, email, amount, price, shared, createdAt, expiresAt, path, ip } = attr;
    await insert('documents', [
      ...[id, owner, assignee, status, title, email, amount, price, shared],
      ...[moment(createdAt), moment(expiresAt), path, ip, JSON.stringify(attr.tags)],
    ]);
    const { home, project } = attr as { readonly [name: string]: { readonly [field: string]: unknown } | undefined };
    if (home !== undefined) await insert('homes', [id, home.city]);
    if (project !== undefined) await insert('projects', [id, project.lead, project.org, project.public]);
    for (const tag of attr.tags as readonly string[]) await insert('tags', [id, tag]);
    for (const { user, team, role, until } of attr.shares as readonly { readonly [field: string]: unknown }[])
      await insert('shares', [id, user, team, role, moment(until)]);
  }
}

const TYPES: { readonly [dialect in SqlDialect]: readonly [text: string, time: string, json: string, real: string] } = {
  postgresql: ['text', 'timestamptz', 'jsonb', 'double precision'],
  sqlite: ['TEXT', 'TEXT', 'TEXT', 'REAL'],
  mysql: ['varchar(100)', 'datetime(6)', 'json', 'double'],
};
