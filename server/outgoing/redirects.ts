import { isPlainHttp } from '../config/plain-http.js';

/** A request on its way: where it goes next, and whether only its own origin (scheme, host and port) has seen it. */
export interface Hop {
  readonly url: URL;
  /** Credentials belong to one origin: once a redirect has led to another one, they are not sent again. */
  readonly isOwn: boolean;
}

/** A redirect that is not followed. The message is fit for logs. */
export class RedirectError extends Error {}

export function firstHop(url: URL): Hop {
  return { url, isOwn: true };
}

/** The hop that a `Location` leads to. Throws a RedirectError for an invalid URL, another scheme, or less safety. */
export function nextHop({ url, isOwn }: Hop, location: string): Hop {
  if (!URL.canParse(location, url.href)) throw new RedirectError('redirected to an invalid URL');
  const next = new URL(location, url);
  if (next.protocol !== url.protocol) throw new RedirectError('redirected to another scheme');
  if (isPlainHttp(next) && !isPlainHttp(url)) throw new RedirectError('redirected to another machine without TLS');
  next.username = '';
  next.password = '';
  next.hash = '';
  return { url: next, isOwn: isOwn && next.origin === url.origin };
}

export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}
