/** The text of a file, with its path. Every span refers to one. */
export class Source {
  /** Not a property: bundles that explain have sources as JSON. */
  #starts: readonly number[] | undefined;

  /**
   * @param path relative to the policy folder, with `/`: it is shown in messages and in the manifest.
   * @param text decoded UTF-8.
   */
  constructor(
    readonly path: string,
    readonly text: string,
  ) {}

  /** Line and column of an offset, both 1-based; columns count UTF-16 units. */
  lineAndColumn(offset: number): { line: number; column: number } {
    const starts = this.lineStarts();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] as number) + 1 };
  }

  /** The text of a line (1-based) without its line break; empty past the end. */
  line(number: number): string {
    const starts = this.lineStarts();
    const start = starts[number - 1];
    if (start === undefined) return '';
    const end = starts[number] ?? this.text.length + 1;
    return this.text.slice(start, end - 1).replace(/\r$/, '');
  }

  /** How many lines the text has; a trailing line break starts one more. */
  get lineCount(): number {
    return this.lineStarts().length;
  }

  // Computed on demand: most sources never have a diagnostic.
  private lineStarts(): readonly number[] {
    if (this.#starts === undefined) {
      const starts = [0];
      for (let i = this.text.indexOf('\n'); i !== -1; i = this.text.indexOf('\n', i + 1)) starts.push(i + 1);
      this.#starts = starts;
    }
    return this.#starts;
  }
}
