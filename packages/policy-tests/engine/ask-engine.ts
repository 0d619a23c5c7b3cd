import {
  type AccessRequest,
  type Engine,
  type CheckRequest,
  type CheckResult,
  type CompiledBundle,
  type CompiledTraces,
  createEngine,
  type EngineOptions,
  type SchemaEnforcement,
  explanations,
  mergeErrors,
} from '../../../runtime/engine/index.js';
import { ALLOW, type Instant } from '../../../runtime/policy/index.js';
import type { Answer, Ask, Decision, Question } from '../ask.js';
import type { Trace } from '../results.js';
import type { TestOptions } from '../suite.js';
import type { UnknownFacts } from '../unknown-facts.js';

/** Options of the engine for all tests. */
export interface AskOptions {
  /** Whether every test is strict. A test can turn strict evaluation on, but not off. */
  readonly strictEvaluation: boolean;
  readonly schemaEnforcement: SchemaEnforcement;
}

/** A bundle, and its traced conditions. */
export interface LoadedPolicies {
  readonly policies: CompiledBundle;
  readonly traces: CompiledTraces;
  readonly partial: MakePartialTests;
}

/** Decides tests that do not know some facts. */
export interface PartialTests {
  /**
   * Decides an action.
   *
   * @param onDecided called with the result of the engine, and the request that it decided, unless the result is
   * `UNKNOWN`.
   */
  readonly decide: (
    question: Question,
    action: string,
    unknown: UnknownFacts,
    onDecided: (result: CheckResult, request: AccessRequest) => void,
  ) => Decision;
}

/** Makes what decides tests that do not know some facts; called when there is one. */
export type MakePartialTests = (engine: Engine, guard: CompiledBundle['guard'], options: EngineOptions) => PartialTests;

/** Policies that tests can evaluate. */
export interface AskedPolicies {
  readonly ask: Ask;
  /** The number of calls in which attributes did not satisfy their schemas. */
  readonly violations: () => number;
}

/** Is told of each decision: the request, and the options of the engine that decided. */
export type OnDecision = (request: AccessRequest, options: EngineOptions) => void;

/**
 * Evaluates policies in this process, as tests do: with one engine for each set of options.
 *
 * @param onDecision is called after each decision that is meaningful.
 */
export function askEngine(
  { policies, traces, partial }: LoadedPolicies,
  options: AskOptions,
  onDecision?: OnDecision,
): AskedPolicies {
  let violations = 0;
  const engines = new Map<string, TimedEngine>();
  const engineFor = (own: TestOptions): TimedEngine => {
    const key = makeOptionsKey(own);
    const engine = engines.get(key) ?? timedEngine(policies, own, { ...options, traces });
    engines.set(key, engine);
    return engine;
  };
  const askPartially = (question: Question, unknown: UnknownFacts, timed: TimedEngine): Answer => {
    const { engine, engineOptions, time } = timed;
    const tests = timed.partial ?? partial(engine, policies.guard, engineOptions);
    timed.partial = tests;
    const decided: AccessRequest[] = [];
    const decisions = question.actions.map((action) =>
      tests.decide(question, action, unknown, ({ validationErrors }, request) => {
        if (validationErrors.length > 0) violations += 1;
        decided.push(request);
      }),
    );
    // What is unknown was not evaluated.
    if (!time.wasMissed) for (const request of decided) onDecision?.(request, engineOptions);
    return { missedTime: time.wasMissed, decisions };
  };
  const ask: Ask = (question) => {
    const timed = engineFor(question.options);
    const { engine, time, engineOptions } = timed;
    time.now = question.options.now;
    time.wasMissed = false;
    if (question.unknown !== undefined && question.unknown.size > 0)
      return askPartially(question, question.unknown, timed);
    const request = makeRequest(question);
    const [result] = engine.check(request) as readonly [CheckResult];
    const missedTime = time.wasMissed;
    if (result.validationErrors.length > 0) violations += 1;
    if (onDecision !== undefined && !missedTime) {
      const { principal, resource, auxData } = question;
      for (const action of question.actions) onDecision({ principal, resource, action, auxData }, engineOptions);
    }
    return {
      missedTime,
      decisions: listDecisions(result, question.traced ? mergeErrors(engine.explain(request)) : undefined),
    };
  };
  return { ask, violations: () => violations };
}

/** An engine, and the time of its clock. */
interface TimedEngine {
  readonly engine: Engine;
  readonly engineOptions: EngineOptions;
  readonly time: { now: Instant | undefined; wasMissed: boolean };
  /** Made for the first test that does not know some facts. */
  partial?: PartialTests;
}

interface EngineNeeds extends AskOptions {
  readonly traces: CompiledTraces;
}

/** The engine calls its clock when a condition first reads the time: this shows that one did. */
function timedEngine(
  policies: CompiledBundle,
  options: TestOptions,
  { strictEvaluation, schemaEnforcement, traces }: EngineNeeds,
): TimedEngine {
  const time: TimedEngine['time'] = { now: undefined, wasMissed: false };
  const engineOptions: EngineOptions = {
    ...makeEngineOptions(options, { strictEvaluation, schemaEnforcement }),
    traced: traces,
    clock: () => {
      if (time.now === undefined) time.wasMissed = true;
      return time.now ?? EPOCH;
    },
  };
  return { engine: createEngine(policies, { ...engineOptions, use: [explanations()] }), time, engineOptions };
}

/** The options of the engine for a test, without its clock. */
export function makeEngineOptions(
  { defaultPolicyVersion, defaultScope, lenientScopeSearch, strictEvaluation, globals }: TestOptions,
  options: AskOptions,
): EngineOptions {
  return {
    ...(defaultPolicyVersion && { defaultPolicyVersion }),
    ...(defaultScope && { defaultScope }),
    lenientScopeSearch,
    strictEvaluation: options.strictEvaluation || strictEvaluation,
    globals,
    schemaEnforcement: options.schemaEnforcement,
  };
}

/** A placeholder for an unknown time; decisions that depend on it are discarded. */
const EPOCH: Instant = { seconds: 0, nanos: 0, offset: 0 };

/** The options of an engine. The time is set for each call. */
export function makeOptionsKey({ now: _, ...options }: TestOptions): string {
  return JSON.stringify(options);
}

/**
 * Includes meta so that all derived roles of a scope are evaluated, even those that no rule of the actions uses: their
 * conditions may read the time.
 */
function makeRequest({ principal, resource, actions, auxData }: Question): CheckRequest {
  return { principal, resources: [{ resource, actions }], auxData, includeMeta: true };
}

function listDecisions(
  { actions, outputs, effectiveDerivedRoles, validationErrors }: CheckResult,
  evaluationErrors: Trace['evaluationErrors'] | undefined,
): readonly Decision[] {
  return actions.map(({ action, effect, matchedPolicy, matchedScope }) => ({
    action,
    effect: effect === ALLOW ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
    outputs: outputs.filter((output) => output.action === action),
    trace: evaluationErrors && {
      matchedPolicy,
      matchedScope,
      effectiveDerivedRoles,
      evaluationErrors,
      validationErrors,
    },
  }));
}
