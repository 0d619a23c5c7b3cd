/** A longer input is given up. In UTF-16 units; an expression may have as many code points. */
export const LONGEST_INPUT = 200_000;

/**
 * Lines that make one input: a line goes on after a backslash, in a bracket, and in quotes (docs/spec/server.md#repl).
 * Each line is looked at once, however many there are.
 */
export class PendingInput {
  private text = '';
  private isBegun = false;
  /** The quotes that are open, a raw string's with an `r` before; empty outside of strings. */
  private quotes = '';
  private depth = 0;

  /** Adds a line; gives the whole input when it ends with it. */
  add(line: string): string | undefined {
    const goesOn = line.endsWith('\\');
    const content = goesOn ? line.slice(0, -1) : line;
    // A comment is a line, and a directive without an expression: a file's name may have a quote in it.
    const isWhole = !this.isBegun && /^\s*(?:#|:(?!let\b))/.test(line);
    if (!isWhole) this.scan(content);
    this.text = this.isBegun ? `${this.text}\n${content}` : content;
    this.isBegun = true;
    const isOpen = !isWhole && (goesOn || this.depth > 0 || this.quotes !== '');
    return isOpen && this.text.length <= LONGEST_INPUT ? undefined : this.take();
  }

  /** Whether a line is waited for. */
  get isOpen(): boolean {
    return this.isBegun;
  }

  /** What there is, ended or not. */
  take(): string {
    const { text } = this;
    this.text = '';
    this.isBegun = false;
    this.quotes = '';
    this.depth = 0;
    return text;
  }

  /** Strings and comments as CEL has them; the parser decides which bracket closes which. */
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

/** Whether the quote there opens a raw string: `r"..."`, `bR'...'`. */
function isRaw(line: string, at: number): boolean {
  return /(?:^|[^A-Za-z0-9_])(?:[bB]?[rR]|[rR][bB])$/.test(line.slice(Math.max(0, at - 3), at));
}
