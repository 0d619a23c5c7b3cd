import type {
  AccessRequest,
  CompiledBundle,
  FactNames,
  PartialAnswer,
  PartialDecider,
  PartialOptions,
} from '../../../runtime/engine/index.js';
import { type Attributes, type Instant, type Request, sanitize } from '../../../runtime/policy/index.js';
import type { Program } from '../../../compiler/ir/program.js';
import { isPlainObject, json, plainAttributes } from '../../cel/runtime/index.js';
import { Decisions, type PointDecisions, type Selecting } from '../decision/decisions.js';
import { type Formula, or } from '../formula/formula.js';
import { PartialRequest } from './context.js';
import { PartialFormulas } from './formula.js';
import { type MostRemembered, Remembered } from '../decision/remembered.js';

/** How many points, and how many formulas of all of them, are remembered. */
const MOST_POINTS: MostRemembered = { values: 1000, characters: 500_000 };
const MOST_FORMULAS: MostRemembered = { values: 10_000, characters: 2_000_000 };

/** Decides requests of which some facts are unknown, from the formulas of the decisions of a program. */
export class PartialDecisions implements PartialDecider {
  private readonly decisions: Decisions;
  /** What some roles may do at a point. */
  private readonly points = new Remembered<PointDecisions>(MOST_POINTS);
  /** When some roles may do an action at a point. */
  private readonly formulas = new Remembered<Formula>(MOST_FORMULAS);
  /** The ids of principals with policies. */
  private readonly principals: ReadonlySet<string>;

  /** @param program with folded literals. */
  constructor(
    program: Program,
    private readonly guard: CompiledBundle['guard'],
    private readonly options: PartialOptions,
  ) {
    this.decisions = new Decisions(program, selecting(options));
    this.principals = new Set(
      program.modules.flatMap((module) => (module.kind === 'principal' ? [module.principal] : [])),
    );
  }

  partial(request: AccessRequest, unknown: FactNames): PartialAnswer {
    const { guard, options } = this;
    const decide = (): PartialAnswer => this.decide(request, unknown);
    // Building a formula and evaluating it count as one call.
    return guard === undefined ? decide() : guard.asOne(decide, options.limits ?? {}, request);
  }

  private decide(request: AccessRequest, unknown: FactNames): PartialAnswer {
    // The order of rules and their failures decide as well, which a formula does not know.
    if (this.options.strictEvaluation === true) return unknown;
    const formula = this.findFormula(request);
    if (formula === undefined) return unknown;
    return new PartialFormulas(new PartialRequest(readRequest(request, this.options), unknown)).answer(formula);
  }

  /** When a request is allowed; undefined if no formula says it. */
  private findFormula({ principal, resource, action }: AccessRequest): Formula | undefined {
    // Without a role, principal policies alone decide.
    if (principal.roles.length === 0) return undefined;
    const { defaultPolicyVersion = 'default', defaultScope = '' } = this.options;
    const version = resource.policyVersion || defaultPolicyVersion;
    const scope = withoutDot(resource.scope || defaultScope);
    const kind = sanitize(resource.kind);
    // The id of a principal with policies chooses them, even where they have no rule about the kind.
    const own = this.principals.has(principal.id)
      ? {
          id: principal.id,
          scope: withoutDot(principal.scope || defaultScope),
          isNamedScope: true,
          version: principal.policyVersion || defaultPolicyVersion,
        }
      : undefined;
    const roles = [...new Set(principal.roles)].sort();
    const key = JSON.stringify([kind, version, scope, own ?? null, roles]);
    const decisions = this.points.get(key, () =>
      this.decisions.at({ kind, isNamedKind: true, version, scope, isNamedScope: true, principal: own }, roles),
    );
    if (decisions.sharesResults) return undefined;
    return this.formulas.get(`${key}${action}`, () => or(...roles.map((role) => decisions.ofRole(role, action))));
  }
}

/** Those of the options that select policies. */
function selecting({ defaultPolicyVersion, defaultScope, lenientScopeSearch }: PartialOptions): Selecting {
  return {
    ...(defaultPolicyVersion !== undefined && { defaultPolicyVersion }),
    ...(defaultScope !== undefined && { defaultScope }),
    ...(lenientScopeSearch !== undefined && { lenientScopeSearch }),
  };
}

/** A request as conditions see it, with attributes that are JSON. */
function readRequest({ principal, resource, auxData }: AccessRequest, options: PartialOptions): Request {
  const { globals = {}, clock = systemTime } = options;
  let now: Instant | undefined;
  return {
    principal: {
      id: principal.id,
      roles: principal.roles,
      attr: attributes(principal.attr, 'principal.attr'),
      policyVersion: principal.policyVersion ?? '',
      scope: withoutDot(principal.scope ?? ''),
    },
    resource: {
      kind: resource.kind,
      id: resource.id,
      attr: attributes(resource.attr, 'resource.attr'),
      policyVersion: resource.policyVersion ?? '',
      scope: withoutDot(resource.scope ?? ''),
    },
    auxData: {
      jwt: attributes(auxData?.jwt, 'auxData.jwt'),
      jwts: attributes(auxData?.jwts, 'auxData.jwts') as Request['auxData']['jwts'],
    },
    effectiveDerivedRoles: [],
    failedDerivedRoles: [],
    globals,
    get now() {
      now ??= { ...clock() };
      return now;
    },
  };
}

function attributes(attr: Attributes | undefined, path: string): Attributes {
  if (attr == null) return {};
  return isPlainObject(attr) ? json(attr) : plainAttributes(attr, path);
}

function withoutDot(scope: string): string {
  return scope.startsWith('.') ? scope.slice(1) : scope;
}

/** The time of the system clock. */
function systemTime(): Instant {
  const milliseconds = Date.now();
  const seconds = Math.floor(milliseconds / 1000);
  const offset = -new Date(milliseconds).getTimezoneOffset();
  return { seconds, nanos: (milliseconds - seconds * 1000) * 1_000_000, offset };
}
