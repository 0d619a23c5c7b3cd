import { type Command, InvalidArgumentError } from 'commander';
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
  /** In milliseconds. */
  readonly timeout: number;
}

/** Adds these options to a command. */
export function addComparisonOptions(command: Command): Command {
  const narrowed = command
    .option('--kind <glob>', 'look only at resources of these kinds')
    .option('--action <glob>', 'look only at these actions')
    .option('--scope <scope>', 'look only at this scope; "" is the root');
  const tried = addEngineFlags(narrowed, {
    globals: 'the globals, as YAML or JSON; without it they can have any value',
    schemas: 'whether requests that are shown satisfy their schemas; default as in --config',
  }).option('--effort <number>', 'from 1 to 5: how much is tried', effort, 3);
  return addSolverOptions(tried)
    .option('--smt <dir>', 'write every query for the solver to this folder')
    .option('--timeout <duration>', 'how long it may take; what is left is not decided', duration, 60_000);
}

/** Adds these options to a command. */
export function addSolverOptions(command: Command): Command {
  return command
    .option('--solver <command>', 'a program that reads SMT-LIB 2.6 on standard input, in place of z3-solver')
    .option('--no-solver', 'use no solver, also if z3-solver is installed');
}

/** Reads the value of `--fail-on`: a list of these results, or none. */
export function failing<Result extends string>(results: readonly Result[]): (text: string) => readonly Result[] {
  return (text) => {
    const words = text === 'none' ? [] : text.split(',');
    const named = words.flatMap((word) => results.find((result) => result === word) ?? []);
    if (named.length === words.length) return named;
    throw new InvalidArgumentError(`It is a list of ${results.join(', ')}; or none.`);
  };
}

function effort(text: string): number {
  if (/^[1-5]$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a number from 1 to 5.');
}

function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError('It is a duration such as 60s.');
}
