import { type ChildProcess, spawn } from 'node:child_process';
import type { Solver } from './solver.js';

/** Limit in milliseconds of real time: for a program that waits. */
const QUERY_TIME = 180_000;

/**
 * Limit in seconds of processor time, which are as many on a busy machine. Each process that a script starts has as
 * many.
 */
const PROCESSOR_TIME = 20;

/** Limit in bytes: models are short. */
const MOST_OUTPUT = 16 * 1024 * 1024;

/** A solver that reads a query from standard input: `cvc5 --lang smt2 --produce-models`. Started for each query. */
export function solverCommand(
  command: string,
  timeout: number = QUERY_TIME,
  processorTime: number = PROCESSOR_TIME,
): Solver {
  const [program = '', ...args] = command.split(/\s+/).filter((part) => part !== '');
  return {
    name: command,
    run: (query) => readOutput(limited(program, args, processorTime), query, timeout),
    close: () => Promise.resolve(),
  };
}

function readOutput([program, ...args]: Command, query: string, timeout: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    // The leader of a group of its own: a script starts the solver as another process, which would outlive the script.
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], detached: IS_POSIX });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isOver = false;
    // Not when its output is closed: processes that it has started may keep that open.
    const end = (output?: string): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      process.off('exit', kill);
      kill();
      child.stdout.destroy();
      child.stdin.destroy();
      resolve(output);
    };
    const kill = (): void => killGroup(child);
    const timer = setTimeout(() => end(), timeout);
    process.once('exit', kill);
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_OUTPUT) end();
      else chunks.push(chunk);
    });
    child.on('error', () => end());
    child.on('exit', (_, signal) => {
      if (signal !== null) return end();
      // What it has written may be on its way.
      const ended = (): void => end(Buffer.concat(chunks).toString());
      child.stdout.once('close', ended);
      setTimeout(ended, GRACE).unref();
    });
    // It may end without reading all.
    child.stdin.on('error', () => undefined);
    child.stdin.end(query);
  });
}

const IS_POSIX = process.platform !== 'win32';

type Command = readonly [program: string, ...args: string[]];

/** A shell sets the limit of processor time, and becomes the program. */
function limited(program: string, args: readonly string[], seconds: number): Command {
  if (!IS_POSIX) return [program, ...args];
  return ['/bin/sh', '-c', `ulimit -t ${seconds}; exec "$0" "$@"`, program, ...args];
}

/** Milliseconds for which output is read after a program has ended, if another process keeps it open. */
const GRACE = 1000;

/** Ends a program and all that it has started. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (IS_POSIX) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // All of them have ended.
  }
}
