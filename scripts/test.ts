import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Effort } from '../tests/support/effort.js';
import { failuresIn } from '../tests/support/failures.js';
import { skipsIn } from '../tests/support/skip.js';
import { budgetName, compareTotals, overBudget, recordBudgets } from './test/budgets.js';
import { testFilesReaching } from './test/changed.js';
import { GATES, type Gate } from './test/gates.js';
import { filesLeft, type Job, jobsOf, nextJob, recordFileSeconds } from './test/jobs.js';
import { type EndedFile, stopSuites, TestRunner } from './test/suite-process.js';
import { includes, suiteOf, type Tier, waits } from './test/tiers.js';

/*
 * `npm test` and its relatives: the gates, then the test files of a tier. Each file prints its result as it ends, and the
 * last line has the counts. tests/README.md describes the options.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tier: { type: 'string', default: 'quick' },
    changed: { type: 'boolean', default: false },
    node: { type: 'string', multiple: true, default: [process.execPath] },
    minutes: { type: 'string' },
    'record-budgets': { type: 'boolean', default: false },
  },
});
const tier = values.tier as Tier;
const effort = (process.env['EFFORT'] ?? (tier === 'full' || tier === 'campaign' ? tier : 'quick')) as Effort;
const [first = process.execPath, ...others] = values.node;
const isWhole = positionals.length === 0 && !values.changed;
const deadline = values.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(values.minutes) * 60_000;

/** How many of the test files that took longest are named at the end. */
const NAMED_FILES = 25;

// esbuild and TypeScript 7 are written in Go: they spend up to a fifth of their time collecting garbage that fits into memory.
process.env['GOGC'] ??= '800';

let passed = 0;
let failed = 0;
const skips = new Set<string>();
const failures: string[] = [];
const ended: (EndedFile & { readonly version: string })[] = [];
const versions = new Map(values.node.map((node) => [node, output(node, ['--version'])]));

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stopSuites();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  });
}

/** Those that are left: a processor takes the next one before it turns to the test files. */
const gates = (isWhole ? GATES.filter(isIncluded) : []).values();
const files = await selectFiles();
if (files.length === 0) fail(`no test file matches ${positionals.map((pattern) => `\`${pattern}\``).join(', ')}`);
for (let seed = 1; seed === 1 || (values.minutes !== undefined && Date.now() < deadline); seed += 1)
  await runJobs(seed);
report();

/** The test files of the tier, or those that match a pattern, or those that a change may concern. */
async function selectFiles(): Promise<readonly string[]> {
  const all = output('git', [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '*.test.ts',
    ':!examples/templates',
  ])
    .split('\n')
    .filter((file) => file !== '' && existsSync(file))
    .sort();
  if (values.changed) return testFilesReaching(all);
  // A file that is named runs in whichever tier it is.
  if (positionals.length > 0) return all.filter((file) => positionals.some((pattern) => file.includes(pattern)));
  return all.filter((file) => includes(tier, file));
}

function isIncluded({ isQuick, isSlow = false }: Gate): boolean {
  if (tier === 'unit') return isQuick;
  return !isSlow || tier === 'full' || tier === 'campaign';
}

async function runGate({ name, command }: Gate): Promise<void> {
  const { code, text, seconds } = await runNode(command);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${figure(seconds)} s  ${name}`);
  if (code === 0) passed += 1;
  else {
    console.log(text);
    fail(`the gate "${name}"`);
  }
}

/**
 * Runs the gates, and the files with each version of Node: those that compute on all processors, and beside them those
 * that wait.
 */
async function runJobs(seed: number): Promise<void> {
  const ofRuntime = files.filter((file) => includes(tier === 'campaign' ? 'runtime-nightly' : 'runtime', file));
  const jobs = jobsOf([{ node: first, files }, ...others.map((node) => ({ node, files: ofRuntime }))]);
  const busy = jobs.filter(({ suite }) => !waits(suite));
  const waiting = jobs.filter(({ suite }) => waits(suite));
  const begun = new Set<Job>();
  const lane = async (...queues: (readonly Job[])[]): Promise<void> => {
    const runners = new Map<string, TestRunner>();
    for (const queue of queues) {
      for (let job = nextJob(queue, begun); job !== undefined && Date.now() < deadline; job = nextJob(queue, begun))
        await runJob(job, seed, runners);
    }
    for (const runner of runners.values()) await runner.close();
  };
  const compute = async (): Promise<void> => {
    for (const gate of gates) await runGate(gate);
    await lane(busy, waiting);
  };
  // What starts programs, as much of the full tier does, leaves a third of a processor idle.
  const lanes = availableParallelism() + (tier === 'full' || tier === 'campaign' ? 2 : 0);
  await Promise.all([...Array.from({ length: lanes }, compute), lane(waiting, busy)]);
}

/** Runs the files that are left of a job, in the process of its lane if they share one. */
async function runJob(job: Job, seed: number, shared: Map<string, TestRunner>): Promise<void> {
  const { node, isShared } = job;
  const runner = (isShared ? shared.get(node) : undefined) ?? createRunner(node, seed);
  if (isShared) shared.set(node, runner);
  for (const file of filesLeft(job)) await runner.run(file);
  if (!isShared) await runner.close();
}

function createRunner(node: string, seed: number): TestRunner {
  const version = versions.get(node) as string;
  const variables = {
    EFFORT: effort,
    ...(node === first ? {} : { REPEATED: '1' }),
    ...(seed === 1 ? {} : { SEED: String(seed) }),
  };
  return new TestRunner(node, variables, (file) => {
    const mark = values.node.length > 1 ? ` (Node ${version})` : '';
    const isGood = file.failed === 0;
    console.log(
      `${isGood ? 'ok    ' : 'FAILED'} ${figure(file.seconds)} s ${figure(file.cpu)} CPU s  ${file.file}${mark}: ${file.passed} passed${isGood ? '' : `, ${file.failed} failed`}`,
    );
    ended.push({ ...file, version });
    passed += file.passed;
    for (const skip of skipsIn(file.output)) skips.add(`${skip}${mark}`);
    if (isGood) return;
    console.log(file.output);
    const found = failuresIn(`${file.file}\n${file.output}`);
    failed += file.failed;
    failures.push(...(found.length > 0 ? found : [file.file]).map((failure) => `${failure}${mark}`));
  });
}

/** What remains of a long run is its end, so it has what the reader needs. */
function report(): void {
  const longest = [...ended].sort((one, other) => other.seconds - one.seconds).slice(0, NAMED_FILES);
  console.log('\nthe test files that took longest: seconds, CPU seconds');
  for (const { file, version, seconds, cpu } of longest)
    console.log(`${figure(seconds)} ${figure(cpu)}  ${file} (${version})`);
  const costs = new Map<string, number>();
  for (const { file, version, cpu } of ended) {
    if (version !== versions.get(first)) continue;
    costs.set(suiteOf(file), (costs.get(suiteOf(file)) ?? 0) + cpu);
  }
  const total = ended.reduce((sum, { cpu }) => sum + cpu, 0);
  const run = budgetName(tier, effort);
  console.log(`\nCPU seconds of all test files: ${total.toFixed(0)}${isWhole ? compareTotals(run, costs) : ''}`);
  if (isWhole && values['record-budgets']) {
    recordBudgets(run, costs);
    const own = ended.filter(({ version }) => version === versions.get(first));
    if (tier === 'full') recordFileSeconds(new Map(own.map(({ file, seconds }) => [file, seconds])));
  } else if (isWhole && values.minutes === undefined) for (const excess of overBudget(run, costs)) fail(excess);
  for (const failure of failures) console.log(`\nFAILED ${failure}`);
  const skipped = [...skips].map((skip) => `skipped ${skip}\n`).join('');
  console.log(`\n${skipped}${passed} passed, ${failed} failed, ${skips.size} skipped`);
  process.exitCode = failed === 0 ? 0 : 1;
}

function fail(reason: string): void {
  failed += 1;
  failures.push(reason);
}

function runNode(
  command: readonly string[],
): Promise<{ readonly code: number; readonly text: string; readonly seconds: number }> {
  return new Promise((resolve) => {
    const begun = performance.now();
    const child = spawn(first, command, { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    const read = (data: Buffer): void => {
      text += data.toString();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('close', (code) => resolve({ code: code ?? 1, text, seconds: (performance.now() - begun) / 1000 }));
  });
}

function output(program: string, options: readonly string[]): string {
  return execFileSync(program, options, { encoding: 'utf8' }).trim();
}

function figure(seconds: number): string {
  return seconds.toFixed(1).padStart(6);
}
