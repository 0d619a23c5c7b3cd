import type { AuditEntry, AuditKind } from './entry.js';

/**
 * Which entries of a kind are asked for (docs/spec/server.md#reading-entries, "Reading"). Moments are in milliseconds
 * since 1970.
 */
export type AuditQuery = { readonly kind: AuditKind } & (
  | { readonly by: 'tail'; readonly count: number }
  | { readonly by: 'between'; readonly start: number; readonly end: number }
  | { readonly by: 'lookup'; readonly callId: string }
);

/** Reads from a backend, a page at a time: neither process holds more than that. */
export interface AuditReader {
  /** Entries as JSON; newest first for `tail`, oldest first otherwise. `after` is the `next` of the page before. */
  readonly page: (query: AuditQuery, after?: PageEnd) => Promise<AuditPage>;
}

export interface AuditPage {
  readonly entries: readonly string[];
  /** Undefined: that was the last page. */
  readonly next: PageEnd | undefined;
}

/** The last entry of a page. */
export interface PageEnd {
  readonly time: number;
  readonly id: number;
  /** How many entries the pages so far held. */
  readonly count: number;
}

/** All entries of a query, in order. */
export async function* readAuditLog(reader: AuditReader, query: AuditQuery): AsyncIterable<AuditEntry> {
  let after: PageEnd | undefined;
  do {
    const page: AuditPage = await reader.page(query, after);
    for (const entry of page.entries) yield JSON.parse(entry);
    after = page.next;
  } while (after !== undefined);
}
