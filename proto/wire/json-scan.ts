import { isAscii, isUtf8 } from 'node:buffer';
import { JsonError, Shape } from './json-shape.js';

/** Reads the message of a parsed JSON document. Throws a JsonError. */
export type ReadMessage<Message> = (value: unknown, shape: Shape) => Message;

/**
 * Reads a whole request body as a message. Throws a JsonError with the error and its location
 * (docs/spec/server.md#json-mapping).
 */
export function readDocument<Message>(body: Buffer, read: ReadMessage<Message>): Message {
  const document = parseJson(body);
  const shape = new Shape();
  const message = readMessage(document.value, shape, read);
  document.checkKeys(shape.keys);
  return message;
}

function readMessage<Message>(value: unknown, shape: Shape, read: ReadMessage<Message>): Message {
  try {
    return read(value, shape);
  } catch (error) {
    if (error instanceof JsonError) throw new JsonError(`invalid request: ${error.message}`);
    throw error;
  }
}

/** A parsed request body whose shape is read next. */
export interface JsonDocument {
  readonly value: unknown;
  /**
   * Called after the shape was read, with the number of keys that the reader met. Rejects the document if it contains
   * duplicate keys.
   */
  readonly checkKeys: (met: number) => void;
}

/**
 * Parses a request body as strict JSON (docs/spec/server.md#json-mapping). JSON.parse creates the value; one scan of
 * the bytes and a count of the keys detect what it tolerates (docs/decisions/messages-and-transports.md#0042). The
 * scan comes first: creating a value that is nested too deeply takes seconds. Throws a JsonError. An empty body is an
 * empty message.
 */
export function parseJson(bytes: Buffer): JsonDocument {
  const text = decode(bytes);
  const scan = scanJson(bytes, MAX_JSON_DEPTH);
  if (scan.depth > MAX_JSON_DEPTH) refuse(text);
  const value = parse(text);
  if (value === undefined) return { value: {}, checkKeys: () => {} };
  if (scan.surrogateEscapes) refuseIfBad(text);
  return {
    value,
    checkKeys: (met) => {
      if (met !== scan.keys) refuse(text);
    },
  };
}

function decode(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw new JsonError('invalid JSON: not valid UTF-8');
  return bytes.toString('utf8');
}

/** Undefined for a body that only contains white space. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (/^[ \t\r\n]*$/.test(text)) return undefined;
    return refuse(text);
  }
}

function refuseIfBad(text: string): void {
  const problem = jsonProblem(text);
  if (problem !== undefined) throw new JsonError(problem);
}

function refuse(text: string): never {
  throw new JsonError(jsonProblem(text) ?? 'invalid JSON');
}

/** Properties of a valid document that JSON.parse does not report. */
export interface JsonScan {
  /** The number of keys written in all objects together. If the parsed value has fewer, some are duplicates. */
  readonly keys: number;
  /** The nesting depth of objects and lists; one more than the limit if it is deeper. */
  readonly depth: number;
  /** Whether a half of a surrogate pair is written as an escape, paired or not. */
  readonly surrogateEscapes: boolean;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LOWER_D = 0x64;
const LOWER_U = 0x75;

/**
 * One pass over the bytes of JSON, which ends at the first value that is nested deeper than `maxDepth`. Structural
 * characters outside strings are ASCII, so the bytes need no decoding. The result is meaningless for bytes that are not
 * JSON. Hot: every REST request; a nanosecond a byte (bench: server).
 */
function scanJson(bytes: Uint8Array, maxDepth: number): JsonScan {
  const length = bytes.length;
  let keys = 0;
  let depth = 0;
  let open = 0;
  let surrogateEscapes = false;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      for (at += 1; at < length; at++) {
        const inner = bytes[at] as number;
        if (inner === QUOTE) break;
        if (inner !== BACKSLASH) continue;
        at += 1;
        if (bytes[at] === LOWER_U && isSurrogate(bytes, at + 1)) surrogateEscapes = true;
      }
    } else if (byte === COLON) {
      keys += 1;
    } else if (byte > COLON) {
      // Of the characters allowed outside strings, only these differ in one bit: [ { and ] }.
      const folded = byte | 0x20;
      if (folded === 0x7b) {
        open += 1;
        if (open > depth) {
          depth = open;
          if (depth > maxDepth) break;
        }
      } else if (folded === 0x7d) {
        open -= 1;
      }
    }
  }
  return { keys, depth, surrogateEscapes };
}

/** Whether four hexadecimal digits are in the range D800 to DFFF. */
function isSurrogate(bytes: Uint8Array, at: number): boolean {
  if (((bytes[at] as number) | 0x20) !== LOWER_D) return false;
  const second = bytes[at + 1] as number;
  return second === 0x38 || second === 0x39 || second > COLON;
}

/** The maximum nesting depth of objects and lists in a request (docs/spec/server.md#json-mapping). */
export const MAX_JSON_DEPTH = 10_000;

/**
 * The first error that makes a string an unacceptable JSON document, as a message with its location; undefined if there
 * is none. Strict: also rejects duplicate keys, lone surrogates, and nesting beyond the limit. Slow, so it is only
 * called after a faster check has found a problem. Not recursive.
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

/** The message that clients of the reference PDP match for a truncated document. */
const CUT_OFF = 'unexpected EOF';

class JsonProblem extends Error {}

/** The expected next element in the innermost open object or list. */
interface Level {
  /** The keys so far; undefined in a list. */
  readonly keys: Set<string> | undefined;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Matches a lone surrogate: with the u flag, a pair is one code point and does not match. */
const LONE_SURROGATE = /\p{Surrogate}/u;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
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

  /** Reads a scalar, or the opening of a list or object up to its first value: returns true if there is one. */
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

  /** Closes, after a value, the objects and lists that end here and stops where the next value begins. */
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
      // NaN at the end of the input.
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
    // The string comes from valid UTF-8: only an escape can be a lone surrogate.
    if (!hasEscape) return this.text.slice(start + 1, this.#at - 1);
    const value = JSON.parse(this.text.slice(start, this.#at)) as string;
    if (LONE_SURROGATE.test(value)) this.#fail('half a surrogate pair in a string', start);
    return value;
  }

  /** Reads an escape from its backslash; stops at its last character. */
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

  /** A number or literal must not be followed directly by other characters: `01`, `1.`, `truer`. */
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
    if (this.text[this.#at] === '\ufeff') return 'unexpected byte-order mark';
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
