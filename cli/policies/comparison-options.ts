import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../server/config/duration.js';

/** What `--fail-on` can name. */
export const FAILING = ['widened', 'narrowed', 'undecided'] as const;
export type Failing = (typeof FAILING)[number];

/** Options of commands that prove something about all requests: what is looked at, how the engine decides, and how long. */
export interface ComparisonOptions {
  readonly kind?: string;
  readonly action?: string;
  readonly scope?: string;
  readonly config?: string;
  readonly defaultPolicyVersion?: string;
  readonly defaultScope?: string;
  readonly lenientScopeSearch?: boolean;
  /** A file. */
  readonly globals?: string;
  readonly schemas?: 'enforce' | 'ignore';
  readonly effort: number;
  /** A command line that starts a solver; false for none. By default z3-solver, if it is installed. */
  readonly solver?: string | false;
  /** A folder that gets every query. */
  readonly smt?: string;
  /** In milliseconds. */
  readonly timeout: number;
}

/** Adds these options to a command. */
export function addComparisonOptions(command: Command): Command {
  return command
    .option('--kind <glob>', 'look only at resources of these kinds')
    .option('--action <glob>', 'look only at these actions')
    .option('--scope <scope>', 'look only at this scope; "" is the root')
    .option('--config <file>', 'a configuration of the server, for the options of the engine')
    .option('--default-policy-version <version>', 'the version of requests without one')
    .option('--default-scope <scope>', 'the scope of requests without one')
    .option('--lenient-scope-search', 'search the scopes above one that has no policy')
    .option('--globals <file>', 'the globals, as YAML or JSON; without it they can have any value')
    .addOption(
      new Option(
        '--schemas <mode>',
        'whether requests that are shown satisfy their schemas; default as in --config',
      ).choices(['enforce', 'ignore']),
    )
    .option('--effort <number>', 'from 1 to 5: how much is tried', effort, 3)
    .option('--solver <command>', 'a program that reads SMT-LIB 2.6 on standard input, in place of z3-solver')
    .option('--no-solver', 'use no solver, also if z3-solver is installed')
    .option('--smt <dir>', 'write every query for the solver to this folder')
    .option('--timeout <duration>', 'how long it may take; what is left is not decided', duration, 60_000);
}

/** The value of `--fail-on`. */
export function failing(text: string): readonly Failing[] {
  const words = text === 'none' ? [] : text.split(',');
  const unknown = words.find((word) => !(FAILING as readonly string[]).includes(word));
  if (unknown === undefined) return words as readonly Failing[];
  throw new InvalidArgumentError(`It is a list of ${FAILING.join(', ')}; or none.`);
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
