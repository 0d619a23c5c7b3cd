import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { groupCpuSeconds } from './cpu.js';
import { END, type FileResult } from './file-result.js';

/** A test file that has ended, with what it printed. */
export interface EndedFile extends FileResult {
  readonly file: string;
  readonly output: string;
  /** Wall time, in seconds. */
  readonly seconds: number;
}

/**
 * How long a test file may do nothing, in seconds: no output, and less than a second of CPU time. A loaded machine makes
 * files slow, but not silent.
 */
const LONGEST_SILENCE = 300;

/** How long a test file may use processors, in seconds. */
const LONGEST_CPU = 900;

/** How long a test file may take that polls without end, in seconds. */
const LONGEST_WALL = 1800;

/** How long a process may stay after its last file, in milliseconds. */
const LONGEST_END = 120_000;

/** How often a running file is looked at, in milliseconds. */
const LOOK = 5_000;

/**
 * The memory that a process of test files may have before the next file gets a new one, in bytes. Modules and bundles stay
 * in memory once they are imported.
 */
const LARGEST = 2 ** 30;

/** Room for young objects, in MB: with the default, compilations spend a tenth of their time collecting them. */
const YOUNG_OBJECTS = '--max-semi-space-size=64';

/**
 * Runs test files one after the other, and reports each as it ends. They share a process, which saves most of them the
 * start of Node and the import of what they test. A file that ends its process, or that fills it, is the last one in it.
 */
export class TestRunner {
  readonly #node: string;
  readonly #variables: { readonly [name: string]: string };
  readonly #onEnd: (ended: EndedFile) => void;
  #process: SuiteProcess | undefined;
  /** Files of the process that may have left something open, and what that is. */
  #left: { readonly file: string; readonly left: readonly string[] }[] = [];

  /**
   * @param node path of the Node binary.
   * @param variables added to the environment.
   */
  constructor(node: string, variables: { readonly [name: string]: string }, onEnd: (ended: EndedFile) => void) {
    this.#node = node;
    this.#variables = variables;
    this.#onEnd = onEnd;
  }

  async run(file: string): Promise<void> {
    this.#process ??= new SuiteProcess(this.#node, this.#variables);
    const ended = await this.#process.run(file);
    this.#onEnd(ended);
    this.#left.push({ file, left: ended.left ?? [] });
    if (this.#process.hasEnded) this.#forget();
    else if ((ended.memory ?? 0) > LARGEST) await this.close();
  }

  /** Ends the process. What it leaves open is a failure. */
  async close(): Promise<void> {
    const runner = this.#process;
    const suspects = this.#left;
    this.#forget();
    if (runner === undefined || (await runner.close())) return;
    const { file = '' } = suspects.findLast(({ left }) => left.length > 0) ?? suspects.at(-1) ?? {};
    const open = suspects
      .filter(({ left }) => left.length > 0)
      .map((each) => `    ${each.file}: ${each.left.join(', ')}\n`);
    const output = `\n  FAIL  a file of this process left something open: the process did not end\n${open.join('')}`;
    this.#onEnd({ file, passed: 0, failed: 1, cpu: 0, seconds: 0, output });
  }

  #forget(): void {
    this.#process = undefined;
    this.#left = [];
  }
}

/**
 * Runs test files in a process of their own.
 *
 * @param node path of the Node binary.
 * @param files asked for the next one when one has ended.
 * @param variables added to the environment.
 */
export async function runSuite(
  node: string,
  files: Iterable<string>,
  variables: { readonly [name: string]: string },
  onEnd: (ended: EndedFile) => void,
): Promise<void> {
  const runner = new TestRunner(node, variables, onEnd);
  for (const file of files) await runner.run(file);
  await runner.close();
}

/** Ends the processes of all suites that run, with everything that they started. */
export function stopSuites(): void {
  for (const runner of running) runner.kill();
}

const running = new Set<SuiteProcess>();

class SuiteProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #output = '';
  #result: FileResult | undefined;
  #resolve: (() => void) | undefined;
  #reason = 'its process ended';
  hasEnded = false;

  constructor(node: string, variables: { readonly [name: string]: string }) {
    // A group of its own: whatever a file starts can be ended with it.
    this.#child = spawn(node, [YOUNG_OBJECTS, '--import', 'tsx', 'scripts/test/run-files.ts'], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Modules are compiled by V8 once for all processes: Node 22 and later read this, and older versions ignore it.
      env: { NODE_COMPILE_CACHE: resolve('.cache/compiled-by-v8'), ...process.env, ...variables },
      detached: true,
    });
    running.add(this);
    const read = (data: Buffer): void => {
      this.#output += data.toString();
      this.#settle();
    };
    this.#child.stdout?.on('data', read);
    this.#child.stderr?.on('data', read);
    this.#child.on('message', (result) => {
      this.#result = result as FileResult;
      this.#settle();
    });
    this.#child.on('error', (error) => {
      this.#reason = error.message;
    });
    this.#exited = once(this.#child, 'exit').then(([code, signal]) => {
      running.delete(this);
      this.hasEnded = true;
      if (this.#result === undefined) this.#reason += signal === null ? ` with code ${code}` : '';
      this.#resolve?.();
    });
  }

  async run(file: string): Promise<EndedFile> {
    this.#output = '';
    this.#result = undefined;
    const begun = performance.now();
    const ended = new Promise<void>((resolve) => {
      this.#resolve = resolve;
    });
    this.#child.send(file, () => undefined);
    const timer = this.#watch();
    await ended;
    clearInterval(timer);
    const seconds = (performance.now() - begun) / 1000;
    const result = this.#result as FileResult | undefined;
    if (result === undefined) {
      this.kill();
      const output = `${this.#output}\n  FAIL  ${this.#reason}\n`;
      return { file, passed: 0, failed: 1, cpu: 0, seconds, output };
    }
    return { ...result, file, seconds, output: this.#output.replace(`\n${END}\n`, '') };
  }

  /** Whether the process ended by itself after its last file. */
  async close(): Promise<boolean> {
    this.#child.disconnect();
    const timer = setTimeout(() => {
      this.#reason = 'left';
      this.kill();
    }, LONGEST_END);
    await this.#exited;
    clearTimeout(timer);
    return this.#reason !== 'left';
  }

  kill(): void {
    try {
      process.kill(-(this.#child.pid as number), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }

  #settle(): void {
    if (this.#result !== undefined && this.#output.includes(END)) this.#resolve?.();
  }

  /** Ends the process of a file that hangs or never stops computing. */
  #watch(): NodeJS.Timeout {
    const group = this.#child.pid as number;
    const begun = performance.now();
    const before = groupCpuSeconds(group);
    let heard = { at: begun, cpu: before, length: this.#output.length };
    return setInterval(() => {
      const now = performance.now();
      const cpu = groupCpuSeconds(group);
      const used = cpu === undefined || heard.cpu === undefined ? 1 : Math.abs(cpu - heard.cpu);
      if (used >= 1 || this.#output.length !== heard.length) heard = { at: now, cpu, length: this.#output.length };
      if (now - heard.at > LONGEST_SILENCE * 1000) this.#end(`it did nothing for ${LONGEST_SILENCE} s`);
      if (now - begun > LONGEST_WALL * 1000) this.#end(`it took more than ${LONGEST_WALL} s`);
      if ((cpu ?? 0) - (before ?? 0) > LONGEST_CPU) this.#end(`it used processors for more than ${LONGEST_CPU} s`);
    }, LOOK);
  }

  #end(reason: string): void {
    this.#reason = reason;
    this.kill();
  }
}
