import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { CommandContext } from '../../../packages/cli/context.js';

/** A context for a command in this process, and what the command has printed. */
export interface RecordedContext extends CommandContext {
  readonly signals: EventEmitter;
  /** The output on stdout so far. */
  readonly printed: () => string;
  /** The output on stderr so far. */
  readonly said: () => string;
  /** The output on both so far, in the order in which it was written. */
  readonly both: () => string;
}

/** Creates a context without a terminal. */
export function recordedContext(env: NodeJS.ProcessEnv = process.env, input: string | Buffer = ''): RecordedContext {
  const bytes = Buffer.from(input);
  const both: Buffer[] = [];
  const stdout = new RecordedStream(both);
  const stderr = new RecordedStream(both);
  return {
    stdin: Readable.from([bytes]),
    stdout,
    stderr,
    env,
    signals: new EventEmitter(),
    readInput: () => bytes,
    exit: (code) => {
      throw new Error(`the command would end this process with ${code}`);
    },
    printed: () => stdout.text(),
    said: () => stderr.text(),
    both: () => Buffer.concat(both).toString('utf8'),
  };
}

class RecordedStream extends Writable {
  private readonly chunks: Buffer[] = [];
  private readonly both: Buffer[];

  constructor(both: Buffer[]) {
    super();
    this.both = both;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk);
    this.both.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}
