import {
  type AuditedEngine,
  type CheckRequest,
  type CheckResult,
  createAuditedEngine,
  type SchemaEnforcement,
} from '#runtime/engine';
import { ALLOW, type Instant, type TracedBundle } from '#runtime/policy';
import type { BundleModule } from '../../compiler/bundle/import-bundle.js';
import type { Ask, Decision, Question } from '../../compiler/policy-tests/ask.js';
import type { Trace } from '../../compiler/policy-tests/results.js';
import type { TestOptions } from '../../compiler/policy-tests/suite.js';

/** Options of the engine for all tests. */
export interface AskOptions {
  /** Whether every test is strict. A test can turn strict evaluation on, but not off. */
  readonly strictEvaluation: boolean;
  readonly schemaEnforcement: SchemaEnforcement;
}

/** Policies that tests can evaluate. */
export interface AskedPolicies {
  readonly ask: Ask;
  /** The number of calls in which attributes did not satisfy their schemas. */
  readonly violations: () => number;
}

/** Evaluates policies in this process, as tests do: with one engine for each set of options. */
export async function askEngine({ policies, traced }: BundleModule, options: AskOptions): Promise<AskedPolicies> {
  const traces = await traced();
  let violations = 0;
  const engines = new Map<string, TimedEngine>();
  const engineFor = (own: TestOptions): TimedEngine => {
    const key = keyOf(own);
    const engine = engines.get(key) ?? timedEngine(policies, own, { ...options, traces });
    engines.set(key, engine);
    return engine;
  };
  const ask: Ask = (question) => {
    const { engine, time } = engineFor(question.options);
    time.now = question.options.now;
    time.wasMissed = false;
    const request = requestOf(question);
    const [result] = engine.check(request) as readonly [CheckResult];
    const missedTime = time.wasMissed;
    if (result.validationErrors.length > 0) violations += 1;
    return {
      missedTime,
      decisions: decisionsOf(result, question.traced ? engine.evaluationErrors(request) : undefined),
    };
  };
  return { ask, violations: () => violations };
}

/** An engine, and the time of its clock. */
interface TimedEngine {
  readonly engine: AuditedEngine;
  readonly time: { now: Instant | undefined; wasMissed: boolean };
}

interface EngineNeeds extends AskOptions {
  readonly traces: TracedBundle;
}

/** The engine calls its clock when a condition first reads the time: this shows that one did. */
function timedEngine(
  policies: BundleModule['policies'],
  options: TestOptions,
  { strictEvaluation, schemaEnforcement, traces }: EngineNeeds,
): TimedEngine {
  const time: TimedEngine['time'] = { now: undefined, wasMissed: false };
  const engine = createAuditedEngine(policies, {
    ...(options.defaultPolicyVersion && { defaultPolicyVersion: options.defaultPolicyVersion }),
    ...(options.defaultScope && { defaultScope: options.defaultScope }),
    lenientScopeSearch: options.lenientScopeSearch,
    strictEvaluation: strictEvaluation || options.strictEvaluation,
    globals: options.globals,
    schemaEnforcement,
    traced: traces,
    clock: () => {
      if (time.now === undefined) time.wasMissed = true;
      return time.now ?? EPOCH;
    },
  });
  return { engine, time };
}

/** A placeholder for an unknown time; decisions that depend on it are discarded. */
const EPOCH: Instant = { seconds: 0, nanos: 0, offset: 0 };

/** The time is set for each call. */
function keyOf({ now: _, ...options }: TestOptions): string {
  return JSON.stringify(options);
}

/**
 * Includes meta so that all derived roles of a scope are evaluated, even those that no rule of the actions uses: their
 * conditions may read the time.
 */
function requestOf({ principal, resource, actions, auxData }: Question): CheckRequest {
  return { principal, resources: [{ resource, actions }], auxData, includeMeta: true };
}

function decisionsOf(
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
