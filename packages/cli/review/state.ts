import { InputError } from '../report.js';
import type { CommandContext } from '../context.js';
import { replaceFiles } from '../outputs/replace-files.js';
import { readText } from '../policies/request-files.js';
import type { Decision, PairName } from './export.js';
import type { PopulationDigest } from './population.js';

/** A review that was started: what it is about, and what was decided. */
export interface ReviewState {
  readonly format: 1;
  readonly started: string;
  readonly policies: string;
  readonly actions: readonly string[];
  readonly population: PopulationDigest;
  readonly decisions: readonly (PairName & Decision)[];
}

/** Reads the file of a review. Throws an InputError for another one. */
export function readReview(file: string, context: CommandContext): ReviewState {
  const state = readJson(file, context) as Partial<ReviewState> | null;
  const isReview =
    typeof state === 'object' &&
    state?.format === 1 &&
    Array.isArray(state.decisions) &&
    Array.isArray(state.actions) &&
    typeof state.population === 'object';
  if (!isReview)
    throw new InputError('this is not the file of a review: `authzc review start` writes one', undefined, [], file);
  return state as ReviewState;
}

/** Writes the file of a review. */
export function writeReview(path: string, state: ReviewState): void {
  replaceFiles([{ path, text: `${JSON.stringify(state, undefined, 2)}\n`, durable: true }]);
}

/** Reads a file of JSON. Throws an InputError for one that is not JSON. */
export function readJson(file: string, context: CommandContext): unknown {
  try {
    return JSON.parse(readText(file, context)) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) throw new InputError('expected JSON', undefined, [], file);
    throw error;
  }
}
