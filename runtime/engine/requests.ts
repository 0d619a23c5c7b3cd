import type {
  ActionOf,
  Attributes,
  Effect,
  KindOf,
  OutputValue,
  Permissions,
  PlannedResourceOf,
  PrincipalOf,
  ResourceActionsOf,
  ResourceOf,
  SchemaReference,
  SchemaReferences,
} from '../policy/index.js';
import type { Filter } from '../residual/index.js';

/**
 * One call: may this principal do these actions on these resources (docs/spec/policy-language.md#requests)? Attributes
 * are plain JSON, names are not empty.
 */
export interface CheckRequest {
  readonly principal: PrincipalInput;
  readonly resources: readonly ResourceActions[];
  readonly auxData?: AuxDataInput | undefined;
  /** Whether the active derived roles are wanted. */
  readonly includeMeta?: boolean | undefined;
}

/** One action of one resource, for use in process. */
export interface AccessRequest {
  readonly principal: PrincipalInput;
  readonly resource: ResourceInput;
  readonly action: string;
  readonly auxData?: AuxDataInput | undefined;
}

export interface ResourceActions {
  readonly resource: ResourceInput;
  /** Unique. */
  readonly actions: readonly string[];
}

/**
 * Who asks. An absent version or scope is the engine's default; the scope `.` is the root
 * (docs/spec/policy-language.md#preparing-a-check).
 */
export interface PrincipalInput {
  readonly id: string;
  /** Unique; without any, everything is denied. */
  readonly roles: readonly string[];
  readonly attr?: Attributes | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
}

export interface ResourceInput {
  readonly kind: string;
  readonly id: string;
  readonly attr?: Attributes | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
}

/** Claims of tokens that are verified already (docs/spec/conditions.md#token-claims). */
export interface AuxDataInput {
  readonly jwt?: Attributes | undefined;
  readonly jwts?: { readonly [name: string]: { readonly claims: Attributes } } | undefined;
}

/** What was decided about one resource of a request. */
export interface CheckResult {
  /** In the order of the request. */
  readonly actions: readonly ActionDecision[];
  /**
   * The union over the scopes entered, sorted; empty unless the request includes meta
   * (docs/spec/policy-language.md#effective-derived-roles).
   */
  readonly effectiveDerivedRoles: readonly string[];
  /** In the order of evaluation (docs/spec/policy-language.md#when-outputs-are-emitted). */
  readonly outputs: readonly OutputEntry[];
  /** Those of the principal first (docs/spec/policy-language.md#validation-errors). */
  readonly validationErrors: readonly ValidationError[];
}

export interface ActionDecision {
  readonly action: string;
  readonly effect: Effect;
  /** `resource.album.vdefault/acme`, or `NO_MATCH` (docs/spec/policy-language.md#matched-policy-and-scope). */
  readonly matchedPolicy: string;
  /** The scope of the rule that decided; empty also where none did. */
  readonly matchedScope: string;
}

/**
 * An output and where it comes from: `<policy key>#<rule name>`
 * (docs/spec/policy-language.md#policy-keys-and-rule-names, docs/spec/policy-language.md#when-outputs-are-emitted).
 */
export type OutputEntry = { readonly src: string; readonly action: string } & OutputValue;

/** An attribute that does not satisfy its schema (docs/spec/policy-language.md#validation-errors). */
export interface ValidationError {
  readonly path: string;
  readonly message: string;
  readonly source: 'SOURCE_PRINCIPAL' | 'SOURCE_RESOURCE';
}

/**
 * One call: on which resources of a kind may this principal do all of these actions (docs/spec/plans.md#plan-request)?
 */
export interface PlanRequest {
  readonly principal: PrincipalInput;
  readonly resource: PlanResourceInput;
  /** One at least, unique. */
  readonly actions: readonly string[];
  readonly auxData?: AuxDataInput | undefined;
}

/** The resources asked about. Attributes given hold for every one of them. */
export type PlanResourceInput = Omit<ResourceInput, 'id'>;

/** Which rows to select, and how that came about. */
export interface PlanResult {
  readonly filter: Filter;
  /** The filter as text, or `NO_MATCH` (docs/spec/plans.md#debug-text); made when it is read. */
  readonly filterDebug: string;
  /**
   * By action, sorted, the root as the empty text; undefined when no rule was looked at
   * (docs/spec/plans.md#plan-response).
   */
  readonly matchedScopes: ReadonlyMap<string, string> | undefined;
  /** Those of the principal first (docs/spec/plans.md#schemas-in-plans). */
  readonly validationErrors: readonly ValidationError[];
  /**
   * Rules that no filter can say: an ALLOW grants nothing, a DENY applies always
   * (docs/spec/plans.md#rules-that-cannot-be-planned).
   */
  readonly unplanned: readonly UnplannedRule[];
}

/**
 * A rule that was left out of a plan (an ALLOW) or taken to apply always (a DENY), and why
 * (docs/spec/plans.md#rules-that-cannot-be-planned).
 */
export interface UnplannedRule {
  /** `resource.album.vdefault/acme`. */
  readonly policy: string;
  readonly rule: string;
  readonly reason: string;
}

/** A check that only names what the policies know; a CheckRequest when it is run. */
export interface CheckRequestOf<P extends Permissions> extends CheckRequest {
  readonly principal: PrincipalOf<P>;
  readonly resources: readonly ResourceActionsOf<P>[];
}

/** One action of one resource, likewise. */
export interface AccessRequestOf<P extends Permissions, K extends KindOf<P>> extends AccessRequest {
  readonly principal: PrincipalOf<P, K>;
  readonly resource: ResourceOf<P, K>;
  readonly action: ActionOf<P, K>;
}

/** A plan, likewise. */
export interface PlanRequestOf<P extends Permissions, K extends KindOf<P>> extends PlanRequest {
  readonly principal: PrincipalOf<P, K>;
  readonly resource: PlannedResourceOf<P, K>;
  readonly actions: readonly ActionOf<P, K>[];
  readonly auxData?: AuxDataInput | undefined;
}

/**
 * The scope a request means: its own or the default, without a leading dot, so that `.` is the root whatever the
 * default (docs/spec/policy-language.md#preparing-a-check).
 */
export function requestedScope(scope: string | undefined, defaultScope: string): string {
  return withoutDot(scope === undefined || scope === '' ? defaultScope : scope);
}

/** A scope as conditions see it (docs/spec/policy-language.md#identifiers). */
export function withoutDot(scope: string): string {
  // Most scopes are empty, which this asks first; `startsWith` is a call.
  return scope !== '' && scope.charCodeAt(0) === DOT ? scope.slice(1) : scope;
}

const DOT = 0x2e;

/** What a schema violation does (docs/spec/policy-language.md#enforcement). */
export type SchemaEnforcement = 'none' | 'warn' | 'reject';

/**
 * What of a request does not satisfy the schemas that apply to it, the principal's errors first
 * (docs/spec/policy-language.md#which-schemas-apply).
 */
export function validationErrors(
  schemas: SchemaReferences,
  attributes: { readonly principal: Attributes; readonly resource: Attributes },
  actions: readonly string[],
): readonly ValidationError[] {
  return [
    ...errorsOf(schemas.principal, attributes.principal, actions, 'SOURCE_PRINCIPAL'),
    ...errorsOf(schemas.resource, attributes.resource, actions, 'SOURCE_RESOURCE'),
  ];
}

/**
 * The same for a plan, where attributes of the resource that are not listed are not missing
 * (docs/spec/plans.md#schemas-in-plans).
 */
export function planErrors(
  schemas: SchemaReferences | undefined,
  attributes: Parameters<typeof validationErrors>[1],
  actions: readonly string[],
): readonly ValidationError[] {
  if (schemas === undefined) return [];
  return validationErrors(schemas, attributes, actions).filter(
    ({ source, message }) => source === 'SOURCE_PRINCIPAL' || !message.startsWith('missing properties: '),
  );
}

/** One action that is not exempt is enough for all to be held to the schema. */
function errorsOf(
  schema: SchemaReference | undefined,
  attributes: Attributes,
  actions: readonly string[],
  source: ValidationError['source'],
): readonly ValidationError[] {
  if (schema === undefined || actions.every((action) => schema.ignores(action))) return [];
  return schema.violations(attributes).map(({ path, message }) => ({ path, message, source }));
}
