import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../compiled.js';

/** A connection that both servers have: PostgreSQL through node-postgres, and PGlite. */
export interface SqlConnection {
  query(text: string, parameters?: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A database that a test started. */
export interface Server {
  readonly client: SqlConnection;
  stop(): Promise<void>;
}

/** The part of PGlite that tests use. */
interface Engine {
  query(text: string, parameters: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
  exec(text: string): Promise<readonly { readonly rows: readonly unknown[] }[]>;
  close(): Promise<void>;
}

const PACKAGE = join(ROOT, '.cache', 'pglite', 'node_modules', '@electric-sql', 'pglite');

/**
 * Starts PGlite, PostgreSQL in this process, of another major version than the one that is installed. Its only user is a
 * superuser. Returns the reason when it is not installed.
 */
export async function startPglite(): Promise<Server | string> {
  if (!existsSync(PACKAGE)) return 'PGlite is not installed (.cache/pglite)';
  const load = async (file: string): Promise<unknown> => import(pathToFileURL(join(PACKAGE, 'dist', file)).href);
  const { PGlite } = (await load('index.js')) as {
    readonly PGlite: { create(options: { readonly extensions: object }): Promise<Engine> };
  };
  const { citext } = (await load('contrib/citext.js')) as { readonly citext: unknown };
  const engine = await PGlite.create({ extensions: { citext } });
  return {
    client: {
      // Only the simple protocol runs several statements.
      query: async (text, parameters) =>
        parameters === undefined
          ? ((await engine.exec(text)).at(-1) ?? { rows: [] })
          : engine.query(text, [...parameters]),
    },
    stop: () => engine.close(),
  };
}
