import { type Command, InvalidArgumentError, Option } from 'commander';
import { percentage } from './coverage-options.js';

/** The formats of a report about mutants: one is printed, the other is a file. */
const MUTATION_FORMATS = ['text', 'json'] as const;

/** How tests are tried with mutants. */
export interface MutationOptions {
  /** Whether they are. Each of the others implies it. */
  readonly mutate?: boolean;
  readonly mutateOutput?: readonly (typeof MUTATION_FORMATS)[number][];
  /** The folder of the files. */
  readonly mutateDir?: string;
  /** The least percentage of mutants that tests notice. */
  readonly minScore?: number;
  /** The number of mutants to choose at random, and the seed. */
  readonly mutants?: number;
  readonly seed?: number;
  /** Which rules are changed. */
  readonly rule?: string;
}

/** Whether the options ask for mutants. */
export function mutates({ mutate, ...others }: MutationOptions): boolean {
  const { mutateOutput, minScore, mutants, seed, rule } = others;
  return mutate === true || [mutateOutput, minScore, mutants, seed, rule].some((option) => option !== undefined);
}

/** Adds these options to a command. */
export function addMutationOptions(command: Command): Command {
  return command
    .option('--mutate', 'run mutation testing: report changes to the policies that no test catches')
    .addOption(
      new Option('--mutate-output <format>', 'mutation report format; repeatable; json is written to a file')
        .choices([...MUTATION_FORMATS])
        .argParser((format: string, earlier: readonly string[] = []) => [...earlier, knownFormat(format)]),
    )
    .option('--mutate-dir <dir>', 'folder of this file; default is mutation')
    .option('--min-score <percent>', 'minimum mutation score in percent', percentage)
    .option('--mutants <number>', 'test a random sample of this size', wholeNumber)
    .option('--seed <number>', 'seed of the random sample', wholeNumber)
    .option('--rule <glob>', 'mutate only these rules, by name or as resource.album.vdefault#owners');
}

function knownFormat(format: string): string {
  if ((MUTATION_FORMATS as readonly string[]).includes(format)) return format;
  throw new InvalidArgumentError(`Allowed choices are ${MUTATION_FORMATS.join(', ')}.`);
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
