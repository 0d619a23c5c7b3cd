/** The components of a URI reference (RFC 3986, appendix B). Missing components are undefined, except the path. */
export interface UriParts {
  /** Lower case. */
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  readonly path: string;
  readonly query: string | undefined;
  readonly fragment: string | undefined;
}

export function splitUri(text: string): UriParts {
  const match = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text);
  return {
    scheme: match?.[1]?.toLowerCase(),
    authority: match?.[2],
    path: match?.[3] ?? '',
    query: match?.[4],
    fragment: match?.[5],
  };
}

/** A URI without its fragment. */
export function uriText({ scheme, authority, path, query }: UriParts): string {
  return `${scheme === undefined ? '' : `${scheme}:`}${authority === undefined ? '' : `//${authority}`}${path}${query === undefined ? '' : `?${query}`}`;
}

/** Resolves a reference against a base (RFC 3986, 5.2). */
export function resolveUri(base: UriParts, reference: UriParts): UriParts {
  const { fragment } = reference;
  if (reference.scheme !== undefined) return { ...reference, path: withoutDots(reference.path) };
  if (reference.authority !== undefined)
    return { ...reference, scheme: base.scheme, path: withoutDots(reference.path) };
  if (reference.path === '') return { ...base, query: reference.query ?? base.query, fragment };
  const path = reference.path.startsWith('/') ? reference.path : merged(base, reference.path);
  return { scheme: base.scheme, authority: base.authority, path: withoutDots(path), query: reference.query, fragment };
}

/** A URI component with its escapes decoded; undefined if they are malformed. */
export function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function merged(base: UriParts, path: string): string {
  if (base.authority !== undefined && base.path === '') return `/${path}`;
  return `${base.path.slice(0, base.path.lastIndexOf('/') + 1)}${path}`;
}

function withoutDots(path: string): string {
  const segments: string[] = [];
  const parts = path.split('/');
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (part === '..' && segments.length > 1) segments.pop();
    if (part !== '.' && part !== '..') segments.push(part);
    else if (isLast) segments.push('');
  }
  return segments.join('/');
}
