import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../../server/config/duration.js';

/** What tests are suggested for. */
const GOALS = ['uncovered', 'mutants'] as const;

/** How tests are suggested. */
export interface SuggestionOptions {
  /** `true`: `uncovered`. */
  readonly suggest?: true | (typeof GOALS)[number];
  /** The file of the suite; standard output without. */
  readonly write?: string;
  /** Milliseconds for the whole search. */
  readonly suggestTimeout?: number;
}

/** What tests are suggested for; undefined if none are. */
export function suggestedFor({ suggest }: SuggestionOptions): (typeof GOALS)[number] | undefined {
  return suggest === true ? 'uncovered' : suggest;
}

/** Adds these options to a command. */
export function addSuggestionOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--suggest [goal]',
        'print a suite of missing tests: for what no test exercises (uncovered, the default), or for mutants that no test catches (mutants)',
      )
        .choices([...GOALS])
        .conflicts('watch'),
    )
    .option('--write <file>', 'write the suggested suite to a new file')
    .option('--suggest-timeout <duration>', 'time limit of the search; default is 60s', duration);
}

function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError('It must be a duration such as 60s.');
}
