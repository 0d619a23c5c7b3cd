import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentPolicy } from '../cli/policies.js';
import { launch, PROGRAMS, type Running } from '../cli/programs.js';
import { until } from '../timeout.js';

/** A process of dist/server.js, with its own bundle file that tests may replace. */
export interface Server {
  readonly running: Running;
  readonly http: string;
  readonly grpc: string;
  readonly bundle: string;
  /** The lines of its log, from both streams, as JSON. */
  readonly log: () => readonly LogLine[];
  /** The output on stdout. */
  readonly said: () => string;
}

export type LogLine = { readonly message: string } & { readonly [key: string]: unknown };

/** Two bundles that disagree: in one, users may view documents and not edit them; in the other it is the reverse. */
export interface Bundles {
  readonly folder: string;
  readonly view: string;
  readonly edit: string;
}

/** Compiles both into a new folder, which the caller removes. */
export function compileBundles(): Bundles {
  const folder = mkdtempSync(join(tmpdir(), 'authz-bundles-'));
  const [view = '', edit = ''] = ['view', 'edit'].map((action) => {
    mkdirSync(join(folder, action));
    writeFileSync(join(folder, action, 'document.yaml'), documentPolicy(action));
    const file = join(folder, `${action}.js`);
    execFileSync(process.execPath, [
      PROGRAMS.authzc,
      'compile',
      join(folder, action),
      '--bundle',
      file,
      '--out',
      join(folder, `${action}-generated`),
    ]);
    return readFileSync(file, 'utf8');
  });
  return { folder, view, edit };
}

const LOOPBACK = 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0';

/** Starts a server on free ports of this machine and waits until it is ready. */
export async function startProgram(
  folder: string,
  bundleText: string | Uint8Array,
  sets: readonly string[],
  flags: readonly string[] = [],
): Promise<Server> {
  const bundle = join(mkdtempSync(join(folder, 'served-')), 'policies.js');
  writeFileSync(bundle, bundleText);
  return { ...(await startConfigured(folder, sets, ['--bundle', bundle, ...flags])), bundle };
}

/** The same with the bundle that the configuration names. Rejects with what it said if it does not start. */
export async function startConfigured(
  folder: string,
  sets: readonly string[],
  options: readonly string[] = [],
): Promise<Server> {
  const running = launch(
    PROGRAMS.server,
    [...options, ...[LOOPBACK, ...sets].flatMap((set) => ['--set', set])],
    folder,
  );
  let said = '';
  running.child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  // The log may have lines before it.
  const ready = (): RegExpExecArray | null =>
    /^authz: REST and Connect on (?:https?:\/\/)?(\S+), gRPC on (\S+)$/m.exec(said);
  await until(() => ready() !== null || running.child.exitCode !== null, 'the line of a server that is ready');
  const [, http = '', grpc = ''] = ready() ?? [];
  // A program may exit before all that it wrote has been read.
  if (http === '') throw new Error(`the server has ended: ${(await running.ended).stderr}`);
  return { running, http, grpc, bundle: '', said: () => said, log: () => linesOf(`${said}\n${running.said()}`) };
}

/** The process ids of the workers of a server. */
export function workersOf({ running }: Server): readonly number[] {
  const { pid } = running.child;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

/** Replaces a file atomically, as a careful deployment does. */
export function replaceFile(file: string, text: string | Uint8Array): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** Stops a server in any state, and removes its files. */
export function discard(servers: Server[]): void {
  for (const { running } of servers.splice(0)) running.child.kill('SIGKILL');
}

export function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function parentOf(pid: string): number | undefined {
  try {
    // The state and the parent come after the name, which is in parentheses and may contain anything.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

function linesOf(text: string): readonly LogLine[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);
}
