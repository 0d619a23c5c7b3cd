import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** The output of git for a command, and how it ended. */
export interface GitResult {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Runs git in a folder, without a shell, and waits for its end.
 *
 * @param signal kills git when it is aborted.
 * @throws Error if git is not installed.
 */
export async function git(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const child = start(args, options);
  child.stdin.end();
  const [stdout, stderr, code] = await Promise.all([
    readBytes(child.stdout, MOST_OUTPUT, () => killGroup(child)),
    readBytes(child.stderr, MOST_MESSAGES),
    awaitEnd(child),
  ]);
  options.signal.throwIfAborted();
  if (stdout.length > MOST_OUTPUT) throw new Error(`\`git ${args[0]}\` printed more than ${MOST_OUTPUT} bytes`);
  return { code, stdout, stderr: stderr.toString('utf8') };
}

/** Limit for the output of a command, in bytes: a remote repository decides how much there is. */
const MOST_OUTPUT = 16 * 1024 * 1024;
/** Limit for messages that are kept, in bytes: a remote repository can send any number. */
const MOST_MESSAGES = 64 * 1024;

/**
 * Runs git in a folder and yields the parts of its output that end in a zero byte, some at once, while git writes. Git
 * is killed when the caller stops reading.
 *
 * @throws Error if git fails, or a part is longer than any path.
 */
export async function* gitRecords(args: readonly string[], options: GitOptions): AsyncGenerator<readonly Buffer[]> {
  const child = start(args, options);
  child.stdin.end();
  const ended = awaitEnd(child);
  const stderr = readBytes(child.stderr, MOST_MESSAGES);
  try {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const records: Buffer[] = [];
      let from = 0;
      for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, from)) {
        records.push(bytes.subarray(from, end));
        from = end + 1;
      }
      yield records;
      rest = bytes.subarray(from);
      if (rest.length > LONGEST_RECORD) throw new Error(`\`git ${args[0]}\` printed a path that is too long`);
    }
    options.signal.throwIfAborted();
    if ((await ended) !== 0) throw failure({ stderr: (await stderr).toString('utf8') });
  } finally {
    if (child.exitCode === null && child.signalCode === null) killGroup(child);
    await Promise.allSettled([ended, stderr]);
  }
}

/** Longer than a path can be, in bytes. */
const LONGEST_RECORD = 64 * 1024;

/** What git has said, on one line. */
export function failure({ stderr }: Pick<GitResult, 'stderr'>): Error {
  const [first = 'it failed'] = stderr.split('\n').filter((line) => line.trim() !== '');
  return new Error(`git: ${first.replace(/^fatal: /, '')}`);
}

/** Where git runs. */
export interface GitOptions {
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly environment: NodeJS.ProcessEnv;
}

/** Git as a source of objects, until it is closed. */
export interface ObjectReader {
  /** The content of a blob. Throws if the repository does not have it. */
  readonly read: (id: string) => Promise<Buffer>;
  readonly close: () => Promise<void>;
}

/** Reads objects one after another from one process: `git cat-file --batch`. */
export function openObjects(options: GitOptions): ObjectReader {
  const child = start(['cat-file', '--batch'], options);
  child.stderr.resume();
  // A write to a process that has ended fails here; the read that follows reports it.
  child.stdin.on('error', () => undefined);
  const ended = awaitEnd(child).catch(() => null);
  const output = new OutputReader(child.stdout);
  return {
    read: async (id) => {
      child.stdin.write(`${id}\n`);
      const header = (await output.line()) ?? '';
      const size = /^[0-9a-f]+ blob (\d+)$/.exec(header)?.[1];
      if (size === undefined) throw new Error(`git has no object \`${id}\`; fetch it first`);
      const content = await output.bytes(Number(size) + 1);
      return content.subarray(0, -1);
    },
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

function start(args: readonly string[], { folder, signal, environment }: GitOptions): ChildProcessWithoutNullStreams {
  signal.throwIfAborted();
  const env = { ...environment, ...ENVIRONMENT };
  // A group of its own: git runs further programs, which would go on writing into the folder after its end.
  const child = spawn('git', args, { cwd: folder, env, detached: HAS_GROUPS });
  const kill = (): void => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  child.once('close', () => signal.removeEventListener('abort', kill));
  return child;
}

const HAS_GROUPS = process.platform !== 'win32';

function killGroup({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined) return;
  try {
    process.kill(HAS_GROUPS ? -pid : pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Messages in English, paths as they are, and no question to a user. */
const ENVIRONMENT = { LC_ALL: 'C', GIT_LITERAL_PATHSPECS: '1', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' };

function awaitEnd(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new Error('git was not found; install it, or compare folders') : error),
    );
    child.on('close', resolve);
  });
}

/** Reads a stream to its end. More than `most` bytes are not kept, but for the chunk that has too many. */
async function readBytes(stream: Readable, most: number, onMore: () => void = () => undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (size > most) continue;
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) onMore();
  }
  return Buffer.concat(chunks);
}

/** Reads lines and counted bytes from a stream. */
class OutputReader {
  private readonly chunks: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** The next line without its line break; undefined at the end. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.rest.indexOf('\n');
      if (end >= 0) return this.take(end + 1).toString('utf8', 0, end);
      if (!(await this.more())) return undefined;
    }
  }

  /** The next `count` bytes. Throws if the stream ends before. */
  async bytes(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      if (this.rest.length === 0 && !(await this.more())) throw new Error('git ended before its answer was complete');
      const part = this.take(Math.min(missing, this.rest.length));
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  private take(count: number): Buffer {
    const taken = this.rest.subarray(0, count);
    this.rest = this.rest.subarray(count);
    return taken;
  }

  private async more(): Promise<boolean> {
    const { value, done } = await this.chunks.next();
    if (done === true) return false;
    this.rest = this.rest.length === 0 ? value : Buffer.concat([this.rest, value]);
    return true;
  }
}
