import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { builtOnce } from '../built-once.js';
import { ROOT } from '../compiled.js';
import { patienceFor } from '../timeout.js';

/** The two programs as they are shipped, built when a test first asks for one, once for all of them. */
export const PROGRAMS = {
  get authzc(): string {
    return join(builtFolder(), 'authzc.js');
  },
  get server(): string {
    return join(builtFolder(), 'server.js');
  },
  /** What `authzc` runs, as a module: `callShipped` of call-authzc.ts. */
  get module(): string {
    return join(builtFolder(), 'authzc-program.js');
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
    // A server on a busy machine may take longer to answer than anybody waits elsewhere.
    env: { AUTHZ_HC_TIMEOUT: '10m', ...environment, ...variables },
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

/** Tells a program to stop and waits for it. Returns its result and the milliseconds that it took, as `patienceFor` counts. */
export async function stop({ child, ended }: Running): Promise<Ended & { readonly took: number }> {
  child.kill('SIGTERM');
  const took = await patienceFor(ended);
  return { ...(await ended), took };
}

/** Creates a new folder with these files. */
export function folderOf(files: { readonly [path: string]: string | Uint8Array }): string {
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

function buildPrograms(): string {
  return builtOnce('programs', ['docs'], (folder) => {
    const callable = 'authzc-program=packages/cli/authzc-program.ts';
    execFileSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts', callable], {
      cwd: ROOT,
      env: { ...process.env, AUTHZ_DIST: folder },
      stdio: 'pipe',
    });
  });
}
