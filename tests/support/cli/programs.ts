import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../compiled.js';

/** In milliseconds. */
const DAY = 86_400_000;

/** The two programs as they are shipped, built when a test first asks for one, once for all of them. */
export const PROGRAMS = {
  get authzc(): string {
    return join(builtFolder(), 'authzc.js');
  },
  get server(): string {
    return join(builtFolder(), 'server.js');
  },
};

let built: string | undefined;

function builtFolder(): string {
  built ??= buildPrograms();
  return built;
}

/** The result of a program. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running program. The caller must stop it. */
export interface Running {
  readonly child: ChildProcess;
  /** The first line on stdout. Rejects when the program ends without one. */
  readonly firstLine: Promise<string>;
  readonly ended: Promise<Ended>;
  /** The output on stderr so far. */
  readonly said: () => string;
  /** The output on stdout so far. */
  readonly printed: () => string;
}

/** Runs a program to completion. */
export function run(
  program: string,
  options: readonly string[],
  folder: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  return launch(program, options, folder, variables).ended;
}

/** Starts a program in a folder, with more environment variables. */
export function launch(
  program: string,
  options: readonly string[],
  folder: string,
  variables: NodeJS.ProcessEnv = {},
): Running {
  const { AUTHZ_CONFIG: _, ...environment } = process.env;
  const child = spawn(process.execPath, [program, ...options], {
    cwd: folder,
    env: { ...environment, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString('utf8');
      const end = stdout.indexOf('\n');
      if (end >= 0) resolve(stdout.slice(0, end));
    });
    child.on('close', () => reject(new Error(`ended without a line: ${stderr}`)));
  });
  // Callers need not wait for the line.
  firstLine.catch(() => undefined);
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
  return { child, firstLine, ended, said: () => stderr, printed: () => stdout };
}

/** Tells a program to stop and waits for it. Returns its result and the milliseconds that it took. */
export async function stop({ child, ended }: Running): Promise<Ended & { readonly took: number }> {
  const asked = Date.now();
  child.kill('SIGTERM');
  return { ...(await ended), took: Date.now() - asked };
}

/** Creates a new folder with these files. */
export function folderOf(files: { readonly [path: string]: string }): string {
  const folder = mkdtempSync(join(tmpdir(), 'authz-cli-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** The files below a folder, sorted. */
export function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/**
 * Builds the programs once for each state of the tree, in a folder that all processes of tests share. It is inside the
 * repository, so that the programs find their dependencies and the runtime.
 */
function buildPrograms(): string {
  const cache = join(ROOT, '.cache');
  const folder = join(cache, `programs-${hashSources()}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    for (const name of readdirSync(cache)) removeOld(join(cache, name));
    const fresh = mkdtempSync(join(cache, 'new-programs-'));
    execFileSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], {
      cwd: ROOT,
      env: { ...process.env, AUTHZ_DIST: fresh },
      stdio: 'pipe',
    });
    try {
      renameSync(fresh, folder);
    } catch {
      // Another process was faster.
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  return folder;
}

/** A hash of the names, sizes and times of the files that the programs are built from. */
function hashSources(): string {
  const hash = createHash('sha256');
  const folders = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(\.|node_modules$|dist$|tests$|docs$)/.test(entry.name))
    .map(({ name }) => name)
    .sort();
  const files = folders.flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort(),
  );
  for (const file of [join(ROOT, 'package-lock.json'), ...files]) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file}\n${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Removes the programs of an earlier state of the tree, unless a test may still run them. */
function removeOld(folder: string): void {
  if (!/[\\/](new-)?programs-[^\\/]+$/.test(folder)) return;
  const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (Date.now() - made > DAY) rmSync(folder, { recursive: true, force: true });
}
