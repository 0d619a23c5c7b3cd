import { spawn } from 'node:child_process';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { failuresIn } from '../tests/support/failures.js';
import { skipsIn } from '../tests/support/skip.js';

/** All that must hold before a change lands, in order: `npm test` and CI run exactly this. */
const GATES: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: 'types', command: ['node_modules/typescript/bin/tsc', '--noEmit'] },
  { name: 'lint', command: ['node_modules/@biomejs/biome/bin/biome', 'lint', '--error-on-warnings'] },
  { name: 'format', command: ['node_modules/@biomejs/biome/bin/biome', 'format'] },
  {
    name: 'format of policies',
    command: ['--import', 'tsx', 'cli/authzc.ts', 'fmt', '--check', 'policies', 'examples/contact-api/policies'],
  },
  {
    name: 'boundaries',
    command: [
      'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
      '--config',
      '.dependency-cruiser.cjs',
      'adapters',
      'analysis',
      'archive',
      'cli',
      'client',
      'compiler',
      'editor',
      'explorer',
      'mcp-guard',
      'middleware',
      'runtime',
      'server',
      'generated',
      'proto',
      'scripts',
      'site',
      'examples',
      'bench',
    ],
  },
  { name: 'every test file runs', command: ['--import', 'tsx', 'scripts/check-tests.ts'] },
  { name: 'generated files are up to date', command: ['--import', 'tsx', 'scripts/check-generated.ts'] },
  { name: 'proto/gen is up to date', command: ['--import', 'tsx', 'proto/generate.ts', '--check'] },
  { name: 'sizes', command: ['--import', 'tsx', 'scripts/size.ts'] },
  { name: 'proto module', command: ['node_modules/@bufbuild/buf/bin/buf', 'lint', 'proto'] },
];

/** Tests that keep a processor busy by themselves; the others mostly wait for servers, browsers and compilers. */
const BUSY =
  '(compiler|runtime|proto|scripts/mutate)/|tests/(analysis|cel|diagnostics|generated|golden|growth|installation|mutants|oracle|package|parse|plan|policy-tests|properties|schemas|site|sql)/';
/** Of the others, those of commands and pages. */
const COMMANDS =
  '(archive|cli)/|tests/(adapters|archives|audit|authzen|cli|debugging|deploy|docs|editor|examples|explorer)/';
/** Of the others, those of servers, which take longest. */
const SERVERS = 'tests/(gateway|rollout|server|sources|workers)/';
/** Tests of templates run in the projects that `authzc init` makes of them (tests/installation). */
const ANY = String.raw`(?!templates/).*\.test\.ts$`;
const OTHERS: readonly string[] = [
  `^(?=${COMMANDS})${ANY}`,
  `^(?=${SERVERS})${ANY}`,
  `^(?!${BUSY}|${COMMANDS}|${SERVERS})${ANY}`,
];

/**
 * Tests whose result does not depend on the version of Node: analyses, texts, types, browsers, workerd, Next.js,
 * installations, how work grows, whether tests notice mutants, what databases make of SQL, changes of chained logs, how
 * often a fleet asks, what compares versions itself, and commands that neither compile nor serve. With several versions,
 * only the first runs them.
 */
const ONCE =
  '^((analysis|scripts/(mutate|release)|tests/(analysis|deploy|docs|explorer|growth|installation|mutants|places|published-adapters|site|sql|types))/|tests/(archives/equal-bytes|audit/chain|cli/(?!(cache|compile|compile-cache|compile-in-parts|delay-optimisation|run|serve|server|test-watch)\\.)[^/]*|middleware/next-application|package/entries|sources/fleet)\\.)';

/**
 * Tests of the command line, of adapters, of examples, of servers with other programs or hostile clients, and random
 * policies, which take longest. With several versions, only the first and the last run them: what a version between
 * these changes, they show.
 */
const ENDS =
  '^((cli|tests/(adapters|archives|audit|cli|examples|gateway|generated|limits|middleware|package|plan|properties|rollout|sources|workers))/|tests/server/(hostile|life-cycle|stalled)-)';

/** How many of the test files that took longest are named at the end. */
const NAMED_FILES = 25;

/** Test files that take at least this long are named as soon as they end, in milliseconds. */
const WORTH_A_LINE = 30_000;

/** How long one test file may take before its runner is ended, in milliseconds. */
const LONGEST_FILE = 900_000;

/** How long a runner may stay after its summary, in milliseconds. */
const LONGEST_END = 60_000;

/** Times the test files of one runner, which prints the path of each on a line of its own when it begins it. */
class FileTimer {
  readonly ended: { readonly file: string; readonly time: number }[] = [];
  readonly #version: string;
  #file: string | undefined;
  #begun = 0;

  constructor(version: string) {
    this.#version = version;
  }

  get file(): string | undefined {
    return this.#file;
  }

  read(chunk: string): void {
    for (const [, file = ''] of stripVTControlCharacters(chunk).matchAll(/^(\S+\.test\.ts)$/gm)) {
      this.end();
      this.#file = file;
      this.#begun = performance.now();
    }
  }

  end(): void {
    if (this.#file === undefined) return;
    const time = performance.now() - this.#begun;
    this.ended.push({ file: this.#file, time });
    if (time >= WORTH_A_LINE) console.log(`${seconds(time).padStart(5)}  ${this.#file} (${this.#version})`);
    this.#file = undefined;
  }
}

// The test files run with each of these, the gates with the first.
const { values } = parseArgs({ options: { node: { type: 'string', multiple: true, default: [process.execPath] } } });
const [first = process.execPath] = values.node;
const last = values.node.at(-1);

let passed = 0;
let failed = 0;
const skips: string[] = [];
const failures: string[] = [];
/** Of each test file, by version of Node: how long it ran, in milliseconds. */
const durations: { readonly file: string; readonly version: string; readonly time: number }[] = [];

const gates = GATES.values();
await Promise.all([runGates(gates), runGates(gates)]);

// One runner begins with the busy tests, the other one at the end of the list, with the longest of the rest: on two cores,
// each leaves what the other one needs.
const queue = [
  ...values.node.map((node) => ({ node, pattern: `^(?=${BUSY})${ANY}` })),
  ...[...values.node].sort(byTests).flatMap((node) => OTHERS.toReversed().map((pattern) => ({ node, pattern }))),
];
await Promise.all([runTests(() => queue.shift()), runTests(() => queue.pop())]);

const longest = [...durations].sort((one, other) => other.time - one.time).slice(0, NAMED_FILES);
console.log('\nthe test files that took longest, in seconds');
for (const { file, version, time } of longest) console.log(`${seconds(time).padStart(5)}  ${file} (${version})`);

// The end of the output is what remains of a long run, so it has what the reader needs.
for (const failure of failures) console.log(`\nFAILED ${failure}`);
console.log(
  `\n${skips.map((skip) => `skipped ${skip}\n`).join('')}${passed} passed, ${failed} failed, ${skips.length} skipped`,
);
process.exitCode = failed === 0 ? 0 : 1;

/** Runs the gates that nobody has begun, one after the other. */
async function runGates(left: Iterable<(typeof GATES)[number]>): Promise<void> {
  for (const { name, command } of left) {
    const { code, output } = await run(first, command);
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}`);
    if (code === 0) passed += 1;
    else {
      failed += 1;
      failures.push(`the gate "${name}"`);
      console.log(output);
    }
  }
}

/** The first version runs most tests, and the ones between the first and the last run fewest. */
function byTests(one: string, other: string): number {
  const rank = (node: string): number => (node === first ? 2 : node === last ? 1 : 0);
  return rank(one) - rank(other);
}

/** Runs the test files of each pattern that `next` returns. */
async function runTests(next: () => { readonly node: string; readonly pattern: string } | undefined): Promise<void> {
  for (let files = next(); files !== undefined; files = next()) {
    const { node, pattern } = files;
    const version = (await run(node, ['--version'])).output.trim();
    const left = [...(node === first ? [] : [ONCE]), ...(node === first || node === last ? [] : [ENDS])];
    await runFiles(node, version, left.map((others) => `(?!${others})`).join('') + pattern);
  }
}

async function runFiles(node: string, version: string, pattern: string): Promise<void> {
  const timer = new FileTimer(version);
  const { code, output } = await run(
    node,
    ['--import', 'tsx', 'node_modules/uvu/bin.js', '.', pattern, '-i', 'node_modules'],
    timer,
  );
  for (const { file, time } of timer.ended) durations.push({ file, version, time });
  const total = countOf(output, 'Total');
  const succeeded = countOf(output, 'Passed');
  console.log(`\ntest files with Node ${version}\n${output.trimEnd()}`);
  passed += succeeded;
  // A runner that dies on the way has failed, however few tests it had begun.
  failed += Math.max(total - succeeded, code === 0 && total > 0 ? 0 : 1);
  failures.push(...failuresIn(output).map((failure) => `with Node ${version}: ${failure}`));
  if (total === 0) failures.push(`with Node ${version}: no test of ${pattern} ran`);
  skips.push(...skipsIn(output).map((skip) => (values.node.length > 1 ? `${skip} (Node ${version})` : skip)));
}

function run(
  node: string,
  command: readonly string[],
  files?: FileTimer,
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn(node, command, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let reason = 'it crashed';
    let timer: NodeJS.Timeout | undefined;
    const endAfter = (time: number, why: string): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        reason = why;
        child.kill('SIGKILL');
        // Programs that it has started may keep them open.
        child.stdout.destroy();
        child.stderr.destroy();
      }, time);
    };
    const collect = (data: Buffer): void => {
      const chunk = data.toString();
      output += chunk;
      if (files === undefined) return;
      const before = files.file;
      files.read(chunk);
      if (files.file !== before) endAfter(LONGEST_FILE, `${files.file} took longer than ${seconds(LONGEST_FILE)} s`);
      // After its summary, a runner only stays for what a test has left open.
      if (/^ {2}Duration:/m.test(chunk)) {
        files.end();
        endAfter(LONGEST_END, 'a test left something open');
      }
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('close', (code) => {
      clearTimeout(timer);
      files?.end();
      resolve({ code: code ?? 1, output: code === null ? `${output}\n  FAIL  ended by force: ${reason}\n` : output });
    });
  });
}

/** A time in milliseconds as whole seconds. */
function seconds(time: number): string {
  return (time / 1000).toFixed(0);
}

/** The last count of the runner's summary: `  Total:     12`. */
function countOf(output: string, word: string): number {
  const counts = [...output.matchAll(new RegExp(`^\\s*${word}:\\s+(\\d+)`, 'gm'))];
  return Number(counts.at(-1)?.[1] ?? 0);
}
