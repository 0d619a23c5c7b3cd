import { isIpv6 } from './host.js';

/** `uri`, `iri`: a reference with a scheme. */
export function isUri(text: string): boolean {
  return parseReference(text)?.scheme !== undefined;
}

/** `uri-reference`, `iri-reference`. A backslash is not allowed. */
export function isUriReference(text: string): boolean {
  return !text.includes('\\') && parseReference(text) !== undefined;
}

/** `uri-template`: braces in the path are closed within a segment and do not nest. */
export function isUriTemplate(text: string): boolean {
  const segments = parseReference(text)?.path.split('/') ?? ['{'];
  return segments.every((segment) => !/[{}]/.test(segment.replace(/\{[^{}]*\}/g, '')));
}

interface Reference {
  readonly scheme: string | undefined;
  readonly path: string;
}

/**
 * A URI reference, as leniently as in the library of the reference PDP: a path can have any character, but escapes must
 * be complete, control characters are not allowed, and the host is checked.
 */
function parseReference(text: string): Reference | undefined {
  if (/(?=\p{ASCII})\p{Cc}/u.test(text)) return undefined;
  const [, beforeFragment = '', fragment = ''] = /^([^#]*)(?:#(.*))?$/s.exec(text) ?? [];
  if (!hasWholeEscapes(fragment)) return undefined;
  if (beforeFragment.startsWith(':')) return undefined;
  const [, scheme, afterScheme = ''] = /^(?:([A-Za-z][0-9A-Za-z+.-]*):)?(.*)$/s.exec(beforeFragment) ?? [];
  const hierarchy = afterScheme.split('?', 1)[0] ?? '';
  if (!hierarchy.startsWith('/')) {
    if (scheme !== undefined) return { scheme, path: '' };
    if ((hierarchy.split('/', 1)[0] ?? '').includes(':')) return undefined;
  }
  const hasAuthority = hierarchy.startsWith('//') && (scheme !== undefined || !hierarchy.startsWith('///'));
  const [, authority = '', path = ''] = hasAuthority
    ? (/^\/\/([^/]*)(.*)$/s.exec(hierarchy) ?? [])
    : ['', '', hierarchy];
  return isAuthority(authority) && hasWholeEscapes(path) ? { scheme, path } : undefined;
}

function hasWholeEscapes(text: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(text);
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf('@');
  const user = at < 0 ? '' : text.slice(0, at);
  const isUser = /^[0-9A-Za-z\-._:~!$&'()*+,;=%@]*$/.test(user) && hasWholeEscapes(user);
  return isUser && isHostAndPort(text.slice(at + 1));
}

function isHostAndPort(text: string): boolean {
  if (text.startsWith('[')) {
    const [, address, zone = ''] = /^\[([^%]*)(%25[^\]]*)?\](?::[0-9]*)?$/.exec(text) ?? [];
    return address !== undefined && isIpv6(address) && hasWholeEscapes(zone);
  }
  const [, host = '', port = ''] = /^(.*?)(:[^:]*)?$/s.exec(text) ?? [];
  return /^(?::[0-9]*)?$/.test(port) && !host.includes(':') && hasWholeEscapes(host) && !FOREIGN_TO_HOSTS.test(host);
}

/** ASCII characters that a host must not have, and escapes of ASCII. */
const FOREIGN_TO_HOSTS = /[ \\^`{|}]|%[0-7]/;
