import { EvaluationLimitError } from '../../runtime/engine/index.js';
import type { FactDeciders } from '../../runtime/facts/deciders.js';
import type { FactsCheck, FactsPlan, Gathered, LackingFact } from '../../runtime/facts/facts-call.js';
import { type CompletedSubject, type FactGatherer, SentFactError, type Waiter } from '../../runtime/facts/gather.js';
import type { Principal, Resource } from '../../proto/gen/messages.js';
import type { Attributes } from '../../proto/wire/json-shape.js';
import type { SourcesConfig } from '../config.js';
import type { Call, CallFacts } from '../service/call.js';
import { readForwarded } from './forwarded.js';
import type { FetchTime } from '../service/call-times.js';
import type { CheckCall, Decision, PlanCall } from '../service/decider.js';
import type {
  Asked,
  CompletedCheckCall,
  CompletedPlanCall,
  FactsOfCheck,
  FactsOfSubject,
  FactsService,
} from '../service/facts.js';
import { refused, RpcError } from '../service/rpc-error.js';
import { provideDocuments } from '../service/tenants.js';

/** What the facts of calls need. */
export interface CallFactsOptions {
  readonly config: Pick<SourcesConfig, 'onFailure' | 'tellNotFound'>;
  readonly gatherer: FactGatherer;
  /** What decides a call while facts are unknown: by the bundle of the call. */
  readonly deciders: (call: Pick<Call, 'bundle'>) => FactDeciders;
  /** Told of each decision that lacks a fact, by its source. */
  readonly lacked: (source: string) => void;
  /** Told of each source that is asked for a call that is traced. */
  readonly fetched?: ((call: Call, fetch: FetchTime) => void) | undefined;
}

/** The facts of a call: what was fetched, at one instant. */
class FetchedFacts implements CallFacts {
  isUnknown = false;

  constructor(readonly gathered: Gathered) {}
}

/** Fetches the facts of calls, and completes their questions (docs/sources.md). */
export class CallFactsService implements FactsService {
  constructor(private readonly options: CallFactsOptions) {}

  fetch(call: Call, { checks = [], plans = [] }: Asked): Promise<void> | undefined {
    const { gatherer } = this.options;
    const deciders = this.options.deciders(call);
    const tenants = provideDocuments(call);
    return refusing(() => {
      const ownChecks = checks.map((check): FactsCheck => ({ ...check, tenants }));
      const ownPlans = plans.map((plan): FactsPlan => ({ ...plan, tenants }));
      if (gatherer.isComplete(deciders, ownChecks, ownPlans)) return undefined;
      const facts = new FetchedFacts(gatherer.begin(deciders));
      call.facts = facts;
      const waiter = this.#waiterOf(call);
      return gatherer.gather(deciders, ownChecks, ownPlans, facts.gathered, waiter).then(
        () => requireCaller(waiter),
        (error: unknown) => {
          // What was not fetched is unknown; deciding exceeds the same limit, and says so.
          if (!(error instanceof EvaluationLimitError)) throw asRefusal(error);
        },
      );
    });
  }

  completeCheck<Question extends CheckCall>(
    call: Call,
    question: Question,
    isWhole = false,
  ): CompletedCheckCall<Question> {
    const { gatherer, config } = this.options;
    const deciders = this.options.deciders(call);
    if (refusing(() => gatherer.isComplete(deciders, [question], [])))
      return { question, decide: (work) => work(), facts: undefined };
    const facts = this.#factsOf(call, deciders);
    const { gathered } = facts;
    const {
      principals,
      resources,
      isWhole: isKnown,
      open,
    } = refusing(() => gatherer.complete(deciders, question, gathered));
    if (open.size > 0) {
      const lacking = [...open.values()].flatMap((actions) => [...actions.values()].flat());
      this.#count(lacking);
      if (isWhole || config.onFailure === 'unavailable') throw this.#unavailable(lacking);
      facts.isUnknown = true;
    }
    const [own, ...actors] = principals;
    return {
      question: {
        ...question,
        principal: withFacts(question.principal, principals),
        resources: question.resources.map((entry, index) => ({
          ...entry,
          resource: { ...entry.resource, ...resources[index]?.selected, attr: resources[index]?.attr ?? {} },
        })),
      },
      decide: (work) => denying(deciders.at(gathered.instant, work), open),
      facts: {
        principal: toFacts(own as CompletedSubject),
        actors: actors.map(toFacts),
        resources: resources.map(toFacts),
        isWhole: isKnown,
      } satisfies FactsOfCheck,
    };
  }

  async fetchResource(call: Call, resource: Resource): Promise<Attributes | undefined> {
    const { gatherer } = this.options;
    const deciders = this.options.deciders(call);
    const waiter = this.#waiterOf(call);
    try {
      const attr = await gatherer.gatherResource(deciders, resource, gatherer.begin(deciders), waiter);
      requireCaller(waiter);
      return attr;
    } catch (error) {
      throw asRefusal(error);
    }
  }

  listSelectors(kind: string | undefined): ReadonlySet<string> {
    return this.options.gatherer.listSelectors(kind);
  }

  completePlan(call: Call, plan: PlanCall): CompletedPlanCall {
    const { gatherer } = this.options;
    const { kind } = plan.resource;
    if (gatherer.selects(kind))
      throw new RpcError(
        'failed_precondition',
        `\`${kind}\` cannot be planned: a source sets the scope or the version of each resource`,
      );
    const deciders = this.options.deciders(call);
    if (refusing(() => gatherer.isComplete(deciders, [], [plan]))) return { plan, unknown: undefined };
    const { gathered } = this.#factsOf(call, deciders);
    const { principals, resource, lacking } = refusing(() => gatherer.completePlan(deciders, plan, gathered));
    if (lacking.length > 0) {
      this.#count(lacking);
      throw this.#unavailable(lacking);
    }
    const completed = {
      ...plan,
      principal: withFacts(plan.principal, principals),
      resource: { ...plan.resource, attr: resource.attr },
    };
    return { plan: completed, unknown: [...new Set(principals.flatMap((one) => one.unknown))] };
  }

  /** The facts of a call; all that sources provide is unknown if it has fetched none. */
  #factsOf(call: Call, deciders: FactDeciders): FetchedFacts {
    const known = call.facts as FetchedFacts | undefined;
    if (known !== undefined) return known;
    const facts = new FetchedFacts(this.options.gatherer.begin(deciders));
    call.facts = facts;
    return facts;
  }

  #waiterOf(call: Call): Waiter {
    const { fetched, gatherer } = this.options;
    return {
      signal: call.abandoned?.(),
      ...(gatherer.forwards && { authorization: readForwarded(call) }),
      ...(call.trace !== undefined && fetched !== undefined && { watch: timed((fetch) => fetched(call, fetch)) }),
    };
  }

  #count(lacking: readonly LackingFact[]): void {
    for (const source of new Set(lacking.map((one) => one.source))) this.options.lacked(source);
  }

  /** Names facts and sources, and never values. */
  #unavailable(lacking: readonly LackingFact[]): RpcError {
    const { tellNotFound } = this.options.config;
    const said = new Map<string, string>();
    for (const { fact, source, reason } of lacking) {
      const why = tellNotFound && reason === 'not found' ? ': not found' : '';
      said.set(`${fact} ${source}`, source === '' ? 'the decision' : `\`${fact}\` from \`${source}\`${why}`);
    }
    const named = [...said.values()];
    const more = named.length > MOST_NAMED ? ` and ${named.length - MOST_NAMED} more` : '';
    return new RpcError('unavailable', `facts are not available: ${named.slice(0, MOST_NAMED).join(', ')}${more}`);
  }
}

/** Ends a call whose caller has disconnected: what is not known says nothing about its sources. */
function requireCaller({ signal }: Waiter): void {
  if (signal?.aborted === true) throw new RpcError('canceled', 'the caller has disconnected');
}

/** Measures how long sources take. */
function timed(tell: (fetch: FetchTime) => void): NonNullable<Waiter['watch']> {
  return ({ name, kind = 'principal' }, keys) => {
    const start = performance.now();
    return (loaded) => {
      const all = [...loaded];
      const lacking = all.flatMap(({ row }) => (typeof row === 'string' ? row : []));
      const reason = lacking.find((one) => one !== 'no row') ?? (lacking.length > 0 ? 'not found' : undefined);
      const outcome = reason ?? (all.some(({ stale }) => stale === true) ? 'stale' : 'fetched');
      tell({ start, end: performance.now(), source: name, of: kind, keys, rows: keys - lacking.length, outcome });
    };
  };
}

/** How many facts a message names. */
const MOST_NAMED = 10;

function withFacts(principal: Principal, [own, ...actors]: readonly CompletedSubject[]): Principal {
  return {
    ...principal,
    ...own?.selected,
    attr: own?.attr ?? {},
    actors: principal.actors.map((actor, index) => ({
      ...actor,
      ...actors[index]?.selected,
      attr: actors[index]?.attr ?? {},
    })),
  } as Principal;
}

function toFacts({ unknown, fetched }: CompletedSubject): FactsOfSubject {
  return {
    unknown,
    fetched: fetched.map(({ fact, from, at = 0, age = 0, stale }) => ({ fact, source: from, at, age, stale })),
  };
}

/** Denies the actions that cannot be decided. */
function denying(
  decisions: readonly Decision[],
  open: ReadonlyMap<number, ReadonlyMap<string, readonly LackingFact[]>>,
): readonly Decision[] {
  if (open.size === 0) return decisions;
  return decisions.map((decision, index) => {
    const lacking = open.get(index);
    if (lacking === undefined) return decision;
    const actions = decision.actions.map((one) =>
      lacking.has(one.action) ? { ...one, effect: 2 as const, matchedPolicy: '', matchedScope: '' } : one,
    );
    // What was computed without facts that matter is not told.
    const outputs = decision.outputs.filter(({ action }) => action !== '' && !lacking.has(action));
    const unknown = [...lacking].map(([action, facts]) => ({
      action,
      facts: [...new Set(facts.map(({ fact }) => fact))].sort(),
    }));
    unknown.sort((one, other) => (one.action < other.action ? -1 : 1));
    return { actions, outputs, effectiveDerivedRoles: [], validationErrors: [], unknown };
  });
}

/** Says that the caller is at fault if a fact may not be sent. */
function refusing<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asRefusal(error);
  }
}

/** The error of a call by what was thrown for it. */
function asRefusal(error: unknown): unknown {
  return error instanceof SentFactError ? refused(error.message) : error;
}
