import type { Attributes, Request, Resource } from '../policy/index.js';
import type { Journal } from './journal.js';
import type { Settings } from './options.js';
import type { PlanRequest, PlanResourceInput } from './plan-request.js';
import type { Registry } from './registry.js';
import { stepsFrom } from './resource-chain.js';
import { lineageBits } from './role-bits.js';
import { FEW_ROLES, roleClasses } from './role-classes.js';
import type { RoleLimits } from './roles.js';
import { EVERYONE, type RuleEntry, type RuleTable } from './rule-table.js';
import { requestedScope, withoutDot } from './scope-chain.js';

/**
 * Writes down the rules that a plan considers, and what of their conditions fails whatever the row is: a plan has no
 * order in which a rule could end the visit of others. The registry is one with traced conditions.
 */
export function considerPlan(registry: Registry, settings: Settings, request: PlanRequest, journal: Journal): void {
  const { principal, resource, actions } = request;
  const version = resource.policyVersion || settings.defaultPolicyVersion;
  const scope = requestedScope(resource.scope, settings.defaultScope);
  const known = knownOf(request, settings, journal);
  const visit: Visit = { known, journal, kind: resource.kind };
  const chain = registry.resourceChain(resource.kind, version, scope);
  const byPrincipal = registry.principals?.chain(
    principal.id,
    version,
    requestedScope(principal.scope, settings.defaultScope),
  );
  const lineages = registry.roles?.lineages(version, scope);
  const roles =
    principal.roles.length > FEW_ROLES ? roleClasses(principal.roles, chain, lineages).first : principal.roles;
  for (const action of actions) {
    for (const { kinds, otherKinds } of byPrincipal?.steps ?? [])
      visitTable(visit, kinds.get(chain.kind) ?? otherKinds, action, EVERYONE, []);
    for (const role of roles) {
      const lineage = lineages?.get(role) ?? [role];
      for (const { policy, table, limits } of stepsFrom(chain.first)) {
        for (const ancestor of lineage) visitLimits(visit, limits?.byRole.get(ancestor), action);
        if (policy !== undefined && table !== undefined)
          visitTable(visit, table, action, lineageBits(policy, lineage), lineage);
      }
    }
  }
}

interface Visit {
  readonly known: Request;
  readonly journal: Journal;
  readonly kind: string;
}

function visitTable(
  visit: Visit,
  { ordered, key }: RuleTable,
  action: string,
  bits: number,
  lineage: readonly string[],
): void {
  for (const entry of ordered.named.get(action) ?? ordered.other) {
    if (isReached(visit, entry, action, bits, lineage)) visitRule(visit, entry, key);
  }
}

function isReached(
  { kind }: Visit,
  { roles, rule, reaches }: RuleEntry,
  action: string,
  bits: number,
  lineage: readonly string[],
): boolean {
  if ((roles & bits) === 0) return false;
  if (rule.among !== undefined && !lineage.some((role) => rule.among?.(role))) return false;
  return reaches === undefined || reaches(action, kind);
}

function visitRule({ known, journal }: Visit, { rule, traced, tracedDerivedRole }: RuleEntry, key: string): void {
  journal.considers(key, rule.name);
  const active = tracedDerivedRole?.(known) ?? true;
  // Inactive because an attribute of the row is not known yet: for some row it may be active.
  if (active === true || journal.readsUnknown) traced?.(known);
}

function visitLimits({ known, journal }: Visit, limits: RoleLimits | undefined, action: string): void {
  if (limits === undefined) return;
  journal.considers(limits.key, '');
  for (const { rule, traced } of limits.rules) {
    if (!rule.allows(action)) continue;
    journal.considers(limits.key, rule.name);
    traced?.(known);
  }
}

/** What conditions see: of the resource only what the request lists; the journal learns when something else is read. */
function knownOf({ principal, resource, auxData }: PlanRequest, settings: Settings, journal: Journal): Request {
  return {
    principal: {
      id: principal.id,
      roles: principal.roles,
      attr: principal.attr ?? {},
      policyVersion: principal.policyVersion ?? '',
      scope: withoutDot(principal.scope ?? ''),
    },
    resource: new KnownResource(resource, journal),
    auxData: { jwt: auxData?.jwt ?? {}, jwts: auxData?.jwts ?? {} },
    effectiveDerivedRoles: [],
    failedDerivedRoles: [],
    globals: settings.globals,
    now: { ...settings.clock() },
    failures: journal.failures,
  };
}

class KnownResource implements Resource {
  readonly kind: string;
  readonly attr: Attributes;
  readonly policyVersion: string;
  readonly scope: string;

  constructor(
    { kind, attr = {}, policyVersion = '', scope = '' }: PlanResourceInput,
    private readonly journal: Journal,
  ) {
    this.kind = kind;
    this.policyVersion = policyVersion;
    this.scope = withoutDot(scope);
    const unlessListed = (name: PropertyKey): void => {
      if (!Object.hasOwn(attr, name)) journal.meetUnknown();
    };
    this.attr = new Proxy(attr, {
      get: (listed, name) => {
        unlessListed(name);
        return Reflect.get(listed, name);
      },
      getOwnPropertyDescriptor: (listed, name) => {
        unlessListed(name);
        return Reflect.getOwnPropertyDescriptor(listed, name);
      },
      ownKeys: (listed) => {
        journal.meetUnknown();
        return Reflect.ownKeys(listed);
      },
    });
  }

  get id(): string {
    this.journal.meetUnknown();
    return '';
  }
}
