import { type Cel, Context, ModelError } from './context.js';
import type { Params } from './definitions.js';
import type { Match, ResourceDocument, SchemaUse } from './documents.js';
import { globMatch, indexMatch } from './glob-match.js';
import { NO_PARAMS, policyKey, type RoleRow, type Row, sanitize, type Table, type VisitedRow } from './table.js';

/** What changes decisions (docs/spec/policy-language.md#configuration). */
export interface ModelSettings {
  readonly defaultVersion: string;
  readonly defaultScope: string;
  readonly lenient: boolean;
  readonly strict: boolean;
  readonly globals: { readonly [name: string]: unknown };
  readonly schemaEnforcement: 'none' | 'warn' | 'reject';
  /** Leaf violations of attributes against a schema. */
  readonly violations: (
    ref: string,
    attributes: unknown,
  ) => readonly { readonly path: string; readonly message: string }[];
}

export const MODEL_DEFAULTS: ModelSettings = {
  defaultVersion: 'default',
  defaultScope: '',
  lenient: false,
  strict: false,
  globals: {},
  schemaEnforcement: 'none',
  violations: () => [],
};

export interface ModelRequest {
  readonly principal: Party & { readonly roles: readonly string[] };
  readonly resource: Party & { readonly kind: string };
  readonly actions: readonly string[];
  readonly auxData?: unknown;
}

interface Party {
  readonly id: string;
  readonly attr?: { readonly [name: string]: unknown };
  readonly policyVersion?: string;
  readonly scope?: string;
}

export interface ModelResult {
  readonly actions: ModelDecision[];
  /** Sorted. */
  effectiveDerivedRoles: readonly string[];
  readonly outputs: ModelOutput[];
  validationErrors: readonly { readonly path: string; readonly message: string; readonly source: string }[];
}

export interface ModelDecision {
  readonly action: string;
  readonly effect: string;
  readonly matchedPolicy: string;
  readonly matchedScope: string;
}

export type ModelOutput = { readonly src: string; readonly action: string } & (
  | { readonly val: unknown }
  | { readonly error: string }
);

/**
 * The reference model of a check of one principal and one resource (docs/spec/policy-language.md#reference-model), in
 * the order and with the names of its text.
 */
export function modelCheck(
  table: Table,
  cel: Cel,
  request: ModelRequest,
  settings: ModelSettings = MODEL_DEFAULTS,
): ModelResult {
  return new ModelCheck(table, cel, request, settings).run();
}

/** A rule that an action and a role reach, whether or not another one decides. */
export interface ReachedRule {
  /** `resource.album.vdefault#owners`. */
  readonly rule: string;
  /** Undefined without a derived role. */
  readonly derivedRole: ReachedDerivedRole | undefined;
  readonly isLimit: boolean;
  /** Whether its condition, and its derived role's, hold. */
  readonly applies: boolean;
  /** The value of an expression of its policy. */
  readonly truthOf: (expression: string) => boolean | 'failed';
}

export interface ReachedDerivedRole {
  readonly name: string;
  readonly isActive: boolean;
  readonly truthOf: ReachedRule['truthOf'];
}

/** All rules that a request reaches, evaluated like the model evaluates those that it asks. */
export function modelTrace(
  table: Table,
  cel: Cel,
  request: ModelRequest,
  settings: ModelSettings = MODEL_DEFAULTS,
): readonly ReachedRule[] {
  return new ModelCheck(table, cel, request, settings).trace();
}

/** How one role, or the principal, came out. */
interface Verdict {
  readonly effect: string | null;
  readonly policy: string;
  readonly scope: string;
  readonly fatal: boolean;
}

class ModelCheck {
  private readonly result: ModelResult;
  private readonly context: Context;
  private readonly conditions = new Map<string, boolean>();
  private readonly listed = new Map<string, readonly [active: readonly string[], failed: readonly string[]]>();
  private readonly kind: string;
  private readonly resourceScope: string;
  private readonly version: string;

  constructor(
    private readonly table: Table,
    cel: Cel,
    private readonly request: ModelRequest,
    private readonly settings: ModelSettings,
  ) {
    const { principal, resource } = request;
    this.kind = sanitize(resource.kind);
    this.resourceScope = this.scopeOf(resource);
    this.version = resource.policyVersion || settings.defaultVersion;
    this.result = { actions: [], effectiveDerivedRoles: [], outputs: [], validationErrors: [] };
    this.context = new Context(
      cel,
      {
        principal: { id: principal.id, roles: principal.roles, attr: principal.attr ?? {}, ...asSent(principal) },
        resource: { kind: resource.kind, id: resource.id, attr: resource.attr ?? {}, ...asSent(resource) },
        auxData: request.auxData ?? { jwt: {}, jwts: {} },
        globals: settings.globals,
      },
      settings.strict,
    );
  }

  run(): ModelResult {
    const { table, request, settings, version } = this;
    const principalVersion = request.principal.policyVersion || settings.defaultVersion;
    const principalScopes = visibleScopes(table.principalScopes, this.scopeOf(request.principal), settings.lenient);
    const resourceScopes = visibleScopes(table.resourceScopes, this.resourceScope, settings.lenient);
    if (principalScopes.length === 0 && resourceScopes.length === 0) return this.denyAll('NO_MATCH');

    const principalKey = policyKey('principal', request.principal.id, principalVersion, principalScopes[0] ?? '');
    const resourceKey = policyKey('resource', request.resource.kind, version, resourceScopes[0] ?? '');
    this.validate(resourceScopes);
    if (this.result.validationErrors.length > 0 && settings.schemaEnforcement === 'reject')
      return this.denyAll(resourceKey);

    const [principalExists, resourceExists] = this.policiesExist(principalScopes, resourceScopes);
    if (!principalExists && !resourceExists) return this.denyAll('NO_MATCH');

    const byPrincipal = principalExists ? principalKey : 'NO_MATCH';
    const byResource = resourceExists ? resourceKey : 'NO_MATCH';
    for (const action of request.actions) {
      let final = this.judge('P', request.principal.roles.slice(0, 1), action, principalScopes, byPrincipal);
      if (final.effect === null) final = this.judge('R', request.principal.roles, action, resourceScopes, byResource);
      this.result.actions.push({
        action,
        effect: final.effect ?? 'EFFECT_DENY',
        matchedPolicy: final.policy,
        matchedScope: final.scope,
      });
    }
    this.result.effectiveDerivedRoles = [...new Set([...this.listed.values()].flatMap(([active]) => active))].sort();
    return this.result;
  }

  private policiesExist(principalScopes: readonly string[], resourceScopes: readonly string[]): readonly boolean[] {
    const { table, request, settings, kind, version } = this;
    const principalVersion = request.principal.policyVersion || settings.defaultVersion;
    const isHere = (row: Row | RoleRow): boolean =>
      row.version === version && resourceScopes.includes(row.scope) && indexMatch(row.kind ?? '', kind);
    return [
      table.rows.some(
        (row) => row.type === 'P' && row.version === principalVersion && principalScopes.includes(row.scope),
      ),
      table.rows.some((row) => row.type === 'R' && isHere(row)) || table.roleRules.some(isHere),
    ];
  }

  trace(): readonly ReachedRule[] {
    const { table, request, settings } = this;
    const principalScopes = visibleScopes(table.principalScopes, this.scopeOf(request.principal), settings.lenient);
    const resourceScopes = visibleScopes(table.resourceScopes, this.resourceScope, settings.lenient);
    if (!this.policiesExist(principalScopes, resourceScopes).includes(true)) return [];
    const chains = [
      ['P', request.principal.roles.slice(0, 1), principalScopes],
      ['R', request.principal.roles, resourceScopes],
    ] as const;
    return request.actions.flatMap((action) =>
      chains.flatMap(([type, roles, scopes]) =>
        roles.flatMap((role) => scopes.flatMap((scope) => this.reachedIn(type, scope, role, action))),
      ),
    );
  }

  private reachedIn(type: 'R' | 'P', scope: string, role: string, action: string): readonly ReachedRule[] {
    if (type === 'R') this.enter(scope);
    const lineage = this.withAncestors(role);
    const rows = this.cellOf(type, scope, lineage).filter((row) => indexMatch(row.action, action));
    const limits = type === 'R' && this.isLimited(scope, lineage) ? this.limitsOf(scope, lineage, action) : [];
    return [
      ...limits.flatMap(({ hits }) => hits.map((hit) => this.reached({ ...SILENT, ...hit, effect: 'EFFECT_ALLOW' }))),
      ...rows.map((row) => this.reached(row)),
    ];
  }

  private reached(row: VisitedRow): ReachedRule {
    const { context } = this;
    const truths = (params: Params) => {
      const variables = context.variablesFor(params);
      // `runtime` is that of the scope.
      const { effectiveDerivedRoles, failedDerivedRoles } = context;
      return (expression: string): boolean | 'failed' => {
        Object.assign(context, { effectiveDerivedRoles, failedDerivedRoles });
        const output = context.output(expression, params, variables);
        return 'val' in output && typeof output.val === 'boolean' ? output.val : 'failed';
      };
    };
    const role = row.derivedRole;
    const holds = (match: Match | undefined, params: Params): boolean =>
      context.satisfied(match, params, context.variablesFor(params));
    const isActive = role === undefined || holds(role.definition.condition?.match, role.params);
    return {
      rule: `${row.origin}#${row.name}`,
      derivedRole: role && { name: role.definition.name, isActive, truthOf: truths(role.params) },
      isLimit: row.fromRolePolicy,
      applies: isActive && holds(row.condition, row.params),
      truthOf: truths(row.params),
    };
  }

  private judge(
    type: 'R' | 'P',
    roles: readonly string[],
    action: string,
    scopes: readonly string[],
    matched: string,
  ): Verdict {
    let final: Verdict = { effect: null, policy: matched, scope: '', fatal: false };
    for (const role of roles) {
      const verdict = this.judgeRole(type, role, action, scopes, matched);
      if (verdict.fatal || verdict.effect === 'EFFECT_ALLOW') return verdict;
      if (final.effect === null) final = verdict;
    }
    return final;
  }

  private judgeRole(type: 'R' | 'P', role: string, action: string, scopes: readonly string[], policy: string): Verdict {
    const lineage = this.withAncestors(role);
    for (const scope of scopes) {
      if (type === 'R') this.enter(scope);
      let isAllowed = false;
      for (const row of this.findRows(type, scope, lineage, action)) {
        const holds = this.visit(row, action);
        if (holds === 'fatal') return { effect: 'EFFECT_DENY', policy: row.origin, scope, fatal: true };
        if (holds && row.effect === 'EFFECT_ALLOW') isAllowed = true;
        if (holds && row.effect === 'EFFECT_DENY')
          return { effect: 'EFFECT_DENY', policy: row.fromRolePolicy ? row.origin : policy, scope, fatal: false };
      }
      if (isAllowed && this.table.consents.get(scope) === false)
        return { effect: 'EFFECT_ALLOW', policy, scope, fatal: false };
    }
    return { effect: null, policy, scope: '', fatal: false };
  }

  /** Whether a row holds, its output given. */
  private visit(row: VisitedRow, action: string): boolean | 'fatal' {
    const { context } = this;
    const variables = context.variablesFor(row.params);
    let holds = row.cacheKey === undefined ? undefined : this.conditions.get(row.cacheKey);
    if (holds === undefined) {
      try {
        const role = row.derivedRole;
        if (
          role !== undefined &&
          !context.satisfied(role.definition.condition?.match, role.params, context.variablesFor(role.params))
        ) {
          this.conditions.set(row.cacheKey as string, false);
          return false;
        }
        holds = context.satisfied(row.condition, row.params, variables);
      } catch (error) {
        if (error instanceof ModelError) return 'fatal';
        throw error;
      }
      if (row.cacheKey !== undefined) this.conditions.set(row.cacheKey, holds);
    }
    const out = holds ? row.out[0] : row.out[1];
    if (out !== undefined)
      this.result.outputs.push({
        src: `${row.origin}#${row.name}`,
        action,
        ...context.output(out, row.params, variables),
      });
    return holds;
  }

  private findRows(type: 'R' | 'P', scope: string, roles: readonly string[], action: string): readonly VisitedRow[] {
    const rows = this.cellOf(type, scope, roles).filter((row) => indexMatch(row.action, action));
    return type === 'R' && this.isLimited(scope, roles)
      ? [...this.rolePolicyRows(scope, roles, action), ...rows]
      : rows;
  }

  private cellOf(type: 'R' | 'P', scope: string, roles: readonly string[]): readonly Row[] {
    const { table, version, kind } = this;
    return table.rows.filter(
      (row) =>
        row.type === type &&
        !row.isMarker &&
        row.version === version &&
        row.scope === scope &&
        indexMatch(row.kind ?? '', kind) &&
        roles.some((role) => indexMatch(row.role, role)) &&
        (type === 'R' || row.principal === this.request.principal.id),
    );
  }

  /** Whether role policies of a scope count: only if something there is about the resource. */
  private isLimited(scope: string, roles: readonly string[]): boolean {
    const { table, version, kind } = this;
    const isListed = table.roleRules.some(
      (rule) =>
        roles.includes(rule.role) && rule.version === version && rule.scope === scope && indexMatch(rule.kind, kind),
    );
    return isListed || this.cellOf('R', scope, roles).length > 0;
  }

  private rolePolicyRows(scope: string, roles: readonly string[], action: string): readonly VisitedRow[] {
    return this.limitsOf(scope, roles, action).flatMap(({ origin, hits }) => {
      if (hits.length === 0) return [{ ...SILENT, effect: 'EFFECT_DENY', origin }];
      return hits.flatMap((rule): VisitedRow[] => {
        const row = { ...SILENT, name: rule.name, origin, params: rule.params, cacheKey: rule.cacheKey };
        if (rule.condition !== undefined)
          return [
            {
              ...row,
              effect: 'EFFECT_DENY',
              condition: { none: { of: [rule.condition] } },
              out: [rule.out[1], rule.out[0]],
            },
          ];
        return rule.out.some((text) => text !== undefined) ? [{ ...row, out: rule.out }] : [];
      });
    });
  }

  /** The role policies of a scope that limit the roles, with those of their rules that list the action. */
  private limitsOf(
    scope: string,
    roles: readonly string[],
    action: string,
  ): readonly { readonly origin: string; readonly hits: readonly RoleRow[] }[] {
    return roles.flatMap((role) => {
      const mine = this.table.roleRules.filter(
        (rule) => rule.role === role && rule.version === this.version && rule.scope === scope,
      );
      const [first] = mine;
      if (first === undefined) return [];
      const hits = mine.filter(
        (rule) =>
          indexMatch(rule.kind, this.kind) &&
          rule.allow.some((allowed) => allowed === action || globMatch(allowed, action)),
      );
      return [{ origin: first.origin, hits }];
    });
  }

  /** With whatever `runtime` the scope before left behind. */
  private enter(scope: string): void {
    const { context } = this;
    let listed = this.listed.get(scope);
    if (listed === undefined) {
      listed = this.derivedRolesIn(scope);
      this.listed.set(scope, listed);
    }
    [context.effectiveDerivedRoles, context.failedDerivedRoles] = listed;
  }

  private derivedRolesIn(scope: string): readonly [readonly string[], readonly string[]] {
    const { context } = this;
    const roles = new Set(this.request.principal.roles.flatMap((role) => this.withAncestors(role)));
    const active: string[] = [];
    const failed: string[] = [];
    for (const [name, role] of this.table.derived.get(
      policyKey('resource', this.request.resource.kind, this.version, scope),
    ) ?? []) {
      const { parentRoles, condition } = role.definition;
      if (!parentRoles.includes('*') && !parentRoles.some((parent) => roles.has(parent))) continue;
      try {
        if (context.satisfied(condition?.match, role.params, context.variablesForListing(role))) active.push(name);
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        failed.push(name);
      }
    }
    return [active.sort(), failed.sort()];
  }

  private withAncestors(role: string): readonly string[] {
    const out = [role];
    const seen = new Set<string>();
    const walk = (current: string): void => {
      if (seen.has(current)) return;
      seen.add(current);
      for (const parent of this.table.parentRoles.get(`${this.version} ${this.resourceScope} ${current}`) ?? []) {
        if (!out.slice(1).includes(parent)) out.push(parent);
        walk(parent);
      }
    };
    walk(role);
    return out;
  }

  private validate(scopes: readonly string[]): void {
    const { table, request, settings, version } = this;
    const keyAt = (scope: string): string => policyKey('resource', request.resource.kind, version, scope);
    if (
      settings.schemaEnforcement === 'none' ||
      scopes[0] === undefined ||
      !table.resourcePolicies.has(keyAt(scopes[0]))
    )
      return;
    const schemas: ResourceDocument['schemas'] = table.resourcePolicies.get(keyAt(''))?.schemas;
    this.result.validationErrors = [
      ...this.violationsOf(schemas?.principalSchema, request.principal.attr ?? {}, 'SOURCE_PRINCIPAL'),
      ...this.violationsOf(schemas?.resourceSchema, request.resource.attr ?? {}, 'SOURCE_RESOURCE'),
    ];
  }

  private violationsOf(
    schema: SchemaUse | undefined,
    attributes: unknown,
    source: string,
  ): ModelResult['validationErrors'] {
    const ignored = schema?.ignoreWhen?.actions ?? [];
    if (schema === undefined || this.request.actions.every((action) => ignored.some((glob) => globMatch(glob, action))))
      return [];
    return this.settings.violations(schema.ref, attributes).map((violation) => ({ ...violation, source }));
  }

  private denyAll(matchedPolicy: string): ModelResult {
    for (const action of this.request.actions)
      this.result.actions.push({ action, effect: 'EFFECT_DENY', matchedPolicy, matchedScope: '' });
    return this.result;
  }

  private scopeOf({ scope }: Party): string {
    return (scope || this.settings.defaultScope).replace(/^\./, '');
  }
}

const SILENT: VisitedRow = {
  effect: null,
  condition: undefined,
  out: [undefined, undefined],
  name: '',
  origin: '',
  params: NO_PARAMS,
  derivedRole: undefined,
  cacheKey: undefined,
  fromRolePolicy: true,
};

/** `policyVersion` and `scope` as conditions see them: as sent, without a leading dot. */
function asSent({ policyVersion = '', scope = '' }: Party): { readonly policyVersion: string; readonly scope: string } {
  return { policyVersion, scope: scope.replace(/^\./, '') };
}

function visibleScopes(existing: ReadonlySet<string>, scope: string, lenient: boolean): readonly string[] {
  if (!existing.has(scope) && !lenient) return [];
  const chain = [scope];
  for (let current = scope; current !== ''; chain.push(current))
    current = current.slice(0, Math.max(0, current.lastIndexOf('.')));
  return chain.filter((candidate) => existing.has(candidate));
}
