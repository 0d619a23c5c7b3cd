import { type Command, InvalidArgumentError, Option } from 'commander';

/** The forms of a coverage report: one is printed, the others are files. */
const COVERAGE_FORMATS = ['text', 'json', 'lcov', 'html'] as const;

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
    .option('--coverage', 'measure which rules and condition clauses the tests exercise')
    .addOption(
      new Option('--coverage-output <format>', 'coverage format; repeatable; all but text are written to files')
        .choices([...COVERAGE_FORMATS])
        .argParser((format: string, earlier: readonly string[] = []) => [...earlier, knownFormat(format)]),
    )
    .option('--coverage-dir <dir>', 'folder of these files; default is coverage')
    .option('--min-coverage <percent>', 'minimum rule and clause coverage in percent', percentage)
    .option('--min-mcdc <percent>', 'minimum MC/DC coverage in percent', percentage);
}

function knownFormat(format: string): string {
  if ((COVERAGE_FORMATS as readonly string[]).includes(format)) return format;
  throw new InvalidArgumentError(`Allowed choices are ${COVERAGE_FORMATS.join(', ')}.`);
}

/** A percentage of the command line. */
export function percentage(text: string): number {
  const percent = Number(text);
  if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent;
  throw new InvalidArgumentError('It must be a number from 0 to 100.');
}
