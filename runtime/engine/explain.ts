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

/** An engine that can tell, after an answer, how it came about: for logs, audit and the command line. */
export interface AuditedEngine extends Engine {
  /**
   * What could not be evaluated on the way to the decisions about a request, or to its plan: each pair of expression
   * and message once, sorted by them (docs/spec/conditions.md#evaluation-errors). A check of several resources is asked
   * about as a whole; ask with one resource to know of it alone. Decides again, with the traced conditions: not for the
   * way of an answer. Empty when the engine was made without `traced`. Where that would cost more than `limits` allows,
   * an error without an expression says so.
   */
  evaluationErrors(request: CheckRequest | PlanRequest): readonly EvaluationError[];
  /**
   * The policies whose rules were considered for a request or a plan, sorted by name
   * (docs/spec/server.md#decision-entries); asked like `evaluationErrors`.
   */
  effectivePolicies(request: CheckRequest | PlanRequest): readonly EffectivePolicy[];
  /**
   * Does something in which all calls share the limits of one: a request that takes many calls costs no more than one.
   */
  asOne<Result>(work: () => Result): Result;
}

/** As `createEngine`; apart from it, so that who does not audit does not carry it. */
export function createAuditedEngine(bundle: CompiledBundle, options: EngineOptions = {}): AuditedEngine {
  // A journal is written of every rule that is visited.
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
  /** Settings and registry of the engines that write journals; made when first asked for. */
  private tracing: { readonly settings: Settings; readonly registry: Registry } | undefined = undefined;

  evaluationErrors(request: CheckRequest | PlanRequest): readonly EvaluationError[] {
    return this.explain(request)?.evaluationErrors() ?? [];
  }

  effectivePolicies(request: CheckRequest | PlanRequest): readonly EffectivePolicy[] {
    return this.explain(request)?.effectivePolicies(this.settings.tracesToExplain?.sources) ?? [];
  }

  /** Asks the policies once more, in an engine beside this one, which writes down what it meets. */
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
 * Writes down the rules that a plan considers, and what of their conditions fails whatever the row is: a plan has no
 * order in which a rule could end the visit of others. The registry is one with traced conditions.
 */
export function considerPlan(registry: Registry, settings: Settings, request: PlanRequest, journal: Journal): void {
  const { principal, resource, actions } = request;
  const found = find(registry, settings, principal, resource);
  const known = knownOf(request, settings, journal);
  const visit: Visit = { known, journal, kind: resource.kind };
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

/** What is written down while policies are asked once more, for the audit log and not for an answer. */
export class Journal implements Listener {
  /** What traced conditions tell. */
  readonly failures: Failures;
  /** False: what was asked cost too much, and the rest is not known. */
  isComplete = true;
  /** Since a rule was considered, something was read that is not known yet (plans only). */
  readsUnknown = false;
  /** The same, since the part of a condition before: whether this one fails cannot be told. */
  private partReadsUnknown = false;
  private policy = '';
  private rule = '';
  private readonly errors = new Map<string, EvaluationError>();
  private readonly policies = new Set<string>();

  /** @param isStrict whether a failure is the end of its condition. */
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

  /** A rule is going to be asked. */
  considers(policy: string, rule: string): void {
    this.policies.add(policy);
    this.policy = policy;
    this.rule = rule;
    this.readsUnknown = false;
  }

  /** A condition reads what only a row will tell. */
  meetUnknown(): void {
    this.readsUnknown = true;
    this.partReadsUnknown = true;
  }

  /** A derived role is going to be listed; `key` is its policy, `#` and its name. */
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

  /** The policies of the rules that were asked, sorted by name. */
  effectivePolicies(sources: TracedBundle['sources']): readonly EffectivePolicy[] {
    return [...this.policies].sort(byText).map((policy) => ({ policy, source: sources?.get(policy) }));
  }

  private add(expression: string, message: string): void {
    const pair = JSON.stringify([expression, message]);
    if (!this.errors.has(pair)) this.errors.set(pair, { policy: this.policy, rule: this.rule, expression, message });
  }
}

/** Of no condition in particular. */
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
 * What failed in a condition or a variable on the way to a decision (docs/spec/conditions.md#evaluation-errors). It is
 * no part of the answer: a condition that cannot be evaluated does not hold, and the caller learns the decision; the
 * audit log and the log of the server tell the rest.
 */
export interface EvaluationError {
  /** Whose condition it is: `resource.album.vdefault`, `derived_roles.album_roles`. */
  readonly policy: string;
  /** As outputs name it; of a derived role its name, of a role policy's rule its place, from 0. */
  readonly rule: string;
  /** As the author wrote it. */
  readonly expression: string;
  /** Why, in the words of docs/spec/conditions.md#error-messages. */
  readonly message: string;
}

/** A policy of which a decision considered a rule (docs/spec/server.md#decision-entries, `auditTrail`). */
export interface EffectivePolicy {
  /** As decisions name what matched: `resource.album.vdefault/acme`. */
  readonly policy: string;
  /** Its file, relative to the policy folder; undefined when the bundle does not say. */
  readonly source: string | undefined;
}
