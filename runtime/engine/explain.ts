import { EvaluationLimitError, type Failures } from '../cel/index.js';
import type { Attributes, Request, Resource, TracedBundle } from '../policy/index.js';
import type { Listener } from './decide/evaluation.js';
import { visitRules } from './decide/visit-rules.js';
import {
  type CompiledBundle,
  type Engine,
  type EngineOptions,
  PolicyEngine,
  type Settings,
  settingsOf,
} from './engine.js';
import { type RoleLimits, stepsFrom } from './find/chains.js';
import { find, Registry } from './find/registry.js';
import { entriesFor, EVERYONE, isReached, lineageBits, type RuleEntry, type RuleTable } from './find/tables.js';
import { type CheckRequest, type PlanRequest, type PlanResourceInput, withoutDot } from './requests.js';

/** An engine that can explain a decision afterwards, for logs, the audit log and the command line. */
export interface AuditedEngine extends Engine {
  /**
   * The errors of expressions during a check or a plan: each pair of expression and message once, sorted
   * (docs/spec/conditions.md#evaluation-errors). The errors of a check are of all its resources together; to separate
   * them, pass one resource at a time. Decides again with the traced conditions, so call it after the response. Empty
   * if the engine has no `traced`. If it exceeds `limits`, one error without an expression says so.
   */
  evaluationErrors(request: CheckRequest | PlanRequest): readonly EvaluationError[];
  /**
   * The policies whose rules were considered for a check or a plan, sorted by name
   * (docs/spec/server.md#decision-entries). Decides again, as `evaluationErrors` does.
   */
  effectivePolicies(request: CheckRequest | PlanRequest): readonly EffectivePolicy[];
  /** Runs something in which all calls together have the limits of one call, for requests that take many calls. */
  asOne<Result>(work: () => Result): Result;
}

/** As `createEngine`. Separate from it, so that programs that do not explain decisions do not carry the code. */
export function createAuditedEngine(bundle: CompiledBundle, options: EngineOptions = {}): AuditedEngine {
  // The journal has every rule that is visited, so an explanation visits rules one by one.
  const settings = settingsOf(options);
  const engine = new ExplainingEngine({ visitRules, ...bundle }, settings);
  const limited = bundle.guard?.limited(engine, settings.limits) ?? engine;
  return {
    check: (request) => limited.check(request),
    isAllowed: (request) => limited.isAllowed(request),
    plan: (request) => limited.plan(request),
    evaluationErrors: (request) => engine.evaluationErrors(request),
    effectivePolicies: (request) => engine.effectivePolicies(request),
    asOne: (work) => (bundle.guard === undefined ? work() : bundle.guard.asOne(work, settings.limits)),
  };
}

class ExplainingEngine extends PolicyEngine {
  /** The settings and the registry of the engines that explain; created on first use. */
  private tracing: { readonly settings: Settings; readonly registry: Registry } | undefined = undefined;

  evaluationErrors(request: CheckRequest | PlanRequest): readonly EvaluationError[] {
    return this.explain(request)?.evaluationErrors() ?? [];
  }

  effectivePolicies(request: CheckRequest | PlanRequest): readonly EffectivePolicy[] {
    return this.explain(request)?.effectivePolicies(this.settings.tracesToExplain?.sources) ?? [];
  }

  /** Decides again, in another engine, which writes a journal. */
  private explain(request: CheckRequest | PlanRequest): Journal | undefined {
    const { tracesToExplain } = this.settings;
    if (tracesToExplain === undefined) return undefined;
    const settings = { ...this.settings, traced: tracesToExplain };
    this.tracing ??= { settings, registry: new Registry(this.bundle, settings) };
    const { registry } = this.tracing;
    const journal = new Journal(this.settings.traced !== undefined);
    const ask = (): void => {
      if ('resources' in request)
        new PolicyEngine(this.bundle, settings, registry, journal).check({ ...request, includeMeta: true });
      else considerPlan(registry, settings, request, journal);
    };
    if (this.bundle.guard === undefined) ask();
    else if (!this.bundle.guard.runs(ask, settings.limits)) journal.isComplete = false;
    return journal;
  }
}

/**
 * Writes a journal of the rules that a plan considers, with the errors that their conditions have on every row. It
 * visits all rules, as none of them ends a plan. The registry has traced conditions.
 */
function considerPlan(registry: Registry, settings: Settings, request: PlanRequest, journal: Journal): void {
  const { principal, resource, actions } = request;
  const found = find(registry, settings, principal, resource);
  const known = knownOf(request, settings, journal);
  const visit: Visit = { known, journal, kind: found.resource.kind };
  for (const action of actions) {
    for (const { kinds, otherKinds } of found.principal?.steps ?? [])
      visitTable(visit, kinds.get(found.resource.kind) ?? otherKinds, action, EVERYONE, []);
    for (const role of found.classes?.first ?? principal.roles) {
      const lineage = found.lineages?.get(role) ?? [role];
      for (const { policy, table, limits } of stepsFrom(found.resource.first)) {
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

function visitTable(visit: Visit, table: RuleTable, action: string, bits: number, lineage: readonly string[]): void {
  for (const entry of entriesFor(table, action)) {
    if (isReached(entry, bits, lineage, action, visit.kind)) visitRule(visit, entry, table.key);
  }
}

function visitRule({ known, journal }: Visit, { rule, traced, tracedDerivedRole }: RuleEntry, key: string): void {
  journal.considers(key, rule.name);
  const active = tracedDerivedRole?.(known) ?? true;
  // If it is inactive because an attribute is not known yet, it may be active for some row.
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

/**
 * The request that conditions see: of the resource only the listed attributes. Reads of others are told to the journal.
 */
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

/** The rules that are considered and the errors that occur while a decision is explained. */
class Journal implements Listener {
  readonly failures: Failures;
  /** False if the explanation exceeded a limit, and lacks the rest. */
  isComplete = true;
  /** Whether an unknown was read since the latest rule was considered (plans only). */
  readsUnknown = false;
  /** The same, since the previous part of the condition: then its error may depend on the row. */
  private partReadsUnknown = false;
  private policy = '';
  private rule = '';
  private readonly errors = new Map<string, EvaluationError>();
  private readonly policies = new Set<string>();

  /** @param isStrict whether a failure ends its condition. */
  constructor(isStrict: boolean) {
    this.failures = {
      stops: isStrict,
      part: (expression, message) => {
        if (message !== undefined && !this.partReadsUnknown) this.add(expression, message);
        this.partReadsUnknown = false;
      },
      variable: (expression, message) => {
        if (!this.partReadsUnknown) this.add(expression, message);
      },
    };
  }

  considers(policy: string, rule: string): void {
    this.policies.add(policy);
    this.policy = policy;
    this.rule = rule;
    this.readsUnknown = false;
  }

  /** Called when a condition reads something of the row that is not known yet. */
  meetUnknown(): void {
    this.readsUnknown = true;
    this.partReadsUnknown = true;
  }

  lists(key: string, name: string): void {
    this.policy = key.slice(0, key.length - name.length - 1);
    this.rule = name;
  }

  /** Each pair of expression and message once, sorted by them. */
  evaluationErrors(): readonly EvaluationError[] {
    const found = [...this.errors.values()];
    if (!this.isComplete) found.push(INCOMPLETE);
    return found.sort((a, b) => byText(a.expression, b.expression) || byText(a.message, b.message));
  }

  /** The policies of the rules that were considered, sorted by name. */
  effectivePolicies(sources: TracedBundle['sources']): readonly EffectivePolicy[] {
    return [...this.policies].sort(byText).map((policy) => ({ policy, source: sources?.get(policy) }));
  }

  private add(expression: string, message: string): void {
    const pair = JSON.stringify([expression, message]);
    if (!this.errors.has(pair)) this.errors.set(pair, { policy: this.policy, rule: this.rule, expression, message });
  }
}

/** The error of an explanation that exceeded a limit. */
const INCOMPLETE: EvaluationError = {
  policy: '',
  rule: '',
  expression: '',
  message: new EvaluationLimitError('cost').message,
};

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * An error in a condition or a variable during a decision (docs/spec/conditions.md#evaluation-errors). It is not part
 * of the response, as a condition with an error does not hold. The audit log and the server's log have it.
 */
export interface EvaluationError {
  /** The policy of the condition: `resource.album.vdefault`, `derived_roles.album_roles`. */
  readonly policy: string;
  /** As outputs name it; of a derived role its name, of a rule of a role policy its index. */
  readonly rule: string;
  /** As the author wrote it. */
  readonly expression: string;
  /** One of docs/spec/conditions.md#error-messages. */
  readonly message: string;
}

/** A policy with a rule that a decision considered (docs/spec/server.md#decision-entries, `auditTrail`). */
export interface EffectivePolicy {
  /** As decisions name matched policies: `resource.album.vdefault/acme`. */
  readonly policy: string;
  /** Its file, relative to the policy folder; undefined if the bundle does not have it. */
  readonly source: string | undefined;
}
