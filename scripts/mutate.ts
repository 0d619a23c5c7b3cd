import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../tests/oracle/random.js';
import { coverageOf } from './mutate/covering-tests.js';
import { mutated, type Mutation, mutationsOf } from './mutate/mutations.js';
import { createWorkspace, filesOf, type Workspace } from './mutate/workspace.js';

/*
 * `npm run mutate -- --seed S --count N FOLDER...`: makes N random mistakes in the source below the folders, one at a time, and runs the tests
 * that reach the file, nearest first, until one fails. A mistake that no test notices is a survivor. The same seed makes the same mistakes.
 */

const USAGE = `npm run mutate -- [options] FOLDER...
  --seed S      which mutants (1)
  --count N     how many (20)
  --tests N     at most so many test files a mutant, the nearest (all)
  --workers N   how many mutants at once (1)
  --seconds N   a test file that takes longer has hung (240)`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, count: { type: 'string' }, tests: { type: 'string' }, workers: { type: 'string' }, seconds: { type: 'string' }, help: { type: 'boolean' } },
});
if (values.help === true || positionals.length === 0) {
  console.log(USAGE);
  process.exit(values.help === true ? 0 : 2);
}

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const count = Number(values.count ?? 20);
const mostTests = Number(values.tests ?? Number.POSITIVE_INFINITY);

interface Mutant {
  readonly file: string;
  readonly mutation: Mutation;
}

const sources = filesOf(ROOT).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
const coverage = coverageOf(ROOT, sources);
const mutants = chosen(new Random(Number(values.seed ?? 1)), positionals.flatMap(mutantsBelow));
const workspaces = Array.from({ length: Number(values.workers ?? 1) }, () => createWorkspace(ROOT, Number(values.seconds ?? 240) * 1000));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.on('exit', () => { for (const workspace of workspaces) workspace.remove(); });

const due = [...mutants];
const survivors: Mutant[] = [];
await Promise.all(workspaces.map(async (workspace) => {
  for (let mutant = due.shift(); mutant !== undefined; mutant = due.shift()) await judge(workspace, mutant);
}));

const killed = mutants.length - survivors.length;
console.log(`\n${killed} of ${mutants.length} mutants killed (${((100 * killed) / Math.max(mutants.length, 1)).toFixed(1)} %)`);
for (const mutant of survivors) console.log(`\nsurvived  ${placeOf(mutant)}  ${mutant.mutation.change}\n${diffOf(mutant)}`);

async function judge(workspace: Workspace, mutant: Mutant): Promise<void> {
  const text = readFileSync(join(workspace.root, mutant.file), 'utf8');
  let tests = coverage.testsOf(mutant.file).slice(0, mostTests);
  for (;;) {
    const outcome = await workspace.outcomeWith(mutant.file, mutated(text, mutant.mutation), tests);
    if (outcome.kind === 'passed') break;
    if (await workspace.passes(outcome.test)) return console.log(`${outcome.kind.padEnd(9)} ${placeOf(mutant)}  ${mutant.mutation.change}  (${outcome.test})`);
    console.log(`          ${outcome.test} fails without a mutant: left out`);
    tests = tests.slice(tests.indexOf(outcome.test) + 1);
    if (tests.length === 0) break;
  }
  survivors.push(mutant);
  console.log(`SURVIVED  ${placeOf(mutant)}  ${mutant.mutation.change}`);
}

function mutantsBelow(folder: string): readonly Mutant[] {
  const below = relative(ROOT, join(process.cwd(), folder));
  const files = sources.filter((file) => (file === below || file.startsWith(`${below}/`)) && !file.endsWith('.test.ts'));
  return files.flatMap((file) => mutationsOf(file, readFileSync(join(ROOT, file), 'utf8')).map((mutation) => ({ file, mutation })));
}

function chosen(random: Random, all: readonly Mutant[]): readonly Mutant[] {
  const left = [...all];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.below(left.length), 1)[0] as Mutant);
}

function placeOf({ file, mutation }: Mutant): string {
  const before = readFileSync(join(ROOT, file), 'utf8').slice(0, mutation.start).split('\n');
  return `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/** The lines that differ, before and after. */
function diffOf({ file, mutation }: Mutant): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const begin = text.lastIndexOf('\n', mutation.start - 1) + 1;
  const lines = (of: string, end: number): string[] => of.slice(begin, of.indexOf('\n', end) < 0 ? undefined : of.indexOf('\n', end)).split('\n');
  const after = mutated(text, mutation);
  return [...lines(text, mutation.end).map((line) => `- ${line}`), ...lines(after, mutation.start + mutation.replacement.length).map((line) => `+ ${line}`)].join('\n');
}
