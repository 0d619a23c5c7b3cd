import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { InputError } from '../report.js';

/** The longest line that is read, in bytes. An entry has at most 16 Mi characters. */
const LONGEST_LINE = 64 * 1024 * 1024;

/**
 * The lines of an audit log, without their line feeds: of a file, which is decompressed if its name ends in `.gz`, or
 * of standard input for `-`. Undefined stands for a line that is too long, and for the rest of a damaged archive.
 *
 * @throws InputError if the file cannot be read.
 */
export async function* linesOfLog(path: string): AsyncGenerator<string | undefined> {
  let begun: Buffer[] = [];
  let length = 0;
  const ended = (rest: Buffer): string | undefined => {
    const isTooLong = length + rest.length > LONGEST_LINE;
    const line = begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
    begun = [];
    length = 0;
    return isTooLong ? undefined : line.toString('utf8');
  };
  try {
    for await (const chunk of openLog(path) as AsyncIterable<Buffer>) {
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
    if (!code.startsWith('Z_')) throw new InputError(`the audit log cannot be read (${code})`, undefined, [], path);
    yield undefined;
    return;
  }
  if (length > 0) yield ended(Buffer.alloc(0));
}

const LINE_FEED = 0x0a;

function openLog(path: string): Readable {
  if (path === '-') return process.stdin;
  const file = createReadStream(path);
  // Errors of either end the iteration.
  return path.endsWith('.gz') ? pipeline(file, createGunzip(), () => undefined) : file;
}
