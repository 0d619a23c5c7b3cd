import type { EngineOptions } from '../../../runtime/engine/index.js';
import { type Allowance, allowancesOf } from '../../../runtime/engine/parts.js';
import { glob, matchesAny } from '../../../runtime/policy/index.js';
import type * as ir from '../../../compiler/ir/program.js';
import { and, type Formula, hasRole, or } from '../formula/formula.js';
import type { FormulaKeys } from '../formula/keys.js';
import { makeBundle } from '../program/bundle.js';
import type { AssumedSchema } from '../question/question.js';
import { computeFingerprint } from './fingerprint.js';
import type { Point } from '../question/point.js';
import { OpaqueResiduals } from './residuals.js';

/** The options of an engine that select policies. */
export type Selecting = Pick<EngineOptions, 'defaultPolicyVersion' | 'defaultScope' | 'lenientScopeSearch'>;

/** The decisions of a program as formulas. How rules combine is taken from the engine's own plan. */
export class Decisions {
  readonly modules: ReadonlyMap<string, ir.Module>;
  private readonly allowance;
  private readonly residuals: OpaqueResiduals;
  private readonly fingerprints = new Map<ir.Module, string>();
  /** An id of no principal that has policies. */
  private readonly otherId: string;

  constructor(
    readonly program: ir.Program,
    { defaultPolicyVersion = 'default', defaultScope = '', lenientScopeSearch = false }: Selecting,
  ) {
    const { bundle, modules, origins } = makeBundle(program);
    this.modules = modules;
    this.residuals = new OpaqueResiduals(origins);
    this.allowance = allowancesOf(
      { ...bundle, filters: [this.residuals.filters] },
      { defaultPolicyVersion, defaultScope, lenientScopeSearch, schemaEnforcement: 'none', traced: undefined },
    );
    const longest = Math.max(0, ...bundle.principalPolicies.map(({ principal }) => principal.length));
    this.otherId = 'x'.repeat(longest + 1);
  }

  /** The policies of a point, and what they decide about a principal with some of the roles. */
  at(point: Point, roles: readonly string[]): PointDecisions {
    const { kind, version, scope, principal } = point;
    const allowance = this.allowance(
      {
        id: principal?.id ?? this.otherId,
        roles,
        scope: `.${principal?.scope ?? ''}`,
        ...(principal?.version !== undefined && { policyVersion: principal.version }),
      },
      { kind, policyVersion: version, scope: `.${scope}` },
    );
    const module = (key: string): readonly ir.Module[] => {
      const found = this.modules.get(key);
      return found === undefined ? [] : [found];
    };
    const layers = allowance.resource.map(({ scope: at, policy, limits }) => ({
      at,
      modules: [
        ...(policy === undefined ? [] : module(policy.key)),
        ...[...(limits?.byRole.values() ?? [])].flatMap(({ key }) => module(key)),
      ],
    }));
    const principalModules = (allowance.principal ?? []).flatMap(({ key }) => module(key));
    const direct = [...principalModules, ...layers.flatMap(({ modules }) => modules)];
    const sets = direct
      .flatMap((own) => (own.kind === 'resource' ? own.derivedRoles : []))
      .flatMap((role) => module(role.module));
    const signature = (): string =>
      JSON.stringify([
        allowance.exists,
        principalModules.map((own) => this.fingerprint(own)),
        layers.map(({ at, modules }) => [at, modules.map((own) => this.fingerprint(own)).sort()]),
        [...new Set(sets)].map((own) => this.fingerprint(own)).sort(),
        [...allowance.lineages].sort(([a], [b]) => (a < b ? -1 : 1)),
      ]);
    // Those of the root policy, if the first scope has a policy (docs/spec/policy-language.md#which-schemas-apply).
    const root = allowance.resource[0]?.policy === undefined ? undefined : layers.at(-1);
    const schemas = (root?.at === '' ? root.modules : []).flatMap((own) =>
      own.kind === 'resource' ? [own.schemas] : [],
    );
    return new PointDecisions(
      allowance,
      point.kind,
      [...new Set([...direct, ...sets])],
      roles,
      this.residuals,
      schemas.map((own) => ({ ...own, modules: this.program.schemas })),
      signature,
    );
  }

  private fingerprint(module: ir.Module): string {
    const known = this.fingerprints.get(module) ?? computeFingerprint(module);
    this.fingerprints.set(module, known);
    return known;
  }
}

/** What the policies of a point decide. */
export class PointDecisions {
  constructor(
    private readonly allowance: Allowance,
    private readonly kind: string,
    /** All modules that have a part in it. */
    readonly modules: readonly ir.Module[],
    private readonly roles: readonly string[],
    private readonly residuals: OpaqueResiduals,
    private readonly schemas: readonly (ir.ResourceModule['schemas'] & Pick<AssumedSchema, 'modules'>)[],
    private readonly signatureOf: () => string,
  ) {}

  /** Points of any programs with equal signatures decide alike. */
  get signature(): string {
    return this.signatureOf();
  }

  /** The schemas that attributes have to satisfy for an action, where schemas are enforced. */
  schemasFor(action: string): readonly AssumedSchema[] {
    return this.schemas.flatMap(({ modules, ...schemas }) =>
      (['principal', 'resource'] as const).flatMap((attributesOf) => {
        const schema = schemas[attributesOf];
        if (schema === undefined || 'unavailable' in schema.validator) return [];
        if (schema.ignoredActions.some((pattern) => glob(pattern)(action))) return [];
        return [{ attributesOf, at: schema.validator, modules }];
      }),
    );
  }

  /** Whether a schema that applies to an action cannot be used: it rejects everything, where schemas are enforced. */
  rejectsAll(action: string): boolean {
    return this.schemas.some(({ principal, resource }) =>
      [principal, resource].some(
        (schema) =>
          schema !== undefined &&
          'unavailable' in schema.validator &&
          !schema.ignoredActions.some((pattern) => glob(pattern)(action)),
      ),
    );
  }

  /** The globs of actions that are exempt from the schemas, where schemas are enforced. */
  get exemptActions(): readonly string[] {
    return this.schemas.flatMap(({ principal, resource }) =>
      [principal, resource].flatMap((schema) => schema?.ignoredActions ?? []),
    );
  }

  /** Whether a policy can allow anything here. */
  get canAllow(): boolean {
    return this.allowance.exists && (this.hasResourcePolicy || this.hasPrincipalRules);
  }

  get hasResourcePolicy(): boolean {
    return this.allowance.resource.some(({ policy }) => policy !== undefined);
  }

  /** Whether resource or role policies exist about the kind, so that the version of the principal does not matter. */
  get isAboutKind(): boolean {
    return this.allowance.resource.some(({ policy, limits }) => policy !== undefined || limits?.coverKind === true);
  }

  /** Whether the principal has a rule about the kind. */
  get hasPrincipalRules(): boolean {
    return this.modules.some((module) => module.kind === 'principal' && rulesAbout(module, this.kind).length > 0);
  }

  /** Whether a result of a rule is also that of another rule, which formulas do not know. */
  get sharesResults(): boolean {
    return this.modules.some(
      (module) =>
        (module.kind === 'resource' || module.kind === 'principal') &&
        rulesAbout(module, this.kind).some(({ memo }) => memo !== undefined),
    );
  }

  /** Whether a condition or an output reads the active derived roles. */
  get readsRuntime(): boolean {
    return this.allowance.readsRuntime;
  }

  /** Each role that role policies give ancestors, and these. */
  get lineages(): Allowance['lineages'] {
    return this.allowance.lineages;
  }

  /** When an action is allowed to a principal that has one of the roles alone. */
  ofRole(role: string, action: string): Formula {
    return this.residuals.toFormula(this.allowance.condition(role, action), (parentRoles) =>
      parentRoles.has('*') ? true : or(...this.roles.filter((own) => this.reaches(own, parentRoles)).map(hasRole)),
    );
  }

  /**
   * When an action is allowed: as roles are judged separately and any ALLOW counts, where a role is held of which the
   * formula is true.
   */
  of(action: string, keys: FormulaKeys): Formula {
    const byKey = new Map<number, { readonly formula: Formula; readonly roles: string[] }>();
    for (const role of this.roles) {
      const formula = this.ofRole(role, action);
      const entry = byKey.get(keys.of(formula));
      if (entry === undefined) byKey.set(keys.of(formula), { formula, roles: [role] });
      else entry.roles.push(role);
    }
    return or(...[...byKey.values()].map(({ formula, roles }) => and(or(...roles.map(hasRole)), formula)));
  }

  /** Whether a rule for these names and globs of roles is asked for a role, or for one of its ancestors. */
  isReachedBy(role: string, patterns: readonly string[]): boolean {
    return this.lineageOf(role).some(matchesAny(...patterns));
  }

  private lineageOf(role: string): readonly string[] {
    return this.allowance.lineages.get(role) ?? [role];
  }

  private reaches(role: string, parentRoles: ReadonlySet<string>): boolean {
    return this.lineageOf(role).some((own) => parentRoles.has(own));
  }
}

/** The rules of a policy that may be about a kind. */
export function rulesAbout(module: ir.ResourceModule | ir.PrincipalModule, kind: string): readonly ir.Rule[] {
  return module.kind === 'resource'
    ? module.rules
    : module.rules.filter(({ resource = '*' }) => resource.includes('*') || resource === kind);
}
