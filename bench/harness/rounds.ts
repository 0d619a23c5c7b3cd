/** Something to measure: `run(i)` is the i-th operation and returns its result. */
export interface Contestant {
  readonly name: string;
  readonly run: (index: number) => unknown;
}

/** Nanoseconds of CPU per operation, over the rounds. */
export interface Measurement {
  readonly name: string;
  readonly minimum: number;
  readonly median: number;
  /** Half of the rounds lie within this fraction of the median. */
  readonly spread: number;
}

/**
 * Measures contestants alternately, because the machine is shared: each round gives every contestant a turn, so that a
 * burst of other load affects all alike.
 * @param inputs the number of inputs: operation i gets input `i % inputs`.
 */
export function measure(
  contestants: readonly Contestant[],
  inputs: number,
  { rounds = 25, passes = 1 } = {},
): readonly Measurement[] {
  const samples = contestants.map((): number[] => []);
  for (let warmUp = 0; warmUp < 3; warmUp++) for (const { run } of contestants) timed(run, inputs, passes);
  for (let round = 0; round < rounds; round++) {
    contestants.forEach(({ run }, index) => {
      (samples[index] as number[]).push(timed(run, inputs, passes));
    });
  }
  return contestants.map(({ name }, index) => ({ name, ...statisticsOf(samples[index] as number[]) }));
}

/** Minimum, median and spread of samples. */
export function statisticsOf(samples: readonly number[]): Omit<Measurement, 'name'> {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] as number;
  return { minimum: at(0), median: at(0.5), spread: (at(0.75) - at(0.25)) / at(0.5) };
}

/** Keeps results from being optimised away. */
const sink: unknown[] = [undefined];

/** The CPU time of the process, as other programs use the machine as well. */
function timed(run: Contestant['run'], inputs: number, passes: number): number {
  const start = process.cpuUsage();
  for (let pass = 0; pass < passes; pass++) for (let i = 0; i < inputs; i++) sink[0] = run(i);
  return nanosecondsSince(start) / (inputs * passes);
}

/** Nanoseconds of CPU that this process has used since a call of `process.cpuUsage`. */
export function nanosecondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) * 1000;
}
