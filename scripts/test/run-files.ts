import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import './plain-functions.js';
import { delayOptimisation } from '../../packages/cli/delay-optimisation.js';
import { groupCpuSeconds } from './cpu.js';
import { END, type FileResult } from './file-result.js';

/*
 * The process that runs test files: its parent sends a path at a time and receives a `FileResult`. The files register
 * with uvu as they do under its own command, `uvu/run`, which tells results only at the end of all files.
 */
delayOptimisation();
type Run = () => Promise<readonly [errors: string | true, passed: number, skipped: number, total: number]>;
const uvu = globalThis as unknown as { UVU_DEFER: number; UVU_INDEX: number; UVU_QUEUE: Run[][] };
uvu.UVU_DEFER = 1;
uvu.UVU_QUEUE = [];

process.on('message', (file: string) => void runFile(file).then((result) => process.send?.(result)));

async function runFile(file: string): Promise<FileResult> {
  const before = usedSeconds();
  const resources = countResources();
  const runs: Run[] = [];
  uvu.UVU_INDEX = uvu.UVU_QUEUE.push(runs) - 1;
  let passed = 0;
  let failed = 0;
  try {
    await import(pathToFileURL(resolve(file)).href);
    for (const run of runs) {
      const [errors, succeeded, , total] = await run();
      if (errors !== true) process.stdout.write(`\n${errors}\n`);
      passed += succeeded;
      failed += total - succeeded;
    }
  } catch (error) {
    failed += 1;
    process.stdout.write(`\n  FAIL  ${error instanceof Error ? error.stack : String(error)}\n`);
  }
  // The parent reads both the output and the results, which take different ways.
  process.stdout.write(`\n${END}\n`);
  const left = [...countResources()].filter(([kind, count]) => count > (resources.get(kind) ?? 0));
  return {
    passed,
    failed,
    cpu: usedSeconds() - before,
    memory: process.memoryUsage.rss(),
    left: left.map(([kind]) => kind),
  };
}

/** CPU seconds of the process and its children, also of those that still run, such as the service of esbuild. */
function usedSeconds(): number {
  // The process is the leader of its group.
  return groupCpuSeconds(process.pid) ?? 0;
}

/** How many resources of each kind keep the process alive. */
function countResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
