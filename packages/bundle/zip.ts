import { crc32, inflateRawSync } from 'node:zlib';
import { ArchiveError } from './archive-error.js';

/*
 * The one form of ZIP that archives have: entries in a fixed order, each deflated, without comments, extra fields, data
 * descriptors or times. A reader that finds anything else refuses the file, so no two readers see different entries
 * (docs/decisions/bundles-and-sources.md#0093). Offsets and sizes are those of APPNOTE.TXT, 4.3.
 */

/** An entry, with its content as it is stored. */
export interface ZipEntry {
  readonly name: string;
  readonly deflated: Uint8Array;
  /** Checksum of the content. */
  readonly crc: number;
  /** Size of the content, in bytes. */
  readonly size: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const LOCAL_SIZE = 30;
const CENTRAL_SIZE = 46;
const END_SIZE = 22;
/** Deflate needs version 2.0. */
const VERSION = 20;
/** Version 2.0, made on Unix: `unzip` restores the mode of the files. */
const MADE_BY = (3 << 8) | VERSION;
const DEFLATED = 8;
/** 1 January 1980, the first day that ZIP can express. */
const DATE = (1 << 5) | 1;
/** A regular file that its owner may write and everybody read. */
const MODE = 0o100644;
/** Sizes and offsets have 32 bits. */
const LARGEST = 0xffff_fffe;

/** Whether bytes are those of an archive: a module of JavaScript never begins like one. */
export function isArchive(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && createView(bytes).getUint32(0, true) === LOCAL;
}

/** Writes entries. Throws an ArchiveError if they are too large for ZIP. */
export function writeZip(entries: readonly ZipEntry[]): Uint8Array<ArrayBuffer> {
  const pieces = zipPieces(entries);
  const bytes = new Uint8Array(sum(pieces.map(({ length }) => length)));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** The bytes of a file with these entries, in pieces; contents are not copied. Throws like `writeZip`. */
function zipPieces(entries: readonly ZipEntry[]): readonly Uint8Array[] {
  const named = entries.map((entry) => ({ ...entry, nameBytes: Buffer.from(entry.name, 'latin1') }));
  const locals = sum(named.map(({ nameBytes, deflated }) => LOCAL_SIZE + nameBytes.length + deflated.length));
  const centrals = sum(named.map(({ nameBytes }) => CENTRAL_SIZE + nameBytes.length));
  if (locals + centrals + END_SIZE > LARGEST || named.some(({ size }) => size > LARGEST))
    throw new ArchiveError('too_large', 'an archive must be smaller than 4 GiB');
  const pieces: Uint8Array[] = [];
  const directory = new Uint8Array(centrals + END_SIZE);
  const view = createView(directory);
  let local = 0;
  let central = 0;
  for (const { nameBytes, deflated, crc, size } of named) {
    const header = new Uint8Array(LOCAL_SIZE + nameBytes.length);
    const common = { crc, size, deflated: deflated.length, name: nameBytes.length };
    createView(header).setUint32(0, LOCAL, true);
    writeCommon(createView(header), 4, common);
    header.set(nameBytes, LOCAL_SIZE);
    pieces.push(header, deflated);
    view.setUint32(central, CENTRAL, true);
    view.setUint16(central + 4, MADE_BY, true);
    writeCommon(view, central + 6, common);
    view.setUint32(central + 38, MODE * 0x1_0000, true);
    view.setUint32(central + 42, local, true);
    directory.set(nameBytes, central + CENTRAL_SIZE);
    local += header.length + deflated.length;
    central += CENTRAL_SIZE + nameBytes.length;
  }
  view.setUint32(central, END, true);
  view.setUint16(central + 8, named.length, true);
  view.setUint16(central + 10, named.length, true);
  view.setUint32(central + 12, centrals, true);
  view.setUint32(central + 16, locals, true);
  return [...pieces, directory];
}

/** What the header before an entry and the one in the directory share: from the version to the length of extra fields. */
function writeCommon(
  view: DataView,
  at: number,
  { crc, size, deflated, name }: { readonly [field in 'crc' | 'size' | 'deflated' | 'name']: number },
): void {
  view.setUint16(at, VERSION, true);
  view.setUint16(at + 4, DEFLATED, true);
  view.setUint16(at + 8, DATE, true);
  view.setUint32(at + 10, crc, true);
  view.setUint32(at + 14, deflated, true);
  view.setUint32(at + 18, size, true);
  view.setUint16(at + 22, name, true);
}

/**
 * Reads the entries of a file that `writeZip` wrote; nothing is inflated. Throws an ArchiveError for any other file: the
 * headers are read from front to back, then written again and compared.
 *
 * @param names the names that entries may have, in their order; each may be missing.
 */
export function readZip(bytes: Uint8Array, names: readonly string[]): readonly ZipEntry[] {
  const view = createView(bytes);
  const entries: ZipEntry[] = [];
  let at = 0;
  while (at + LOCAL_SIZE <= bytes.length && view.getUint32(at, true) === LOCAL) {
    const begin = at + LOCAL_SIZE + view.getUint16(at + 26, true);
    const name = Buffer.from(bytes.subarray(at + LOCAL_SIZE, Math.min(begin, at + LOCAL_SIZE + 64))).toString('latin1');
    const earlier = entries.at(-1);
    if (names.indexOf(name) <= (earlier === undefined ? -1 : names.indexOf(earlier.name)))
      throw malformed(`has an unexpected entry ${JSON.stringify(name)}`);
    const end = begin + view.getUint32(at + 18, true);
    if (end > bytes.length) throw malformed('is truncated');
    entries.push({
      name,
      deflated: bytes.subarray(begin, end),
      crc: view.getUint32(at + 14, true),
      size: view.getUint32(at + 22, true),
    });
    at = end;
  }
  if (entries.length === 0) throw malformed('is not an archive');
  if (!isMadeUpOf(bytes, zipPieces(entries))) throw malformed('is damaged, or was not written by `authzc bundle`');
  return entries;
}

/** Compares piece by piece: a copy of the whole would be as large as what anybody sends. */
function isMadeUpOf(bytes: Uint8Array, pieces: readonly Uint8Array[]): boolean {
  let at = 0;
  return (
    pieces.every((piece) => {
      const found = bytes.subarray(at, at + piece.length);
      at += piece.length;
      return Buffer.compare(piece, found) === 0;
    }) && at === bytes.length
  );
}

/** The content of an entry. Throws an ArchiveError if it is not what the headers say, or larger than `most` bytes. */
export function inflate({ name, deflated, crc, size }: ZipEntry, most: number): Buffer {
  if (size > most) throw new ArchiveError('too_large', `\`${name}\` has ${size} bytes; at most ${most} are allowed`);
  let content: Buffer;
  let used: number;
  try {
    // One byte more than it may have: a longer content is noticed, and never inflated.
    const inflated = inflateRawSync(deflated, { maxOutputLength: size + 1, info: true }) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    content = inflated.buffer;
    used = inflated.engine.bytesWritten;
  } catch {
    throw malformed(`has a damaged entry \`${name}\``);
  }
  if (content.length !== size || used !== deflated.length || crc32(content) !== crc)
    throw malformed(`has a damaged entry \`${name}\``);
  return content;
}

function malformed(problem: string): ArchiveError {
  return new ArchiveError('malformed', problem);
}

function createView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}
