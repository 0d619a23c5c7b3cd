import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../compiled.js';

/** A connection that both servers have: PostgreSQL through node-postgres, and PGlite. */
export interface SqlConnection {
  query(text: string, parameters?: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** PostgreSQL in this process: another major version than the one that is installed. */
export interface Pglite {
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

/** Starts PGlite, whose only user is a superuser. Returns the reason when it is not installed. */
export async function startPglite(): Promise<Pglite | string> {
  if (!existsSync(PACKAGE)) return 'PGlite is not installed (.cache/pglite)';
  const { PGlite } = (await import(pathToFileURL(join(PACKAGE, 'dist', 'index.js')).href)) as {
    readonly PGlite: { create(): Promise<Engine> };
  };
  const engine = await PGlite.create();
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
