import type { Explanation, SearchOptions } from '../../../runtime/engine/parts.js';
import type { AccessRequest, EngineOptions } from '../../../runtime/engine/index.js';
import type { Instant } from '../../../runtime/policy/index.js';
import { currentInstant, makeExplainer } from './explain.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import type { Program } from '../../../compiler/ir/program.js';
import { fold } from '../../../compiler/optimise/index.js';

/** Explains decisions about one action, of engines with the same options. */
export type Explain = (request: AccessRequest, isAllowed: boolean, search?: SearchOptions) => Explanation;

/**
 * Explains what an engine of the emitted code has decided. The explanation decides for itself, with the program as its
 * authors wrote it; a different decision is a bug.
 *
 * @param options those of the engine. The clock must always tell the same time.
 */
export function explainDecisions(lowered: Program, options: EngineOptions): Explain {
  const explainer = makeExplainer(fold(lowered), options);
  return (request, isAllowed, search) => {
    const explanation = explainer.explain(request, search);
    if (isAllowed !== (explanation.decision === 'ALLOW')) throw invariant('the explanation differs from the decision');
    return explanation;
  };
}

/** A clock that always tells the same time, by default that of this call: a decision is made again to explain it. */
export function stoppedClock(now: Instant = currentInstant()): () => Instant {
  return () => now;
}
