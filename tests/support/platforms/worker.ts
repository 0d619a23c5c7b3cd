import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ROOT } from '../compiled.js';
import { LAST_RESORT } from '../timeout.js';

const WORKERD = join(ROOT, 'node_modules', '.bin', 'workerd');

/** Whether the worker runtime is installed. */
export const hasWorker = existsSync(WORKERD);

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js"), (name = "program.js", esModule = embed "program.js")],
  compatibilityDate = "2025-01-01",
);
`;

const WORKER = `import { answers } from 'program.js';
export default { fetch: async () => new Response(await answers()) };`;

/** Runs a program in a worker and returns its answers. */
export async function inWorker(program: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-worker-'));
  writeFileSync(join(folder, 'config.capnp'), CONFIG);
  writeFileSync(join(folder, 'worker.js'), WORKER);
  writeFileSync(join(folder, 'program.js'), program);
  const child = spawn(WORKERD, ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    detached: true,
  });
  try {
    const response = await fetch(`http://127.0.0.1:${await portOf(child)}/`, {
      signal: AbortSignal.timeout(LAST_RESORT),
    });
    return await response.text();
  } finally {
    stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads the port, which the worker runtime selects and prints. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let told = '';
    const timer = setTimeout(() => reject(new Error('the worker did not listen')), LAST_RESORT);
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code}`)));
    (child.stdio[3] as Readable).on('data', (chunk: Buffer) => {
      told += chunk.toString();
      const port = /"port":\s*(\d+)/.exec(told)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
  });
}

/** The program in node_modules/.bin starts another one: both are in one process group. */
function stop({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
