import { readFileSync, writeFileSync } from 'node:fs';
import { sharesProcess, suiteOf } from './tiers.js';

/** Test files that a processor runs one after another. */
export interface Job {
  /** Path of the Node binary. */
  readonly node: string;
  readonly suite: string;
  /** Whether they run in the process that ran the files of other suites. */
  readonly isShared: boolean;
  /** Those that no process has begun. */
  readonly left: string[];
}

/** Wall time of test files, in seconds. */
export type FileSeconds = { readonly [file: string]: number };

const FILE = new URL('../../tests/longest.json', import.meta.url);

/** A file that takes longer than this, in seconds, gets its own job, so that its suite does not end with it. */
const LONG = 30;

/**
 * The test files that run with each version of Node as jobs: a suite each, without those of its files that share no
 * process, and each long file. What takes longest comes first, so that none is alone at the end.
 */
export function jobsOf(
  runs: readonly { readonly node: string; readonly files: readonly string[] }[],
  seconds: FileSeconds = readFileSeconds(),
): readonly Job[] {
  const isLong = (file: string): boolean => (seconds[file] ?? 0) > LONG;
  const jobs = runs.flatMap(({ node, files }) => {
    const groups = new Map<string, string[]>();
    for (const file of files) {
      const group = isLong(file) ? file : `${suiteOf(file)} ${sharesProcess(file)}`;
      groups.set(group, [...(groups.get(group) ?? []), file]);
    }
    return [...groups.values()].map((left) => {
      const [file = ''] = left;
      return { node, suite: suiteOf(file), isShared: sharesProcess(file), left };
    });
  });
  // A file without a figure takes about a second.
  const expected = ({ left }: Job): number => left.reduce((sum, file) => sum + (seconds[file] ?? 1), 0);
  return jobs.sort((one, other) => expected(other) - expected(one));
}

/**
 * The next job for a processor: one that no process has begun, or the one with most files left, of which a further
 * process then runs some. Undefined if no file is left.
 */
export function nextJob(jobs: readonly Job[], begun: Set<Job>): Job | undefined {
  const open = jobs.filter(({ left }) => left.length > 0);
  const job =
    open.find((each) => !begun.has(each)) ?? open.sort((one, other) => other.left.length - one.left.length)[0];
  if (job !== undefined) begun.add(job);
  return job;
}

/** The files of a job, each for the process that asks first. */
export function* filesLeft({ left }: Job): Generator<string> {
  for (let file = left.shift(); file !== undefined; file = left.shift()) yield file;
}

/** Writes which files took longest. */
export function recordFileSeconds(seconds: ReadonlyMap<string, number>): void {
  const long = [...seconds].filter(([, each]) => each > LONG / 2).sort(([one], [other]) => (one < other ? -1 : 1));
  const figures = Object.fromEntries(long.map(([file, each]) => [file, Math.round(each)]));
  writeFileSync(FILE, `${JSON.stringify(figures, undefined, 2)}\n`);
}

function readFileSeconds(): FileSeconds {
  return JSON.parse(readFileSync(FILE, 'utf8')) as FileSeconds;
}
