/** One `%` clause of a format string: what it formats as, or why it is none. */
export type Clause =
  | { readonly kind: 'clause'; readonly letter: 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o' }
  | { readonly kind: 'bad'; readonly message: string }
  /** A `%` with nothing behind it. */
  | { readonly kind: 'end' };

/** The clauses of a format string in order, the literal text and `%%` left out (conditions.md 2.4.1). It ends at the first bad one. */
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

const MAX_PRECISION = 100;

function parseClause(format: string, start: number): { readonly clause: Clause; readonly next: number } {
  if (start >= format.length) return { clause: { kind: 'end' }, next: start };
  const precision = /^\.([0-9]*)/.exec(format.slice(start, start + 1) === '.' ? format.slice(start) : '');
  const at = start + (precision?.[0].length ?? 0);
  const problem = precision === null ? undefined : problemOfPrecision(precision[1] ?? '', at >= format.length);
  if (problem !== undefined) return { clause: { kind: 'bad', message: `error while parsing precision: ${problem}` }, next: at };
  const letter = format[at] ?? '';
  if (isLetter(letter)) return { clause: { kind: 'clause', letter }, next: at + 1 };
  const message = `unrecognized formatting clause "${firstByte(format.slice(at, at + 2))}"`;
  return { clause: { kind: 'bad', message }, next: at };
}

function problemOfPrecision(digits: string, isAtEnd: boolean): string | undefined {
  if (isAtEnd) return 'could not find end of precision specifier';
  const shown = digits.length > 40 ? `${digits.slice(0, 40)}…` : digits;
  if (digits === '') return 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';
  if (BigInt(digits.slice(0, 40)) > 2n ** 63n - 1n) {
    return `error while converting precision to integer: strconv.Atoi: parsing "${shown}": value out of range`;
  }
  return Number(digits) > MAX_PRECISION ? `precision ${BigInt(digits)} exceeds maximum allowed precision ${MAX_PRECISION}` : undefined;
}

function isLetter(text: string): text is Extract<Clause, { readonly kind: 'clause' }>['letter'] {
  return text !== '' && 'sdfebxXo'.includes(text);
}

// The reference reads the string byte by byte and shows the byte it stumbles over as a character.
function firstByte(text: string): string {
  const [byte] = new TextEncoder().encode(text);
  return byte === undefined ? '' : String.fromCharCode(byte);
}
