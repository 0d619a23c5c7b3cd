import { spawn } from 'node:child_process';
import type { Solver } from './solver.js';

/** In milliseconds. */
const QUERY_TIME = 20_000;

/** In bytes: models are short. */
const MOST_OUTPUT = 16 * 1024 * 1024;

/** A solver that reads a query from standard input: `cvc5 --lang smt2 --produce-models`. Started for each query. */
export function solverCommand(command: string, timeout: number = QUERY_TIME): Solver {
  const [program = '', ...args] = command.split(/\s+/).filter((part) => part !== '');
  return {
    name: command,
    run: (query) => outputOf(program, args, query, timeout),
    close: () => Promise.resolve(),
  };
}

function outputOf(
  program: string,
  args: readonly string[],
  query: string,
  timeout: number,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], timeout, killSignal: 'SIGKILL' });
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_OUTPUT) child.kill('SIGKILL');
      else chunks.push(chunk);
    });
    child.on('error', () => resolve(undefined));
    child.on('close', (_, signal) => resolve(signal === null ? Buffer.concat(chunks).toString() : undefined));
    // It may end without reading all.
    child.stdin.on('error', () => undefined);
    child.stdin.end(query);
  });
}
