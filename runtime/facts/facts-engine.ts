import type {
  AccessRequest,
  AccessRequestOf,
  AuxDataInput,
  Engine,
  EngineOptions,
  ResourceInput,
  TenantDocuments,
} from '../engine/index.js';
import type { ActionOf, AnyPermissions, KindOf, Permissions, PrincipalOf } from '../policy/index.js';
import type { RowLock } from './row-lock.js';
import type { FactsDecision } from './loop.js';
import type { CallerPolicy, FactSource } from './source.js';

/** The options of a facts engine. */
export interface FactsOptions {
  /** Where facts come from. A fact that no source provides is missing unless the caller sends it. */
  readonly sources: readonly FactSource[];
  /** The options of the engine that decides. */
  readonly engine?: EngineOptions | undefined;
  /** How long a decision may take, in milliseconds. Default: 1000. */
  readonly deadline?: number | undefined;
  /** Whether cheap sources are asked first (`frugal`, the default), or all that may matter at once (`fast`). */
  readonly order?: 'frugal' | 'fast' | undefined;
  /** Whether facts that the caller sends are used (the default), replaced by those of their source, or refused. */
  readonly caller?: CallerPolicy | undefined;
  /**
   * How far apart the facts of a decision may have been fetched, in milliseconds. Older ones are fetched once more, and
   * then fail with the reason `skew`. Default: any time. Facts of one transaction are of one state.
   */
  readonly maxSkew?: number | undefined;
  /** Called if the engine contradicts what was concluded from incomplete facts. That is a bug: please report it. */
  readonly onDisagreement?: ((request: AccessRequest) => void) | undefined;
}

/** How one decision is made. */
export interface DecideOptions {
  /** Passed to the sources. Rows that are read in a transaction are not kept. */
  readonly tx?: unknown;
  /**
   * Locks the row of the resource in the transaction, so that the decision holds until it ends. Its attributes are those of
   * the row, whatever the caller sends, and a resource without a row is denied. Needs `tx`, and a source that locks.
   */
  readonly lock?: RowLock | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Facts that no cache may provide, or all of them: after a write. */
  readonly fresh?: true | readonly string[] | undefined;
  /** The longest time, in milliseconds, if not that of the engine. */
  readonly deadline?: number | undefined;
  /** Whether to return outputs, derived roles and violations of schemas, too: all facts that they depend on are fetched. */
  readonly outputs?: boolean | undefined;
}

/** The plans, projections or transactions that a principal is prepared for. */
export interface PrincipalQuery<P extends Permissions = AnyPermissions, K extends KindOf<P> = KindOf<P>> {
  readonly kinds: readonly K[];
  readonly actions: readonly ActionOf<P, K>[];
  /** The scope and the version of the resources. */
  readonly scope?: string | undefined;
  readonly policyVersion?: string | undefined;
  /** The documents of the tenants, if the engine has none or others: those that the plan is given. */
  readonly tenants?: TenantDocuments | undefined;
}

/** What a session is about. */
export interface SessionOptions extends DecideOptions {
  readonly auxData?: AuxDataInput | undefined;
  readonly tenants?: TenantDocuments | undefined;
}

/** Several actions on several resources. */
export interface ManyRequest<P extends Permissions = AnyPermissions, K extends KindOf<P> = KindOf<P>> {
  readonly principal: PrincipalOf<P, K>;
  readonly resources: readonly AccessRequestOf<P, K>['resource'][];
  readonly actions: readonly ActionOf<P, K>[];
  readonly auxData?: AuxDataInput | undefined;
  readonly tenants?: TenantDocuments | undefined;
}

/** The decisions of one principal. What is asked in one turn is decided together, and each fact is fetched once. */
export interface FactsSession<P extends Permissions = AnyPermissions> {
  /**
   * Whether the principal may do an action.
   * @throws {FactsUnavailableError} if facts are not available.
   */
  can<K extends KindOf<P>>(action: ActionOf<P, K>, resource: AccessRequestOf<P, K>['resource']): Promise<boolean>;
  decide<K extends KindOf<P>>(
    action: ActionOf<P, K>,
    resource: AccessRequestOf<P, K>['resource'],
  ): Promise<FactsDecision>;
}

/** Decides requests of which the caller sends ids, and fetches the facts that may still matter. */
export interface FactsEngine<P extends Permissions = AnyPermissions> {
  /** Decides one request. Rejects only if it is used wrongly, or exceeds a limit: never because of a source. */
  decide<K extends KindOf<P>>(request: AccessRequestOf<P, K>, options?: DecideOptions): Promise<FactsDecision>;
  /** Decides several actions on several resources; the decisions by index of the resource, then by action. */
  decideMany<K extends KindOf<P>>(
    request: ManyRequest<P, K>,
    options?: DecideOptions,
  ): Promise<ReadonlyMap<number, ReadonlyMap<ActionOf<P, K>, FactsDecision>>>;
  /** Decides at once; undefined if a fact would have to be fetched. */
  decideNow<K extends KindOf<P>>(request: AccessRequestOf<P, K>): FactsDecision | undefined;
  /** The decisions of a principal: one for each request that your program handles. */
  for<K extends KindOf<P> = KindOf<P>>(principal: PrincipalOf<P, K>, options?: SessionOptions): FactsSession<P>;
  /**
   * A principal with the attributes that decisions about some kinds read: for `engine.plan`, which takes a missing
   * attribute for one that there is not, and for `withPrincipal` of row level security.
   * @throws {FactsUnavailableError} if one of them is not available.
   */
  principal<K extends KindOf<P>>(
    principal: PrincipalOf<P, K>,
    query: PrincipalQuery<P, K>,
    options?: DecideOptions,
  ): Promise<PrincipalOf<P, K>>;
  /**
   * Whether a request is allowed, as clients of a decision point answer: for `decideWith` of `authz/mcp`.
   * @throws {FactsUnavailableError} if facts are not available.
   */
  isAllowed<K extends KindOf<P>>(request: AccessRequestOf<P, K>, options?: AnswerOptions): Promise<boolean>;
  /**
   * Which of several actions are allowed, as clients of a decision point answer: for guards of frameworks.
   * @throws {FactsUnavailableError} if facts are not available.
   */
  check(request: AnswerRequest, options?: AnswerOptions): Promise<FactsAnswer>;
  /** The engine that decides once facts are known. */
  readonly engine: Engine<P>;
}

/** Options that clients of a decision point have. */
export interface AnswerOptions {
  readonly signal?: AbortSignal | undefined;
  /** The longest time, in milliseconds, if not the deadline of the engine. */
  readonly timeout?: number | undefined;
}

/** What guards ask. */
export interface AnswerRequest {
  readonly principal: AccessRequest['principal'];
  readonly resource: ResourceInput;
  readonly actions: readonly string[];
  /** Tokens, which are refused: claims must be verified before. */
  readonly auxData?: unknown;
}

/** What guards get, without what needs a server or all facts. */
export interface FactsAnswer {
  readonly allowed: { readonly [action: string]: boolean };
  readonly outputs: readonly never[];
  readonly validationErrors: readonly never[];
  readonly meta: undefined;
  readonly callId: '';
  readonly requestId: '';
  readonly bundleHash: '';
}
