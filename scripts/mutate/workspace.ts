import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { probed, RECORDER, type Site } from './probes.js';

/** How tests ended: none failed, one did, or one never came to its end. */
export type Outcome = { readonly kind: 'passed' } | { readonly kind: 'failed' | 'hung'; readonly test: string };

/** The result of a test file without a mutant. */
export interface Trial {
  readonly milliseconds: number;
  /** The sites that it reaches, in any of its processes. */
  readonly reached: ReadonlySet<number>;
}

/** A copy of the tree in which files may be changed and tests run; the checkout is never touched. */
export interface Workspace {
  readonly root: string;
  /**
   * Runs tests with a file changed, up to the first that fails. @param limit milliseconds after which a test has hung.
   */
  readonly outcomeWith: (
    file: string,
    text: string,
    tests: readonly string[],
    limit: (test: string) => number,
  ) => Promise<Outcome>;
  /** Whether a test passes without a mutant. */
  readonly passes: (test: string) => Promise<boolean>;
  /** Runs a test to see what it reaches of the sites, by file. */
  readonly trialOf: (test: string, sites: ReadonlyMap<string, readonly Site[]>) => Promise<Trial>;
  readonly remove: () => void;
}

/** Files of the checkout that a commit would have, relative to it. */
export function filesOf(checkout: string): readonly string[] {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: checkout,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return stdout.split('\0').filter((file) => file !== '' && existsSync(join(checkout, file)));
}

/** @param longest how many milliseconds a test file may take that passes. */
export function createWorkspace(checkout: string, longest: number): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'authz-mutate-'));
  const root = join(folder, 'tree');
  for (const file of filesOf(checkout)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(checkout, file), join(root, file));
  }
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
  const shared = join(checkout, '..', 'shared');
  if (existsSync(shared)) symlinkSync(shared, join(folder, 'shared'));
  if (existsSync(join(checkout, 'dist'))) cpSync(join(checkout, 'dist'), join(root, 'dist'), { recursive: true });
  const recorder = join(folder, 'recorder.mjs');
  writeFileSync(recorder, RECORDER);
  const record = join(folder, 'reached.txt');

  const changed = async <T>(texts: ReadonlyMap<string, string>, use: () => Promise<T>): Promise<T> => {
    const originals = [...texts.keys()].map((file) => [join(root, file), readFileSync(join(root, file))] as const);
    for (const [file, text] of texts) writeFileSync(join(root, file), text);
    try {
      return await use();
    } finally {
      for (const [path, original] of originals) writeFileSync(path, original);
    }
  };

  return {
    root,
    outcomeWith: (file, text, tests, limit) =>
      changed(new Map([[file, text]]), () => outcomeOf(root, tests, { limit, bail: true })),
    passes: async (test) => (await outcomeOf(root, [test], { limit: () => longest, bail: true })).kind === 'passed',
    trialOf: (test, sites) => {
      const texts = new Map([...sites].map(([file, of]) => [file, probed(readFileSync(join(root, file), 'utf8'), of)]));
      return changed(texts, async () => {
        writeFileSync(record, '');
        const begun = performance.now();
        const variables = {
          NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${pathToFileURL(recorder).href}`,
          AUTHZ_REACHED: record,
        };
        await outcomeOf(root, [test], { limit: () => longest, bail: false, variables });
        const reached = new Set(
          readFileSync(record, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
            .map(Number),
        );
        return { milliseconds: performance.now() - begun, reached };
      });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface Options {
  readonly limit: (test: string) => number;
  /** Whether the first failure ends the run. */
  readonly bail: boolean;
  readonly variables?: { readonly [name: string]: string };
}

function outcomeOf(root: string, tests: readonly string[], { limit, bail, variables }: Options): Promise<Outcome> {
  return new Promise((resolve) => {
    const program = [
      '--import',
      'tsx',
      'scripts/mutate/run-tests.ts',
      ...(bail ? [] : ['--all']),
      ...tests.map((test) => join(root, test)),
    ];
    const child = spawn(process.execPath, program, {
      cwd: root,
      // A separate process group, so that servers and browsers started by tests end with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, ...variables, NODE_COMPILE_CACHE: join(root, '..', 'compile-cache') },
    });
    let test = tests[0] ?? '';
    let isDone = false;
    let isHung = false;
    const timeout = (): NodeJS.Timeout =>
      setTimeout(() => {
        isHung = true;
        endGroup(child.pid);
      }, limit(test));
    let timer = timeout();
    child.stdout.on('data', (chunk: Buffer) => {
      for (const [, begun] of chunk.toString().matchAll(/^@test (.*)$/gm)) {
        test = (begun as string).slice(root.length + 1);
        clearTimeout(timer);
        timer = timeout();
      }
      if (/^@done$/m.test(chunk.toString())) isDone = true;
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      endGroup(child.pid);
      resolve(isHung ? { kind: 'hung', test } : isDone && code === 0 ? { kind: 'passed' } : { kind: 'failed', test });
    });
  });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
