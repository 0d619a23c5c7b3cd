/** A longer input is discarded. In UTF-16 units; an expression may have as many code points. */
export const LONGEST_INPUT = 200_000;

/**
 * Collects the lines of one input: a line continues after a backslash, inside brackets, and inside quotes
 * (docs/spec/server.md#repl). Each line is scanned once, regardless of their number.
 */
export class PendingInput {
  private text = '';
  private isBegun = false;
  /** The open quotes, with a preceding `r` for a raw string; empty outside of strings. */
  private quotes = '';
  private depth = 0;

  /** Adds a line; returns the whole input if the line completes it. */
  add(line: string): string | undefined {
    const goesOn = line.endsWith('\\');
    const content = goesOn ? line.slice(0, -1) : line;
    // Comments and directives without an expression take one line: a file name may contain a quote.
    const isWhole = !this.isBegun && /^\s*(?:#|:(?!let\b))/.test(line);
    if (!isWhole) this.scan(content);
    this.text = this.isBegun ? `${this.text}\n${content}` : content;
    this.isBegun = true;
    const isOpen = !isWhole && (goesOn || this.depth > 0 || this.quotes !== '');
    return isOpen && this.text.length <= LONGEST_INPUT ? undefined : this.take();
  }

  /** Whether more lines are expected. */
  get isOpen(): boolean {
    return this.isBegun;
  }

  /** The collected lines, complete or not. */
  take(): string {
    const { text } = this;
    this.text = '';
    this.isBegun = false;
    this.quotes = '';
    this.depth = 0;
    return text;
  }

  /** Recognizes strings and comments of CEL; matching brackets is left to the parser. */
  private scan(line: string): void {
    for (let at = 0; at < line.length; at += 1) {
      const character = line[at] as string;
      if (this.quotes !== '') {
        const quotes = this.quotes.replace('r', '');
        if (character === '\\' && !this.quotes.startsWith('r')) at += 1;
        else if (line.startsWith(quotes, at)) {
          at += quotes.length - 1;
          this.quotes = '';
        }
      } else if (character === '"' || character === "'") {
        const quotes = line.startsWith(character.repeat(3), at) ? character.repeat(3) : character;
        this.quotes = `${isRaw(line, at) ? 'r' : ''}${quotes}`;
        at += quotes.length - 1;
      } else if (line.startsWith('//', at)) return;
      else if ('([{'.includes(character)) this.depth += 1;
      else if (')]}'.includes(character)) this.depth -= 1;
    }
  }
}

/** Whether the quote at an offset opens a raw string: `r"..."`, `bR'...'`. */
function isRaw(line: string, at: number): boolean {
  return /(?:^|[^A-Za-z0-9_])(?:[bB]?[rR]|[rR][bB])$/.test(line.slice(Math.max(0, at - 3), at));
}
