/** One `%` clause of a format string: what it formats as, or why it is none. */
export type Clause =
  | { readonly kind: 'clause'; readonly letter: 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o' }
  | { readonly kind: 'bad'; readonly message: string }
  /** A `%` with nothing behind it. */
  | { readonly kind: 'end' };

/**
 * The clauses of a format string in order, the literal text and `%%` left out (docs/spec/conditions.md#format). It ends
 * at the first bad one.
 */
export function parseClauses(format: string): readonly Clause[] {
  const clauses: Clause[] = [];
  let i = format.indexOf('%');
  while (i !== -1) {
    if (format[i + 1] === '%') {
      i = format.indexOf('%', i + 2);
      continue;
    }
    const { clause, next } = parseClause(format, i + 1);
    clauses.push(clause);
    if (clause.kind !== 'clause') return clauses;
    i = format.indexOf('%', next);
  }
  return clauses;
}

const MAX_PRECISION = 100n;

function parseClause(format: string, start: number): { readonly clause: Clause; readonly next: number } {
  if (start >= format.length) return { clause: { kind: 'end' }, next: start };
  const digits = format[start] === '.' ? digitsFrom(format, start + 1) : undefined;
  const at = digits === undefined ? start : start + 1 + digits.length;
  const problem = digits === undefined ? undefined : problemOfPrecision(digits, at >= format.length);
  if (problem !== undefined)
    return { clause: { kind: 'bad', message: `error while parsing precision: ${problem}` }, next: at };
  const letter = format[at] ?? '';
  if (isLetter(letter)) return { clause: { kind: 'clause', letter }, next: at + 1 };
  const message = `unrecognized formatting clause "${firstByte(format.slice(at, at + 2))}"`;
  return { clause: { kind: 'bad', message }, next: at };
}

function digitsFrom(format: string, start: number): string {
  let end = start;
  while (/^[0-9]$/.test(format.charAt(end))) end += 1;
  return format.slice(start, end);
}

function problemOfPrecision(digits: string, isAtEnd: boolean): string | undefined {
  if (isAtEnd) return 'could not find end of precision specifier';
  const parsing = `error while converting precision to integer: strconv.Atoi: parsing "${digits}"`;
  if (digits === '') return `${parsing}: invalid syntax`;
  const precision = BigInt(digits.replace(/^0+(?=.)/, '').slice(0, 20));
  if (precision > 2n ** 63n - 1n) return `${parsing}: value out of range`;
  return precision > MAX_PRECISION
    ? `precision ${precision} exceeds maximum allowed precision ${MAX_PRECISION}`
    : undefined;
}

function isLetter(text: string): text is Extract<Clause, { readonly kind: 'clause' }>['letter'] {
  return text !== '' && 'sdfebxXo'.includes(text);
}

// The reference reads the string byte by byte and shows the byte it stumbles over as a character.
function firstByte(text: string): string {
  const [byte] = new TextEncoder().encode(text);
  return byte === undefined ? '' : String.fromCharCode(byte);
}
