import type { AnyPermissions, Attributes, Instant } from '../policy/index.js';
import type { Writing } from '../residual/index.js';
import type { CompiledBundle } from './bundle.js';
import type { CapabilityEngine } from './capability-requests.js';
import type { CompiledTraces } from './decide/evaluation.js';
import type { Explanation } from './decision-trace.js';
import type { Registry } from './find/registry.js';
import { type EvaluationLimits, type ResolvedLimits, resolveLimits } from './limits.js';
import type { Plan, PlanSettings } from './plan/planner.js';
import type {
  AccessRequest,
  CheckRequest,
  CheckResult,
  DecidingRoles,
  DefinedRoles,
  GivenRoles,
  GivenRolesRequest,
  PlanRequest,
  PlanResult,
  PrincipalInput,
  PrincipalOptions,
  RolesRequest,
  SchemaEnforcement,
  TenantDocuments,
  UntypedPrincipal,
} from './requests.js';
import type { PlanSubjects } from './subject-plans.js';

/** The options that change decisions (docs/spec/policy-language.md#configuration). */
export interface EngineOptions {
  /** The version of requests without one. Default: `default`. */
  readonly defaultPolicyVersion?: string;
  /** The scope of requests without one; a leading dot is ignored. Default: the root. */
  readonly defaultScope?: string;
  /**
   * Whether a scope without policies falls back to its nearest ancestor with policies
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
  /** The effect of a schema violation (docs/spec/policy-language.md#enforcement). Default: `none`. */
  readonly schemaEnforcement?: SchemaEnforcement;
  /**
   * The time of a call; read at most once per call, by the first condition that needs it. Default: the system clock.
   */
  readonly clock?: () => Instant;
  /** The shape of the filters of plans. Default: flat, with `has` where a DENY needs it. */
  readonly plan?: Writing;
  /** The limits on the conditions of a call. */
  readonly limits?: EvaluationLimits;
  /** The bundle's `traced`, whose conditions tell an error from false. Strict evaluation and explanations need it. */
  readonly traced?: CompiledTraces;
  /** Optional parts, in any order: `delegation()`, `tenants()`, `explanations()`, `capabilities()`, `subjects` of a bundle. */
  readonly use?: readonly EnginePart[];
}

/** Options with their defaults. */
export interface Settings extends PlanSettings {
  readonly limits: ResolvedLimits;
  /** Only in strict evaluation. */
  readonly traced: CompiledTraces | undefined;
  /** `EngineOptions.traced`, also if evaluation is not strict, to explain decisions. */
  readonly tracesToExplain: CompiledTraces | undefined;
}

/**
 * An optional part of an engine (`EngineOptions.use`): adds itself to one. Programs that do not import it do not carry
 * its code.
 */
export type EnginePart = (engine: ExtensibleEngine) => void;

/** An engine to which parts add themselves. */
export interface ExtensibleEngine extends UntypedEngine {
  readonly bundle: CompiledBundle;
  readonly settings: Settings;
  readonly registry: Registry;
  /** The parts that decide about some principals. No two of them handle the same one. */
  readonly handlers: PrincipalHandler[];
  /** Explains a request that no handler decides. */
  explanation: Explain | undefined;
  tenants: TenantRolesView | undefined;
  capabilities: CapabilityEngine<AnyPermissions>['capabilities'];
  planCapabilities: CapabilityEngine<AnyPermissions>['planCapabilities'];
  planSubjects: PlanSubjects;
  /** The planner of the bundle. */
  planner(): Plan;
  /** The part that decides about a principal; undefined if the engine does. */
  findHandler(principal: PrincipalInput): PrincipalHandler | undefined;
  /** Whether roles are computed from those of a caller, so that there may be none. */
  mayLackRoles: boolean;
}

/** Decides a request once more and returns what its result leaves out. */
export type Explain = (request: CheckRequest | PlanRequest) => Explanation;

/** The calls of an engine, for any kind and action. */
export interface UntypedEngine {
  check(request: CheckRequest): readonly CheckResult[];
  isAllowed(request: AccessRequest): boolean;
  plan(request: PlanRequest): PlanResult;
  for(principal: PrincipalInput, options?: PrincipalOptions): UntypedPrincipal;
  explain(request: CheckRequest | PlanRequest): Explanation;
  asOne<Result>(work: () => Result): Result;
}

/** Decides requests about some principals, by several requests that the engine decides. */
export interface PrincipalHandler extends Omit<UntypedEngine, 'asOne'> {
  /** Whether requests about a principal are decided here. */
  handles(principal: PrincipalInput): boolean;
}

/** The roles that tenants define, as an engine with `tenants()` knows them. */
export interface TenantRolesView {
  /** The roles with which the policies decide about one action, of a principal without its actors. */
  rolesFor(request: RolesRequest): DecidingRoles;
  /** The roles of a principal that the document of its tenant defines, whatever is asked. Without its actors. */
  definedRoles(principal: PrincipalInput, documents?: TenantDocuments): DefinedRoles;
  /** What each role of a tenant stands for when one action is decided, for principals of a scope. */
  givenRoles(request: GivenRolesRequest): GivenRoles;
}

/** Fills in defaults. Throws if strict evaluation lacks the traced conditions, which is a bug of the caller. */
export function resolveSettings({
  defaultPolicyVersion = 'default',
  defaultScope = '',
  lenientScopeSearch = false,
  globals = {},
  schemaEnforcement = 'none',
  clock = systemClock(),
  plan,
  limits,
  traced,
  strictEvaluation,
}: EngineOptions): Settings {
  if (strictEvaluation === true && traced === undefined) throw new Error('strictEvaluation needs `traced`');
  return {
    defaultPolicyVersion,
    defaultScope,
    lenientScopeSearch,
    globals,
    schemaEnforcement,
    clock,
    plan,
    limits: resolveLimits(limits),
    traced: strictEvaluation === true ? traced : undefined,
    tracesToExplain: traced,
  };
}

/**
 * The system clock. It fills one instant again for each call, so that it does not allocate. The time zone offset is
 * read once per quarter of an hour, as zones change their offset only on one.
 */
export function systemClock(): () => Instant {
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
