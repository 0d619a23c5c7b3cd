import { chainOf, type PrincipalInput, type ResourceInput } from '../engine/index.js';
import { type Instant, sanitize } from '../policy/index.js';
import { type Ask, loadersAt, type Need, Rows, Subject, type UsedFact } from './ask.js';
import { CallSelectors, listUnselected, type SelectedCheck } from './call-selectors.js';
import { type FactDeciders, findPlace } from './deciders.js';
import type { FactsCheck, FactsPlan, Gathered, LackingFact } from './facts-call.js';
import { factName, isAmong } from './fact-names.js';
import { readByPlan } from './known-decisions.js';
import { type CallBounds, Loader, type SourceCall } from './loader.js';
import { decideAll, fetchRows, knowsResponse, listSubjects, type LoopOptions, step, type WatchFetch } from './loop.js';
import { type Selected, Selectors } from './selectors.js';
import { type CallerPolicy, prepareSources, type Selector, type ServedSource } from './source.js';

/** How facts are fetched for an engine that decides at once. */
export interface GathererOptions {
  /** How long fetching may take for one call, in milliseconds. */
  readonly deadline: number;
  readonly caller: CallerPolicy;
  /** How far apart the facts of a decision may have been fetched, in milliseconds. Default: it does not matter. */
  readonly maxSkew?: number | undefined;
  readonly bounds: CallBounds;
  /** Told of each call of a source, by its name. */
  readonly tell: (source: string, call: SourceCall) => void;
}

/** Who waits for what is fetched. */
export interface Waiter {
  /** Aborted if nobody waits any more. */
  readonly signal?: AbortSignal | undefined;
  readonly watch?: WatchFetch | undefined;
  /** The header `authorization` of the caller, for sources that forward it. */
  readonly authorization?: string | undefined;
}

/** The attributes of a request with the facts that were fetched. */
export interface CompletedCheck {
  /** The principal, then its actors. */
  readonly principals: readonly CompletedSubject[];
  readonly resources: readonly CompletedSubject[];
  /** Whether all is known on which derived roles, outputs and failures depend, by index of the resource. */
  readonly isWhole: (index: number) => boolean;
  /** What cannot be decided: by index of the resource, then by action. */
  readonly open: ReadonlyMap<number, ReadonlyMap<string, readonly LackingFact[]>>;
}

/** The attributes of a principal or of a resource. */
export interface CompletedSubject {
  readonly attr: { readonly [name: string]: unknown };
  /** The facts that are not known, and that may exist. */
  readonly unknown: readonly string[];
  /** The facts that were fetched. */
  readonly fetched: readonly UsedFact[];
  /** The roles, the scope and the version that sources say. */
  readonly selected: Selected<unknown>['fields'];
}

/** The principals of a plan and what is known of its resource. */
export interface CompletedPlan {
  readonly principals: readonly CompletedSubject[];
  readonly resource: CompletedSubject;
  /** What the plan reads of the principals and nobody knows. */
  readonly lacking: readonly LackingFact[];
}

/** Thrown for a fact that a caller may not send. */
export class SentFactError extends Error {
  override readonly name = 'SentFactError';
}

/**
 * Fetches the facts of all questions of a call before an engine decides them at once. What was not fetched is unknown
 * then, and never missing.
 */
export class FactGatherer {
  readonly loaders: readonly Loader[];
  /** Whether a source is asked with the credentials of callers. */
  readonly forwards: boolean;
  private readonly selectors: Selectors;
  private readonly callSelectors: CallSelectors;
  private readonly deadline: number;
  private readonly maxSkew: number;

  /** @throws {TypeError} if a source is not right. */
  constructor(
    sources: readonly ServedSource[],
    { deadline, caller, maxSkew = Number.POSITIVE_INFINITY, bounds, tell }: GathererOptions,
  ) {
    this.deadline = deadline;
    this.maxSkew = maxSkew;
    this.loaders = prepareSources(sources, { deadline, caller, types: undefined }).map(
      (source) => new Loader(source, now, bounds, (call) => tell(source.name, call)),
    );
    this.forwards = this.loaders.some(({ source }) => source.forwards);
    this.selectors = new Selectors(this.loaders);
    this.callSelectors = new CallSelectors(this.selectors, maxSkew);
  }

  /**
   * Adds what decisions of a bundle read, by kind: sources are not asked for anything else from then on. Undefined if it is not
   * known.
   */
  addReads(byKind: ReadonlyMap<string, ReadonlySet<string>> | undefined): void {
    const keys = new Set(this.loaders.flatMap(({ source: { keyFact } }) => keyFact ?? []));
    for (const loader of this.loaders) {
      const { kind, facts } = loader.source;
      const read = [...(byKind ?? [])].flatMap(([of, own]) =>
        kind === undefined || sanitize(of) === kind ? [own] : [],
      );
      // Other policies than those of a kind may decide about it.
      const isKnown = read.length > 0;
      const attributes = [...facts].filter(
        ([, fact]) => !isKnown || keys.has(fact) || read.some((own) => isAmong(fact, own)),
      );
      loader.addRead(attributes.map(([attribute]) => attribute));
    }
  }

  /** Begins to gather the facts of a call. */
  begin({ clock }: FactDeciders): Gathered {
    return { rows: new Rows(), instant: { ...clock() }, began: now() };
  }

  /**
   * Whether all facts of some questions are known, or provided by no source: nothing is to be fetched, or to be left out.
   * Throws a SentFactError if any of them has a fact that may not be sent.
   */
  isComplete(deciders: FactDeciders, checks: readonly FactsCheck[], plans: readonly FactsPlan[]): boolean {
    if (this.callSelectors.choose(checks, plans)) return false;
    const listPrincipals = (principal: PrincipalInput, at: Omit<ResourceInput, 'id'>): readonly Subject[] =>
      this.principalsAt(deciders, principal, at);
    const subjects = [
      ...checks.flatMap((check) => [
        ...this.resourceSubjects(deciders, check),
        ...check.resources.flatMap(({ resource }) => listPrincipals(check.principal, resource)),
      ]),
      ...plans.flatMap(({ principal, resource }) => listPrincipals(principal, resource)),
    ];
    const areTaken = plans.map(({ resource }) => this.takesSent(deciders, resource));
    return subjects.every(({ unknown }) => unknown.size === 0) && areTaken.every((isTaken) => isTaken);
  }

  /** Whether a source says the roles, the scope or the version of a principal, or of resources of a kind. */
  selects(kind: string | undefined): boolean {
    return this.selectors.isOf(kind);
  }

  /** Which of the roles, the scope and the version of principals, or of resources of a kind, sources say. */
  listSelectors(kind: string | undefined): ReadonlySet<Selector> {
    return this.selectors.namesOf(kind);
  }

  /** Whether what a caller says of the resources of a plan counts: a source may replace it. */
  private takesSent(deciders: FactDeciders, resource: FactsPlan['resource']): boolean {
    const { attr } = this.resourceSubject(deciders, { ...resource, id: '' });
    return Object.entries(resource.attr ?? {}).every(([name, sent]) => sent === undefined || Object.hasOwn(attr, name));
  }

  /** Fetches what the questions of a call need. Resolves also if sources fail; those facts stay unknown. */
  async gather(
    deciders: FactDeciders,
    checks: readonly FactsCheck[],
    plans: readonly FactsPlan[],
    gathered: Gathered,
    waiter: Waiter = {},
  ): Promise<void> {
    const { rows, instant } = gathered;
    const options = this.loopOptions(instant, waiter);
    const needs = this.callSelectors.listNeeds(checks, plans, gathered);
    if (needs.length > 0) await fetchRows([{ index: 0, needs }], false, rows, options, () => {});
    // A row that is fetched once more for one decision may be too young beside those of another.
    const passes = this.maxSkew === Number.POSITIVE_INFINITY ? 1 : PASSES;
    for (let pass = 0; pass < passes; pass += 1) {
      const asks = checks.flatMap((check) =>
        this.makeAsks(deciders, this.callSelectors.selectCheck(check, gathered)).flat(),
      );
      const open = asks.filter((ask) => !isWhole(ask));
      await decideAll(open, rows, deciders, options, () => {});
    }
    for (const plan of plans) {
      const chain = this.callSelectors.selectChain(plan.principal, gathered);
      if (listUnselected(chain).length > 0) continue;
      const own = { ...plan, principal: chain.input };
      for (;;) {
        const { needs } = this.lookUp(deciders, own, rows);
        if (needs.length === 0) break;
        await fetchRows([{ index: 0, needs }], false, rows, options, () => {});
      }
    }
  }

  /** Fetches all facts of a resource, whoever asks for it. Resolves with its attributes; undefined if one is not available. */
  async gatherResource(
    deciders: FactDeciders,
    resource: ResourceInput,
    { rows, instant }: Gathered,
    waiter: Waiter = {},
  ): Promise<CompletedSubject['attr'] | undefined> {
    const subject = this.resourceSubject(deciders, resource);
    const options = this.loopOptions(instant, waiter);
    for (;;) {
      takeKnown(subject, rows);
      const needs = [...subject.unknown.keys()].flatMap((attribute) => {
        const next = subject.next(attribute);
        return typeof next === 'object' ? [next] : [];
      });
      if (needs.length === 0) return subject.unknown.size === 0 ? subject.attr : undefined;
      await fetchRows([{ index: 0, needs }], false, rows, options, () => {});
    }
  }

  /** A check with the facts that were fetched, and what cannot be decided by them. Asks no source. */
  complete(deciders: FactDeciders, check: FactsCheck, gathered: Gathered): CompletedCheck {
    const { rows, instant } = gathered;
    const selection = this.callSelectors.selectCheck(check, gathered);
    const asks = this.makeAsks(deciders, selection);
    const options = { ...this.loopOptions(instant), isFinal: true };
    const open = new Map<number, ReadonlyMap<string, readonly LackingFact[]>>();
    const completedAt = new Map<number, CompletedSubject>();
    const askedAt = new Map<number, readonly Ask[]>();
    for (const [at, own] of asks.entries()) {
      const index = selection.indexes?.[at] ?? at;
      const lacking = new Map<string, readonly LackingFact[]>();
      for (const ask of own) {
        for (const subject of listSubjects(ask)) takeKnown(subject, rows);
        if (isWhole(ask) && this.maxSkew === Number.POSITIVE_INFINITY) continue;
        const tried = this.maxSkew === Number.POSITIVE_INFINITY ? ask : separate(ask);
        const found = step(tried, rows, deciders, options);
        if ('needs' in found) lacking.set(ask.action, listLacking(tried));
        else if (!found.decision.allowed && found.decision.why === 'unknown')
          lacking.set(ask.action, found.decision.unknown);
      }
      if (lacking.size > 0) open.set(index, lacking);
      askedAt.set(index, own);
      completedAt.set(index, completed((own[0] as Ask).resource.subject, selection.resources[index]));
    }
    const { chain, resources } = selection;
    for (const [index, { resource, actions }] of check.resources.entries()) {
      if (completedAt.has(index)) continue;
      const selected = resources[index];
      const lacking = [chain, selected].flatMap((one) => (one === undefined ? [] : listUnselected(one)));
      open.set(index, new Map(actions.map((action) => [action, lacking])));
      completedAt.set(index, completed(this.resourceSubject(deciders, resource), selected));
    }
    const [first] = asks.flat();
    const subjects =
      first?.principals.map(({ subject }) => subject) ??
      check.resources.slice(0, 1).flatMap(({ resource }) => this.principalsAt(deciders, check.principal, resource));
    return {
      principals: subjects.map((subject, index) => completed(subject, chain?.all[index])),
      resources: check.resources.map((_, index) => completedAt.get(index) as CompletedSubject),
      isWhole: (index) => askedAt.get(index)?.every((ask) => isWhole(ask) || knowsResponse(ask, deciders)) ?? false,
      open,
    };
  }

  /** A plan with the facts of its principal that were fetched. Asks no source. */
  completePlan(deciders: FactDeciders, plan: FactsPlan, gathered: Gathered): CompletedPlan {
    const chain = this.callSelectors.selectChain(plan.principal, gathered);
    const { principals, needs, lacking } = this.lookUp(deciders, { ...plan, principal: chain.input }, gathered.rows);
    const notAsked = needs.map(({ fact, source }): LackingFact => ({ fact, source, reason: 'not asked' }));
    return {
      principals: principals.map((subject, index) => completed(subject, chain.all[index])),
      resource: completed(this.resourceSubject(deciders, { ...plan.resource, id: '' }), undefined),
      lacking: [...listUnselected(chain), ...lacking, ...notAsked],
    };
  }

  /** What a plan reads of its principals, and what of it is to be asked for or will not be known. */
  private lookUp(
    deciders: FactDeciders,
    plan: FactsPlan,
    rows: Rows,
  ): {
    readonly principals: readonly Subject[];
    readonly needs: readonly (Need & Pick<LackingFact, 'fact' | 'source'>)[];
    readonly lacking: readonly LackingFact[];
  } {
    const wanted = readByPlan(deciders, plan);
    const principals = this.principalsAt(deciders, plan.principal, plan.resource);
    const needs: (Need & Pick<LackingFact, 'fact' | 'source'>)[] = [];
    const lacking: LackingFact[] = [];
    for (const subject of principals) {
      takeKnown(subject, rows);
      for (const attribute of subject.unknown.keys()) {
        if (!isAmong(factName('principal.attr', attribute), wanted)) continue;
        const [fact, source] = [subject.nameOf(attribute), subject.sourceOf(attribute)];
        const next = subject.next(attribute);
        if (typeof next === 'object') needs.push({ ...next, fact, source });
        else lacking.push({ fact, source, reason: next });
      }
    }
    return { principals, needs, lacking };
  }

  /** The asks of a check: for each resource, one for each action. */
  private makeAsks(
    deciders: FactDeciders,
    { known: check, chain, resources: selected, indexes }: SelectedCheck,
  ): readonly (readonly Ask[])[] {
    const { principal, resources, auxData, tenants, includeMeta } = check;
    const inputs = chainOf(principal);
    const byPlace = new Map<string, Ask['principals']>();
    const subjects = this.resourceSubjects(deciders, check);
    return resources.map(({ resource: input, actions }, index) => {
      const place = findPlace(deciders, input);
      const key = JSON.stringify([place.scope, place.version]);
      const wantsOutputs = includeMeta || deciders.tellsMore(inputs, input);
      const principals =
        byPlace.get(key) ??
        this.principalsAt(deciders, principal, input).map((subject, at) => ({
          input: inputs[at] as PrincipalInput,
          subject,
        }));
      byPlace.set(key, principals);
      const resource = { input, subject: subjects[index] as Subject };
      const used = [...(chain?.used ?? []), ...(selected[indexes?.[index] ?? index]?.used ?? [])];
      return actions.map(
        (action): Ask => ({
          principals,
          resource,
          action,
          actions,
          auxData,
          tenants,
          wantsOutputs,
          ...(used.length > 0 && { selected: used }),
        }),
      );
    });
  }

  private resourceSubjects(deciders: FactDeciders, { resources }: FactsCheck): readonly Subject[] {
    return resources.map(({ resource }) => this.resourceSubject(deciders, resource));
  }

  private resourceSubject(deciders: FactDeciders, input: ResourceInput): Subject {
    const { own, others } = loadersAt(this.loaders, sanitize(input.kind), findPlace(deciders, input));
    return sentBy(() => new Subject('resource.attr', input.id, input.attr ?? {}, own, others));
  }

  private principalsAt(
    deciders: FactDeciders,
    principal: PrincipalInput,
    at: Omit<ResourceInput, 'id'>,
  ): readonly Subject[] {
    const { own, others } = loadersAt(this.loaders, undefined, findPlace(deciders, at));
    return chainOf(principal).map(({ id, attr = {} }, index) => {
      const label = index === 0 ? 'principal.attr' : `principal.actors[${index - 1}].attr`;
      return sentBy(() => new Subject('principal.attr', id, attr, own, others, label));
    });
  }

  private loopOptions(instant: Instant, { signal, watch, authorization }: Waiter = {}): LoopOptions {
    return {
      order: 'frugal',
      tx: undefined,
      signal,
      until: now() + this.deadline,
      isFresh: () => false,
      maxSkew: this.maxSkew,
      instant,
      now,
      watch,
      authorization,
    };
  }
}

function takeKnown(subject: Subject, rows: Rows): void {
  subject.take(rows, now(), undefined);
  subject.settleKeys();
}

function isWhole(ask: Ask): boolean {
  return listSubjects(ask).every(({ unknown }) => unknown.size === 0);
}

/** An ask with facts of its own: those that others share must not be forgotten, as the engine decides all of them together. */
function separate(ask: Ask): Ask {
  const { principals, resource } = ask;
  return {
    ...ask,
    principals: principals.map((one) => ({ ...one, subject: one.subject.asSent() })),
    resource: { ...resource, subject: resource.subject.asSent() },
  };
}

/** All facts that an ask lacks. */
function listLacking(ask: Ask): readonly LackingFact[] {
  return listSubjects(ask).flatMap((subject) =>
    [...subject.unknown.keys()].map((attribute) => ({
      fact: subject.nameOf(attribute),
      source: subject.sourceOf(attribute),
      reason: subject.failed.get(attribute) ?? ('not asked' as const),
    })),
  );
}

function completed(subject: Subject, selected: Selected<unknown> | undefined): CompletedSubject {
  const fetched = subject.usedFacts().filter(({ from, at }) => at !== undefined && from !== 'sent');
  return {
    attr: subject.attr,
    unknown: [
      ...(selected === undefined ? [] : listUnselected(selected)).map(({ fact }) => fact),
      ...subject.unknownFacts(),
    ],
    fetched: [...(selected?.used ?? []), ...fetched],
    selected: selected?.fields ?? {},
  };
}

/** How often all of a call is gone through if facts may not be far apart. */
const PASSES = 3;

/** Says of the TypeError for a fact that may not be sent that the caller is at fault. */
function sentBy(make: () => Subject): Subject {
  try {
    return make();
  } catch (error) {
    throw error instanceof TypeError ? new SentFactError(error.message) : error;
  }
}

function now(): number {
  return Date.now();
}
