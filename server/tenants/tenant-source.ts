/** The greatest size of a document, in bytes. */
export const MAX_DOCUMENT = 64 * 1024;

/**
 * A place that has the documents of tenants. `tenant` has only letters, digits, `_` and `-`, at most 100 of them.
 */
export interface TenantSource {
  /** Name for logs; has no credentials. */
  readonly name: string;
  /**
   * Resolves with the document that is there now, or says that it is the version that the caller has. Rejects with a
   * reason that is fit for logs if that is not known.
   */
  readonly fetch: (tenant: string, known: string | undefined, signal: AbortSignal) => Promise<FetchedTenant>;
  readonly close: () => Promise<void>;
}

/** What a source has of a tenant. */
export type FetchedTenant =
  | { readonly kind: 'unchanged' }
  /** The tenant has no roles of its own. */
  | { readonly kind: 'missing' }
  /** The document is there, and cannot be used. */
  | { readonly kind: 'refused'; readonly version: string; readonly reason: string }
  | { readonly kind: 'fetched'; readonly version: string; readonly text: string };

/** The refusal of a document that is too large. */
export function tooLarge(version: string): Extract<FetchedTenant, { kind: 'refused' }> {
  return { kind: 'refused', version, reason: `the document has more than ${MAX_DOCUMENT} bytes` };
}
