import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { EntryOrder } from '../../../server/audit/local/stored-entries.js';
import type { CommandContext } from '../context.js';
import { MissingError } from '../report.js';
import { explainReadError } from '../../../server/read-error.js';

/** The longest line that is read, in bytes. An entry has at most 16 Mi characters. */
const LONGEST_LINE = 64 * 1024 * 1024;

/**
 * The lines of an audit log, without their line ends: of a file, which is decompressed if its name ends in `.gz`, or
 * of standard input for `-`. For a database of the backend `local`, or its folder, the entries in the order of their
 * times, or in the order in which they were written. Undefined stands for a line that is too long, and for the rest of a damaged archive.
 *
 * @throws InputError if the log cannot be read.
 */
export function linesOfLog(
  path: string,
  context: Pick<CommandContext, 'stdin'>,
  order: EntryOrder = 'time',
): AsyncGenerator<string | undefined> {
  return isDatabase(path) ? entriesOfDatabase(path, order) : linesOfFile(path, context);
}

/** Whether a path is a folder, or a file that begins as databases of SQLite do. */
function isDatabase(path: string): boolean {
  const stats = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return stats?.isDirectory() === true;
  const start = Buffer.alloc(BEGINNING.length);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, start);
    } finally {
      closeSync(file);
    }
  } catch {
    // Reading it as a file says why it cannot be read.
    return false;
  }
  return start.toString('latin1') === BEGINNING;
}

/** https://www.sqlite.org/fileformat.html#the_database_header */
const BEGINNING = 'SQLite format 3\0';

async function* entriesOfDatabase(path: string, order: EntryOrder): AsyncGenerator<string> {
  // SQLite is loaded only for a database.
  const { storedEntries } = await import('../../../server/audit/local/stored-entries.js');
  try {
    yield* storedEntries(path, order);
  } catch (error) {
    const note = 'stop the server, or read it through the server: `authzc audit --kind decision --raw`';
    throw new MissingError(
      `the audit database cannot be read: ${(error as Error).message}`,
      undefined,
      [{ message: note }],
      path,
    );
  }
}

async function* linesOfFile(path: string, context: Pick<CommandContext, 'stdin'>): AsyncGenerator<string | undefined> {
  let begun: Buffer[] = [];
  let length = 0;
  const ended = (rest: Buffer): string | undefined => {
    const isTooLong = length + rest.length > LONGEST_LINE;
    const line = begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
    begun = [];
    length = 0;
    return isTooLong ? undefined : decodeLine(line);
  };
  try {
    for await (const chunk of openLog(path, context) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
        yield ended(chunk.subarray(start, end));
        start = end + 1;
      }
      length += chunk.length - start;
      if (length > LONGEST_LINE) begun = [];
      else if (start < chunk.length) begun.push(chunk.subarray(start));
    }
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    if (!code.startsWith('Z_'))
      throw new MissingError(`the audit log cannot be read: ${explainReadError(error)}`, undefined, [], path);
    yield undefined;
    return;
  }
  if (length > 0) yield ended(Buffer.alloc(0));
}

const LINE_FEED = 0x0a;

/** A line as the server wrote it: a copy made on Windows may begin with a byte-order mark, and end lines with CRLF. */
function decodeLine(line: Buffer): string {
  const text = line.toString('utf8');
  return text.slice(text.startsWith('\ufeff') ? 1 : 0, text.endsWith('\r') ? -1 : undefined);
}

function openLog(path: string, context: Pick<CommandContext, 'stdin'>): Readable {
  if (path === '-') return context.stdin;
  const file = createReadStream(path);
  // Errors of either end the iteration.
  return path.endsWith('.gz') ? pipeline(file, createGunzip(), () => undefined) : file;
}
