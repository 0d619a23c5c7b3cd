import { makeExplainer } from '../../analysis/explain/explain.js';
import { isTrue } from '../../analysis/explain/condition-tree.js';
import { prettyCondition } from '../../analysis/explain/report/pretty.js';
import { makeEngineOptions, makeOptionsKey } from '../../policy-tests/engine/ask-engine.js';
import { makeProgram } from '../../../compiler/compile.js';
import { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import { plain } from '../../../compiler/diagnostics/paint.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import type { Program } from '../../../compiler/ir/program.js';
import type { SuiteFiles } from '../../../compiler/load/index.js';
import { fold } from '../../../compiler/optimise/index.js';
import { testCalls } from '../../policy-tests/run-tests.js';
import type { Evaluated, Evaluation } from '../evaluations.js';
import type { FolderTexts } from '../find-problems.js';
import type { ConditionTree, Explainer, Explanation, FilePlace } from '../../../runtime/engine/parts.js';

/** A rule or a derived role of a policy. */
export type ConditionPlace = Pick<FilePlace, 'file' | 'line'>;

/** Evaluates a condition of a folder. Throws an Error for policies that do not compile. */
export function evaluateIn(
  { sources, schemaTexts }: FolderTexts,
  suites: readonly SuiteFiles[],
  place: ConditionPlace,
): Evaluated {
  const { lowered } = makeProgram(sources, new Diagnostics(), { schemaTexts }) ?? {};
  if (lowered === undefined) throw new Error('the policies have errors: correct them first');
  return evaluateCondition(fold(lowered), suites, place);
}

/**
 * Evaluates a condition for each request of the tests that reaches it, in the order of the tests; the same result of
 * the same principal and resource comes once.
 *
 * @param program with folded literals.
 */
function evaluateCondition(program: Program, suites: readonly SuiteFiles[], place: ConditionPlace): Evaluated {
  const explainers = new Map<string, Explainer>();
  const evaluations = new Map<string, Evaluation>();
  const calls = testCalls(suites, { filter: new Map(), skipBatching: true, traced: false });
  for (const { question } of calls.slice(0, MOST_CALLS)) {
    const { principal, resource, actions, auxData, options } = question;
    const key = JSON.stringify([makeOptionsKey(options), options.now]);
    const explainer = explainers.get(key) ?? makeExplainer(program, engineFor(options));
    explainers.set(key, explainer);
    for (const action of actions) {
      const tree = conditionAt(explainer.explain({ principal, resource, action, auxData }), place);
      if (tree === undefined) continue;
      const evaluation = formatEvaluation(tree, visible(`${principal.id}, ${resource.kind} ${resource.id}`));
      evaluations.set(JSON.stringify(evaluation), evaluation);
    }
  }
  return { evaluations: [...evaluations.values()], isComplete: calls.length <= MOST_CALLS };
}

/** Each is decided and explained, and an editor waits for all. */
const MOST_CALLS = 1_000;

function engineFor(options: Parameters<typeof makeEngineOptions>[0]): Parameters<typeof makeExplainer>[1] {
  const { now } = options;
  return {
    ...makeEngineOptions(options, { strictEvaluation: false, schemaEnforcement: 'none' }),
    ...(now !== undefined && { clock: () => now }),
  };
}

function conditionAt({ steps }: Explanation, { file, line }: ConditionPlace): ConditionTree | undefined {
  const isThere = (place: FilePlace): boolean => place.file === file && place.line === line;
  for (const { place, condition, derivedRole } of steps.flatMap(({ rules }) => rules)) {
    if (condition !== undefined && isThere(place)) return condition;
    if (derivedRole?.condition !== undefined && isThere(derivedRole.place)) return derivedRole.condition;
  }
  return undefined;
}

function formatEvaluation(tree: ConditionTree, request: string): Evaluation {
  const isFailed = 'text' in tree && 'error' in tree.result;
  return {
    request,
    result: isFailed ? 'fails' : isTrue(tree) ? 'true' : 'false',
    lines: prettyCondition(tree, { paint: plain, pathOf: (path) => path, full: false }),
  };
}
