import { randomUUID } from 'node:crypto';
import sqlite from 'node-sqlite3-wasm';
import type { SqlTable } from 'authz/residual';
import type { Contact, ContactFields } from './contact.js';

/** The columns in which the database keeps the attributes that policies read. */
export const CONTACTS: SqlTable = {
  name: 'contacts',
  id: { column: 'id', type: 'text' },
  columns: {
    name: { column: 'name', type: 'text' },
    email: { column: 'email', type: 'text' },
    owner: { column: 'owner', type: 'text' },
    private: { column: 'private', type: 'boolean' },
  },
};

/** A condition on rows, and the values of its placeholders. */
export interface Condition {
  readonly text: string;
  readonly parameters: readonly Value[];
}

/** A part of a long list. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

type Value = string | number | boolean | null;

/** The contacts, in SQLite. It knows nothing of principals: a condition says what a caller may see. */
export class ContactStore {
  readonly #database: sqlite.Database;

  /** @param path a file, or `:memory:`. An empty database gets two contacts. */
  constructor(path: string) {
    this.#database = new sqlite.Database(path);
    this.#database.exec(TABLE);
    if (this.count(EVERY) === 0) for (const contact of FIRST) this.#insert(contact);
  }

  /** The contacts that a condition selects, the oldest first. */
  list({ text, parameters }: Condition, { limit, offset }: Page): readonly Contact[] {
    return this.#all(`SELECT * FROM contacts WHERE (${text}) ORDER BY number LIMIT ? OFFSET ?`, [
      ...parameters,
      limit,
      offset,
    ]).map(contactOf);
  }

  /** The number of contacts that a condition selects. */
  count({ text, parameters }: Condition): number {
    const [row] = this.#all(`SELECT count(*) AS count FROM contacts WHERE (${text})`, parameters);
    return Number(row?.['count']);
  }

  get(id: string): Contact | undefined {
    if (id.includes('\0')) return undefined;
    const [row] = this.#all('SELECT * FROM contacts WHERE id = ?', [id]);
    return row && contactOf(row);
  }

  create(fields: ContactFields): Contact {
    const contact = { id: randomUUID(), ...fields };
    this.#insert(contact);
    return contact;
  }

  /** False when the contact no longer exists. */
  update(id: string, changes: Partial<ContactFields>): boolean {
    const contact = this.get(id);
    if (contact === undefined) return false;
    const { name, email, owner, private: isPrivate } = { ...contact, ...changes };
    return (
      this.#run('UPDATE contacts SET name = ?, email = ?, owner = ?, private = ? WHERE id = ?', [
        name,
        email,
        owner,
        isPrivate,
        id,
      ]) === 1
    );
  }

  /** False when the contact no longer exists. */
  delete(id: string): boolean {
    return this.#run('DELETE FROM contacts WHERE id = ?', [id]) === 1;
  }

  close(): void {
    this.#database.close();
  }

  #insert({ id, name, email, owner, private: isPrivate }: Contact): void {
    this.#run('INSERT INTO contacts (id, name, email, owner, private) VALUES (?, ?, ?, ?, ?)', [
      id,
      name,
      email,
      owner,
      isPrivate,
    ]);
  }

  #run(sql: string, values: readonly Value[]): number {
    return this.#database.run(sql, bound(values)).changes;
  }

  #all(sql: string, values: readonly Value[]): readonly Row[] {
    return this.#database.all(sql, bound(values)) as readonly Row[];
  }
}

type Row = { readonly [column: string]: string | number };

const TABLE = `
CREATE TABLE IF NOT EXISTS contacts (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  owner TEXT NOT NULL,
  private INTEGER NOT NULL
)`;

const EVERY: Condition = { text: '1 = 1', parameters: [] };

const FIRST: readonly Contact[] = [
  { id: 'abc123', name: 'John Smith', email: 'john@acme.com', owner: 'adam', private: false },
  { id: 'def789', name: 'Sarah Jane', email: 'sarah@acme.com', owner: 'adam', private: false },
];

function contactOf({ id, name, email, owner, private: isPrivate }: Row): Contact {
  return { id: String(id), name: String(name), email: String(email), owner: String(owner), private: isPrivate === 1 };
}

/** Values for placeholders. The driver cuts strings at a NUL and would then compare another value: better no answer. */
function bound(values: readonly Value[]): Value[] {
  if (values.some((value) => typeof value === 'string' && value.includes('\0')))
    throw new Error('a string with a NUL character cannot be bound');
  return [...values];
}
