import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../../server/config/duration.js';
import { addEngineFlags, type EngineFlags } from './engine-flags.js';

/** What `--fail-on` can name for decisions that are known, and for those that are proved. */
export const CHANGES = ['widened', 'narrowed'] as const;
/** Those that fail without the flag. */
export const FAILING = [...CHANGES, 'undecided'] as const;
/** Outputs and schemas, which are not compared, fail only if they are named. */
export const ALL_FAILING = [...FAILING, 'also-changed'] as const;
export type Failing = (typeof ALL_FAILING)[number];

/** Which solver proves. */
export interface SolverOptions {
  /** A command line that starts a solver; false for none. By default z3-solver, if it is installed. */
  readonly solver?: string | false | undefined;
}

/** Options of commands that prove something about all requests: what is looked at, how the engine decides, and how long. */
export interface ComparisonOptions extends EngineFlags, SolverOptions {
  readonly kind?: string;
  readonly action?: string;
  readonly scope?: string;
  readonly effort: number;
  /** A folder that gets every query. */
  readonly smt?: string;
  /** Limit in milliseconds. */
  readonly timeout: number;
}

/** Adds these options to a command. */
export function addComparisonOptions(command: Command): Command {
  const narrowed = command
    .option('--kind <glob>', 'only these resource kinds')
    .option('--action <glob>', 'only these actions')
    .option('--scope <scope>', 'only this scope; "" is the root');
  const tried = addEngineFlags(narrowed, {
    globals: 'file with the globals, YAML or JSON; without it, they can have any value',
    schemas: 'whether example requests must satisfy their schemas; default as in --config',
  }).option('--effort <number>', 'search effort, from 1 to 5', effort, 3);
  return addSolverOptions(tried)
    .option('--smt <dir>', 'write each solver query to this folder')
    .addOption(timeoutOption());
}

/** The time limit of a proof. */
export function timeoutOption(): Option {
  return new Option('--timeout <duration>', 'time limit; what remains is reported as undecided')
    .argParser(parseTimeout)
    .default(60_000, '"60s"');
}

/** Adds these options to a command. */
export function addSolverOptions(command: Command): Command {
  return command
    .option('--solver <command>', 'SMT solver program that reads SMT-LIB 2.6 on standard input, instead of z3-solver')
    .option('--no-solver', 'do not use a solver, even if z3-solver is installed');
}

/** Reads the value of `--fail-on`: a list of these results, or none. */
export function failing<Result extends string>(results: readonly Result[]): (text: string) => readonly Result[] {
  return (text) => {
    const words = text === 'none' ? [] : text.split(',');
    const named = words.flatMap((word) => results.find((result) => result === word) ?? []);
    if (named.length === words.length) return named;
    throw new InvalidArgumentError(`It must be a list of ${results.join(', ')}; or none.`);
  };
}

function effort(text: string): number {
  if (/^[1-5]$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 1 to 5.');
}

/** Reads a time limit, in milliseconds. */
function parseTimeout(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError('It must be a duration such as 60s.');
}
