/** What stands where a secret is. */
export const MASKED = '***';

/**
 * A URL without what can be a secret: it has no user and password, and `***` for a query, which is often signed.
 * Otherwise it stays as it was written.
 */
export function maskUrl(url: string): string {
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(url) ?? [];
  if (scheme === undefined || rest === undefined) return url;
  // In a password that is not escaped, a slash, question mark or number sign ends what a parser takes for the host.
  const authority = URL.canParse(url) ? (/^[^/?#\\]*/.exec(rest)?.[0] ?? '') : rest;
  const at = authority.lastIndexOf('@');
  const [, before = '', query, fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(rest.slice(at + 1)) ?? [];
  return [
    scheme,
    before,
    query === undefined ? '' : `?${MASKED}`,
    fragment.includes('=') ? `#${MASKED}` : fragment,
  ].join('');
}

/** A text without the secrets that can be recognized: in URLs, in `password=…`, in headers and as tokens. */
export function maskText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return text
    .replace(URLS, maskUrl)
    .replace(USERINFO, `${MASKED}@`)
    .replace(ASSIGNED, `$1${MASKED}`)
    .replace(MEMBER, `$1"${MASKED}"`)
    .replace(HEADER, `$1 ${MASKED}`)
    .replace(HEADER_LINE, `$1 ${MASKED}`)
    .replace(YAML_LINE, `$1${MASKED}`)
    .replace(PRIVATE_KEY, MASKED)
    .replace(JWT, MASKED);
}

/** Whether a name says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Every pattern below needs one of these. */
const SUSPICIOUS = /:\/\/|@|[=:]|bearer|basic|eyJ|-----BEGIN/i;
/** The bounds, and closing quotes that may be missing, keep the time linear. */
const URLS = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"`<>]+/gi;
/** `user:password@host` without a scheme; not a tag with a digest. */
const USERINFO = /(?<![^\s"'`(,=])[^\s:@/"'`(,=]{1,256}:(?!\/\/)[^\s@"'`]{1,256}@(?!sha256:)(?=[\w[:]|$)/g;
const NAMES =
  'password|passwd|pwd|passphrase|secret|token|authorization|credentials?|(?:api|access|account|client|encryption|hmac|private|secret|shared|signing)[-_]?key|signature|sig';
const SECRET_NAME = new RegExp(`(?:^|[-_.]|[a-z](?=[A-Z]))(?:${NAMES})$`, 'i');
const ASSIGNED = new RegExp(`\\b([\\w.-]{0,64}(?:${NAMES})=)(?:'[^']*'?|"[^"]*"?|[^\\s&;,'"\`]+)`, 'gi');
/** Also in JSON that is a string of JSON. */
const MEMBER = new RegExp(`(\\\\?"[\\w.-]{0,64}(?:${NAMES})\\\\?"\\s{0,8}:\\s{0,8})\\\\?"(?:[^"\\\\]|\\\\.)*"?`, 'gi');
/** Whole lines, as they have several schemes and pairs. A sentence about a header has no value of this length. */
const HEADER_LINE = /\b((?:proxy-)?authorization:|(?:set-)?cookie:|x-api-key:)\s{1,8}[^\r\n`]{16,}/gi;
/** A line of YAML, not a sentence. */
const YAML_LINE = new RegExp(`^([ \\t"'-]{0,64}[\\w.-]{0,64}(?:${NAMES})["']?:[ \\t]{1,8})\\S{8,}[ \\t]*$`, 'gim');
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----(?:[^-]|-(?!----END))*(?:-----END [A-Z ]{0,32}-----)?/g;
/** Shorter ones are words, as in "basic authentication". */
const HEADER = /\b(bearer|basic)\s{1,8}[\w.~+/=-]{16,}/gi;
const JWT = /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g;
