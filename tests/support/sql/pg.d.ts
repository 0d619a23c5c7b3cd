/** The part of pg that the tests use. */
declare module 'pg' {
  export interface QueryResult {
    readonly rows: readonly { readonly [column: string]: unknown }[];
    readonly rowCount: number;
  }

  export interface Options {
    readonly host: string;
    readonly port?: number;
    readonly user: string;
    readonly database: string;
    /** The most connections of a pool. */
    readonly max?: number;
  }

  export class Client {
    constructor(options: Options);
    connect(): Promise<void>;
    query(text: string, parameters?: readonly unknown[]): Promise<QueryResult>;
    query(query: Query): Query;
    on(event: 'notification', listener: (notification: { readonly payload?: string }) => void): this;
    end(): Promise<void>;
  }

  /** A statement that a client runs, with events for its end. */
  export class Query {
    constructor(text: string);
    on(event: 'end' | 'error', listener: (error: Error) => void): this;
  }

  /** The type that query builders accept. */
  // biome-ignore lint/suspicious/noExplicitAny: each library has its own type of a pool.
  export const Pool: new (options: Options | { readonly connectionString: string | undefined }) => any;
}
