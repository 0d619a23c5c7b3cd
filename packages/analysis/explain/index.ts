/** What explains decisions, as generated code imports it (`authz/runtime/explain`). It runs anywhere. */
import type { CompiledBundle, EngineOptions } from '../../../runtime/engine/index.js';
import type { Explainer } from '../../../runtime/engine/parts.js';
import { restoreProgram, type SerialisedProgram } from '../../../compiler/ir/serialised.js';
import { makeExplainer } from './explain.js';

export type {
  Change,
  Clause,
  ConditionTree,
  DecidingRule,
  ExplainedDerivedRole,
  ExplainedRule,
  Explainer,
  Explanation,
  FilePlace,
  NearMisses,
  Outcome,
  ReadValue,
  SearchOptions,
  Step,
  Verdict,
} from '../../../runtime/engine/parts.js';

/** Explains decisions of policies from their program, which is restored when an explainer is first asked for. */
export function explains(
  serialised: SerialisedProgram,
): (policies: CompiledBundle, options?: EngineOptions) => Explainer {
  let program: ReturnType<typeof restoreProgram> | undefined;
  return (policies, options) => {
    program ??= restoreProgram(serialised);
    return makeExplainer(program, options, policies);
  };
}
