import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cpuSeconds } from './cpu.js';
import { END, type FileResult } from './file-result.js';

/*
 * The process that runs the test files of one suite: its parent sends a path at a time and receives a `FileResult`. The
 * files register with uvu as they do under its own command, `uvu/run`, which tells results only at the end of all files.
 */
type Run = () => Promise<readonly [errors: string | true, passed: number, skipped: number, total: number]>;
const uvu = globalThis as unknown as { UVU_DEFER: number; UVU_INDEX: number; UVU_QUEUE: Run[][] };
uvu.UVU_DEFER = 1;
uvu.UVU_QUEUE = [];

process.on('message', (file: string) => void runFile(file).then((result) => process.send?.(result)));

async function runFile(file: string): Promise<FileResult> {
  const before = cpuSeconds('self') ?? 0;
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
  return { passed, failed, cpu: (cpuSeconds('self') ?? 0) - before };
}
