import { paramsOf, type Params, textsOf, expressionsOf } from './definitions.js';
import type {
  DerivedRoleDefinition,
  Document,
  Match,
  PrincipalDocument,
  ResourceDocument,
  RoleDocument,
  RuleBody,
} from './documents.js';

/** Policies as rows: the first half of the reference model (docs/spec/policy-language.md#reference-model). */
export interface Table {
  readonly rows: readonly Row[];
  readonly roleRules: readonly RoleRow[];
  /** `version scope role` -> parents. By version, unlike the reference (8.10-D4). */
  readonly parentRoles: ReadonlyMap<string, readonly string[]>;
  readonly consents: ReadonlyMap<string, boolean>;
  readonly resourceScopes: ReadonlySet<string>;
  readonly principalScopes: ReadonlySet<string>;
  /** Policy key -> the derived roles its rules name. */
  readonly derived: ReadonlyMap<string, ReadonlyMap<string, ModelDerivedRole>>;
  /** Policy key -> document. */
  readonly resourcePolicies: ReadonlyMap<string, ResourceDocument>;
}

export interface ModelDerivedRole {
  readonly definition: DerivedRoleDefinition;
  readonly params: Params;
}

/** A visited row: it speaks and may decide. `effect` null only speaks. */
export interface VisitedRow {
  readonly effect: string | null;
  readonly condition: Match | undefined;
  /** When it holds, when it does not. */
  readonly out: readonly [string | undefined, string | undefined];
  readonly name: string;
  readonly origin: string;
  readonly params: Params;
  readonly derivedRole: ModelDerivedRole | undefined;
  readonly cacheKey: string | undefined;
  readonly fromRolePolicy: boolean;
}

export interface Row extends VisitedRow {
  readonly type: 'R' | 'P';
  readonly principal: string | undefined;
  /** Null in the marker of a principal policy. */
  readonly kind: string | null;
  readonly version: string;
  readonly scope: string;
  /** A row that only says that a policy exists. */
  readonly isMarker: boolean;
  readonly role: string;
  readonly action: string;
}

export interface RoleRow {
  readonly role: string;
  readonly version: string;
  readonly scope: string;
  readonly kind: string;
  readonly allow: readonly string[];
  readonly condition: Match | undefined;
  readonly out: readonly [string | undefined, string | undefined];
  readonly name: string;
  readonly origin: string;
  readonly params: Params;
  readonly cacheKey: string;
}

export const NO_PARAMS: Params = { variables: [], constants: {} };

export function sanitize(name: string): string {
  return /^[A-Za-z][0-9A-Za-z_@.\-/]*(:[A-Za-z][0-9A-Za-z_@.\-/]*)*$/.test(name)
    ? name.replace(/[^0-9A-Za-z_.]+/g, '_')
    : name;
}

export function policyKey(type: string, name: string, version: string, scope: string): string {
  return `${type}.${sanitize(name)}.v${sanitize(version)}${scope === '' ? '' : `/${scope}`}`;
}

export function tableOf(documents: readonly Document[]): Table {
  const builder = new TableBuilder(documents);
  for (const document of documents) {
    if (document.resourcePolicy !== undefined) builder.addResourcePolicy(document.resourcePolicy);
    if (document.principalPolicy !== undefined) builder.addPrincipalPolicy(document.principalPolicy);
    if (document.rolePolicy !== undefined) builder.addRolePolicy(document.rolePolicy);
  }
  return builder;
}

class TableBuilder implements Table {
  readonly rows: Row[] = [];
  readonly roleRules: RoleRow[] = [];
  readonly parentRoles = new Map<string, readonly string[]>();
  readonly consents = new Map<string, boolean>();
  readonly resourceScopes = new Set<string>();
  readonly principalScopes = new Set<string>();
  readonly derived = new Map<string, Map<string, ModelDerivedRole>>();
  readonly resourcePolicies = new Map<string, ResourceDocument>();

  constructor(private readonly documents: readonly Document[]) {}

  addResourcePolicy(policy: ResourceDocument): void {
    const { version, scope = '', rules = [] } = policy;
    const key = policyKey('resource', policy.resource, version, scope);
    const params = paramsOf(this.documents, policy, textsOf(rules));
    const used = new Map<string, ModelDerivedRole>();
    const place = { type: 'R', principal: undefined, kind: sanitize(policy.resource), version, scope } as const;
    this.consents.set(scope, consentsOf(policy));
    this.resourceScopes.add(scope);
    this.resourcePolicies.set(key, policy);
    this.derived.set(key, used);
    this.rows.push({ ...MARKER, ...place });

    for (const [index, rule] of rules.entries()) {
      const name = rule.name || `rule-${String(index + 1).padStart(3, '0')}`;
      const common = {
        ...place,
        ...invertIfConsent(policy, rule),
        out: outputsOf(rule),
        name,
        origin: key,
        params,
        isMarker: false,
        fromRolePolicy: false,
      };
      // The order among the rows of one rule is open (8.10-D1): here the plain roles first.
      for (const action of rule.actions) {
        for (const role of orEveryone(rule.roles ?? []))
          this.rows.push({ ...common, role, action, derivedRole: undefined, cacheKey: `rule ${key} ${name}` });
      }
      for (const derivedName of rule.derivedRoles ?? []) {
        const derivedRole = this.findDerivedRole(policy, derivedName);
        used.set(derivedName, derivedRole);
        for (const action of rule.actions) {
          for (const role of orEveryone(derivedRole.definition.parentRoles)) {
            this.rows.push({ ...common, role, action, derivedRole, cacheKey: `dr ${derivedName} ${key} ${name}` });
          }
        }
      }
    }
  }

  addPrincipalPolicy(policy: PrincipalDocument): void {
    const { version, scope = '', principal, rules = [] } = policy;
    const key = policyKey('principal', principal, version, scope);
    const params = paramsOf(this.documents, policy, textsOf(rules.flatMap((block) => block.actions)));
    const place = { type: 'P', principal, version, scope } as const;
    this.consents.set(scope, consentsOf(policy));
    this.principalScopes.add(scope);
    this.rows.push({ ...MARKER, ...place, kind: null });
    for (const block of rules) {
      for (const [index, rule] of block.actions.entries()) {
        const name = rule.name || `${block.resource}_rule-${String(index + 1).padStart(3, '0')}`;
        this.rows.push({
          ...place,
          ...invertIfConsent(policy, rule),
          kind: sanitize(block.resource),
          isMarker: false,
          role: '*',
          action: rule.action,
          out: outputsOf(rule),
          name,
          origin: key,
          params,
          fromRolePolicy: false,
          derivedRole: undefined,
          cacheKey: `rule ${key} ${name}`,
        });
      }
    }
  }

  addRolePolicy(policy: RoleDocument): void {
    const { role, scope = '', rules = [] } = policy;
    const version = policy.version || 'default';
    const key = policyKey('role', role, version, scope);
    const params = paramsOf(this.documents, policy, textsOf(rules));
    this.parentRoles.set(`${version} ${scope} ${role}`, policy.parentRoles ?? []);
    const positions = new Map<string, number>();
    for (const rule of rules) {
      const position = positions.get(rule.resource) ?? 0;
      positions.set(rule.resource, position + 1);
      this.resourceScopes.add(scope);
      this.roleRules.push({
        role,
        version,
        scope,
        kind: rule.resource,
        allow: rule.allowActions,
        condition: rule.condition?.match,
        out: outputsOf(rule),
        name: rule.name ?? '',
        origin: key,
        params,
        cacheKey: `role ${key} ${position}`,
      });
    }
  }

  private findDerivedRole({ importDerivedRoles = [] }: ResourceDocument, name: string): ModelDerivedRole {
    for (const { derivedRoles } of this.documents) {
      if (
        derivedRoles === undefined ||
        !importDerivedRoles.some((imported) => sanitize(imported) === sanitize(derivedRoles.name))
      )
        continue;
      const definition = derivedRoles.definitions.find((candidate) => candidate.name === name);
      if (definition === undefined) continue;
      const texts = definition.condition === undefined ? [] : expressionsOf(definition.condition.match);
      return { definition, params: paramsOf(this.documents, derivedRoles, texts) };
    }
    throw new Error(`no derived role ${name}`);
  }
}

const MARKER = {
  isMarker: true,
  role: '',
  action: '',
  effect: null,
  condition: undefined,
  out: [undefined, undefined],
  name: '',
  origin: '',
  params: NO_PARAMS,
  derivedRole: undefined,
  cacheKey: undefined,
  fromRolePolicy: false,
  principal: undefined,
} as const;

function consentsOf(policy: { readonly scopePermissions?: string }): boolean {
  return policy.scopePermissions?.endsWith('CONSENT_FOR_ALLOWS') ?? false;
}

/** The outputs are not exchanged (9.3). */
function invertIfConsent(
  policy: { readonly scopePermissions?: string },
  rule: RuleBody & { readonly effect: string },
): Pick<Row, 'effect' | 'condition'> {
  const match = rule.condition?.match;
  if (consentsOf(policy) && rule.effect === 'EFFECT_ALLOW' && match !== undefined)
    return { effect: 'EFFECT_DENY', condition: { none: { of: [match] } } };
  return { effect: rule.effect, condition: match };
}

function outputsOf({ output }: RuleBody): readonly [string | undefined, string | undefined] {
  return [output?.when?.ruleActivated || output?.expr || undefined, output?.when?.conditionNotMet || undefined];
}

function orEveryone(roles: readonly string[]): readonly string[] {
  return roles.includes('*') ? ['*'] : roles;
}
