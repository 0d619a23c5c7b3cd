import { encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import type { Source } from '../diagnostics/source.js';
import type { Origin } from '../ir/emitted-file.js';

/** From the lines of a text to the lines of the policies: what a source map says, as it is gathered. */
export class LineMap {
  private readonly sources = new Map<Source, number>();
  private readonly lines: SourceMapSegment[][] = [];

  /** @param offset what to add to a line of the origins to get the line of the text. */
  add(origins: readonly Origin[], offset: number): void {
    for (const { line, lines, span } of origins) {
      const place = span.source.lineAndColumn(span.start);
      const segment: SourceMapSegment = [0, this.indexOf(span.source), place.line - 1, place.column - 1];
      for (let i = line; i < line + lines; i += 1) this.lines[i + offset] = [segment];
    }
  }

  /** Leads one line of the text to where the first of the origins stands. */
  addFirst([first]: readonly Origin[], line: number): void {
    if (first !== undefined) this.add([{ ...first, line: 0, lines: 1 }], line);
  }

  /**
   * The map as a comment that esbuild follows. It is there even with nothing to say: without one the text itself would
   * be mapped.
   */
  comment(): string {
    const sources = [...this.sources.keys()];
    const map = {
      version: 3,
      sources: sources.map(({ path }) => path),
      sourcesContent: sources.map(({ text }) => text),
      names: [],
      mappings: encode(Array.from(this.lines, (line) => line ?? [])),
    };
    return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}\n`;
  }

  private indexOf(source: Source): number {
    const index = this.sources.get(source) ?? this.sources.size;
    this.sources.set(source, index);
    return index;
  }
}
