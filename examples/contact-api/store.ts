import { randomUUID } from 'node:crypto';
import {
  type Compilable,
  DummyDriver,
  type Expression,
  type Generated,
  Kysely,
  type SqlBool,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import sqlite from 'node-sqlite3-wasm';
import { kyselyAdapter } from 'authz/adapters/kysely';
import type { Contact, ContactFields } from './contact.js';

interface Database {
  contacts: { number: Generated<number>; id: string; name: string; email: string; owner: string; private: number };
}

/** Writes queries. The driver of this database is not asynchronous, so they are run here. */
const db = new Kysely<Database>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (of) => new SqliteIntrospector(of),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** Turns a plan into a condition, and a row into what policies read of it: both by the same mapping. */
export const allowed = kyselyAdapter<Database, 'contacts'>('contacts', {
  dialect: 'sqlite',
  id: { column: 'id', type: 'text' },
  attributes: {
    name: { column: 'name', type: 'text', null: 'never' },
    email: { column: 'email', type: 'text', null: 'never' },
    owner: { column: 'owner', type: 'text', null: 'never' },
    private: { column: 'private', type: 'boolean', null: 'never' },
  },
});

/** A condition on rows. */
export type Condition = Expression<SqlBool>;

/** A part of a long list. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The contacts, in SQLite. It knows nothing of principals: a condition says what a caller may see. */
export class ContactStore {
  readonly #database: sqlite.Database;

  /** @param path a file, or `:memory:`. An empty database gets two contacts. */
  constructor(path: string) {
    this.#database = new sqlite.Database(path);
    this.#database.exec(TABLE);
    if (this.count() === 0) for (const contact of FIRST) this.#insert(contact);
  }

  /** The contacts that a condition selects, the oldest first. */
  list(condition: Condition, { limit, offset }: Page): readonly Contact[] {
    const query = db.selectFrom('contacts').selectAll().where(condition).orderBy('number').limit(limit).offset(offset);
    return this.#all(query).map(contactOf);
  }

  /** The number of contacts that a condition selects; without one, of all. */
  count(condition?: Condition): number {
    const query = db.selectFrom('contacts').select(({ fn }) => fn.countAll().as('count'));
    const [row] = this.#all(condition === undefined ? query : query.where(condition));
    return Number(row?.['count']);
  }

  get(id: string): Contact | undefined {
    if (id.includes('\0')) return undefined;
    const [row] = this.#all(db.selectFrom('contacts').selectAll().where('id', '=', id));
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
    return (
      this.#run(
        db
          .updateTable('contacts')
          .set(columnsOf({ ...contact, ...changes }))
          .where('id', '=', id),
      ) === 1
    );
  }

  /** False when the contact no longer exists. */
  delete(id: string): boolean {
    return this.#run(db.deleteFrom('contacts').where('id', '=', id)) === 1;
  }

  close(): void {
    this.#database.close();
  }

  #insert({ id, ...fields }: Contact): void {
    this.#run(db.insertInto('contacts').values({ id, ...columnsOf(fields) }));
  }

  #run(query: Compilable): number {
    const { sql, parameters } = query.compile();
    return this.#database.run(sql, bound(parameters)).changes;
  }

  #all(query: Compilable): readonly Row[] {
    const { sql, parameters } = query.compile();
    return this.#database.all(sql, bound(parameters)) as readonly Row[];
  }
}

type Row = { readonly [column: string]: string | number };
type Value = string | number | boolean | null;

const TABLE = `
CREATE TABLE IF NOT EXISTS contacts (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  owner TEXT NOT NULL,
  private INTEGER NOT NULL
)`;

const FIRST: readonly Contact[] = [
  { id: 'abc123', name: 'John Smith', email: 'john@acme.com', owner: 'adam', private: false },
  { id: 'def789', name: 'Sarah Jane', email: 'sarah@acme.com', owner: 'adam', private: false },
];

function columnsOf({ name, email, owner, private: isPrivate }: ContactFields) {
  return { name, email, owner, private: Number(isPrivate) };
}

function contactOf(row: Row): Contact {
  const { id, attr } = allowed.resourceOf(row);
  return { id, ...(attr as unknown as ContactFields) };
}

/** Values for placeholders. The driver cuts strings at a NUL and would then compare another value: better no answer. */
function bound(values: readonly unknown[]): Value[] {
  if (values.some((value) => typeof value === 'string' && value.includes('\0')))
    throw new Error('a string with a NUL character cannot be bound');
  return [...values] as Value[];
}
