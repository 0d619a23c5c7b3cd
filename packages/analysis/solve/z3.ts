import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Solver } from './solver.js';
import type { WorkerReply, WorkerRequest } from './z3-worker.js';

/** The version that tests run with. */
const KNOWN = '5.2.0';

/** Where the package z3-solver is installed: the project's, or that of authz; undefined if it is not. */
export function findZ3(project: string): string | undefined {
  for (const from of [join(project, 'package.json'), fileURLToPath(import.meta.url)]) {
    try {
      return dirname(createRequire(from).resolve('z3-solver/package.json'));
    } catch {
      // Not there.
    }
  }
  return undefined;
}

/** Starts z3 in a process of its own. Throws an Error for a version that is not known to work. */
export function startZ3(directory: string, timeout: number = QUERY_TIME): Solver {
  const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { readonly version: string };
  const [major, minor] = version.split('.');
  if (`${major}.${minor}` !== KNOWN.split('.', 2).join('.')) {
    const series = major === KNOWN.split('.', 1)[0] ? `${major}.${minor}.x` : `${major}.x`;
    throw new Error(`z3-solver ${series} is not known to work: install ${KNOWN}`);
  }
  return new Z3Process(directory, `z3 ${version}`, timeout);
}

/**
 * Limit in milliseconds: a query that takes longer ends with its process. Queries end by their resource limit long
 * before, so that answers do not depend on how busy the machine is; this is for a process that does not answer at all.
 */
const QUERY_TIME = 180_000;

/** Limit in bytes: a process that has more is replaced before the next query. */
const MOST_MEMORY = 1024 * 1024 * 1024;

const IS_SOURCE = import.meta.url.endsWith('.ts');

/**
 * The worker, beside this file: in the sources, in the package, and beside the chunk of the command, which
 * scripts/build.ts sees to.
 */
const WORKER = new URL(IS_SOURCE ? './z3-worker.ts' : './z3-worker.js', import.meta.url);

/** Sources need what loads TypeScript, which is found from their folder. Other options may be for the program that asks alone, as `--eval` is. */
const LOADER = IS_SOURCE ? process.execArgv : [];

/** The child process, which is started again after it was killed. One query at a time. */
class Z3Process implements Solver {
  /** Within a scope, z3 searches at once, and does not rewrite the query for other procedures first (decision 0054). */
  readonly prologue = '(push 1)';
  private child: ChildProcess | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly directory: string,
    readonly name: string,
    private readonly timeout: number,
  ) {}

  run(text: string): Promise<string | undefined> {
    const answer = this.last.then(() => this.ask(text));
    this.last = answer;
    return answer;
  }

  close(): Promise<void> {
    return this.last.then(() => this.kill());
  }

  private async ask(text: string): Promise<string | undefined> {
    this.child ??= this.start();
    const reply = await awaitReply(this.child, { text }, this.timeout);
    if (reply === undefined || reply.memory > MOST_MEMORY) this.kill();
    // z3 has ended, or read something else.
    if (reply !== undefined && reply.hash !== createHash('sha256').update(text).digest('hex')) return '(error)';
    return reply?.output;
  }

  private start(): ChildProcess {
    const child = fork(WORKER, [this.directory], {
      execArgv: [...LOADER, '--max-old-space-size=1024'],
      ...(IS_SOURCE && { cwd: dirname(fileURLToPath(import.meta.url)) }),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // Nobody waits for it at the end of the program.
    child.unref();
    child.channel?.unref();
    return child;
  }

  private kill(): void {
    this.child?.kill('SIGKILL');
    this.child = undefined;
  }
}

/** Undefined if the process ends, or takes too long. */
function awaitReply(child: ChildProcess, request: WorkerRequest, timeout: number): Promise<WorkerReply | undefined> {
  return new Promise((resolve) => {
    const end = (reply?: WorkerReply): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onEnd).off('error', onEnd);
      child.channel?.unref();
      resolve(reply);
    };
    const onMessage = (reply: unknown): void => end(reply as WorkerReply);
    const onEnd = (): void => end();
    const timer = setTimeout(onEnd, timeout);
    child.channel?.ref();
    child.on('message', onMessage).on('exit', onEnd).on('error', onEnd);
    child.send(request, (error) => {
      if (error !== null) end();
    });
  });
}
