import type { CompiledBundle } from '../../runtime/engine/parts.js';
import type { PolicyLists, ResourcePolicy, SchemaReference } from '../../runtime/policy/index.js';
import type { EvaluationTime, Period } from '../service/call-times.js';
import type { CheckCall, CheckEntry, Decider, PlanCall } from '../service/decider.js';

/**
 * Records when the parts of a decision begin and end, for traced calls. The engine is unaware of it and decides as
 * usual, all resources at one instant: it processes the resources in turn, and reading an entry marks the beginning of
 * the next. Decisions are synchronous, so one clock serves all calls.
 */
export class DecisionClock {
  #current: Measurement | undefined;

  /**
   * The same policies, with schemas that notify this clock when they are used. A server without traces serves policies
   * unchanged.
   */
  watch(bundle: CompiledBundle): CompiledBundle {
    const { scoped } = bundle;
    if (scoped === undefined) return { ...bundle, resourcePolicies: this.#watchedPolicies(bundle) };
    // Only schemas of root policies are used, and reading the lists of such a bundle makes all policies.
    const root = { ...scoped.root, resourcePolicies: this.#watchedPolicies(scoped.root) };
    return Object.create(bundle, { scoped: { value: { ...scoped, root } } }) as CompiledBundle;
  }

  #watchedPolicies({ resourcePolicies }: PolicyLists): readonly ResourcePolicy[] {
    return resourcePolicies.map((policy) => {
      if (policy.schemas === undefined) return policy;
      const { principal, resource } = policy.schemas;
      const schemas = {
        ...(principal && { principal: this.#watched(principal) }),
        ...(resource && { resource: this.#watched(resource) }),
      };
      return { ...policy, schemas };
    });
  }

  /** Decides, and records one time for each resource. */
  check(engine: Decider, call: CheckCall, times: EvaluationTime[]): ReturnType<Decider['check']> {
    const measurement = new Measurement(times);
    return this.#during(measurement, () =>
      engine.check({ ...call, resources: call.resources.map((entry) => new WatchedEntry(entry, measurement)) }),
    );
  }

  /** Plans, and records the time. */
  plan(engine: Decider, call: PlanCall, times: EvaluationTime[]): ReturnType<Decider['plan']> {
    const measurement = new Measurement(times);
    measurement.turn();
    return this.#during(measurement, () => engine.plan(call));
  }

  #during<T>(measurement: Measurement, decide: () => T): T {
    this.#current = measurement;
    try {
      return decide();
    } finally {
      this.#current = undefined;
      measurement.finish();
    }
  }

  #watched(schema: SchemaReference): SchemaReference {
    const { violations } = schema;
    return {
      ...schema,
      violations: (attributes) => {
        if (this.#current === undefined) return violations(attributes);
        const start = performance.now();
        const found = violations(attributes);
        this.#current.schemaAsked(start);
        return found;
      },
    };
  }
}

/** The state of one decision: the current evaluation, and the completed ones. */
class Measurement {
  #start: number | undefined;
  #schema: Period | undefined;

  constructor(private readonly times: EvaluationTime[]) {}

  /** Moves on to the next resource. */
  turn(): void {
    this.finish();
    this.#start = performance.now();
  }

  /**
   * Principal and resource each have a schema: the time lasts from the beginning of the first to the end of the last.
   */
  schemaAsked(start: number): void {
    this.#schema = { start: this.#schema?.start ?? start, end: performance.now() };
  }

  finish(): void {
    if (this.#start === undefined) return;
    this.times.push({ start: this.#start, end: performance.now(), schema: this.#schema });
    this.#start = undefined;
    this.#schema = undefined;
  }
}

/** An entry of a check that reports when it is processed. */
class WatchedEntry implements CheckEntry {
  readonly actions: CheckEntry['actions'];
  readonly #resource: CheckEntry['resource'];
  readonly #measurement: Measurement;

  constructor({ actions, resource }: CheckEntry, measurement: Measurement) {
    this.actions = actions;
    this.#resource = resource;
    this.#measurement = measurement;
  }

  get resource(): CheckEntry['resource'] {
    this.#measurement.turn();
    return this.#resource;
  }
}
