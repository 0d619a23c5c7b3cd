/** The longest target (path and query) that is read, in characters. */
const LONGEST_TARGET = 8192;
/** The most segments that a path can have. */
const MOST_SEGMENTS = 64;

/** A path that upstreams may read in another way than the gateway, and why. */
export interface Ambiguous {
  readonly problem: string;
}

/**
 * The decoded segments of the path of a request target (`/a/b?c`, as sent). Every path that two programs could read as
 * two paths is refused, not normalised (docs/gateways.md#paths): the upstream receives the path as the client wrote it.
 */
export function splitPath(target: string): readonly string[] | Ambiguous {
  if (target.length > LONGEST_TARGET) return { problem: 'the path is too long' };
  if (!PRINTABLE.test(target)) return { problem: 'the path has characters that a URL cannot have' };
  const [path] = target.split('?', 1) as [string];
  if (!path.startsWith('/')) return { problem: 'the path does not begin with a slash' };
  const [, ...segments] = path.split('/');
  if (segments.length > MOST_SEGMENTS) return { problem: 'the path has too many segments' };
  const decoded: string[] = [];
  for (const [index, segment] of segments.entries()) {
    if (segment === '' && index < segments.length - 1) return { problem: 'the path has an empty segment' };
    const text = decodedSegment(segment);
    if (typeof text !== 'string') return text;
    decoded.push(text);
  }
  return decoded;
}

/** Visible ASCII without `#`, which ends a path. */
const PRINTABLE = /^[!-"$-~]*$/;

/** The characters of a segment (RFC 3986, `pchar`) without `;`, which begins parameters. */
const SEGMENT = /^(?:[\w.~!$&'()*+,=:@-]|%[0-9A-Fa-f]{2})*$/;
/** Letters, digits, `-`, `.`, `_` and `~` in an encoding that they do not need. */
const NEEDLESS = /%(?:2[DdEe]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaFf]|6[1-9A-Fa-f]|7[0-9AaEe])/;
/** Characters that structure a path once more when they are decoded a second time. */
const STRUCTURAL = /[/\\;%?#]/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

function decodedSegment(segment: string): string | Ambiguous {
  if (!SEGMENT.test(segment)) return { problem: 'the path has characters that programs read differently' };
  if (NEEDLESS.test(segment)) return { problem: 'the path encodes characters that need no encoding' };
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    return { problem: 'the path is not UTF-8' };
  }
  if (CONTROL.test(text)) return { problem: 'the path has control characters' };
  // Some programs replace characters by similar ones: a full-width slash by a slash.
  for (const form of [text, text.normalize('NFKC')]) {
    if (STRUCTURAL.test(form)) return { problem: 'the path has an encoded separator' };
    if (/^\s*\.\.?\s*$/.test(form)) return { problem: 'the path has a dot segment' };
  }
  return text;
}
