import type { Source } from '../diagnostics/source.js';
import type { EmittedFile, Origin, TextPlace } from '../ir/emitted-file.js';

/**
 * Emitted files without references to their sources. Most of them is in two buffers, which threads hand over without a
 * copy, which are written to a file as they are, and which the garbage collector does not visit.
 */
export interface PackedFiles {
  readonly files: readonly PackedFile[];
  /** The texts in UTF-8. */
  readonly texts: Uint8Array;
  /** The origins and places: `ORIGIN` and `PLACE` numbers for each. */
  readonly numbers: Int32Array;
}

interface PackedFile {
  readonly path: string;
  readonly bytes: number;
  /** The rules of its origins. */
  readonly rules: readonly string[];
  readonly places: number;
}

/** The line, the number of lines, the source, its start and its end. */
const ORIGIN = 5;
/** The offset, the source, the offset there and whether an expression ends. */
const PLACE = 4;

/** @param indexOf the number by which a source is found again. */
export function packedFiles(files: readonly EmittedFile[], indexOf: (source: Source) => number): PackedFiles {
  const texts = files.map(({ text }) => Buffer.from(text));
  return {
    files: files.map(({ path, origins, places }, index) => ({
      path,
      bytes: texts[index]?.length as number,
      rules: origins.map(({ rule }) => rule),
      places: places.length,
    })),
    texts: joined(texts),
    numbers: numbersOf(files, indexOf),
  };
}

function numbersOf(files: readonly EmittedFile[], indexOf: (source: Source) => number): Int32Array {
  const count = files.reduce((sum, { origins, places }) => sum + origins.length * ORIGIN + places.length * PLACE, 0);
  const numbers = new Int32Array(count);
  let at = 0;
  const write = (...values: readonly number[]): void => {
    for (const value of values) numbers[at++] = value;
  };
  for (const { origins, places } of files) {
    for (const { line, lines, span } of origins) write(line, lines, indexOf(span.source), span.start, span.end);
    for (const { offset, source, at: place, isEnd } of places) write(offset, indexOf(source), place, isEnd ? 1 : 0);
  }
  return numbers;
}

/** In a buffer of its own: those of `Buffer` may be shared with others. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** @param sources by the numbers with which the files were packed. */
export function unpackedFiles(
  { files, texts, numbers }: PackedFiles,
  sources: readonly Source[],
): readonly EmittedFile[] {
  let [text, number] = [0, 0];
  return files.map(({ path, bytes, rules, places }): EmittedFile => {
    const from = number;
    number += rules.length * ORIGIN + places * PLACE;
    text += bytes;
    return new UnpackedFile(path, texts.subarray(text - bytes, text), rules, numbers.subarray(from, number), sources);
  });
}

/** A file that is read from the buffers when it is needed: all files of a large set together would fill the heap. */
class UnpackedFile implements EmittedFile {
  constructor(
    readonly path: string,
    private readonly bytes: Uint8Array,
    private readonly rules: readonly string[],
    private readonly numbers: Int32Array,
    private readonly sources: readonly Source[],
  ) {}

  get text(): string {
    const { buffer, byteOffset, length } = this.bytes;
    return Buffer.from(buffer, byteOffset, length).toString('utf8');
  }

  get origins(): readonly Origin[] {
    return this.rules.map((rule, index) => {
      const at = index * ORIGIN;
      const span = { source: this.source(at + 2), start: this.number(at + 3), end: this.number(at + 4) };
      return { line: this.number(at), lines: this.number(at + 1), rule, span };
    });
  }

  get places(): readonly TextPlace[] {
    const places: TextPlace[] = [];
    for (let at = this.rules.length * ORIGIN; at < this.numbers.length; at += PLACE)
      places.push({
        offset: this.number(at),
        source: this.source(at + 1),
        at: this.number(at + 2),
        isEnd: this.number(at + 3) === 1,
      });
    return places;
  }

  private number(at: number): number {
    return this.numbers[at] as number;
  }

  private source(at: number): Source {
    return this.sources[this.number(at)] as Source;
  }
}
