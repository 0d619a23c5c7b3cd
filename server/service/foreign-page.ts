import { RpcError } from './rpc-error.js';

/** The headers of a request, by which a page of another site is recognized. */
export interface Caller {
  /** Headers by lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** The host and port that the request names as its server; empty over gRPC, which no page speaks. */
  readonly host: () => string;
}

/**
 * Refuses a request that a page of another site makes: browsers add the credentials of the admin that they know to forms
 * and links of any page. Throws an RpcError.
 */
export function refuseForeignPage(caller: Caller): void {
  const site = caller.header('sec-fetch-site');
  // Browsers set it, and no script can. Others compare the origin with a host that a proxy may have changed.
  const isForeign =
    site === undefined
      ? isForeignOrigin(caller.header('origin'), caller.host())
      : site !== 'same-origin' && site !== 'none';
  if (isForeign)
    throw new RpcError(
      'permission_denied',
      'the admin API takes no requests of pages of other sites (`Origin`, `Sec-Fetch-Site`)',
    );
}

function isForeignOrigin(origin: string | undefined, host: string): boolean {
  if (origin === undefined) return false;
  const [, authority] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? [];
  return authority?.toLowerCase() !== host.toLowerCase();
}
