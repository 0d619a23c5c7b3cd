import { maskUrl } from '../../../server/config/mask.js';
import { isPlainHttp } from '../../../server/config/plain-http.js';

/** A folder of a remote repository. */
export interface RemoteFolder {
  /** The URL as it was written, with credentials. */
  readonly url: string;
  /** A branch, a tag, the full name of a ref or the id of a commit; `HEAD` if none was written. */
  readonly ref: string;
  /** Below the root of the repository, with `/`; empty for the root. */
  readonly path: string;
  /** All three, without credentials: for messages. */
  readonly name: string;
}

const REF = /^[A-Za-z0-9_][A-Za-z0-9._/+@-]{0,255}$/;

/** Whether a ref is the id of a commit. */
export function isCommit(ref: string): boolean {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(ref);
}

/**
 * Reads `URL#ref:path`, of which ref and path may be left out. URLs are `https://`, `ssh://`, `http://` of this machine,
 * `file://` and absolute paths. Throws an Error that says what is wrong.
 */
export function parseRemote(written: string): RemoteFolder {
  const hash = written.indexOf('#');
  const address = hash < 0 ? written : written.slice(0, hash);
  const fragment = hash < 0 ? '' : written.slice(hash + 1);
  const colon = fragment.indexOf(':');
  const ref = (colon < 0 ? fragment : fragment.slice(0, colon)) || 'HEAD';
  const path = (colon < 0 ? '' : fragment.slice(colon + 1)).replace(/\/+$/, '');
  if (!REF.test(ref) || /\.\.|\/\/|@\{|\.lock$|[/.]$/.test(ref)) throw new Error(`\`${ref}\` is not a branch or a tag`);
  const segments = path === '' ? [] : path.split('/');
  if (segments.some((name) => ['', '.', '..'].includes(name) || /[\0-\x1f]/.test(name)) || path.startsWith('-'))
    throw new Error(`\`${path}\` is not a folder below the root of a repository`);
  const { url, shown } = parseAddress(address);
  return { url, ref, path, name: `${shown}#${ref}${path === '' ? '' : `:${path}`}` };
}

function parseAddress(written: string): { readonly url: string; readonly shown: string } {
  if (written.startsWith('/')) return { url: written, shown: written };
  if (/^[\w.-]+@[\w.-]+:/.test(written))
    throw new Error('the URL of a repository has a scheme: write `ssh://git@example.com/team/shop.git`');
  const isUrl = /^(?:https?|ssh|file):\/\//.test(written) && URL.canParse(written);
  if (!isUrl) throw new Error('the URL of a repository begins with https://, ssh://, http://, file:// or /');
  const url = new URL(written);
  if (isPlainHttp(url)) throw new Error('a repository on another machine needs https:// or ssh://');
  if (url.protocol !== 'ssh:') return { url: written, shown: maskUrl(written) };
  checkSsh(url);
  return { url: written, shown: written };
}

/** What git would hand to ssh must not be one of its options. */
function checkSsh({ hostname, username, password, pathname }: URL): void {
  if (password !== '') throw new Error('a URL of ssh has no password; use a key');
  const isName = (text: string): boolean => /^[\w.][\w.-]*$/.test(text);
  if (!isName(hostname) && !/^\[[0-9a-f:.]+\]$/i.test(hostname)) throw new Error('the URL of ssh has no valid host');
  if (username !== '' && !isName(username)) throw new Error('the URL of ssh has no valid user name');
  if (pathname.length < 2 || /^\/~?-|[\0-\x1f]/.test(pathname)) throw new Error('the URL of ssh has no valid path');
}
