import {
  chainOf,
  createEngine,
  delegation,
  type Engine,
  type EngineOptions,
  explanations,
  type PlanSubjects,
  type PrincipalInput,
  type TenantDocuments,
  type TenantRolesView,
  tenants,
  tenantsOf,
  type TenantsOptions,
  writingOf,
} from '../../runtime/engine/index.js';
import type { CompiledBundle, Explainer } from '../../runtime/engine/parts.js';
import { readingOptions, readSetsOfCheck } from '../../runtime/facts/of-check.js';
import type { FactDeciders } from '../../runtime/facts/deciders.js';
import { type BundleFacts, namedActions } from '../../runtime/policy/index.js';
import type { BundleProvenance } from '../../proto/gen/messages.js';
import type { AuditedBundle } from '../audit/audited-bundle.js';
import type { Config } from '../config.js';
import { ConfigError } from '../config/config-error.js';
import { provenanceMessage } from '../bundle/provenance.js';
import { policyNames } from './policy-names.js';
import { release } from '../release.js';
import type { ServerInfoResponse } from '../../proto/gen/messages.js';
import type { Decider, DecidingBundle } from '../service/decider.js';
import type { KindNames } from '../service/services.js';
import { type ActionNames, actionNames } from './action-names.js';
import type { Bundle, PolicyTexts } from '../service/bundle.js';
import type { OnDisagreement } from '../facts/bundle-facts.js';
import type { DecisionClock } from './decision-clock.js';

/** A bundle with its engine, in use or ready to be. */
export interface ServingEngine extends DecidingBundle {
  readonly hash: string;
  /** What ServerInfo responds with. */
  readonly release: ServerInfoResponse;
  /** The digest of the bundle; empty if it was compiled in this process. */
  readonly digest: string;
  /** Sequence of its manifest; undefined without one. */
  readonly sequence: number | undefined;
  /** Undefined if the bundle did not come in an archive. */
  readonly provenance: BundleProvenance | undefined;
  readonly bundle: Bundle;
  readonly engine: Engine;
  /** Undefined if the policies let tenants have no roles. */
  readonly tenants: ServedTenants | undefined;
  /** What decides while facts of sources are unknown; undefined if there are no sources. */
  readonly facts: FactDeciders | undefined;
  /** Undefined if decisions are not to be explained, or the bundle cannot. */
  readonly explainer: Explainer | undefined;
  /** The texts of its policies and schemas. Undefined if decisions are not to be explained, or the bundle cannot. */
  readonly texts: PolicyTexts | undefined;
  /** What requests can name of its policies. */
  readonly names: () => readonly KindNames[];
  readonly actionNames: ActionNames;
  /** The bundle in the form of the audit log. */
  readonly audited: AuditedBundle;
  /** The patterns that automata match because the regular expressions of this process are incorrect. */
  readonly patternsFailedOnHost: readonly string[];
}

/** What an engine gets besides its configuration. */
interface EngineParts {
  readonly clock?: EngineOptions['clock'];
  readonly onRefused?: TenantsOptions['onRefused'];
  readonly onDisagreement?: OnDisagreement | undefined;
}

/** What a bundle knows of roles of tenants. */
export interface ServedTenants {
  /** The tenants whose documents are needed to decide about a principal. */
  readonly neededBy: (principal: PrincipalInput) => readonly string[];
  readonly roles: TenantRolesView;
}

/**
 * Creates the engine of a bundle and tries it; see `makeEngine`. In a server with tracing, the clock wraps its schemas.
 */
export async function servingEngine(
  config: Config,
  bundle: Bundle,
  clock?: DecisionClock,
  parts: Pick<EngineParts, 'onRefused' | 'onDisagreement'> = {},
): Promise<ServingEngine> {
  const {
    engine,
    tenants,
    facts: factDeciders,
  } = await makeEngine(
    config,
    clock === undefined ? bundle : { ...bundle, policies: clock.watch(bundle.policies) },
    parts,
  );
  const { hash } = bundle.policies;
  const provenance = bundle.provenance && provenanceMessage(bundle.provenance);
  const { facts } = bundle.policies;
  const audited: AuditedBundle = {
    policySource: {
      embeddedPdp: {
        commitHash: release.commit,
        builtAt: release.buildDate,
        bundleHash: hash,
        ...(provenance !== undefined && { provenance }),
      },
    },
    explain: (call) => engine.explain(call),
    derivedRoles: (call) => engine.check(call).map(({ effectiveDerivedRoles }) => effectiveDerivedRoles),
    ...(config.audit.facts === 'read-set' &&
      facts && { readSets: findReadSets(facts, engine, await chooseEngineOptions(config, bundle)) }),
    ...(tenants && { rolesOfTenant: (principal, documents) => definedRoles(tenants, principal, documents) }),
  };
  const explainer = config.server.explain
    ? await bundle.explainer?.(await chooseEngineOptions(config, bundle))
    : undefined;
  const texts = config.server.explain ? await bundle.policyTexts?.() : undefined;
  let known: readonly KindNames[] | undefined;
  const names = (): readonly KindNames[] => {
    known ??= policyNames(bundle.policies, texts);
    return known;
  };
  const patternsFailedOnHost = bundle.patternsFailedOnHost?.() ?? [];
  return {
    hash,
    digest: bundle.provenance?.digest ?? '',
    sequence: bundle.provenance?.manifest?.sequence,
    release: { ...release, bundleHash: hash, bundleProvenance: provenance },
    provenance,
    decider: makeDecider(engine, clock),
    bundle,
    engine,
    tenants,
    facts: factDeciders,
    explainer,
    texts,
    names,
    actionNames: actionNames(bundle.policies),
    audited,
    planSubjects: await subjectPlanner(config, bundle),
    patternsFailedOnHost,
  };
}

/**
 * Plans which principals may do something, where principals are searched, by an engine of its own: the conditions that tell an error from
 * false are for the log and the audit log, and a plan cannot have them. Undefined if the bundle was not compiled to explain, and in strict
 * evaluation.
 */
async function subjectPlanner(config: Config, bundle: Bundle): Promise<PlanSubjects | undefined> {
  const { subjects, policies } = bundle;
  const isSearched = Object.values(config.sources?.from ?? {}).some(({ of, search }) => search && of === 'principal');
  if (!isSearched || subjects === undefined || config.engine.strictEvaluation) return undefined;
  const { traced: _, ...options } = await chooseEngineOptions(config, bundle);
  return createEngine(policies, { ...options, use: [await subjects()] }).planSubjects;
}

/** Decides by an engine; the clock measures calls that are traced. */
function makeDecider(engine: Engine, clock: DecisionClock | undefined): Decider {
  if (clock === undefined) return engine;
  return {
    check: (call, times) => (times === undefined ? engine.check(call) : clock.check(engine, call, times)),
    plan: (call, times) => (times === undefined ? engine.plan(call) : clock.plan(engine, call, times)),
    asOne: (work) => engine.asOne(work),
  };
}

/**
 * Creates the engine of a bundle according to the configuration, and tries it. Rejects with a ConfigError if the
 * configuration does not fit the bundle, or with the thrown error if the bundle cannot decide. Without `clock`, it
 * decides at the time of the system.
 */
export async function makeEngine(
  config: Config,
  bundle: Bundle,
  { clock, onRefused, onDisagreement = () => {} }: EngineParts = {},
): Promise<Pick<ServingEngine, 'engine' | 'tenants' | 'facts'>> {
  const { policies } = bundle;
  const { tenantRoles } = policies;
  const own = await chooseEngineOptions(config, bundle);
  const options = clock === undefined ? own : { ...own, clock };
  const parts = [delegation(), explanations()];
  const whole: EngineOptions = {
    ...options,
    use: tenantRoles === undefined ? parts : [...parts, tenants({ onRefused })],
  };
  // Modules that a server does not need are not loaded.
  const facts =
    config.sources && (await import('../facts/bundle-facts.js')).makeFactDeciders(policies, whole, onDisagreement);
  const engine = facts?.engine ?? createEngine(policies, whole);
  tryOut(engine, policies);
  return {
    engine,
    facts,
    tenants: tenantRoles && {
      neededBy: (principal) => tenantsOf(tenantRoles, principal, config.engine.defaultScope),
      roles: engine.tenants as TenantRolesView,
    },
  };
}

/** The roles of a principal and its actors that the document of a tenant defines. */
function definedRoles(
  { roles: known }: ServedTenants,
  principal: PrincipalInput,
  documents: TenantDocuments | undefined,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const one of chainOf(principal)) {
    const { tenant, roles } = known.definedRoles(one, documents);
    if (tenant !== undefined) found.set(tenant, [...new Set([...(found.get(tenant) ?? []), ...roles])].sort());
  }
  return found;
}

/** What decisions of an engine read, for audit entries. */
function findReadSets(
  facts: BundleFacts,
  engine: Engine,
  options: EngineOptions,
): NonNullable<AuditedBundle['readSets']> {
  const readSetOf = facts.readSets(readingOptions(options));
  return ({ principal, resource, actions = [] }, tenants) =>
    readSetsOfCheck(
      readSetOf,
      engine,
      // Entries leave out what is empty.
      { principal: { ...principal, roles: principal.roles ?? [] } as PrincipalInput, resource, actions, tenants },
      'response',
    );
}

async function chooseEngineOptions(config: Config, { traced }: Bundle): Promise<EngineOptions> {
  const {
    defaultPolicyVersion,
    defaultScope,
    lenientScopeSearch,
    strictEvaluation,
    referenceShapes,
    missing,
    globals,
    limits,
  } = config.engine;
  const options = {
    defaultPolicyVersion,
    defaultScope,
    lenientScopeSearch,
    strictEvaluation,
    globals,
    limits,
    schemaEnforcement: config.schemaEnforcement,
    plan: writingOf(referenceShapes, missing),
  };
  if (strictEvaluation && traced === undefined)
    throw new ConfigError('strict evaluation needs a bundle with traced conditions', 'engine.strictEvaluation');
  // Only the log and the audit log report errors of conditions.
  const wantsErrors = strictEvaluation || config.audit.enabled || config.engine.celErrorLogLevel !== 'none';
  return wantsErrors && traced !== undefined ? { ...options, traced: await traced() } : options;
}

/**
 * How many policies are tried, and how many of their actions and roles: trying all of 10,000 would block the server.
 */
const TRIED = { policies: 32, actions: 4, roles: 16, scopes: 4 };

/**
 * A check and a plan of the first policies: a bundle for another runtime, or a broken one, throws here and not in a
 * request.
 */
function tryOut(engine: Engine, bundle: CompiledBundle): void {
  const { resourcePolicies } = bundle.scoped?.root ?? bundle;
  const tried = bundle.scoped?.scopes.slice(0, TRIED.scopes) ?? [];
  const auxData = { jwt: {}, jwts: {} };
  for (const { kind, version, scope, roles, rules } of resourcePolicies.slice(0, TRIED.policies)) {
    const principal = { id: 'trial', roles: distinct('trial', [...roles.keys()].slice(0, TRIED.roles)) };
    // Several rules may name an action.
    const actions = distinct('trial', namedActions(rules.slice(0, TRIED.actions)).slice(0, TRIED.actions));
    engine.check({
      principal,
      resources: [{ resource: { kind, id: 'trial', policyVersion: version, scope }, actions }],
      auxData,
      includeMeta: true,
    });
    engine.plan({ principal, resource: { kind, policyVersion: version, scope }, actions, auxData });
  }
  // A request of any kind makes the policies of its scope.
  for (const scope of tried)
    engine.check({
      principal: { id: 'trial', roles: ['trial'] },
      resources: [{ resource: { kind: 'trial', id: 'trial', scope }, actions: ['trial'] }],
      auxData,
    });
}

/** A name and others, each once: engines refuse repeated roles and actions. */
function distinct(name: string, others: readonly string[]): readonly string[] {
  return [...new Set([name, ...others])];
}
