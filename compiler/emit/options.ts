/** What is emitted. */
export interface EmitOptions {
  /**
   * Only what checks need: no filters, no planner, no second emission. For browsers and the edge, where each byte is
   * sent.
   */
  readonly checksOnly?: boolean;
}
