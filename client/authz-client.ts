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
} from '#runtime/policy';
import type { Filter } from '#runtime/residual';

/**
 * Asks a decision point, wherever it runs: the same questions, answers and errors over every transport and in process.
 *
 * Every method rejects with an AuthzError, and with nothing else, when there is no answer: no failure is ever an allow.
 * Nothing is tried twice.
 */
export interface AuthzClient<P extends Permissions = AnyPermissions> {
  /** Whether one action is allowed. */
  isAllowed<K extends KindOf<P>>(request: AccessRequest<P, K>, options?: CallOptions): Promise<boolean>;
  /** Which of several actions on one resource are allowed, and what the policies have to say of it. */
  check<K extends KindOf<P>, A extends ActionOf<P, K>>(
    request: CheckRequest<P, K, A>,
    options?: CallOptions,
  ): Promise<CheckAnswer<P, K, A>>;
  /** The same about several resources, of one kind or of many, in one call. */
  checkAll(request: CheckAllRequest<P>, options?: CallOptions): Promise<CheckAllAnswer<P>>;
  /** On which resources of a kind all the actions are allowed, as a filter for where the resources are kept. */
  plan<K extends KindOf<P>>(request: PlanRequest<P, K>, options?: CallOptions): Promise<PlanAnswer>;
  /** Which build answers. In process there is no server: `unimplemented`. */
  serverInfo(options?: CallOptions): Promise<ServerInfo>;
  /** Gives connections back. Calls under way, and later ones, fail with `canceled`. */
  close(): Promise<void>;
}

/** What a call may be told beside its request. */
export interface CallOptions {
  /** Aborting it fails the call with `canceled`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the call fails with `deadline_exceeded`; in place of the client's. */
  readonly timeout?: number | undefined;
}

/** What every client is made with. */
export interface ClientOptions {
  /** Milliseconds until a call fails with `deadline_exceeded`: 5000 when absent, `Infinity` for never. */
  readonly timeout?: number | undefined;
}

/** What any request may carry. */
export interface RequestExtras {
  /** Tokens, for the decision point to verify. */
  readonly auxData?: AuxData | undefined;
  /** The caller's name for the request, found again in answer and audit log. */
  readonly requestId?: string | undefined;
  /** For the audit log. */
  readonly annotations?: { readonly [name: string]: unknown } | undefined;
}

/** Tokens as they came: one, or several by name. */
export interface AuxData {
  readonly jwt?: Token | undefined;
  readonly jwts?: { readonly [name: string]: Token } | undefined;
}

/** A JSON Web Token, and the keys that verify it: the only ones configured when absent. */
export interface Token {
  readonly token: string;
  readonly keySetId?: string | undefined;
}

export interface AccessRequest<P extends Permissions, K extends KindOf<P>> extends RequestExtras {
  readonly principal: PrincipalOf<P, K>;
  readonly resource: ResourceOf<P, K>;
  readonly action: ActionOf<P, K>;
}

export interface CheckRequest<P extends Permissions, K extends KindOf<P>, A extends ActionOf<P, K> = ActionOf<P, K>>
  extends RequestExtras {
  readonly principal: PrincipalOf<P, K>;
  readonly resource: ResourceOf<P, K>;
  /** One at least, unique. */
  readonly actions: readonly A[];
  /** Whether `meta` is wanted. */
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
  /** One at least, unique: all of them must be allowed. */
  readonly actions: readonly ActionOf<P, K>[];
  readonly includeMeta?: boolean | undefined;
}

/** What was decided about one resource. */
export interface CheckAnswer<
  P extends Permissions = AnyPermissions,
  K extends KindOf<P> = KindOf<P>,
  A extends ActionOf<P, K> = ActionOf<P, K>,
> {
  /** By action: every one that was asked about, and no other. */
  readonly allowed: { readonly [Action in A]: boolean };
  /** In the order of evaluation. */
  readonly outputs: readonly OutputOf<P, K>[];
  /** Attributes that do not satisfy their schemas. */
  readonly validationErrors: readonly ValidationError[];
  /** Only when asked for. */
  readonly meta: CheckMeta<A> | undefined;
  /** By which the audit log knows the call; empty in process. */
  readonly callId: string;
  readonly requestId: string;
}

/** How decisions came about. */
export interface CheckMeta<A extends string = string> {
  readonly actions: {
    readonly [Action in A]: {
      readonly matchedPolicy: string /** Empty: the root, or nothing matched. */;
      readonly matchedScope: string;
    };
  };
  /** Sorted. */
  readonly effectiveDerivedRoles: readonly string[];
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
}

/** What was decided about one of several resources. */
export interface ResourceAnswer<P extends Permissions = AnyPermissions, K extends KindOf<P> = KindOf<P>>
  extends Omit<CheckAnswer<P, K>, 'allowed' | 'callId' | 'requestId' | 'meta'> {
  readonly resource: { readonly kind: K; readonly id: string };
  /** Own properties are the actions asked about; any other is undefined. */
  readonly allowed: { readonly [action: string]: boolean };
  readonly meta: CheckMeta | undefined;
}

export interface PlanAnswer {
  readonly filter: Filter;
  readonly validationErrors: readonly ValidationError[];
  /** Only when asked for. */
  readonly meta: PlanMeta | undefined;
  readonly callId: string;
  readonly requestId: string;
}

/** How a plan came about. */
export interface PlanMeta {
  /** The filter as text. */
  readonly filterDebug: string;
  /** By action; empty when no rule was looked at. */
  readonly matchedScopes: { readonly [action: string]: string };
  /** Rules that no filter can say: an ALLOW grants nothing, a DENY applies always. */
  readonly unplanned: readonly { readonly policy: string; readonly rule: string; readonly reason: string }[];
}

export interface ServerInfo {
  readonly version: string;
  readonly commit: string;
  readonly buildDate: string;
  /** Of the policies in force; empty over REST, whose answer has no such field. */
  readonly bundleHash: string;
}
