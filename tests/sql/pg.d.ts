/** The part of pg that the tests use. */
declare module 'pg' {
  export interface QueryResult {
    readonly rows: readonly { readonly [column: string]: unknown }[];
  }

  export class Client {
    constructor(options: { readonly host: string; readonly user: string; readonly database: string });
    connect(): Promise<void>;
    query(text: string, parameters?: readonly unknown[]): Promise<QueryResult>;
    end(): Promise<void>;
  }
}
