import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../../compiler/bundle/index.js';
import { compile } from '../../../compiler/compile.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import { ROOT } from '../../harness/paths.js';
import { buildProgram } from '../../harness/programs.js';
import { FOLDER } from './install.js';
import type { StartReport, WorkloadReport } from './worker.js';
import type { Workload } from './workload.js';

/** Decides the questions of a workload with all libraries, and measures them in that many rounds. */
export async function runWorkload(workload: Workload, questions: number, rounds: number): Promise<WorkloadReport> {
  const { worker, engine } = await buildPrograms();
  const mode = rounds > 0 ? 'measure' : 'compare';
  return runWorker(worker, [mode, workload.name, engine, await buildPolicies(workload), questions, rounds]);
}

/** Starts a library in its own process, and makes its first decision. */
export async function startLibrary(workload: Workload, library: string): Promise<StartReport> {
  const { worker, engine } = await buildPrograms();
  return runWorker(worker, ['start', workload.name, engine, await buildPolicies(workload), 1, library]);
}

function runWorker<Report extends object>(worker: string, parameters: readonly (string | number)[]): Promise<Report> {
  return new Promise((resolve, reject) => {
    const child = fork(worker, parameters.map(String), { execArgv: [] });
    let last: Report | { readonly error: string } | undefined;
    child.on('message', (message) => {
      last = message as Report;
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (last !== undefined && 'error' in last) reject(new Error(last.error));
      else if (last !== undefined && code === 0) resolve(last);
      else reject(new Error(`the worker ended with code ${code}: ${parameters.join(' ')}`));
    });
  });
}

/** The worker and the engine, and a folder for bundles. */
interface Programs {
  readonly folder: string;
  readonly worker: string;
  readonly engine: string;
}

let programs: Promise<Programs> | undefined;

/** Builds the worker and the engine once a process, as programs are built. They find the packages above themselves. */
function buildPrograms(): Promise<Programs> {
  programs ??= (async () => {
    mkdirSync(FOLDER, { recursive: true });
    const folder = mkdtempSync(join(FOLDER, 'build-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const worker = await buildProgram(join(ROOT, 'bench/peers/libraries/worker.ts'), join(folder, 'worker.mjs'));
    const engine = await buildProgram(join(ROOT, 'runtime/engine/index.ts'), join(folder, 'engine.mjs'));
    return { folder, worker, engine };
  })();
  return programs;
}

const bundles = new Map<Workload, Promise<string>>();

/** Compiles the policies of a workload once. Returns the path of the bundle. */
function buildPolicies(workload: Workload): Promise<string> {
  const path = bundles.get(workload) ?? compilePolicies(workload, bundles.size);
  bundles.set(workload, path);
  return path;
}

async function compilePolicies({ policies }: Workload, number: number): Promise<string> {
  const { folder } = await buildPrograms();
  const { files } = compile(Object.entries(policies).map(([file, text]) => new Source(file, text)));
  const path = join(folder, `policies-${number}.mjs`);
  writeFileSync(path, (await bundle(files, join(ROOT, 'runtime'))).js);
  return path;
}
