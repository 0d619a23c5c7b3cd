import type { Instant } from '../../../runtime/policy/index.js';
import type { Explainer, Explanation } from '../../../runtime/engine/parts.js';
import { makeExplainer } from '../../analysis/explain/explain.js';
import { briefExplanation, type PrettyOptions } from '../../analysis/explain/report/pretty.js';
import type { Program } from '../../../compiler/ir/program.js';
import { fold } from '../../../compiler/optimise/index.js';
import type { CaseExplanation, CaseResult, TestResults } from '../results.js';
import type { TestOptions } from '../suite.js';
import { type AskOptions, makeEngineOptions, makeOptionsKey } from './ask-engine.js';
import { stoppedClock } from '../../analysis/explain/explain-decisions.js';

/** Adds to each failed test why it was decided so. */
export function explainFailures(
  results: TestResults,
  lowered: Program,
  options: AskOptions,
  style: PrettyOptions,
): TestResults {
  const explainers = new TestExplainers(fold(lowered), options);
  const explained = (own: CaseResult): CaseResult => {
    // With facts that are unknown, conditions have no values to show.
    if (own.details.kind !== 'failed' || own.asked.unknown !== undefined) return own;
    const explanation = explainers.explain(own);
    return explanation === undefined ? own : { ...own, details: { ...own.details, ...shown(own, explanation, style) } };
  };
  return { ...results, suites: results.suites.map((suite) => ({ ...suite, cases: suite.cases.map(explained) })) };
}

/** Formats an output; for a missing one, it shows the condition of its rule. */
function shown(
  { details }: CaseResult,
  explanation: Explanation,
  style: PrettyOptions,
): { readonly explanation?: CaseExplanation } {
  const unmet = details.kind === 'failed' ? details.outputs : [];
  const missing = unmet.flatMap(({ kind, src }) => (kind === 'missing' ? src : []));
  const isAboutEffect = unmet.length === 0;
  const lines = isAboutEffect || missing.length > 0 ? briefExplanation(explanation, style, missing) : [];
  return { explanation: { lines, data: explanation } };
}

/** An explainer for each set of options of a test, with the time of that test. */
class TestExplainers {
  private readonly explainers = new Map<string, Explainer>();
  private readonly systemTime = stoppedClock();
  private now: Instant | undefined = undefined;

  constructor(
    private readonly program: Program,
    private readonly options: AskOptions,
  ) {}

  /** Undefined if the action is decided otherwise alone (docs/spec/policy-language.md#rules-that-share-a-name). */
  explain({ asked, action, details }: CaseResult): Explanation | undefined {
    const { principal, resource, auxData, options } = asked;
    this.now = options.now;
    const explanation = this.explainerFor(options).explain({ principal, resource, auxData, action });
    const isSame = details.kind === 'failed' && details.actual === `EFFECT_${explanation.decision}`;
    return isSame ? explanation : undefined;
  }

  private explainerFor(options: TestOptions): Explainer {
    const key = makeOptionsKey(options);
    const known = this.explainers.get(key);
    if (known !== undefined) return known;
    // A decision that reads the time has one; an explanation evaluates every part of a condition.
    const clock = (): Instant => this.now ?? this.systemTime();
    const explainer = makeExplainer(this.program, { ...makeEngineOptions(options, this.options), clock });
    this.explainers.set(key, explainer);
    return explainer;
  }
}
