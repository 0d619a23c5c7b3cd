import type { Program } from '../ir/program.js';

/** Options of the emitted code. */
export interface EmitOptions {
  /**
   * Only emit what checks need: no filters, no planner, no second emission. For browsers and the edge, where size
   * matters.
   */
  readonly checksOnly?: boolean;
  /** The program before `optimise`, to emit what explains decisions, too. */
  readonly explained?: Program;
}
