import type { Attributes, Instant } from '../policy/index.js';
import type { Writing } from '../residual/index.js';
import type { CompiledTraces } from './judges.js';
import type { EvaluationLimits } from './limits.js';

/** The configuration that changes decisions (docs/spec/policy-language.md#configuration). */
export interface EngineOptions {
  /** For requests without a version. `default` when absent. */
  readonly defaultPolicyVersion?: string;
  /** For requests without a scope; a leading dot is dropped. The root when absent. */
  readonly defaultScope?: string;
  /**
   * Whether a scope that no policy lives in is looked for among its ancestors
   * (docs/spec/policy-language.md#preparing-a-check).
   */
  readonly lenientScopeSearch?: boolean;
  /**
   * Whether a condition that cannot be evaluated denies (docs/spec/policy-language.md#strict-evaluation). Needs
   * `traced`.
   */
  readonly strictEvaluation?: boolean;
  /** What conditions see as `globals`; an integer of the configuration is a bigint. */
  readonly globals?: Attributes;
  /** What a schema violation does (docs/spec/policy-language.md#enforcement). `none` when absent. */
  readonly schemaEnforcement?: SchemaEnforcement;
  /** The instant of a call; asked at most once a call, when a condition wants it. The system's when absent. */
  readonly clock?: () => Instant;
  /** How plans write their filters. Flat, with `has` where a DENY needs it, when absent. */
  readonly plan?: Writing;
  /** How much the conditions of a call may cost. */
  readonly limits?: EvaluationLimits;
  /**
   * The second emission of the bundle, whose conditions tell an error from false: for strict evaluation, and for what
   * audit asks of the engine.
   */
  readonly traced?: CompiledTraces;
}

export type SchemaEnforcement = 'none' | 'warn' | 'reject';

/** Options with nothing left open. */
export interface Settings {
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly lenientScopeSearch: boolean;
  readonly globals: Attributes;
  readonly schemaEnforcement: SchemaEnforcement;
  readonly clock: () => Instant;
  /** Undefined: as the planner does by itself. */
  readonly plan: Writing | undefined;
  readonly limits: EvaluationLimits;
  /** Present in strict evaluation, and only there. */
  readonly traced: CompiledTraces | undefined;
  /**
   * The same, in whatever evaluation, where the bundle's was given: what policies are asked with once more, for a
   * journal.
   */
  readonly forJournals: CompiledTraces | undefined;
}

/**
 * The settings of an engine. Throws when strict evaluation lacks the traced conditions, which is a mistake of the
 * program that embeds it.
 */
export function settingsOf(options: EngineOptions): Settings {
  if (options.strictEvaluation === true && options.traced === undefined)
    throw new Error('strict evaluation needs the traced conditions of the bundle');
  return {
    defaultPolicyVersion: options.defaultPolicyVersion ?? 'default',
    defaultScope: options.defaultScope ?? '',
    lenientScopeSearch: options.lenientScopeSearch ?? false,
    globals: options.globals ?? {},
    schemaEnforcement: options.schemaEnforcement ?? 'none',
    clock: options.clock ?? systemClock(),
    plan: options.plan,
    limits: options.limits ?? {},
    traced: options.strictEvaluation === true ? options.traced : undefined,
    forJournals: options.traced,
  };
}

/**
 * The time of the system. An instant is filled anew when it is asked, so that asking allocates nothing; the offset is
 * asked of the system once in a quarter of an hour, as no zone changes its offset but on one.
 */
function systemClock(): () => Instant {
  const instant = { seconds: 0, nanos: 0, offset: 0 };
  let quarter = Number.NaN;
  return () => {
    const milliseconds = Date.now();
    const current = Math.floor(milliseconds / 900_000);
    if (current !== quarter) {
      quarter = current;
      instant.offset = -new Date(milliseconds).getTimezoneOffset();
    }
    instant.seconds = Math.floor(milliseconds / 1000);
    instant.nanos = (milliseconds - instant.seconds * 1000) * 1_000_000;
    return instant;
  };
}
