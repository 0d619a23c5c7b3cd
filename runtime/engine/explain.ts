import { EvaluationLimitError, type Failures, OBSERVED } from '../../packages/cel/runtime/index.js';
import type { Attributes, DerivedRole, Request, Resource, TracedBundle } from '../policy/index.js';
import type { CompiledTraces, Listener } from './decide/evaluation.js';
import { visitRules } from './decide/visit-rules.js';
import type { CompiledBundle } from './bundle.js';
import {
  compareUtf16,
  type EffectivePolicy,
  type EvaluationError,
  type Explanation,
  mergeErrors,
  makePairKey,
  sortErrors,
} from './decision-trace.js';
import { ExplainingEngine } from './explaining-engine.js';
import type { EnginePart, Settings } from './options.js';
import { type RoleLimits, stepsFrom } from './find/chains.js';
import { find, Registry } from './find/registry.js';
import { entriesFor, EVERYONE, isReached, lineageBits, type RuleEntry, type RuleTable } from './find/tables.js';
import { plannable } from './input.js';
import { type CheckRequest, type PlanRequest, type PlanResourceInput, withoutDot } from './requests.js';

/**
 * The part of an engine that explains decisions afterwards, for logs, the audit log and the command line
 * (`engine.explain`). Needs `traced`.
 *
 * @example
 * import { createEngine, explanations } from 'authz/runtime';
 * import { policies, traced } from './dist/policies.js';
 *
 * const engine = createEngine(policies, { use: [explanations()], traced: await traced() });
 * const { effectivePolicies } = engine.explain({
 *   principal: { id: 'ann', roles: ['user'] },
 *   resources: [{ resource: { kind: 'contact', id: 'c1' }, actions: ['read'] }],
 * });
 * console.log(effectivePolicies.map(({ policy }) => policy)); // => [ 'resource.contact.vdefault' ]
 */
export function explanations(): EnginePart {
  return (engine) => {
    const { bundle, settings } = engine;
    const { tracesToExplain } = settings;
    let explainer: Explainer | undefined;
    engine.explanation = (request) => {
      if (tracesToExplain === undefined) return NOTHING_EXPLAINED;
      explainer ??= new Explainer(bundle, settings, tracesToExplain);
      return explainer.explain(request);
    };
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
  private readonly engine: ExplainingEngine;

  constructor(
    private readonly bundle: CompiledBundle,
    settings: Settings,
    private readonly traced: CompiledTraces,
  ) {
    this.settings = { ...settings, traced };
    this.journal = new Journal(settings.traced !== undefined);
    this.registry = new Registry(bundle, this.settings);
    // A journal has every rule that is visited, so an explanation visits rules one by one.
    const visiting = bundle.scoped === undefined ? { visitRules, ...bundle } : bundle;
    // The engine has required the principal's fields; roles that it computed may be none.
    this.engine = new ExplainingEngine(visiting, this.settings, this.registry, this.journal, true);
  }

  explain(request: CheckRequest | PlanRequest): Explanation {
    const { bundle, settings, journal } = this;
    let derivedRoles: Explanation['effectiveDerivedRoles'];
    const decideAgain = (): void => {
      if ('resources' in request) derivedRoles = this.engine.visit(request);
      else considerPlan(this.registry, settings, plannable(request, true), journal);
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
      effectiveDerivedRoles: derivedRoles,
    };
  }
}

/**
 * Writes a journal of the rules that a plan considers, with the errors that their conditions have on every row. It
 * visits all rules, as none of them ends a plan. The registry has traced conditions.
 */
function considerPlan(registry: Registry, settings: Settings, request: PlanRequest, journal: Journal): void {
  const { principal, resource, actions } = request;
  const found = find(registry, settings, principal, resource);
  const known = makeKnownRequest(request, settings, journal);
  journal.beginResource();
  const visit: Visit = { known, journal, kind: found.resource.kind };
  for (const action of actions) {
    for (const step of found.principal?.steps ?? [])
      visitTable(visit, step.tableOf(found.resource.kind), action, EVERYONE, []);
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
function makeKnownRequest(
  { principal, resource, auxData }: PlanRequest,
  settings: Settings,
  journal: Journal,
): Request {
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
  /** Errors of each resource so far, by expression and message. */
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

  /** Lists the errors of an explanation. */
  evaluationErrors(): Explanation['evaluationErrors'] {
    if (!this.hasErrors && this.isComplete) return NONE;
    const errors = this.errors.map((found) => (found === undefined ? NONE : sortErrors([...found.values()])));
    return this.isComplete ? errors : [sortErrors([...mergeErrors({ evaluationErrors: errors }), INCOMPLETE])];
  }

  /** Lists the policies of an explanation. */
  effectivePolicies(sources: TracedBundle['sources']): readonly EffectivePolicy[] {
    return [...this.policies].sort(compareUtf16).map((policy) => ({ policy, source: sources?.get(policy) }));
  }

  private add(expression: string, message: string): void {
    const { source, rule, isListed } = this;
    const current = this.errors.length - 1;
    const found = this.errors[current] ?? new Map<string, EvaluationError>();
    this.errors[current] = found;
    this.hasErrors = true;
    const pair = makePairKey(expression, message);
    if (found.has(pair)) return;
    const policy = isListed ? source.slice(0, source.length - rule.length - 1) : source;
    found.set(pair, { policy, rule, expression, message });
  }
}

const NONE: readonly never[] = [];

/** The error of an explanation that exceeded a limit. */
const INCOMPLETE: EvaluationError = {
  policy: '',
  rule: '',
  expression: '',
  message: new EvaluationLimitError('cost').message,
};
