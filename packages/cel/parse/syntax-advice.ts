import type { Advice, SyntaxError } from '../ast/syntax-error.js';
import type { Token, TokenType } from './tokens.js';

/**
 * Advice for operators, words and quotes of other languages in an expression that does not parse: `=` for `==`, `and`
 * for `&&`. In source order, each once.
 */
export function adviseSyntax(text: string, tokens: readonly Token[]): readonly Advice[] {
  const found = [...adviseSigns(printCode(text, tokens)), ...adviseWords(text, tokens)];
  const seen = new Set<string>();
  return found
    .sort((a, b) => a.start - b.start)
    .filter(({ message }) => !seen.has(message) && seen.add(message))
    .slice(0, MOST);
}

/** Advice for arguments that a macro does not accept. */
export function adviseMacro(error: SyntaxError): SyntaxError {
  const rule = macroAdvice.find(([pattern]) => pattern.test(error.message));
  return rule === undefined ? error : { ...error, advice: [{ message: rule[1], start: error.start, end: error.end }] };
}

/** One mistake often causes several errors. */
const MOST = 3;

/** The text with strings blanked, at the same offsets. */
function printCode(text: string, tokens: readonly Token[]): string {
  let code = '';
  for (const { type, start, end } of tokens) {
    if (type !== 'STRING' && type !== 'BYTES' && type !== 'ESC_IDENTIFIER') continue;
    code += text.slice(code.length, start) + '_'.repeat(end - start);
  }
  return code + text.slice(code.length);
}

// The first pattern that matches at a place wins.
const signs: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/[“”‘’«»]/, 'write straight quotes, `"` or `\'`'],
  // Strings that can be read are blanked, so these are in others.
  [
    /["'](?:[^"'\\\n]|\\.){0,200}?\\(?![abfnrtvxXuU\\?"'`0-3])[^"'\n]{0,200}["']?/,
    'write `\\\\` for a backslash in a string, or a string without escapes: `r"\\d+"`',
  ],
  [/["']/, 'end a string with the quote that begins it, and write `\\"` or `\\\'` for this quote inside it'],
  [/\u00a0/, 'write a plain space for U+00A0, which looks the same'],
  [/[\u2000-\u200a\u202f\u205f\u3000]/, 'write a plain space'],
  [/[\u200b-\u200d\u2060\ufeff]/, 'remove the character that is not visible'],
  [/[\u2010-\u2015\u2212]/, 'write `-` for a minus sign'],
  [/≤/, 'write `<=` instead of `≤`'],
  [/≥/, 'write `>=` instead of `≥`'],
  [/≠/, 'write `!=` instead of `≠`'],
  [/∧/, 'write `&&` instead of `∧`'],
  [/∨/, 'write `||` instead of `∨`'],
  [/¬/, 'write `!` instead of `¬`'],
  [/∈/, 'write `in` instead of `∈`'],
  [/×/, 'write `*` instead of `×`'],
  [/÷/, 'write `/` instead of `÷`'],
  [/[^\x00-\x7f]+/, 'a name has letters of ASCII, digits and `_`; write `R.attr["größe"]` for any other'],
  [/\$\{|\{\{|#\{/, 'an expression needs no delimiters: write `R.attr.a` instead of `${R.attr.a}`'],
  [/!==/, 'write `!=` instead of `!==`'],
  [/===/, 'write `==` instead of `===`'],
  [/<>/, 'write `!=` instead of `<>`'],
  [/=</, 'write `<=` instead of `=<`'],
  [/=>(?=\s*[-\d"'])/, 'write `>=` instead of `=>`'],
  [/=>|->/, 'write the variable and the condition as two arguments: `list.exists(x, x == 1)`'],
  [/=~|~=|!~|~/, 'write `text.matches("^a.*$")` to match a regular expression'],
  [/!\s*in\b/, 'write `!(x in list)` instead of `x !in list`'],
  [/\?\?|\?:/, 'write `R.attr.?a.orValue("")` to read a value with a default'],
  [/\?\.(?=[\w[])/, 'write `R.attr.?a` instead of `R.attr?.a`: the question mark follows the dot'],
  [/#/, 'write comments as `// text`'],
  [/\/\*|\*\//, 'write comments as `// text`, up to the end of the line'],
  [/\*\*|\^/, 'CEL has no operator for powers: multiply'],
  [/&&&|(?<!&)&(?!&)/, 'write `&&` instead of `&`'],
  [/(?<!\|)\|(?!\|)/, 'write `||` instead of `|`'],
  [/\+\+|\+=|-=/, 'an expression cannot change a value'],
  [/:=/, 'write `==` to compare, and put names for values into `variables`'],
  [/(?<![=!<>:])=(?![=>~])/, 'write `==` to compare'],
  [/;/, 'an expression is one value: join several with `&&` or `||`, without `;`'],
  [/@|\$/, 'attributes are `R.attr.a` and `P.attr.a`, variables `V.a`, constants `C.a`'],
  [/\b(?!0x)\d+(?![uUeE])[a-zA-Z_]\w*/, 'a string needs quotes: `"30d"`'],
];

const anySign = new RegExp(signs.map(([pattern]) => `(${pattern.source})`).join('|'), 'g');

function adviseSigns(code: string): readonly Advice[] {
  // A comment may contain anything.
  const plain = code.replace(/\/\/[^\n]*/g, (comment) => ' '.repeat(comment.length));
  return [...plain.matchAll(anySign)].flatMap((match) => {
    const rule = signs[match.slice(1).findIndex((group) => group !== undefined)];
    return adviceAt(rule?.[1], match.index, match.index + match[0].length);
  });
}

const contains = 'write `text.contains("x")` for a part of a string, or `"x" in list` for an element of a list';
const pattern = 'write `text.startsWith("x")`, `text.contains("x")` or `text.matches("^x.*$")`';
const list = 'write a list as `x in ["a", "b"]`';
const choice = 'write `condition ? a : b`';
const names = 'an expression cannot declare names: put them into `variables` and read them as `V.name`';
const backTicks = 'a string needs quotes: `"x"`; back-ticks are for names after a dot';
const loops = 'write a macro: `list.exists(x, condition)`, `list.all(x, condition)`, `list.filter(x, condition)`';

/** Words between two operands. */
const infix: ReadonlyMap<string, string> = new Map([
  ['and', 'write `&&` instead of `and`'],
  ['or', 'write `||` instead of `or`'],
  ['xor', 'write `a != b` for two conditions of which exactly one holds'],
  ['is', 'write `==` instead of `is`, and `!=` instead of `is not`'],
  ['isnt', 'write `!=`'],
  ['not', 'write `!(x in list)` instead of `x not in list`'],
  ['eq', 'write `==`'],
  ['equals', 'write `==`'],
  ['ne', 'write `!=`'],
  ['neq', 'write `!=`'],
  ['gt', 'write `>`'],
  ['gte', 'write `>=`'],
  ['ge', 'write `>=`'],
  ['lt', 'write `<`'],
  ['lte', 'write `<=`'],
  ['le', 'write `<=`'],
  ['mod', 'write `%` instead of `mod`'],
  ['div', 'write `/` instead of `div`'],
  ['like', pattern],
  ['ilike', pattern],
  ['rlike', pattern],
  ['regexp', pattern],
  ['matches', 'write `text.matches("^x.*$")`'],
  ['startswith', 'write `text.startsWith("x")`'],
  ['endswith', 'write `text.endsWith("x")`'],
  ['contains', contains],
  ['includes', contains],
  ['has', contains],
  ['between', 'write `1 <= x && x <= 5`'],
  ['instanceof', 'write `type(x) == string`'],
  ['exists', 'write `has(R.attr.a)`'],
  ['of', loops],
  ['for', loops],
  ['then', choice],
  ['else', choice],
  ['if', choice],
  ['unless', 'write `&& !(condition)`'],
  ['as', names],
]);

/** Words before an operand. */
const prefix: ReadonlyMap<string, string> = new Map([
  ['not', 'write `!` instead of `not`'],
  ['exists', 'write `has(R.attr.a)`'],
  ['has', 'write `has(R.attr.a)`'],
  ['exist', 'write `has(R.attr.a)`'],
  ['typeof', 'write `type(x)`'],
  ['if', choice],
  ['unless', 'write `!(condition)`'],
  ['return', 'leave out `return`: the expression is the value'],
  ['let', names],
  ['var', names],
  ['const', names],
  ['function', names],
  ['for', loops],
  ['while', loops],
  ['any', loops],
  ['some', loops],
  ['every', loops],
  ['all', loops],
  ['new', 'CEL has no objects to create: `timestamp("2026-01-31T00:00:00Z")` parses a time'],
]);

const operands: readonly TokenType[] = [
  'IDENTIFIER',
  'ESC_IDENTIFIER',
  'STRING',
  'BYTES',
  'NUM_INT',
  'NUM_UINT',
  'NUM_FLOAT',
  'true',
  'false',
  'null',
];
const endsOperand: ReadonlySet<TokenType> = new Set([...operands, ')', ']', '}']);
const startsOperand: ReadonlySet<TokenType> = new Set([...operands, '(', '[', '!', '-']);

function adviseWords(text: string, tokens: readonly Token[]): readonly Advice[] {
  return tokens.flatMap((token, i) => {
    const before = tokens[i - 1]?.type ?? 'EOF';
    const after = tokens[i + 1]?.type ?? 'EOF';
    const { start, end } = token;
    if (isInBrackets.has(token.type)) return adviceAt(adviseBracket(tokens, i), start, end);
    if (before === '.') return adviceAt(keywordAdvice.get(token.type), start, end);
    if (token.type === 'ESC_IDENTIFIER') return adviceAt(backTicks, start, end);
    if (token.type !== 'IDENTIFIER') return [];
    const word = text.slice(start, end).toLowerCase();
    const isInfix = endsOperand.has(before) && (startsOperand.has(after) || after === 'in' || after === 'EOF');
    const isPrefix = !endsOperand.has(before) && startsOperand.has(after) && (after !== '(' || reserved.has(word));
    const message = isInfix ? infix.get(word) : isPrefix ? prefix.get(word) : undefined;
    return adviceAt(message, start, end);
  });
}

function adviceAt(message: string | undefined, start: number, end: number): readonly Advice[] {
  return message === undefined ? [] : [{ message, start, end }];
}

/** Words that are not functions even before a parenthesis. */
const reserved: ReadonlySet<string> = new Set(['if', 'for', 'while', 'return', 'function']);

const LONGEST_LIST = 100;

/** Tokens that mean something else in brackets of other languages. */
const isInBrackets: ReadonlySet<TokenType> = new Set([',', ':', '}']);

/** Advice for brackets of other languages: `x in (a, b)`, a set in braces, a slice. */
function adviseBracket(tokens: readonly Token[], at: number): string | undefined {
  let depth = 0;
  let hasColon = false;
  for (let i = at - 1; i > Math.max(-1, at - LONGEST_LIST); i--) {
    const { type } = tokens[i] as Token;
    if (type === ')' || type === ']' || type === '}') depth++;
    else if (depth === 0 && (type === ':' || type === '?')) hasColon = true;
    else if ((type === '(' || type === '[' || type === '{') && depth-- === 0)
      return bracketAdvice(type, tokens[i - 1]?.type, (tokens[at] as Token).type, hasColon || i === at - 1);
  }
  return undefined;
}

function bracketAdvice(
  bracket: '(' | '[' | '{',
  before: TokenType | undefined,
  token: TokenType,
  isUsual: boolean,
): string | undefined {
  if (bracket === '[') return token === ':' && !isUsual ? slice : undefined;
  if (bracket === '(') return token === ',' && before === 'in' ? list : undefined;
  return token !== ':' && !isUsual ? list : undefined;
}

const slice = 'write `list.slice(0, 2)` for a part of a list, and `text.substring(0, 2)` for a part of a string';

const keywordAdvice: ReadonlyMap<TokenType, string> = new Map(
  (['in', 'true', 'false', 'null'] as const).map((word) => [
    word,
    `\`${word}\` is a word of expressions: write \`R.attr["${word}"]\` for an attribute of this name`,
  ]),
);

const macroAdvice: readonly (readonly [pattern: RegExp, message: string])[] = [
  [
    /has\(\) macro/,
    '`has` takes a field, as in `has(R.attr.a)`; write `"a" in R.attr` for a key that is not a name or is computed',
  ],
  [/^reserved identifier: (var|const)$/, 'variables of the policy are `V.a`, constants `C.a`'],
  [
    /argument (must be a simple name|is not an identifier)/,
    'the first argument names the variable for the element: `list.exists(x, x == 1)`',
  ],
];
