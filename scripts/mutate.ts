import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../tests/support/oracle/random.js';
import { coverageOf } from './mutate/covering-tests.js';
import { mutated, type Mutation, mutationsOf } from './mutate/mutations.js';
import type { Site } from './mutate/probes.js';
import { typeCheckOf } from './mutate/type-check.js';
import { createWorkspace, filesOf, type Trial, type Workspace } from './mutate/workspace.js';

/*
 * `npm run mutate -- --seed S --count N FOLDER...`: makes N random mistakes in the source below each of the folders,
 * one at a time, and runs the tests that reach the place until one fails. A mistake that no test notices is a survivor.
 * The same seed makes the same mistakes.
 *
 * Each test that imports a mutated file first runs once, unchanged but for probes, to learn how long it takes and which
 * of the places it evaluates. A mutant then meets only the tests that evaluate its place, those first that are near and
 * quick. One that survives them meets the check of types that `npm test` begins with.
 */

const USAGE = `npm run mutate -- [options] FOLDER...
  --seed S      which mutants (1)
  --count N     how many below each folder (20)
  --tests N     at most so many test files a mutant, the first in order (all)
  --workers N   how many tests at once (1)
  --skip REGEX  test files that are left out (none)
  --seconds N   a test file that takes longer has hung (240)`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    count: { type: 'string' },
    tests: { type: 'string' },
    workers: { type: 'string' },
    skip: { type: 'string' },
    seconds: { type: 'string' },
    help: { type: 'boolean' },
  },
});
if (values.help === true || positionals.length === 0) {
  console.log(USAGE);
  process.exit(values.help === true ? 0 : 2);
}

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const count = Number(values.count ?? 20);
const mostTests = Number(values.tests ?? Number.POSITIVE_INFINITY);

const longest = Number(values.seconds ?? 240) * 1000;

interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly mutation: Mutation;
}

const sources = filesOf(ROOT).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
const coverage = coverageOf(ROOT, sources);
const mutants = positionals
  .flatMap((folder) => chosen(new Random(Number(values.seed ?? 1)), mutantsBelow(folder)))
  .map((mutant, id) => ({ ...mutant, id }));
const workspaces = Array.from({ length: Number(values.workers ?? 1) }, () => createWorkspace(ROOT, longest));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.on('exit', () => {
  for (const workspace of workspaces) workspace.remove();
});

const trials = new Map<string, Trial>();
const passing = new Map<string, Promise<boolean>>();
const kills = new Map<string, number>();
const survivors: Mutant[] = [];
const hasRightTypes = typeCheckOf(ROOT);

await tryTests();
await each(mutants, judge);

console.log(`\n${shareOf(mutants, survivors)}`);
if (positionals.length > 1) {
  for (const folder of positionals)
    console.log(
      `  ${folder}: ${shareOf(
        mutants.filter(({ file }) => isBelow(folder, file)),
        survivors.filter(({ file }) => isBelow(folder, file)),
      )}`,
    );
}
for (const mutant of survivors)
  console.log(`\nsurvived  ${placeOf(mutant)}  ${mutant.mutation.change}\n${diffOf(mutant)}`);

/** Runs every test that may matter once, with probes at the places of all mutants. */
async function tryTests(): Promise<void> {
  const sites = new Map<string, Site[]>();
  for (const { id, file, mutation } of mutants)
    sites.set(file, [...(sites.get(file) ?? []), { id, ...mutation.within }]);
  const skip = values.skip === undefined ? undefined : new RegExp(values.skip);
  const tests = [...new Set([...sites.keys()].flatMap((file) => [...coverage.testsOf(file).keys()]))].filter(
    (test) => skip?.test(test) !== true,
  );
  console.log(`${mutants.length} mutants; ${tests.length} test files may reach them`);
  await each(tests, async (workspace, test) => {
    trials.set(test, await workspace.trialOf(test, sites));
  });
}

async function judge(workspace: Workspace, mutant: Mutant): Promise<void> {
  const text = mutated(readFileSync(join(workspace.root, mutant.file), 'utf8'), mutant.mutation);
  const reaching = testsFor(mutant);
  let tests = reaching.slice(0, mostTests);
  while (tests.length > 0) {
    const outcome = await workspace.outcomeWith(mutant.file, text, tests, limitOf);
    if (outcome.kind === 'passed') break;
    const { test } = outcome;
    if (await isKilled(workspace, mutant.file, text, test)) {
      kills.set(test, (kills.get(test) ?? 0) + 1);
      return console.log(`${outcome.kind.padEnd(9)} ${placeOf(mutant)}  ${mutant.mutation.change}  (${test})`);
    }
    console.log(`          ${test} does not fail by the mutant alone: left out`);
    tests = tests.slice(tests.indexOf(test) + 1);
  }
  if (!hasRightTypes(mutant.file, text))
    return console.log(`types     ${placeOf(mutant)}  ${mutant.mutation.change}  (the types exclude it)`);
  survivors.push(mutant);
  const ran = Math.min(reaching.length, mostTests);
  console.log(
    `SURVIVED  ${placeOf(mutant)}  ${mutant.mutation.change}  (${ran === reaching.length ? 'all' : `${ran} of`} ${reaching.length} test files that reach it)`,
  );
}

/** The tests that evaluate the place: near ones and quick ones first, and those that have killed others. */
function testsFor({ id, file }: Mutant): readonly string[] {
  const cost = (test: string, distance: number): number =>
    (distance * (trials.get(test)?.milliseconds ?? 0)) / (1 + (kills.get(test) ?? 0));
  const reaching = [...coverage.testsOf(file)].filter(([test]) => trials.get(test)?.reached.has(id) === true);
  return reaching
    .map(([test, distance]) => ({ test, cost: cost(test, distance) }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ test }) => test);
}

/** Whether the mutant causes the failure: the test fails again when run alone, and passes without the mutant. */
async function isKilled(workspace: Workspace, file: string, text: string, test: string): Promise<boolean> {
  const again = await workspace.outcomeWith(file, text, [test], limitOf);
  if (again.kind === 'passed') return false;
  const passes = passing.get(test) ?? workspace.passes(test);
  passing.set(test, passes);
  return passes;
}

/** How long a test may take before it has hung, in milliseconds: far longer than it took without a mutant. */
function limitOf(test: string): number {
  return Math.min(longest, 20_000 + 10 * (trials.get(test)?.milliseconds ?? longest));
}

/** Distributes the items to the workspaces, one at a time each. */
async function each<T>(items: readonly T[], work: (workspace: Workspace, item: T) => Promise<void>): Promise<void> {
  const due = [...items];
  await Promise.all(
    workspaces.map(async (workspace) => {
      for (let item = due.shift(); item !== undefined; item = due.shift()) await work(workspace, item);
    }),
  );
}

function shareOf(all: readonly Mutant[], survived: readonly Mutant[]): string {
  const killed = all.length - survived.length;
  return `${killed} of ${all.length} mutants killed (${((100 * killed) / Math.max(all.length, 1)).toFixed(1)} %)`;
}

function mutantsBelow(folder: string): readonly Omit<Mutant, 'id'>[] {
  const files = sources.filter((file) => isBelow(folder, file) && !file.endsWith('.test.ts'));
  return files.flatMap((file) =>
    mutationsOf(file, readFileSync(join(ROOT, file), 'utf8')).map((mutation) => ({ file, mutation })),
  );
}

function isBelow(folder: string, file: string): boolean {
  const path = relative(ROOT, join(process.cwd(), folder));
  return file === path || file.startsWith(`${path}/`);
}

function chosen<T>(random: Random, all: readonly T[]): readonly T[] {
  const left = [...all];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.below(left.length), 1)[0] as T);
}

function placeOf({ file, mutation }: Mutant): string {
  const before = readFileSync(join(ROOT, file), 'utf8').slice(0, mutation.start).split('\n');
  return `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/** The lines that differ, before and after. */
function diffOf({ file, mutation }: Mutant): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const begin = text.lastIndexOf('\n', mutation.start - 1) + 1;
  const lines = (of: string, end: number): string[] =>
    of.slice(begin, of.indexOf('\n', end) < 0 ? undefined : of.indexOf('\n', end)).split('\n');
  const after = mutated(text, mutation);
  return [
    ...lines(text, mutation.end).map((line) => `- ${line}`),
    ...lines(after, mutation.start + mutation.replacement.length).map((line) => `+ ${line}`),
  ].join('\n');
}
