import { type Doc, literal } from './doc.js';

/**
 * The only way a string of a policy gets into code: a quoted literal in which no character can end the string or the
 * line (U+2028 and U+2029 included), and none is invisible. In double quotes if that saves escapes.
 */
export function quote(text: string): string {
  if (PLAIN.test(text)) return `'${text}'`;
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return `${mark}${text.replace(mark === '"' ? UNSAFE : UNSAFE_OR_SINGLE, escape)}${mark}`;
}

/** The same as a literal of a doc. */
export function quoted(text: string): Doc {
  return literal(quote(text));
}

/** A string between the backticks of a template. */
export function templateText(text: string): string {
  return text.replace(UNSAFE_IN_TEMPLATE, (character) =>
    character === '`' || character === '$' ? `\\${character}` : escape(character),
  );
}

const UNSAFE_IN_TEMPLATE = /[\\`\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|\$(?=\{)/gu;

/** Most strings need no escape, which is found out faster than what to escape. */
const PLAIN = /^[ -&(-[\]-~]*$/;
const UNSAFE = /[\\"\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
const UNSAFE_OR_SINGLE = /[\\'\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** A property name: bare where JavaScript allows it, quoted otherwise. */
export function propertyName(name: string): string {
  // A bare or quoted `__proto__` in an object literal sets the prototype; a computed one is an ordinary property.
  if (name === '__proto__') return "['__proto__']";
  return IDENTIFIER.test(name) ? name : quote(name);
}

/** A property name that needs no quotes. */
export const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

const NAMED: { readonly [character: string]: string } = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escape(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  const code = character.codePointAt(0) as number;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
