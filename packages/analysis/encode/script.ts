import { selectPrelude } from './prelude.js';
import { apply, NotEncodable, symbol } from './smt.js';

/** What a query may have: the number of named terms, and of bytes. */
const MOST_TERMS = 200_000;
const MOST_BYTES = 2 * 1024 * 1024;

/** The declarations, definitions and assertions of a query, in order. Equal terms have one name. */
export class Script {
  private readonly lines: string[] = [];
  private readonly names = new Map<string, string>();
  private readonly declared = new Set<string>();
  private readonly stated = new Set<string>();
  private bytes = 0;
  /** The lists and maps that are written down, by their images. */
  readonly lists = new Map<string, readonly string[]>();
  readonly maps = new Map<string, ReadonlySet<string>>();

  /** The name of a term of a sort; of an equal one if there is one. Throws a NotEncodable above the limits. */
  define(sort: 'V' | 'L' | 'M' | 'Bool', term: string): string {
    if (!term.startsWith('(')) return term;
    const known = this.names.get(term);
    if (known !== undefined) return known;
    if (this.names.size >= MOST_TERMS) throw new NotEncodable('the formula has too many terms');
    const name = `t${this.names.size}`;
    this.names.set(term, name);
    this.add(`(define-fun ${name} () ${sort} ${term})`);
    return name;
  }

  /**
   * An uninterpreted function applied to arguments. Equal names are one function, so a name has all that the result
   * depends on besides the arguments.
   */
  uninterpreted(
    name: string,
    result: 'V' | 'L' | 'M' | 'O' | 'Bool' | 'String',
    sorts: string,
    ...args: readonly string[]
  ) {
    const own = symbol(`${name} `);
    if (!this.declared.has(own)) {
      this.declared.add(own);
      this.add(`(declare-fun ${own} (${sorts}) ${result})`);
    }
    return apply(own, ...args);
  }

  /** Something that is true of all requests. */
  assert(formula: string): void {
    if (formula === 'true' || this.stated.has(formula)) return;
    this.stated.add(formula);
    this.add(`(assert ${formula})`);
  }

  /**
   * The text so far, without a question.
   * @param more terms that will follow.
   */
  text(...more: readonly string[]): string {
    const own = this.lines.join('\n');
    return `${selectPrelude([own, ...more].join('\n'))}\n${own}`;
  }

  private add(line: string): void {
    this.bytes += Buffer.byteLength(line) + 1;
    if (this.bytes > MOST_BYTES) throw new NotEncodable('the query is larger than 2 MiB');
    this.lines.push(line);
  }
}
