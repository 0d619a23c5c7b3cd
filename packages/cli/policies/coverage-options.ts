import { type Command, InvalidArgumentError, Option } from 'commander';

/** The forms of a coverage report: one is printed, the others are files. */
export const COVERAGE_FORMATS = ['text', 'json', 'lcov', 'html'] as const;

/** How coverage is reported. */
export interface CoverageOptions {
  /** Whether it is measured. Each of the others implies it. */
  readonly coverage?: boolean;
  readonly coverageOutput?: readonly (typeof COVERAGE_FORMATS)[number][];
  /** The folder of the files. */
  readonly coverageDir?: string;
  /** The least percentage of rules and of truth values of clauses. */
  readonly minCoverage?: number;
  /** The least percentage of clauses that are shown to decide. */
  readonly minMcdc?: number;
}

/** Whether the options ask for coverage. */
export function measuresCoverage({ coverage, coverageOutput, minCoverage, minMcdc }: CoverageOptions): boolean {
  return coverage === true || [coverageOutput, minCoverage, minMcdc].some((option) => option !== undefined);
}

/** Adds these options to a command. */
export function addCoverageOptions(command: Command): Command {
  return command
    .option('--coverage', 'show which rules and clauses of conditions the tests exercise')
    .addOption(
      new Option('--coverage-output <format>', 'format of the coverage; repeatable; all but text are files')
        .choices([...COVERAGE_FORMATS])
        .argParser((format: string, earlier: readonly string[] = []) => [...earlier, knownFormat(format)]),
    )
    .option('--coverage-dir <dir>', 'the folder of these files; default is coverage')
    .option('--min-coverage <percent>', 'fail if fewer rules apply or clauses are covered', percentage)
    .option('--min-mcdc <percent>', 'fail if fewer clauses are shown to decide', percentage);
}

function knownFormat(format: string): string {
  if ((COVERAGE_FORMATS as readonly string[]).includes(format)) return format;
  throw new InvalidArgumentError(`Allowed choices are ${COVERAGE_FORMATS.join(', ')}.`);
}

/** A percentage of the command line. */
export function percentage(text: string): number {
  const percent = Number(text);
  if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent;
  throw new InvalidArgumentError('It is a number from 0 to 100.');
}
