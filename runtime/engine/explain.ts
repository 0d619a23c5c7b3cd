import { EvaluationLimitError, type Failures, OBSERVED } from '../cel/index.js';
import type { Attributes, DerivedRole, Request, Resource, TracedBundle } from '../policy/index.js';
import type { CompiledTraces, Listener } from './decide/evaluation.js';
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
import { plannable } from './input.js';
import {
  type CheckRequest,
  type CheckResult,
  type PlanRequest,
  type PlanResourceInput,
  type ResourceActions,
  withoutDot,
} from './requests.js';

/** An engine that can explain a decision afterwards, for logs, the audit log and the command line. */
export interface AuditedEngine extends Engine {
  /**
   * What the result of a check or a plan leaves out. Decides once more, with the traced conditions, so call it after
   * the response. Empty if the engine has no `traced`.
   */
  explain(request: CheckRequest | PlanRequest): Explanation;
  /** The errors of `explain`, of all resources together: each pair of expression and message once, sorted. */
  evaluationErrors(request: CheckRequest | PlanRequest): readonly EvaluationError[];
  /** The policies of `explain`. */
  effectivePolicies(request: CheckRequest | PlanRequest): readonly EffectivePolicy[];
  /** Runs something in which all calls together have the limits of one call, for requests that take many calls. */
  asOne<Result>(work: () => Result): Result;
}

/** What the result of a decision leaves out. */
export interface Explanation {
  /**
   * The errors of expressions: one list for each resource of a check, or one for a plan; empty if there are none. Each
   * list has a pair of expression and message once, sorted (docs/spec/conditions.md#evaluation-errors). If the
   * explanation exceeds `limits`, there is one list for all resources, and one of its errors, without an expression,
   * says so.
   */
  readonly evaluationErrors: readonly (readonly EvaluationError[])[];
  /** The policies whose rules were considered, sorted by name (docs/spec/server.md#decision-entries). */
  readonly effectivePolicies: readonly EffectivePolicy[];
  /** The active derived roles of each resource; undefined for a plan, and if the explanation exceeds `limits`. */
  readonly effectiveDerivedRoles: readonly (readonly string[])[] | undefined;
}

/** As `createEngine`. Separate from it, so that programs that do not explain decisions do not carry the code. */
export function createAuditedEngine(bundle: CompiledBundle, options: EngineOptions = {}): AuditedEngine {
  const settings = settingsOf(options);
  // A journal has every rule that is visited, so an explanation visits rules one by one.
  const visited = bundle.scoped === undefined ? { visitRules, ...bundle } : bundle;
  const engine = new PolicyEngine(visited, settings);
  const limited = bundle.guard?.limited(engine, settings.limits) ?? engine;
  const { tracesToExplain } = settings;
  let explainer: Explainer | undefined;
  const explain = (request: CheckRequest | PlanRequest): Explanation => {
    if (tracesToExplain === undefined) return NOTHING_EXPLAINED;
    explainer ??= new Explainer(visited, settings, tracesToExplain);
    return explainer.explain(request);
  };
  return {
    check: (request) => limited.check(request),
    isAllowed: (request) => limited.isAllowed(request),
    for: (principal, options) => limited.for(principal, options),
    plan: (request) => limited.plan(request),
    explain,
    evaluationErrors: (request) => together(explain(request).evaluationErrors),
    effectivePolicies: (request) => explain(request).effectivePolicies,
    asOne: (work) => (bundle.guard === undefined ? work() : bundle.guard.asOne(work, settings.limits)),
  };
}

const NOTHING_EXPLAINED: Explanation = {
  evaluationErrors: [],
  effectivePolicies: [],
  effectiveDerivedRoles: undefined,
};

/** Repeats decisions with traced conditions and writes a journal of them. */
class Explainer {
  private readonly settings: Settings;
  private readonly registry: Registry;
  private readonly journal: Journal;
  private readonly engine: PolicyEngine;

  constructor(
    private readonly bundle: CompiledBundle,
    settings: Settings,
    private readonly traced: CompiledTraces,
  ) {
    this.settings = { ...settings, traced };
    this.journal = new Journal(settings.traced !== undefined);
    this.registry = new Registry(bundle, this.settings);
    this.engine = new ExplainedEngine(bundle, this.settings, this.registry, this.journal);
  }

  explain(request: CheckRequest | PlanRequest): Explanation {
    const { bundle, settings, journal } = this;
    let results: readonly CheckResult[] | undefined;
    const decideAgain = (): void => {
      if ('resources' in request) results = this.engine.check({ ...request, includeMeta: true });
      else considerPlan(this.registry, settings, plannable(request), journal);
    };
    journal.begin();
    try {
      if (bundle.guard === undefined) decideAgain();
      else bundle.guard.asOne(decideAgain, settings.limits);
    } catch (error) {
      if (!(error instanceof EvaluationLimitError || error instanceof RangeError)) throw error;
      journal.endEarly();
    }
    return {
      evaluationErrors: journal.evaluationErrors(),
      effectivePolicies: journal.effectivePolicies(this.traced.sources),
      effectiveDerivedRoles: results?.map(({ effectiveDerivedRoles }) => effectiveDerivedRoles),
    };
  }
}

/** Tells its journal where the next resource begins. */
class ExplainedEngine extends PolicyEngine {
  constructor(
    bundle: CompiledBundle,
    settings: Settings,
    registry: Registry,
    private readonly journal: Journal,
  ) {
    super(bundle, settings, registry, journal);
  }

  protected override checkResource(entry: ResourceActions, includeMeta: boolean, index: number): CheckResult {
    this.journal.beginResource();
    return super.checkResource(entry, includeMeta, index);
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
  journal.beginResource();
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
    failures: journal,
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
        if (name === OBSERVED) return true;
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

/**
 * The rules that are considered and the errors that occur while a decision is explained. It is filled again for each
 * request.
 */
class Journal implements Listener, Failures {
  /** Whether an unknown was read since the latest rule was considered (plans only). */
  readsUnknown = false;
  /** The same, since the previous part of the condition: then its error may depend on the row. */
  private partReadsUnknown = false;
  private readonly policies = new Set<string>();
  /** The policy considered last: mostly that of the next rule, too. */
  private considered = '';
  /** The policy and the name of what is evaluated, or of a derived role for the list its key and its name. */
  private source = '';
  private rule = '';
  private isListed = false;
  /** For each resource so far, by expression and message. */
  private errors: (Map<string, EvaluationError> | undefined)[] = [];
  private hasErrors = false;
  private isComplete = true;

  /** @param stops whether a failure ends its condition, as in strict evaluation. */
  constructor(readonly stops: boolean) {}

  get failures(): Failures {
    return this;
  }

  /** Begins with a request. */
  begin(): void {
    this.policies.clear();
    this.considered = '';
    this.errors = [];
    this.hasErrors = false;
    this.isComplete = true;
    this.readsUnknown = false;
    this.partReadsUnknown = false;
  }

  /** Begins with a resource, or with the only one of a plan. */
  beginResource(): void {
    this.errors.push(undefined);
  }

  /** Called if the explanation exceeded a limit, and lacks the rest. */
  endEarly(): void {
    this.isComplete = false;
  }

  considers(policy: string, rule: string): void {
    if (policy !== this.considered) {
      this.policies.add(policy);
      this.considered = policy;
    }
    this.source = policy;
    this.rule = rule;
    this.isListed = false;
    this.readsUnknown = false;
  }

  lists({ key, name }: DerivedRole): void {
    this.source = key;
    this.rule = name;
    this.isListed = true;
  }

  /** Called when a condition reads something of the row that is not known yet. */
  meetUnknown(): void {
    this.readsUnknown = true;
    this.partReadsUnknown = true;
  }

  part(expression: string, message: string | undefined): void {
    if (message !== undefined && !this.partReadsUnknown) this.add(expression, message);
    this.partReadsUnknown = false;
  }

  variable(expression: string, message: string): void {
    if (!this.partReadsUnknown) this.add(expression, message);
  }

  /** As in an explanation. */
  evaluationErrors(): Explanation['evaluationErrors'] {
    if (!this.hasErrors && this.isComplete) return NONE;
    const errors = this.errors.map((found) => (found === undefined ? NONE : sorted([...found.values()])));
    return this.isComplete ? errors : [sorted([...together(errors), INCOMPLETE])];
  }

  /** As in an explanation. */
  effectivePolicies(sources: TracedBundle['sources']): readonly EffectivePolicy[] {
    return [...this.policies].sort(byText).map((policy) => ({ policy, source: sources?.get(policy) }));
  }

  private add(expression: string, message: string): void {
    const { source, rule, isListed } = this;
    const current = this.errors.length - 1;
    const found = this.errors[current] ?? new Map<string, EvaluationError>();
    this.errors[current] = found;
    this.hasErrors = true;
    const pair = pairOf(expression, message);
    if (found.has(pair)) return;
    const policy = isListed ? source.slice(0, source.length - rule.length - 1) : source;
    found.set(pair, { policy, rule, expression, message });
  }
}

const NONE: readonly never[] = [];

/** The errors of all resources as one list: each pair once, as it occurred first. */
function together(errors: Explanation['evaluationErrors']): readonly EvaluationError[] {
  if (errors.length < 2) return errors[0] ?? NONE;
  const first = new Map<string, EvaluationError>();
  for (const error of errors.flat()) {
    const pair = pairOf(error.expression, error.message);
    if (!first.has(pair)) first.set(pair, error);
  }
  return sorted([...first.values()]);
}

function pairOf(expression: string, message: string): string {
  return `${expression.length} ${expression}${message}`;
}

function sorted(errors: EvaluationError[]): readonly EvaluationError[] {
  return errors.sort((a, b) => byText(a.expression, b.expression) || byText(a.message, b.message));
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
