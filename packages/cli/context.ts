import type { Readable, Writable } from 'node:stream';

/** A stream that a command writes to. It may be a terminal. */
export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  /** The width of a terminal. */
  readonly columns?: number;
}

/**
 * The parts of a process that a command uses. Programs pass those of their own process, and tests pass streams that they
 * read. Paths are relative to the working directory of the process, as everywhere in Node.
 */
export interface CommandContext {
  /** The program that runs; by default `authzc`. */
  readonly program?: 'authzc' | 'authz-server';
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** The environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly signals: Signals;
  /** Reads standard input to its end. */
  readonly readInput: () => Buffer;
  /** Ends the process at once. */
  readonly exit: (code: number) => never;
}

/** The source of signals. A process is one. */
export interface Signals {
  readonly on: SignalMethod;
  readonly off: SignalMethod;
}

type SignalMethod = (name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void) => unknown;

/** Prints a line to standard error. */
export function printNote({ stderr }: Pick<CommandContext, 'stderr'>, line: string): void {
  stderr.write(`${line}\n`);
}

/** Whether a stream is a terminal that may be coloured. */
export function isColorful({ isTTY }: OutputStream, { env }: Pick<CommandContext, 'env'>): boolean {
  return isTTY === true && env['NO_COLOR'] === undefined;
}
