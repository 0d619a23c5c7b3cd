/**
 * The parts of the engine that generated code brings along, where policies need them
 * (runtime/engine/compiled-bundle.ts).
 */
export type { CompiledBundle } from '../engine/compiled-bundle.js';
export type { CompiledTraces } from '../engine/judges.js';
export { planner } from '../engine/planner.js';
export { principalJudge } from '../engine/principal-chain.js';
export { roleJudge } from '../engine/role-scopes.js';
export { guard } from '../engine/guard.js';
export { visitRules } from '../engine/visit-rules.js';
