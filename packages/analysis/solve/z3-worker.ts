import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

/*
 * The program of a child process: answers queries with z3, one after the other. z3 does not end by itself, keeps
 * memory, and aborts the process where it fails, so it is kept out of the program that asks.
 */

/** A query for the child process. */
export interface WorkerRequest {
  readonly text: string;
}

/** What z3 printed. */
export interface WorkerReply {
  readonly output: string;
  /** The SHA-256 of the query as z3 has read it. */
  readonly hash: string;
  /** The memory of the process, in bytes. */
  readonly memory: number;
}

/** What this file needs of the module that Emscripten makes. */
interface Z3 {
  readonly HEAPU8: Uint8Array;
  readonly UTF8ToString: (address: number) => string;
  readonly _malloc: (bytes: number) => number;
  readonly _free: (address: number) => void;
  readonly _Z3_mk_config: () => number;
  readonly _Z3_del_config: (config: number) => void;
  readonly _Z3_mk_context: (config: number) => number;
  readonly _Z3_del_context: (context: number) => void;
  readonly _Z3_eval_smtlib2_string: (context: number, text: number) => number;
}

const [, , directory = ''] = process.argv;
const load = createRequire(import.meta.url)(`${directory}/build/z3-built.js`) as () => Promise<Z3>;
const z3 = await load();

process.on('message', ({ text }: WorkerRequest) => {
  process.send?.(replyTo(text));
});
process.on('disconnect', () => process.exit());

/** z3 ends its program at an error of the query: the module is not used again. */
function replyTo(text: string): WorkerReply {
  try {
    return { ...evaluated(text), memory: process.memoryUsage.rss() };
  } catch {
    return { output: '(error "z3 ended")', hash: '', memory: Number.MAX_VALUE };
  }
}

/**
 * The text is copied to the heap, and evaluated on this thread. The string API of z3-solver does neither: it hands an
 * address of its stack to another thread, which reads whatever is there by then.
 */
function evaluated(text: string): Omit<WorkerReply, 'memory'> {
  const bytes = Buffer.from(text);
  const address = z3._malloc(bytes.length + 1);
  z3.HEAPU8.set(bytes, address);
  z3.HEAPU8[address + bytes.length] = 0;
  const config = z3._Z3_mk_config();
  const context = z3._Z3_mk_context(config);
  z3._Z3_del_config(config);
  const output = z3.UTF8ToString(z3._Z3_eval_smtlib2_string(context, address));
  const hash = createHash('sha256')
    .update(z3.HEAPU8.subarray(address, address + bytes.length))
    .digest('hex');
  z3._Z3_del_context(context);
  z3._free(address);
  return { output, hash };
}
