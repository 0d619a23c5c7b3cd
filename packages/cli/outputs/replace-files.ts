import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { visible } from '../../../compiler/diagnostics/visible.js';

/** The text of a file: whole, or in parts because it is large. */
export type OutputText = string | Uint8Array | readonly string[];

/** A file to be written. */
export interface OutputFile<Text extends OutputText = string> {
  readonly path: string;
  readonly text: Text;
  /** Whether the text must be on the disk before it takes the place of the old one: a server reads it after a crash. */
  readonly durable?: boolean;
}

/**
 * Writes files so that a reader sees either the old or the new text of each. All are first written to temporary files
 * next to them, then renamed in the given order. If one cannot be written (disk full, no permission), all files keep
 * their old text and no temporary file remains. A replaced file keeps its mode. The caller has checked that the paths
 * are its own to overwrite.
 *
 * Synchronous: there may be tens of thousands of small files, and waiting for each step costs more than the step.
 */
export function replaceFiles(files: readonly OutputFile<OutputText>[]): void {
  const run = randomBytes(6).toString('hex');
  const nameTemporary = (path: string, index: number): string => temporaryPath(path, `${run}${index}`);
  const folders = new Set<string>();
  let [staged, renamed] = [0, 0];
  try {
    for (const file of files) {
      const { path } = file;
      writing(path, () => {
        const mode = readMode(path);
        const folder = dirname(path);
        if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
        folders.add(folder);
        staged += 1;
        if (!isDevice(path)) writeNew(nameTemporary(path, staged - 1), file, mode);
      });
    }
    for (const { path, text } of files) {
      const temporary = nameTemporary(path, renamed);
      writing(path, () => (isDevice(path) ? writeParts(openSync(path, 'w'), text) : renameSync(temporary, path)));
      renamed += 1;
    }
  } finally {
    for (let index = renamed; index < staged; index += 1)
      rmSync(nameTemporary((files[index] as OutputFile<OutputText>).path, index), { force: true });
  }
}

/** A file that is written part by part, and takes the place of the old one when it is whole. */
export interface Replacement {
  write(text: string): void;
  commit(): void;
  /** Leaves the old file as it was; does nothing after `commit`. */
  discard(): void;
}

/**
 * Begins to write a file whose text is larger than memory may be. A replaced file keeps its mode, and what is no file
 * stays, as in `replaceFiles`.
 */
export function openReplacement(path: string): Replacement {
  const isDirect = isDevice(path);
  const temporary = isDirect ? path : temporaryPath(path, randomBytes(6).toString('hex'));
  const mode = writing(path, () => readMode(path));
  const file = writing(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(temporary, isDirect ? 'w' : 'wx');
  });
  let parts: string[] = [];
  let length = 0;
  const flush = (): void => {
    writing(path, () => writeFileSync(file, parts.join('')));
    [parts, length] = [[], 0];
  };
  let [isOpen, isReplaced] = [true, false];
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    closeSync(file);
  };
  return {
    write(text) {
      parts.push(text);
      length += text.length;
      if (length > PART) flush();
    },
    commit() {
      flush();
      writing(path, () => {
        if (isDirect) return close();
        if (mode !== undefined) fchmodSync(file, mode);
        fsyncSync(file);
        close();
        renameSync(temporary, path);
      });
      isReplaced = true;
    },
    discard() {
      close();
      if (!isReplaced && !isDirect) rmSync(temporary, { force: true });
    },
  };
}

function temporaryPath(path: string, unique: string): string {
  return join(dirname(path), `.${basename(path).slice(0, LONGEST_STEM)}.${unique}.tmp`);
}

/** How much text is written at once. */
const PART = 1_000_000;

/** File systems allow names of 255 bytes; a character takes up to four. */
const LONGEST_STEM = 50;

/** The mode of the file to replace; undefined if there is none. Throws if the file is not writable. */
function readMode(path: string): number | undefined {
  const stats = statsAt(path);
  if (stats === undefined) return undefined;
  accessSync(path, constants.W_OK);
  return stats.mode & PERMISSIONS;
}

const PERMISSIONS = 0o777;

function writeNew(path: string, { text, durable = false }: OutputFile<OutputText>, mode: number | undefined): void {
  writeParts(openSync(path, 'wx'), text, (file) => {
    if (mode !== undefined) fchmodSync(file, mode);
    if (durable) fsyncSync(file);
  });
}

/** Writes a text to an open file and closes it. */
function writeParts(file: number, text: OutputText, finish?: (file: number) => void): void {
  try {
    for (const part of Array.isArray(text) ? text : [text]) writeFileSync(file, part);
    finish?.(file);
  } finally {
    closeSync(file);
  }
}

/** Whether a path leads to a device, a pipe or a socket. A file in its place would be lost to all other programs. */
function isDevice(path: string): boolean {
  const stats = orNothing(() => statSync(path, { throwIfNoEntry: false }));
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

/** Errors of the file system name the temporary file or none at all. */
function writing<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new Error(`cannot write \`${visible(path)}\`: ${whyNotWritten(error as Error)}`, { cause: error });
  }
}

/** The reason of a failure of the file system. */
export function whyNotWritten({ code, message }: NodeJS.ErrnoException): string {
  return REASONS.get(code ?? '') ?? visible(message);
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'no space left on the device'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EFBIG', 'the file would be larger than the limit of this process'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'operation not permitted'],
  ['EROFS', 'the file system is read-only'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a file stands where a folder should be'],
  ['EEXIST', 'a file stands where a folder should be'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['ENXIO', 'it is a socket, or nobody reads it'],
]);

/** What is at a path, without following a symbolic link at its end; undefined if nothing is. */
export function statsAt(path: string): Stats | undefined {
  return orNothing(() => lstatSync(path, { throwIfNoEntry: false }));
}

/** Reads a file that may be missing: undefined if it is. Any other failure is passed on. */
export function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
