import { readFileSync } from 'node:fs';

/**
 * Cases that do not pass, with the reasons: id to reason. A listed case that passes is a failure as well, so that the
 * list stays minimal.
 */
export type KnownFailures = ReadonlyMap<string, string>;

/** The result of one recorded case; `problem` is undefined when it passed. */
export interface Outcome {
  readonly id: string;
  readonly problem: string | undefined;
}

/**
 * Reads a `known-failures.txt`: a line `id: reason` per case. Ignores empty lines and lines that begin with `#`. Throws
 * when a line has no reason.
 */
export function readKnownFailures(file: string): KnownFailures {
  const lines = readFileSync(file, 'utf8').split('\n');
  const entries = lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => entryOf(line, file));
  const known = new Map(entries);
  if (known.size < entries.length) throw new Error(`${file} lists a case twice`);
  return known;
}

/**
 * Prints `suite passed/total`, and fails for every case that contradicts the list: failing and unlisted, passing and
 * listed, listed and missing.
 * @param total the number of cases in the suite, so that none is lost.
 */
export function settle(suite: string, outcomes: readonly Outcome[], known: KnownFailures, total: number): void {
  if (total === 0 || outcomes.length !== total) throw new Error(`${suite} ran ${outcomes.length} cases, not ${total}`);
  const passed = outcomes.filter(({ problem }) => problem === undefined).length;
  const expected = outcomes.filter(({ id, problem }) => problem !== undefined && known.has(id)).length;
  console.log(`${suite} ${passed}/${outcomes.length}${expected > 0 ? ` (${expected} known failures)` : ''}`);
  const ids = new Set(outcomes.map(({ id }) => id));
  const strays = [...known.keys()].filter((id) => id.startsWith(`${suite}/`) && !ids.has(id));
  const surprises = [
    ...outcomes.flatMap(({ id, problem }) => contradictionOf(id, problem, known)),
    ...strays.map((id) => `${id} is not a case`),
  ];
  if (surprises.length > 0)
    throw new Error(
      `${surprises.length} of ${outcomes.length} cases of ${suite} are not as foreseen:\n${surprises.slice(0, 30).join('\n')}`,
    );
}

function entryOf(line: string, file: string): readonly [string, string] {
  const colon = line.indexOf(': ');
  const reason = line.slice(colon + 1).trim();
  if (colon <= 0 || reason === '') throw new Error(`${file}: \`${line}\` is not \`id: reason\``);
  return [line.slice(0, colon), reason];
}

function contradictionOf(id: string, problem: string | undefined, known: KnownFailures): readonly string[] {
  if (problem !== undefined && !known.has(id)) return [`${id} ${problem}`];
  if (problem === undefined && known.has(id)) return [`${id} passes: take it off the known failures`];
  return [];
}
