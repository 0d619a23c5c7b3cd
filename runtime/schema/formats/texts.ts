import { RE2JS } from 're2js';

/** `regex`: RE2 accepts it. The parsed pattern is not cached, as it is a value. */
export function isRegex(text: string): boolean {
  try {
    RE2JS.compile(text);
    return true;
  } catch {
    // A string that overflows the parser's stack is not accepted either.
    return false;
  }
}

/** The work to parse a `regex`: RE2 expands counted repetitions. */
export function regexWork(text: string): number {
  const counts = text.match(/[0-9]{1,4}(?=[,}])/g)?.map(Number) ?? [];
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  return 20 * text.length * Math.min(1000, most * most);
}

/** `json-pointer`: RFC 6901. */
export function isJsonPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !/~(?![01])/.test(text));
}

/** `relative-json-pointer`. */
export function isRelativeJsonPointer(text: string): boolean {
  const rest = /^(?:0|[1-9][0-9]*)(.*)$/s.exec(text)?.[1];
  return rest !== undefined && (rest === '#' || isJsonPointer(rest));
}

/** `uuid`. */
export function isUuid(text: string): boolean {
  return /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(text);
}
