import { quotedText } from './quoted-text.js';

/** The letters of the formatting clauses (docs/spec/conditions.md#format). */
export type Verb = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';

/** A template taken apart. A problem is the last part: what follows it is never read. */
export type FormatPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'clause'; readonly verb: Verb; readonly precision: number }
  | { readonly kind: 'problem'; readonly message: string };

/** The parts of a `format` template in order. */
export function parseTemplate(template: string): readonly FormatPart[] {
  const parts: FormatPart[] = [];
  let at = 0;
  while (at < template.length) {
    const percent = template.indexOf('%', at);
    if (percent < 0) return [...parts, { kind: 'text', text: template.slice(at) }];
    parts.push({ kind: 'text', text: template.slice(at, percent) });
    if (template.startsWith('%%', percent)) {
      parts.push({ kind: 'text', text: '%' });
      at = percent + 2;
      continue;
    }
    const { part, end } = parseClause(template, percent + 1);
    parts.push(part);
    if (part.kind === 'problem') return parts;
    at = end;
  }
  return parts;
}

const DEFAULT_PRECISION = 6;
const MAX_PRECISION = 100;

interface Parsed {
  readonly part: FormatPart;
  readonly end: number;
}

function parseClause(template: string, start: number): Parsed {
  if (start >= template.length) return problem('unexpected end of string');
  if (template.charAt(start) !== '.') return parseVerb(template, start, DEFAULT_PRECISION);
  const digits = /^[0-9]*/.exec(template.slice(start + 1))?.[0] ?? '';
  const end = start + 1 + digits.length;
  const trouble = end >= template.length ? 'could not find end of precision specifier' : troubleWith(digits);
  if (trouble !== undefined) return clauseProblem(`error while parsing precision: ${trouble}`);
  return parseVerb(template, end, Number(digits));
}

/** Texts of the reference's number parser; precisions that do not fit an int64 are another of its complaints. */
function troubleWith(digits: string): string | undefined {
  const parsing = `error while converting precision to integer: strconv.Atoi: parsing ${quotedText(digits)}`;
  if (digits === '') return `${parsing}: invalid syntax`;
  const precision = BigInt(digits.replace(/^0+(?=.)/, '').slice(0, 20));
  if (precision > 2n ** 63n - 1n) return `${parsing}: value out of range`;
  return precision <= MAX_PRECISION
    ? undefined
    : `precision ${precision} exceeds maximum allowed precision ${MAX_PRECISION}`;
}

function parseVerb(template: string, at: number, precision: number): Parsed {
  const verb = template.charAt(at);
  if (isVerb(verb)) return { part: { kind: 'clause', verb, precision }, end: at + 1 };
  return clauseProblem(`unrecognized formatting clause "${firstByteOf(template, at)}"`);
}

function isVerb(char: string): char is Verb {
  return char !== '' && 'sdfebxXo'.includes(char);
}

/** The reference shows the first byte of a character's UTF-8 as if it were a character. */
function firstByteOf(template: string, at: number): string {
  const [byte = 0] = new TextEncoder().encode(String.fromCodePoint(template.codePointAt(at) ?? 0));
  return String.fromCharCode(byte);
}

function clauseProblem(message: string): Parsed {
  return problem(`could not parse formatting clause: ${message}`);
}

function problem(message: string): Parsed {
  return { part: { kind: 'problem', message }, end: 0 };
}
