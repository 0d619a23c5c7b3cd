import type { RowDataPacket } from 'mysql2/promise';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { fillUsers, type User, type UserDatabase } from './subjects.js';
import { inMemory } from './subjects-in-memory.js';

/** Databases with tables of users. */
export interface UserDatabases {
  readonly databases: readonly UserDatabase[];
  /** Why others are not there. */
  readonly missing: readonly string[];
  stop(): Promise<void>;
}

/** Opens SQLite and, where they are installed, PostgreSQL and MariaDB, and fills them with users. */
export async function openUserDatabases(users: readonly User[]): Promise<UserDatabases> {
  const databases = [await inMemory()];
  const missing: string[] = [];
  const [cluster, mariadb] = [await startCluster(), await startMariadb()];
  if (typeof cluster === 'string') missing.push(cluster);
  else
    databases.push({
      dialect: 'postgresql',
      run: (statement, parameters = []) => cluster.client.query(statement, [...parameters]),
      async select(query, parameters) {
        const { rows } = await cluster.client.query(query, [...parameters]);
        return new Set((rows as readonly { readonly position: number }[]).map(({ position }) => position));
      },
    });
  if (typeof mariadb === 'string') missing.push(mariadb);
  else
    databases.push({
      dialect: 'mysql',
      run: (statement, parameters = []) => mariadb.connection.query(statement, [...parameters]),
      async select(query, parameters) {
        const [rows] = await mariadb.connection.execute<RowDataPacket[]>(query, [...parameters] as string[]);
        return new Set(rows.map(({ position }) => position as number));
      },
    });
  for (const database of databases) await fillUsers(database, users);
  return {
    databases,
    missing,
    stop: async () => {
      for (const server of [cluster, mariadb]) if (typeof server !== 'string') await server.stop();
    },
  };
}
