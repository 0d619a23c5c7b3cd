import initSqlJs, { type SqlScalar } from 'sql.js';
import type { UserDatabase } from './subjects.js';

/** SQLite in the memory of this process. */
export async function inMemory(): Promise<UserDatabase> {
  const { Database } = await initSqlJs();
  const own = new Database();
  return {
    dialect: 'sqlite',
    async run(statement, parameters = []) {
      const prepared = own.prepare(statement);
      prepared.run(parameters);
      prepared.free();
    },
    async select(query, parameters) {
      const found = new Set<number>();
      const statement = own.prepare(query);
      statement.bind(parameters as readonly SqlScalar[]);
      while (statement.step()) found.add(statement.get()[0] as number);
      statement.free();
      return found;
    },
  };
}
