/** Options of the emitted code. */
export interface EmitOptions {
  /**
   * Only emit what checks need: no filters, no planner, no second emission. For browsers and the edge, where size
   * matters.
   */
  readonly checksOnly?: boolean;
}
