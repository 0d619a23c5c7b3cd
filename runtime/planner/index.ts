/** What plans by a bundle: generated code brings it along, unless it was compiled for checks only. */
export { planner } from '../engine/planner.js';
export type { PlannedBundle } from '../engine/planning.js';
