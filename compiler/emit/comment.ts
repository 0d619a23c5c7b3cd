/** Every line terminator of JavaScript, and the other vertical breaks an editor may show as one. */
const LINE_BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/**
 * A text as line comments, one for each of its lines: no line of a policy's text can leave the comment
 *. Other control and invisible characters are shown as escapes, so that what a reader sees is what is there;
 * so is what would make a line one that tools obey (`@ts-nocheck`).
 */
export function comment(text: string, indentation = ''): string {
  return text
    .split(LINE_BREAKS)
    .map((line) => `// ${indentation}${visible(line)}`.trimEnd())
    .join('\n');
}

function visible(line: string): string {
  return line
    .replaceAll('\t', '  ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, escaped)
    .replace(/^(\s*)([@#])/, (_, blanks: string, sign: string) => blanks + escaped(sign));
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}
