import { nanosecondsSince, statisticsOf, type Measurement } from '../../harness/rounds.js';
import type { Decide } from './workload.js';

/** A library that takes turns. */
export interface Contestant {
  readonly name: string;
  readonly decide: Decide;
}

/** What a turn takes at least, in nanoseconds of CPU: the clock of the process counts microseconds. */
const TURN = 30e6;
/** Decisions of a turn at least, so that slow libraries do not decide one question alone. */
const FEWEST = 32;

/**
 * Measures contestants in turn: each round gives every one a turn of about the same CPU time. Some answer with a
 * promise, which is part of what they cost.
 */
export async function measureInTurn(
  contestants: readonly Contestant[],
  inputs: number,
  rounds: number,
): Promise<readonly Measurement[]> {
  const turns: number[] = [];
  for (const { decide } of contestants) turns.push(await countDecisions(decide, inputs));
  const samples = contestants.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, { decide }] of contestants.entries())
      samples[at]?.push(await timed(decide, inputs, turns[at] as number));
  return contestants.map(({ name }, at) => ({ name, ...statisticsOf(samples[at] as number[]) }));
}

/** How many decisions take a turn, once the code is optimised. */
async function countDecisions(decide: Decide, inputs: number): Promise<number> {
  let count = FEWEST;
  for (let warmUp = 0; warmUp < 8; warmUp++) {
    const each = await timed(decide, inputs, count);
    count = Math.max(FEWEST, Math.round(TURN / each));
  }
  return count;
}

/** Keeps results from being optimised away. */
const sink: unknown[] = [undefined];

/** Nanoseconds of CPU of a decision. */
async function timed(decide: Decide, inputs: number, count: number): Promise<number> {
  const isAsync = typeof decide(0) !== 'boolean';
  const start = process.cpuUsage();
  if (isAsync) for (let i = 0; i < count; i++) sink[0] = await decide(i % inputs);
  else for (let i = 0; i < count; i++) sink[0] = decide(i % inputs);
  return nanosecondsSince(start) / count;
}
