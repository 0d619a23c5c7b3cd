import { encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import type { Source } from '../diagnostics/source.js';
import type { Origin, TextPlace } from '../ir/emitted-file.js';
import { type MappedText, policyUrl } from './source-map.js';

/** Maps the lines of a text to the lines of the policies, to build a source map. */
export class LineMap {
  private readonly sources = new Map<Source, number>();
  private readonly lines: SourceMapSegment[][] = [];

  /** @param offset the difference between a line of the text and a line of the origins. */
  add(origins: readonly Origin[], offset: number): void {
    for (const { line, lines, span } of origins) {
      const place = span.source.lineAndColumn(span.start);
      const segment: SourceMapSegment = [0, this.findIndex(span.source), place.line - 1, place.column - 1];
      for (let i = line; i < line + lines; i += 1) this.lines[i + offset] = [segment];
    }
  }

  /**
   * Maps the parts of the lines of a module to the policies.
   * @param start the line of the text at which the body of the module begins.
   */
  addPlaces(body: readonly string[], places: readonly TextPlace[], start: number): void {
    let offset = 0;
    let next = 0;
    let open: TextPlace | undefined;
    for (const [index, line] of body.entries()) {
      const own = this.lines[start + index];
      const segments = open === undefined ? [...(own ?? [])] : [this.segment(0, open)];
      for (
        let place = places[next];
        place !== undefined && place.offset <= offset + line.length;
        next += 1, place = places[next]
      ) {
        const column = place.offset - offset;
        if (segments.at(-1)?.[0] === column) segments.pop();
        segments.push(this.segment(column, place));
        open = place.isEnd ? undefined : place;
      }
      if (segments.length > 0) this.lines[start + index] = segments;
      offset += line.length + 1;
    }
  }

  private segment(column: number, { source, at }: TextPlace): SourceMapSegment {
    const place = source.lineAndColumn(at);
    return [column, this.findIndex(source), place.line - 1, place.column - 1];
  }

  /** Maps one line of the text to the location of the first origin. */
  addFirst([first]: readonly Origin[], line: number): void {
    if (first !== undefined) this.add([{ ...first, line: 0, lines: 1 }], line);
  }

  /**
   * The map as a comment that esbuild follows. It is present even if it is empty: without one the text itself would be
   * mapped.
   *
   * @param before the number of lines before the first.
   */
  comment(before = 0): string {
    const sources = [...this.sources.keys()];
    const map = {
      version: 3,
      sources: sources.map(({ path }) => policyUrl(path)),
      names: [],
      mappings: ';'.repeat(before) + encode(Array.from(this.lines, (line) => line ?? [])),
    };
    return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}\n`;
  }

  /** A text with this map. */
  over(parts: readonly string[], length: number): MappedText {
    const sources = [...this.sources.keys()].map(({ path }) => policyUrl(path));
    return { parts, length, lines: this.lines, sources };
  }

  private findIndex(source: Source): number {
    const index = this.sources.get(source) ?? this.sources.size;
    this.sources.set(source, index);
    return index;
  }
}
