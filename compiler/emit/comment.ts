/** Every line terminator of JavaScript, and the other vertical breaks that an editor may show as one. */
const LINE_BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/**
 * A string as line comments, one for each of its lines: no line of a policy's text can leave the comment. Other control
 * and invisible characters are shown as escapes, so that readers see everything that is in the file. A line that tools
 * would obey (`@ts-nocheck`) is escaped as well.
 */
export function comment(text: string, indentation = ''): string {
  if (PLAIN.test(text)) return `// ${indentation}${text}`.trimEnd();
  return text
    .split(LINE_BREAKS)
    .map((line) => `// ${indentation}${visible(line)}`.trimEnd())
    .join('\n');
}

/** One line without anything to escape, as most texts are. */
const PLAIN = /^ *[!"$-?A-~][ -~]*$/;

function visible(line: string): string {
  return line
    .replaceAll('\t', '  ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, escaped)
    .replace(/^(\s*)([@#])/, (_, blanks: string, sign: string) => blanks + escaped(sign));
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}
