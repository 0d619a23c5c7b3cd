import type { PlanOperand } from '../gen/messages.js';
import type { Attributes } from '../wire/json-shape.js';

/**
 * The entries of the audit log as plain JSON (docs/spec/server.md#access-entries,
 * docs/spec/server.md#decision-entries): lowerCamelCase, enums by name, what is empty is absent. They are written, kept
 * and listed in this form; protobuf is made of it.
 */
export type AuditEntry = AccessLogEntry | DecisionLogEntry;

export type AuditKind = 'access' | 'decision';

interface EntryHead {
  readonly callId: string;
  /** RFC 3339, UTC, nine digits of a second. */
  readonly timestamp: string;
  readonly peer?: AuditPeer;
  readonly metadata?: AuditMetadata;
}

interface EntryTail {
  /** Content was left out because there was too much of it. */
  readonly oversized?: true;
  readonly policySource?: PolicySource;
  readonly requestContext?: { readonly annotations?: Attributes };
}

/** One call, whatever became of it. */
export interface AccessLogEntry extends EntryHead, EntryTail {
  readonly method: string;
  /** The gRPC code number; absent for success. */
  readonly statusCode?: number;
}

/** What the engine was asked and what it decided. */
export interface DecisionLogEntry extends EntryHead, EntryTail {
  readonly checkResources?: {
    readonly inputs: readonly CheckInput[];
    readonly outputs: readonly CheckOutput[];
    readonly error?: string;
  };
  readonly planResources?: { readonly input: PlanInput; readonly output?: PlanOutput; readonly error?: string };
  readonly auditTrail: AuditTrail;
}

export interface AuditPeer {
  readonly address?: string;
  readonly authInfo?: string;
  readonly userAgent?: string;
  readonly forwardedFor?: string;
}

/** By lower-case name. */
export type AuditMetadata = { readonly [name: string]: { readonly values: readonly string[] } };

/** Where the policies come from: a bundle made when the software was built. */
export interface PolicySource {
  readonly embeddedPdp: { readonly commitHash?: string; readonly builtAt?: string; readonly bundleHash?: string };
}

/** The policies that took part. */
export interface AuditTrail {
  readonly effectivePolicies?: { readonly [policy: string]: { readonly attributes?: Attributes } };
}

export interface AuditPrincipal {
  readonly id: string;
  readonly policyVersion?: string;
  readonly roles?: readonly string[];
  readonly attr?: Attributes;
  readonly scope?: string;
}

/** Of a plan when it has no id. */
export interface AuditResource {
  readonly kind: string;
  readonly policyVersion?: string;
  readonly id?: string;
  readonly attr?: Attributes;
  readonly scope?: string;
}

/** Claims, never tokens. */
export interface AuditAuxData {
  readonly jwt?: Attributes;
  readonly jwts?: { readonly [name: string]: { readonly claims?: Attributes } };
}

export interface CheckInput {
  readonly requestId?: string;
  readonly resource: AuditResource;
  readonly principal: AuditPrincipal;
  readonly actions: readonly string[];
  readonly auxData?: AuditAuxData;
}

export interface CheckOutput {
  readonly requestId?: string;
  readonly resourceId: string;
  readonly actions: { readonly [action: string]: ActionEffect };
  readonly effectiveDerivedRoles?: readonly string[];
  readonly validationErrors?: readonly AuditValidationError[];
  readonly outputs?: readonly AuditOutput[];
  readonly evaluationErrors?: readonly EvaluationError[];
}

export interface ActionEffect {
  readonly effect: 'EFFECT_ALLOW' | 'EFFECT_DENY';
  readonly policy?: string;
  readonly scope?: string;
}

export interface AuditOutput {
  readonly src: string;
  readonly val?: unknown;
  readonly action: string;
  readonly error?: string;
}

export interface AuditValidationError {
  readonly path: string;
  readonly message: string;
  readonly source: 'SOURCE_PRINCIPAL' | 'SOURCE_RESOURCE';
}

/** A condition that could not be evaluated. */
export interface EvaluationError {
  readonly celError: { readonly expression: string; readonly message: string };
}

export interface PlanInput {
  readonly requestId?: string;
  readonly action?: string;
  readonly principal: AuditPrincipal;
  readonly resource: AuditResource;
  readonly auxData?: AuditAuxData;
  readonly includeMeta?: true;
  readonly actions?: readonly string[];
}

export interface PlanOutput {
  readonly requestId?: string;
  readonly action?: string;
  readonly kind: string;
  readonly policyVersion?: string;
  readonly scope?: string;
  readonly filter: { readonly kind: string; readonly condition?: PlanOperand };
  readonly filterDebug?: string;
  readonly validationErrors?: readonly AuditValidationError[];
  readonly actions?: readonly string[];
  readonly matchedScopes?: { readonly [action: string]: string };
  readonly evaluationErrors?: readonly EvaluationError[];
}
