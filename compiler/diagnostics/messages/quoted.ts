/** A text in double quotes with escapes for what does not print, so that a message stays one honest line. */
export function quoted(text: string): string {
  let result = '"';
  for (const character of text)
    result += ESCAPES.get(character) ?? (PRINTABLE.test(character) ? character : codeEscape(character));
  return `${result}"`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

const PRINTABLE = /^[ \p{L}\p{M}\p{N}\p{P}\p{S}]$/u;

function codeEscape(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
