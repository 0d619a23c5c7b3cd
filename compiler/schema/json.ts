import type { JsonNode } from '../ir/json-node.js';

/** Why a string is not JSON, and the position of the error. */
export interface JsonError {
  readonly kind: 'error';
  readonly message: string;
  readonly at: number;
}

/** Parses JSON (RFC 8259), keeping offsets and the source text of numbers. Never throws; nesting is bounded. */
export function parseJson(text: string): JsonNode | JsonError {
  const reader = new Reader(text);
  const node = reader.value(0);
  reader.space();
  if (reader.error === undefined && reader.at < text.length) reader.fail('there is more after the value');
  return reader.error ?? node;
}

const MAX_DEPTH = 200;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;

const WORDS = [
  { word: 'true', node: { kind: 'boolean', value: true } },
  { word: 'false', node: { kind: 'boolean', value: false } },
  { word: 'null', node: { kind: 'null' } },
] as const;

class Reader {
  at = 0;
  /** The first error; parsing then ends quickly. */
  error: JsonError | undefined;

  constructor(private readonly text: string) {}

  fail(message: string): void {
    this.error ??= { kind: 'error', message, at: this.at };
    this.at = this.text.length;
  }

  space(): void {
    this.match(SPACE);
  }

  value(depth: number): JsonNode {
    this.space();
    const start = this.at;
    if (depth > MAX_DEPTH) this.fail('values nest too deeply');
    if (this.take('{')) return { kind: 'object', members: this.members(depth), start, end: this.at };
    if (this.take('[')) return { kind: 'array', items: this.items(depth), start, end: this.at };
    if (this.text[this.at] === '"') return { kind: 'string', value: this.string(), start, end: this.at };
    const number = this.match(NUMBER);
    if (number !== '') return { kind: 'number', text: number, start, end: this.at };
    const found = WORDS.find(({ word }) => this.take(word));
    if (found === undefined) this.fail(this.at >= this.text.length ? 'a value is missing' : 'this is not a value');
    return { ...(found?.node ?? { kind: 'null' }), start, end: this.at };
  }

  private members(depth: number): ReadonlyMap<string, JsonNode> {
    const members = new Map<string, JsonNode>();
    this.space();
    if (this.take('}')) return members;
    do {
      this.space();
      if (this.text[this.at] !== '"') this.fail('expected a property name in double quotes');
      const name = this.error === undefined ? this.string() : '';
      this.space();
      if (!this.take(':')) this.fail('expected a colon');
      members.set(name, this.value(depth + 1));
      this.space();
    } while (this.take(','));
    if (!this.take('}')) this.fail('expected a comma or a closing brace');
    return members;
  }

  private items(depth: number): readonly JsonNode[] {
    const items: JsonNode[] = [];
    this.space();
    if (this.take(']')) return items;
    do {
      items.push(this.value(depth + 1));
      this.space();
    } while (this.take(','));
    if (!this.take(']')) this.fail('expected a comma or a closing bracket');
    return items;
  }

  private string(): string {
    let end = this.at + 1;
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1;
    try {
      const value: unknown = JSON.parse(this.text.slice(this.at, end + 1));
      this.at = end + 1;
      return String(value);
    } catch {
      this.fail('a string is not terminated or has an invalid escape');
      return '';
    }
  }

  private take(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }
}
