import type { Program } from '../ir/program.js';
import type { PolicyDocuments, PolicyTexts } from '../ir/serialised.js';

/** Options of the emitted code. */
export interface EmitOptions {
  /**
   * Only emit what checks need: no filters, no planner, no second emission. For browsers and the edge, where size
   * matters.
   */
  readonly checksOnly?: boolean;
  /** The number of policies with a scope from which each scope has a module, if not the usual one. */
  readonly scopedFrom?: number;
  /** The program with folded literals, without the passes that change conditions; present to emit what decides while
   * facts are unknown, too. */
  readonly factsProgram?: Program;
  /** Present to emit what explains decisions, too. */
  readonly explained?: Explained;
}

/** What a bundle that explains its decisions contains beside the policies. */
export interface Explained {
  /** The program with folded literals, without the passes that change conditions. */
  readonly program: Program;
  /** The texts that it was compiled from, by path below the folder of the policies, in path order. */
  readonly texts: PolicyTexts;
  readonly documents: PolicyDocuments;
}
