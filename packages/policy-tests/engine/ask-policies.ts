import { fold } from '../../../compiler/optimise/index.js';
import type { Program } from '../../../compiler/ir/program.js';
import { makeBundle } from '../../analysis/program/bundle.js';
import type { Ask } from '../ask.js';
import { askEngine, type AskedPolicies, type AskOptions, type LoadedPolicies, type OnDecision } from './ask-engine.js';
import { decidesPartially } from './partial-tests.js';

/** Policies with their program, for tests that do not know some facts. */
export interface PoliciesWithProgram extends Omit<LoadedPolicies, 'partial'> {
  /** The program as its authors wrote it. Called for the first such test. */
  readonly lowered: () => Program | undefined;
}

/**
 * Evaluates policies in this process, as tests do.
 *
 * @param onDecision is called after each decision that is meaningful.
 */
export function askPolicies(
  { policies, traces, lowered }: PoliciesWithProgram,
  options: AskOptions,
  onDecision?: OnDecision,
): AskedPolicies {
  const partial = decidesPartially(() => {
    const program = lowered();
    return program && fold(program);
  });
  return askEngine({ policies, traces, partial }, options, onDecision);
}

/** Evaluates a program that is not emitted: a mutant, or what mutants are made of. */
export function askProgram(lowered: Program, options: AskOptions): Ask {
  const { bundle: policies, traced: traces, program } = makeBundle(fold(lowered));
  return askEngine({ policies, traces, partial: decidesPartially(() => program, true) }, options).ask;
}
