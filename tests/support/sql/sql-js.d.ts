/** The part of sql.js that the tests use. */
declare module 'sql.js' {
  export type SqlScalar = string | number | null;

  export interface Statement {
    bind(parameters: readonly SqlScalar[]): boolean;
    step(): boolean;
    get(): readonly SqlScalar[];
    getColumnNames(): readonly string[];
    run(parameters: readonly SqlScalar[]): void;
    free(): void;
  }

  export interface Database {
    run(sql: string): Database;
    prepare(sql: string): Statement;
    close(): void;
  }

  export default function initSqlJs(): Promise<{ readonly Database: new (file?: Uint8Array) => Database }>;
}
