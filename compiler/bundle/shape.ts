/** The code of a module without its literals: modules that differ only in literals have equal shapes. */
export interface Shape {
  /** The code before, between and after the literals. */
  readonly code: readonly string[];
  readonly literals: readonly string[];
}

/**
 * Removes the literals and comments from generated code. Undefined if the text alone does not show where they are: next
 * to regular expressions and templates.
 */
export function shapeOf(body: string): Shape | undefined {
  const code: string[] = [''];
  const literals: string[] = [];
  const say = (text: string): void => {
    code[code.length - 1] += text;
  };
  let end = 0;
  for (const match of body.matchAll(TOKEN)) {
    say(body.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[0].startsWith('//')) continue;
    if (isKey(body, end)) {
      say(match[0]);
      continue;
    }
    literals.push(match[0]);
    code.push('');
  }
  say(body.slice(end));
  return code.some((text) => /[`/]/.test(text.replace(TOKEN, ''))) ? undefined : { code, literals };
}

/** The code of a shape with other terms in place of its literals. */
export function filled({ code }: Shape, terms: readonly string[]): string {
  return code.map((text, index) => text + (terms[index] ?? '')).join('');
}

/* A comment, a string, a number: `1e+21` is one. */
const TOKEN = /\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|(?<![\w$.])\d(?:[\w.]|(?<=\de)[+-](?=\d))*/g;

/** Whether the token that ends here names a property. */
function isKey(body: string, end: number): boolean {
  return /^\s*:/.test(body.slice(end, end + 40));
}
