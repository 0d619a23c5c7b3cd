import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** How tests ended: none failed, one did, or one never came to its end. */
export type Outcome = { readonly kind: 'passed' } | { readonly kind: 'failed' | 'hung'; readonly test: string };

/** A copy of the tree in which files may be changed and tests run; the checkout is never touched. */
export interface Workspace {
  readonly root: string;
  /** Runs tests with a file changed, up to the first that fails. */
  readonly outcomeWith: (file: string, text: string, tests: readonly string[]) => Promise<Outcome>;
  /** Whether a test passes while nothing is changed; asked once a test. */
  readonly passes: (test: string) => Promise<boolean>;
  readonly remove: () => void;
}

/** Files of the checkout that a commit would have, relative to it. */
export function filesOf(checkout: string): readonly string[] {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: checkout, encoding: 'utf8', maxBuffer: 1 << 28 });
  return stdout.split('\0').filter((file) => file !== '' && existsSync(join(checkout, file)));
}

/** @param silence how many milliseconds a test file may take before it counts as hung. */
export function createWorkspace(checkout: string, silence: number): Workspace {
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

  const passing = new Map<string, Promise<boolean>>();
  return {
    root,
    outcomeWith: async (file, text, tests) => {
      const path = join(root, file);
      const original = readFileSync(path);
      writeFileSync(path, text);
      try {
        return await outcomeOf(root, tests, silence);
      } finally {
        writeFileSync(path, original);
      }
    },
    passes: (test) => {
      const known = passing.get(test) ?? outcomeOf(root, [test], silence).then(({ kind }) => kind === 'passed');
      passing.set(test, known);
      return known;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function outcomeOf(root: string, tests: readonly string[], silence: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/mutate/run-tests.ts', ...tests.map((test) => join(root, test))], {
      cwd: root,
      // A group of its own: servers and browsers that tests started end with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(root, '..', 'compile-cache') },
    });
    let test = tests[0] ?? '';
    let isDone = false;
    let isHung = false;
    const timeout = (): NodeJS.Timeout => setTimeout(() => { isHung = true; endGroup(child.pid); }, silence);
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
