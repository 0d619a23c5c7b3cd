import {
  type AccessRequest,
  type CompiledBundle,
  createEngine,
  type Engine,
  type EngineOptions,
} from '../../../runtime/engine/index.js';
import { type Attributes, type Instant, sanitize } from '../../../runtime/policy/index.js';
import { parseTimestamp } from '../../cel/runtime/index.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import type { Selecting } from '../decision/decisions.js';
import type { Point } from '../question/point.js';
import { unusedName } from '../decision/points.js';
import type { Situation } from '../question/situation.js';

/** Decides situations by a compiled bundle, the emitted code. */
export class Replay {
  private readonly engines = new Map<string, Engine>();
  private validating: Engine | undefined;
  private now: Instant | undefined;
  private nowText = '';

  constructor(
    private readonly compiled: CompiledBundle,
    private readonly options: Omit<EngineOptions, 'clock'>,
  ) {}

  isAllowed({ request, globals, now }: Situation): boolean {
    this.setNow(now);
    return this.engine(globals).isAllowed(request);
  }

  /** Whether the attributes satisfy the schemas. */
  satisfiesSchemas({ request, globals, now }: Situation): boolean {
    this.setNow(now);
    this.validating ??= createEngine(this.compiled, { ...this.settings(globals), schemaEnforcement: 'warn' });
    const { principal, resource, action, auxData } = request;
    const resources = [{ resource, actions: [action] }];
    return this.validating.check({ principal, auxData, resources }).every((own) => own.validationErrors.length === 0);
  }

  /** Most situations of a search have the same time. */
  private setNow(text: string): void {
    if (text === this.nowText) return;
    this.now = parseInstant(text);
    this.nowText = text;
  }

  private settings(globals: Attributes): EngineOptions {
    return {
      ...this.options,
      globals: this.options.globals ?? (configured(globals) as Attributes),
      clock: () => this.now as Instant,
    };
  }

  private engine(globals: Attributes): Engine {
    const key = this.options.globals !== undefined || isEmpty(globals) ? '' : JSON.stringify(globals);
    const known = this.engines.get(key);
    if (known !== undefined) return known;
    const engine = createEngine(this.compiled, this.settings(globals));
    if (this.engines.size < MOST_ENGINES) this.engines.set(key, engine);
    return engine;
  }
}

const MOST_ENGINES = 100;

function isEmpty(globals: Attributes): boolean {
  for (const _ in globals) return false;
  return true;
}

/** The instant of a situation. */
export function parseInstant(text: string): Instant {
  const { seconds, nanos } = parseTimestamp(text) ?? invariant(`${text} is RFC 3339`);
  return { seconds, nanos, offset: 0 };
}

/** Globals as the configuration has them: integers are bigints. */
export function configured(json: unknown): unknown {
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return json.map(configured);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, configured(value)]));
}

/** The id of a principal that has no policies. */
export function idOfAnyone(principals: ReadonlySet<string>): string {
  return unusedName('alice', [...principals]);
}

/**
 * The parts of a request that select the policies of a point.
 *
 * @param principals the ids of principals that have policies.
 */
export function requestAt(
  { kind, version, scope, principal }: Point,
  principals: ReadonlySet<string>,
  { defaultPolicyVersion = 'default', defaultScope = '' }: Selecting,
): Pick<AccessRequest, 'principal' | 'resource'> {
  const scoped = (own: string): { readonly scope?: string } => (own === defaultScope ? {} : { scope: own || '.' });
  const versioned = (own: string | undefined): { readonly policyVersion?: string } =>
    own === undefined || own === defaultPolicyVersion ? {} : { policyVersion: own };
  return {
    principal: {
      id: principal?.id ?? idOfAnyone(principals),
      roles: [],
      attr: {},
      ...(principal && { ...versioned(principal.version), ...scoped(principal.scope) }),
    },
    resource: { kind, id: 'r1', attr: {}, ...versioned(version), ...scoped(scope) },
  };
}

/**
 * Whether a request is about a point, for a principal that may not be one of those with policies, and one that servers
 * accept: with a role, and without one that is empty.
 *
 * @param principals the ids of principals that have policies.
 */
export function isAt(
  point: Point,
  { principal, resource }: AccessRequest,
  principals: ReadonlySet<string>,
  { defaultPolicyVersion = 'default', defaultScope = '' }: Selecting,
): boolean {
  if ((resource.policyVersion || defaultPolicyVersion) !== point.version) return false;
  if (resource.kind !== point.kind && sanitize(resource.kind) !== point.kind) return false;
  if (normalizeScope(resource.scope, defaultScope) !== point.scope) return false;
  if (principal.roles.length === 0 || principal.roles.includes('')) return false;
  if (point.principal === undefined) return !principals.has(principal.id);
  return (
    principal.id === point.principal.id &&
    normalizeScope(principal.scope, defaultScope) === point.principal.scope &&
    (point.principal.version === undefined ||
      (principal.policyVersion || defaultPolicyVersion) === point.principal.version)
  );
}

function normalizeScope(scope: string | undefined, defaultScope: string): string {
  const own = scope || defaultScope;
  return own.startsWith('.') ? own.slice(1) : own;
}
