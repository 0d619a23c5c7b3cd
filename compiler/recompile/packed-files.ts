import type { Source } from '../diagnostics/source.js';
import type { EmittedFile, Origin, TextPlace } from '../ir/emitted-file.js';
import { PieceList } from '../ir/pieces.js';

/** Bytes that are in memory, as those of a `Uint8Array`, or in a file. */
export interface Bytes {
  readonly length: number;
  /** The bytes from one offset to another. */
  subarray(start: number, end: number): Uint8Array;
}

/**
 * Emitted files without references to their sources. Most of them is in two buffers, which threads hand over without a
 * copy, and which are written to a file as they are.
 */
export interface PackedFiles<Buffers extends Bytes = Bytes> {
  readonly files: readonly PackedFile[];
  /** The text of each file, then `Described` in JSON; in UTF-8. */
  readonly texts: Buffers;
  /** The origins, places and pieces: `ORIGIN` and `PLACE` numbers and one for each, of `BYTES`. */
  readonly numbers: Buffers;
}

interface PackedFile {
  readonly path: string;
  readonly textBytes: number;
  readonly describedBytes: number;
  readonly origins: number;
  readonly places: number;
  readonly pieces: number;
}

/** What a file has beside text and numbers. */
interface Described extends Pick<EmittedFile, 'imports' | 'exports' | 'lists'> {
  /** The names of the rules of its origins. */
  readonly rules: readonly string[];
}

/** The line, the number of lines, the source, its start and its end. */
const ORIGIN = 5;
/** The offset, the source, the offset there and whether an expression ends. */
const PLACE = 4;
/** The bytes of a number. */
const BYTES = Int32Array.BYTES_PER_ELEMENT;

/** @param indexOf the number by which a source is found again. */
export function packedFiles(
  files: readonly EmittedFile[],
  indexOf: (source: Source) => number,
): PackedFiles<Uint8Array> {
  const packed: PackedFile[] = [];
  const texts: Uint8Array[] = [];
  for (const { path, text, pieces, origins, places, imports, exports, lists } of files) {
    const described: Described = { imports, exports, lists, rules: origins.map(({ rule }) => rule) };
    const [own, json] = [Buffer.from(text), Buffer.from(JSON.stringify(described))];
    texts.push(own, json);
    packed.push({
      path,
      textBytes: own.length,
      describedBytes: json.length,
      origins: origins.length,
      places: places.length,
      pieces: pieces.numbers.length,
    });
  }
  return { files: packed, texts: joined(texts), numbers: new Uint8Array(packNumbers(files, indexOf).buffer) };
}

function packNumbers(files: readonly EmittedFile[], indexOf: (source: Source) => number): Int32Array {
  const count = files.reduce(
    (sum, { origins, places, pieces }) => sum + origins.length * ORIGIN + places.length * PLACE + pieces.numbers.length,
    0,
  );
  const numbers = new Int32Array(count);
  let at = 0;
  const write = (...values: readonly number[]): void => {
    for (const value of values) numbers[at++] = value;
  };
  for (const { origins, places, pieces } of files) {
    for (const { line, lines, span } of origins) write(line, lines, indexOf(span.source), span.start, span.end);
    for (const { offset, source, at: place, isEnd } of places) write(offset, indexOf(source), place, isEnd ? 1 : 0);
    for (const piece of pieces.numbers) write(piece);
  }
  return numbers;
}

/** Joins parts in a buffer of its own: those of `Buffer` may be shared with others. */
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
export function unpackedFiles(packed: PackedFiles, sources: readonly Source[]): readonly EmittedFile[] {
  const stored = { ...packed, sources };
  let [text, number] = [0, 0];
  return packed.files.map((file): EmittedFile => {
    const unpacked = new UnpackedFile(file, stored, text, number);
    text += file.textBytes + file.describedBytes;
    number += bytesOfNumbers(file);
    return unpacked;
  });
}

/** Whether a file is read from buffers. */
export function isUnpacked(file: EmittedFile): boolean {
  return file instanceof UnpackedFile;
}

/** The buffers of files, and their sources. */
interface Stored extends Pick<PackedFiles, 'texts' | 'numbers'> {
  readonly sources: readonly Source[];
}

/** A file that is read from the buffers when it is needed: all files of a large set together would fill the memory. */
class UnpackedFile implements EmittedFile {
  /**
   * @param textStart where its text begins, in bytes.
   * @param numberStart the same for its numbers.
   */
  constructor(
    private readonly file: PackedFile,
    private readonly stored: Stored,
    private readonly textStart: number,
    private readonly numberStart: number,
  ) {}

  get path(): string {
    return this.file.path;
  }

  get text(): string {
    return this.decoded(0, this.file.textBytes);
  }

  get pieces(): PieceList {
    const { origins, places, pieces } = this.file;
    const start = origins * ORIGIN + places * PLACE;
    const numberAt = this.numbers(start, start + pieces);
    return new PieceList(Array.from({ length: pieces }, (_, index) => numberAt(index)));
  }

  get imports(): EmittedFile['imports'] {
    return this.described().imports;
  }

  get exports(): EmittedFile['exports'] {
    return this.described().exports;
  }

  get lists(): EmittedFile['lists'] {
    return this.described().lists;
  }

  get origins(): readonly Origin[] {
    const { origins } = this.file;
    if (origins === 0) return [];
    const { rules } = this.described();
    const numberAt = this.numbers(0, origins * ORIGIN);
    return rules.map((rule, index) => {
      const at = index * ORIGIN;
      const span = { source: this.source(numberAt(at + 2)), start: numberAt(at + 3), end: numberAt(at + 4) };
      return { line: numberAt(at), lines: numberAt(at + 1), rule, span };
    });
  }

  get places(): readonly TextPlace[] {
    const { origins, places } = this.file;
    const start = origins * ORIGIN;
    const numberAt = this.numbers(start, start + places * PLACE);
    return Array.from({ length: places }, (_, index) => {
      const at = index * PLACE;
      const source = this.source(numberAt(at + 1));
      return { offset: numberAt(at), source, at: numberAt(at + 2), isEnd: numberAt(at + 3) === 1 };
    });
  }

  private described(): Described {
    const { textBytes, describedBytes } = this.file;
    return JSON.parse(this.decoded(textBytes, textBytes + describedBytes)) as Described;
  }

  private decoded(start: number, end: number): string {
    const { buffer, byteOffset, length } = this.stored.texts.subarray(this.textStart + start, this.textStart + end);
    return Buffer.from(buffer, byteOffset, length).toString('utf8');
  }

  /** Some of its numbers, by their index. */
  private numbers(start: number, end: number): (index: number) => number {
    const bytes = this.stored.numbers.subarray(this.numberStart + start * BYTES, this.numberStart + end * BYTES);
    // A copy, because numbers have to be aligned.
    const numbers = new Int32Array(new Uint8Array(bytes).buffer);
    return (index) => numbers[index] as number;
  }

  private source(index: number): Source {
    return this.stored.sources[index] as Source;
  }
}

function bytesOfNumbers({ origins, places, pieces }: PackedFile): number {
  return (origins * ORIGIN + places * PLACE + pieces) * BYTES;
}
