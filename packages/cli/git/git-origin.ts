import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fetched, type Origin, OriginError } from '../../../server/bundle/origin.js';
import { checkOutRemote, findCommit, type RemoteLimits } from './remote.js';
import type { RemoteFolder } from './remote-folder.js';

export interface GitOriginOptions {
  readonly remote: RemoteFolder;
  readonly limits: RemoteLimits;
  /** That of git. */
  readonly environment: NodeJS.ProcessEnv;
  /** Compiles a folder; undefined, after printing the reason, if its policies do not compile. */
  readonly bundlerOf: (folder: string) => () => Promise<string | undefined>;
}

/** A folder of policies in a git repository, which is compiled when the commit changes. */
export class GitOrigin implements Origin {
  readonly name: string;
  /** A branch stays one: a tag does not take its place when it is deleted. */
  #remote: RemoteFolder;
  /** A commit that cannot be served is not fetched again. */
  #refused: { readonly commit: string; readonly error: OriginError } | undefined;

  private constructor(
    private readonly options: GitOriginOptions,
    /** Folder for the policies and for what is fetched. */
    private readonly scratch: string,
    private readonly bundler: () => Promise<string | undefined>,
  ) {
    this.name = options.remote.name;
    this.#remote = options.remote;
  }

  static async open(options: GitOriginOptions): Promise<GitOrigin> {
    const scratch = await mkdtemp(join(tmpdir(), 'authz-git-'));
    return new GitOrigin(options, scratch, options.bundlerOf(join(scratch, 'policies')));
  }

  async fetch(known: string | undefined, signal: AbortSignal): Promise<Fetched> {
    const { limits, environment } = this.options;
    const timeout = AbortSignal.timeout(limits.timeout);
    const all = AbortSignal.any([signal, timeout]);
    try {
      const { id: commit, ref } = await findCommit(this.#remote, { folder: this.scratch, environment, signal: all });
      if (ref.startsWith('refs/heads/')) this.#remote = { ...this.#remote, ref };
      if (commit === known) return { kind: 'unchanged', holds: false };
      if (commit === this.#refused?.commit) throw this.#refused.error;
      await this.#checkOut(commit, all);
      const js = await this.bundler();
      if (js === undefined) {
        this.#refused = { commit, error: new OriginError('policies', 'the policies do not compile') };
        throw this.#refused.error;
      }
      this.#refused = undefined;
      return { kind: 'fetched', version: commit, bytes: Buffer.from(js), holds: false };
    } catch (error) {
      if (error instanceof OriginError) throw error;
      if (timeout.aborted) throw new OriginError('timeout', `git did not end in ${limits.timeout} ms`);
      throw new OriginError('unreachable', (error as Error).message);
    }
  }

  async close(): Promise<void> {
    await rm(this.scratch, { recursive: true, force: true });
  }

  /** The folder keeps its name, so that unchanged policies are not compiled again. */
  async #checkOut(commit: string, signal: AbortSignal): Promise<void> {
    const { limits, environment } = this.options;
    const next = join(this.scratch, 'next');
    const folder = join(this.scratch, 'policies');
    await rm(next, { recursive: true, force: true });
    const { scratch } = this;
    await checkOutRemote(this.#remote, commit, next, { signal, environment, scratch, maxSize: limits.maxSize });
    await rm(folder, { recursive: true, force: true });
    await rename(next, folder);
  }
}
