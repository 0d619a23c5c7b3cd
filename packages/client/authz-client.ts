import type {
  ActionOf,
  AnyPermissions,
  KindOf,
  OutputOf,
  Permissions,
  PlannedResourceOf,
  PrincipalOf,
  ResourceActionsOf,
  ResourceOf,
} from '../../runtime/policy/index.js';
import type { Filter } from '../../runtime/residual/index.js';
import type { BundleProvenance } from '../../proto/gen/messages.js';

/**
 * A client of a decision point, local or remote: the same requests, responses and errors over every transport and in
 * process. Every method rejects with an AuthzError, and with nothing else, if there is no response: a failure is never
 * an allow. Calls are not retried.
 */
export interface AuthzClient<P extends Permissions = AnyPermissions> {
  /** Whether one action is allowed. */
  isAllowed<K extends KindOf<P>>(request: AccessRequest<P, K>, options?: CallOptions): Promise<boolean>;
  /**
   * Prepares a principal for many questions, as `for` of an engine. Sends nothing and does not throw: a principal that
   * no request can carry fails each call of `can`.
   */
  for<K extends KindOf<P> = KindOf<P>>(
    principal: PrincipalOf<P, K>,
    options?: PrincipalOptions,
  ): PreparedPrincipal<P, K>;
  /** Which of several actions on one resource are allowed, with the outputs of the policies. */
  check<K extends KindOf<P>, A extends ActionOf<P, K>>(
    request: CheckRequest<P, K, A>,
    options?: CallOptions,
  ): Promise<CheckAnswer<P, K, A>>;
  /** The same for several resources, of one kind or of many, in one call. */
  checkAll(request: CheckAllRequest<P>, options?: CallOptions): Promise<CheckAllAnswer<P>>;
  /** The resources of a kind on which all actions are allowed, as a filter for the store of the resources. */
  plan<K extends KindOf<P>>(request: PlanRequest<P, K>, options?: CallOptions): Promise<PlanAnswer>;
  /** The build of the server. In process there is no server: `unimplemented`. */
  serverInfo(options?: CallOptions): Promise<ServerInfo>;
  /** Closes all connections. Pending calls, and later ones, fail with `canceled`. */
  close(): Promise<void>;
}

/** Options of one call. */
export interface CallOptions {
  /** Aborting it fails the call with `canceled`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the call fails with `deadline_exceeded`; overrides the client's. */
  readonly timeout?: number | undefined;
  /**
   * Demands a decision by the bundle with this hash or a later one, or by `sequence:N`: the server waits for it, then
   * fails the call with `failed_precondition`. In process: `unimplemented`.
   */
  readonly minBundle?: string | undefined;
}

/** Options of every client. */
export interface ClientOptions {
  /** Milliseconds until a call fails with `deadline_exceeded`: 5000 by default, `Infinity` for never. */
  readonly timeout?: number | undefined;
}

/** Optional properties of any request. */
export interface RequestExtras {
  /** Tokens, for the decision point to verify. */
  readonly auxData?: AuxData | undefined;
  /** The caller's id for the request, repeated in the response and the audit log. */
  readonly requestId?: string | undefined;
  /** Annotations for the audit log. */
  readonly annotations?: { readonly [name: string]: unknown } | undefined;
}

/** Unverified tokens: one, or several by name. */
export interface AuxData {
  readonly jwt?: Token | undefined;
  readonly jwts?: { readonly [name: string]: Token } | undefined;
}

/** A JSON Web Token, and the keyset that verifies it: by default the only one configured. */
export interface Token {
  readonly token: string;
  readonly keySetId?: string | undefined;
}

/**
 * One principal, prepared for many questions: it and its tokens are read once, when it is prepared. Later changes to
 * them have no effect. Use one for each request that your program handles.
 */
export interface PreparedPrincipal<P extends Permissions = AnyPermissions, K extends KindOf<P> = KindOf<P>> {
  /** Whether the principal may do an action on a resource, as `isAllowed`: one call of the decision point. */
  can<One extends K>(action: ActionOf<P, One>, resource: ResourceOf<P, One>, options?: CallOptions): Promise<boolean>;
}

/** What a principal is prepared with: sent with each of its questions. */
export type PrincipalOptions = RequestExtras;

export interface AccessRequest<P extends Permissions, K extends KindOf<P>> extends RequestExtras {
  readonly principal: PrincipalOf<P, K>;
  readonly resource: ResourceOf<P, K>;
  readonly action: ActionOf<P, K>;
}

export interface CheckRequest<P extends Permissions, K extends KindOf<P>, A extends ActionOf<P, K> = ActionOf<P, K>>
  extends RequestExtras {
  readonly principal: PrincipalOf<P, K>;
  readonly resource: ResourceOf<P, K>;
  /** One or more actions, unique. */
  readonly actions: readonly A[];
  /** Whether to return `meta`. */
  readonly includeMeta?: boolean | undefined;
}

export interface CheckAllRequest<P extends Permissions> extends RequestExtras {
  readonly principal: PrincipalOf<P>;
  readonly resources: readonly ResourceActionsOf<P>[];
  readonly includeMeta?: boolean | undefined;
}

export interface PlanRequest<P extends Permissions, K extends KindOf<P>> extends RequestExtras {
  readonly principal: PrincipalOf<P, K>;
  readonly resource: PlannedResourceOf<P, K>;
  /** One or more actions, unique: all of them must be allowed. */
  readonly actions: readonly ActionOf<P, K>[];
  readonly includeMeta?: boolean | undefined;
}

/** The decisions about one resource. */
export interface CheckAnswer<
  P extends Permissions = AnyPermissions,
  K extends KindOf<P> = KindOf<P>,
  A extends ActionOf<P, K> = ActionOf<P, K>,
> {
  /** Results by action: every requested one, and no other. */
  readonly allowed: { readonly [Action in A]: boolean };
  /** Outputs in the order of evaluation. */
  readonly outputs: readonly OutputOf<P, K>[];
  /** Attributes that do not satisfy their schemas. */
  readonly validationErrors: readonly ValidationError[];
  /** Only if requested. */
  readonly meta: CheckMeta<A> | undefined;
  /** The id of the call in the audit log; empty in process. */
  readonly callId: string;
  readonly requestId: string;
  /** The hash of the bundle that decided; empty in process, and where a browser may not read headers. */
  readonly bundleHash: string;
}

/** How decisions were made. */
export interface CheckMeta<A extends string = string> {
  readonly actions: {
    readonly [Action in A]: {
      readonly matchedPolicy: string /** Empty: the root, or nothing matched. */;
      readonly matchedScope: string;
    };
  };
  /** Sorted. */
  readonly effectiveDerivedRoles: readonly string[];
  /**
   * The facts that the server could not fetch, by action: these actions were denied for that reason alone. Empty unless the
   * server has `sources.onFailure: deny`.
   */
  readonly unknown: { readonly [Action in A]?: readonly string[] };
}

/** An attribute that does not satisfy its schema. */
export interface ValidationError {
  /** A JSON pointer. */
  readonly path: string;
  readonly message: string;
  readonly source: 'SOURCE_PRINCIPAL' | 'SOURCE_RESOURCE';
}

export interface CheckAllAnswer<P extends Permissions = AnyPermissions> {
  /** One for each resource of the request, in its order. */
  readonly results: readonly ResourceAnswer<P>[];
  readonly callId: string;
  readonly requestId: string;
  /** The hash of the bundle that decided; empty in process, and where a browser may not read headers. */
  readonly bundleHash: string;
}

/** The decisions about one of several resources. */
export interface ResourceAnswer<P extends Permissions = AnyPermissions, K extends KindOf<P> = KindOf<P>>
  extends Omit<CheckAnswer<P, K>, 'allowed' | 'callId' | 'requestId' | 'bundleHash' | 'meta'> {
  readonly resource: { readonly kind: K; readonly id: string };
  /** Own properties are the requested actions; any other is undefined. */
  readonly allowed: { readonly [action: string]: boolean };
  readonly meta: CheckMeta | undefined;
}

export interface PlanAnswer {
  readonly filter: Filter;
  readonly validationErrors: readonly ValidationError[];
  /** Only if requested. */
  readonly meta: PlanMeta | undefined;
  readonly callId: string;
  readonly requestId: string;
  /** The hash of the bundle that decided; empty in process, and where a browser may not read headers. */
  readonly bundleHash: string;
}

/** How a plan was made. */
export interface PlanMeta {
  /** The filter as text. */
  readonly filterDebug: string;
  /** Scopes by action; empty if no rule was evaluated. */
  readonly matchedScopes: { readonly [action: string]: string };
  /** Rules that a filter cannot represent: such an ALLOW grants nothing, such a DENY always applies. */
  readonly unplanned: readonly { readonly policy: string; readonly rule: string; readonly reason: string }[];
}

export interface ServerInfo {
  readonly version: string;
  readonly commit: string;
  readonly buildDate: string;
  /** The hash of the policies that were evaluated; empty over REST, whose response has no such field. */
  readonly bundleHash: string;
  /** What the archive of the bundle says; undefined if it did not come in one, and over REST. */
  readonly bundleProvenance: BundleProvenance | undefined;
}
