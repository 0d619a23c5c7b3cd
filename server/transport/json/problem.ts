/** How deep objects and lists may lie in one another in a request (docs/spec/server.md#json-mapping). */
export const MAX_JSON_DEPTH = 10_000;

/**
 * The first thing that makes a text no acceptable JSON document, as a sentence with its place; undefined when there is
 * none. Strict: also a key that is there twice, half a surrogate pair, nesting beyond the limit. Slow, so asked only
 * after something quicker has seen that there is a problem. Without recursion.
 */
export function jsonProblem(text: string): string | undefined {
  try {
    new StrictScanner(text).document();
    return undefined;
  } catch (error) {
    if (error instanceof JsonProblem) return error.message;
    throw error;
  }
}

/** What clients of the reference match on when a document was cut off. */
const CUT_OFF = 'unexpected EOF';

class JsonProblem extends Error {}

/** What comes next in the innermost open object or list. */
interface Level {
  /** The keys so far; undefined in a list. */
  readonly keys: Set<string> | undefined;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** With the flag u, a pair is one code point and does not match. */
const LONE_SURROGATE = /\p{Surrogate}/u;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const LITERALS = ['true', 'false', 'null'];
const ESCAPES = '"\\/bfnrt';

class StrictScanner {
  #at = 0;
  readonly #open: Level[] = [];

  constructor(readonly text: string) {}

  document(): void {
    do {
      let entered = true;
      while (entered) entered = this.#value();
      this.#closeFinished();
    } while (this.#open.length > 0);
    this.#space();
    if (this.#at < this.text.length) this.#fail(`${this.#character()} after the end of the document`);
  }

  /** A scalar, or the opening of a list or object up to where its first value begins: true when there is one. */
  #value(): boolean {
    this.#space();
    const character = this.text[this.#at];
    if (character === undefined) throw new JsonProblem(CUT_OFF);
    if (character === '{' || character === '[') return this.#openLevel(character);
    if (character === '"') this.#string();
    else this.#scalar();
    return false;
  }

  #openLevel(character: string): boolean {
    if (this.#open.length === MAX_JSON_DEPTH) this.#fail(`nested deeper than ${MAX_JSON_DEPTH} levels`);
    this.#at += 1;
    this.#open.push({ keys: character === '{' ? new Set() : undefined });
    this.#space();
    if (this.text[this.#at] === this.#closing()) return false;
    if (character === '{') this.#key();
    return true;
  }

  /** After a value: closes what ends here and stops where the next value begins. */
  #closeFinished(): void {
    while (this.#open.length > 0) {
      this.#space();
      const character = this.text[this.#at];
      if (character === undefined) throw new JsonProblem(CUT_OFF);
      if (character === this.#closing()) {
        this.#at += 1;
        this.#open.pop();
        continue;
      }
      if (character !== ',') this.#fail(`${this.#character()} after a value`);
      this.#at += 1;
      this.#space();
      if (this.#open.at(-1)?.keys !== undefined) this.#key();
      return;
    }
  }

  #closing(): string {
    return this.#open.at(-1)?.keys === undefined ? ']' : '}';
  }

  #key(): void {
    this.#space();
    const start = this.#at;
    if (start >= this.text.length) throw new JsonProblem(CUT_OFF);
    if (this.text[start] !== '"') this.#fail(`${this.#character()} where a key belongs`);
    const key = this.#string();
    const keys = this.#open.at(-1)?.keys;
    if (keys?.has(key)) this.#fail(`duplicate key ${quoteShort(key)}`, start);
    keys?.add(key);
    this.#space();
    if (this.#at >= this.text.length) throw new JsonProblem(CUT_OFF);
    if (this.text[this.#at] !== ':') this.#fail(`${this.#character()} after a key`);
    this.#at += 1;
  }

  #string(): string {
    const start = this.#at;
    let hasEscape = false;
    for (this.#at += 1; ; this.#at++) {
      // NaN at the end.
      const code = this.text.charCodeAt(this.#at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        hasEscape = true;
        this.#escape();
      } else if (!(code >= BLANK)) {
        if (code < BLANK) this.#fail('control character in a string');
        throw new JsonProblem(CUT_OFF);
      }
    }
    this.#at += 1;
    // The text comes from valid UTF-8: only an escape can be half a pair.
    if (!hasEscape) return this.text.slice(start + 1, this.#at - 1);
    const value = JSON.parse(this.text.slice(start, this.#at)) as string;
    if (LONE_SURROGATE.test(value)) this.#fail('half a surrogate pair in a string', start);
    return value;
  }

  /** At a backslash; stops at the last character of the escape. */
  #escape(): void {
    const start = this.#at;
    this.#at += 1;
    const character = this.text[this.#at];
    if (character === undefined) throw new JsonProblem(CUT_OFF);
    if (ESCAPES.includes(character)) return;
    if (character !== 'u') this.#fail('invalid escape in a string', start);
    const digits = this.text.slice(this.#at + 1, this.#at + 5);
    if (/^[0-9a-fA-F]{4}$/.test(digits)) this.#at += 4;
    else if (this.#at + 5 > this.text.length && /^[0-9a-fA-F]*$/.test(digits)) throw new JsonProblem(CUT_OFF);
    else this.#fail('invalid escape in a string', start);
  }

  #scalar(): void {
    if (isNumberStart(this.text.charCodeAt(this.#at))) this.#number();
    else this.#literal();
  }

  #literal(): void {
    for (const literal of LITERALS) {
      if (!this.text.startsWith(literal, this.#at)) continue;
      this.#at += literal.length;
      this.#endOfWord();
      return;
    }
    this.#failScalar();
  }

  #number(): void {
    NUMBER.lastIndex = this.#at;
    const number = NUMBER.exec(this.text)?.[0];
    if (number === undefined) this.#failScalar();
    if (!Number.isFinite(Number(number))) this.#fail(`number ${shorten(number)} is out of range`);
    this.#at += number.length;
    this.#endOfWord();
  }

  #failScalar(): never {
    const rest = this.text.slice(this.#at);
    const cut = rest === '-' || LITERALS.some((literal) => literal.startsWith(rest));
    if (cut) throw new JsonProblem(CUT_OFF);
    return this.#fail(`${this.#character()} where a value belongs`);
  }

  /** A number or literal must not run into what follows: `01`, `1.`, `truer`. */
  #endOfWord(): void {
    const code = this.text.charCodeAt(this.#at);
    if (code === COMMA || code === CLOSING_BRACKET) return;
    const character = this.text[this.#at];
    if (character !== undefined && /[\w.+-]/.test(character)) this.#fail(`${this.#character()} within a value`);
  }

  #space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.#at);
      if (code !== BLANK && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return;
      this.#at += 1;
    }
  }

  #character(): string {
    return `unexpected ${quoteShort(String.fromCodePoint(this.text.codePointAt(this.#at) ?? 0))}`;
  }

  #fail(what: string, at = this.#at): never {
    let line = 1;
    let lineStart = 0;
    for (let next = this.text.indexOf('\n'); next >= 0 && next < at; next = this.text.indexOf('\n', lineStart)) {
      line += 1;
      lineStart = next + 1;
    }
    throw new JsonProblem(`invalid JSON at line ${line}, column ${at - lineStart + 1}: ${what}`);
  }
}

function isNumberStart(code: number): boolean {
  return (code >= ZERO && code <= NINE) || code === MINUS;
}

function quoteShort(text: string): string {
  return JSON.stringify(shorten(text));
}

function shorten(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}…` : text;
}
