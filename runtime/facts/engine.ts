import {
  type AccessRequest,
  type AuxDataInput,
  chainOf,
  type CompiledBundle,
  createEngine,
  type Engine,
  type ResourceInput,
  type TenantDocuments,
} from '../engine/index.js';
import { requireText, systemClock } from '../engine/parts.js';
import { NotJsonError } from '../../packages/cel/runtime/index.js';
import { type AnyPermissions, type Permissions, sanitize } from '../policy/index.js';
import { type Ask, loadersAt, type Need, type Place, Rows, Subject, type UnknownFact } from './ask.js';
import { type FactDeciders, findPlace, makeDeciders } from './deciders.js';
import { factName, isAmong } from './fact-names.js';
import type {
  AnswerOptions,
  AnswerRequest,
  DecideOptions,
  FactsAnswer,
  FactsEngine,
  FactsOptions,
  FactsSession,
  ManyRequest,
  PrincipalQuery,
  SessionOptions,
} from './facts-engine.js';
import { FactsUnavailableError } from './errors.js';
import { Loader } from './loader.js';
import { rolesForAny } from './of-check.js';
import { lockRows, requireLocks, withoutLocked } from './locked.js';
import { decideAll, type FactsDecision, fetchRows, type LoopOptions, step } from './loop.js';
import { TurnBatch } from './session.js';
import { type Selected, Selectors, selectorNames, type SelectOptions } from './selectors.js';
import { SentDecision, type SentTest, sentTest } from './sent.js';
import { copyAuxData, copyChain, copyResource } from './sent-request.js';
import { prepareSources } from './source.js';

/** How long a decision may take unless the options say otherwise, in milliseconds. */
const USUAL_DEADLINE = 1000;
/** The longest delay of a timer. */
const LONGEST_DEADLINE = 2 ** 31 - 1;

/**
 * Creates an engine that fetches facts from sources.
 *
 * @example
 * import { createFactsEngine } from 'authz/facts';
 * import { policies } from './dist/policies.js';
 *
 * const albums = new Map([['1', { owner: 'ann', status: 'OPEN' }]]);
 * const types = { owner: 'string', status: 'string' } as const;
 * const authz = createFactsEngine(policies, {
 *   sources: [{ of: 'album', provides: ['owner', 'status'], types, load: async () => albums }],
 * });
 * const me = authz.for({ id: 'ann', roles: ['user'] });
 * console.log(await me.can('edit', { kind: 'album', id: '1' })); // => true
 *
 * @param policies compiled with `authzc compile --facts`.
 * @throws {TypeError} if a source is not right: two for a fact, a type that is not known, or keys that need each other.
 */
export function createFactsEngine<P extends Permissions = AnyPermissions>(
  policies: CompiledBundle,
  options: FactsOptions,
): FactsEngine<P> {
  return new SourcedEngine(policies, options) as unknown as FactsEngine<P>;
}

/** One request, of any kind. */
interface Question {
  readonly principal: AccessRequest['principal'];
  readonly resource: ResourceInput;
  readonly action: string;
  readonly auxData?: AuxDataInput | undefined;
  readonly tenants?: TenantDocuments | undefined;
}

/** A question with what is known of it before anything is fetched. */
interface Draft {
  readonly question: Question;
  readonly ask: Ask;
}

/** A question with what sources say of roles, scopes and versions. */
interface SelectedQuestion extends Pick<Selected<unknown>, 'used' | 'unknown' | 'needs'> {
  readonly question: Question;
}

class SourcedEngine {
  readonly engine: Engine;
  private readonly deciders: FactDeciders;
  private readonly loaders: readonly Loader[];
  private readonly selectors: Selectors;
  /** Tests whether a request has all facts that sources provide; undefined if sources have more to say about it. */
  private readonly sent: SentTest | undefined;
  private readonly order: 'frugal' | 'fast';
  private readonly deadline: number;
  private readonly maxSkew: number;

  constructor(
    policies: CompiledBundle,
    {
      sources,
      engine = {},
      deadline = USUAL_DEADLINE,
      order = 'frugal',
      caller = 'use',
      maxSkew = Number.POSITIVE_INFINITY,
      onDisagreement,
    }: FactsOptions,
  ) {
    if (!(maxSkew >= 0)) throw new TypeError('`maxSkew` must be a number of milliseconds of at least 0');
    this.maxSkew = maxSkew;
    this.order = order;
    this.deadline = requireDeadline(deadline);
    const prepared = prepareSources(sources, { deadline, caller, types: policies.factTypes });
    for (const source of prepared) requireDeadline(source.deadline);
    this.loaders = prepared.map((source) => new Loader(source, now));
    this.selectors = new Selectors(this.loaders);
    this.sent = sentTest(prepared);
    this.deciders = makeDeciders({
      policies,
      options: engine,
      clock: engine.clock ?? systemClock(),
      create: (options) => createEngine(policies, options),
      onDisagreement: (ask) =>
        onDisagreement?.({
          principal: ask.principals[0]?.input as AccessRequest['principal'],
          resource: ask.resource.input,
          action: ask.action,
        }),
    });
    this.engine = this.deciders.engine;
  }

  async decide(request: Question, options: DecideOptions = {}): Promise<FactsDecision> {
    let decision: FactsDecision | undefined;
    const drafts = this.makeDrafts([request], options);
    await this.decideEach(drafts, new Rows(), options, (_, made) => {
      decision = made;
    });
    return decision as FactsDecision;
  }

  async decideMany(
    { principal, resources, actions: asked, auxData, tenants }: ManyRequest,
    options: DecideOptions = {},
  ): Promise<ReadonlyMap<number, ReadonlyMap<string, FactsDecision>>> {
    const actions = [...asked];
    const questions = (resources as readonly ResourceInput[]).flatMap((resource) =>
      actions.map((action): Question => ({ principal, resource, action, auxData, tenants })),
    );
    const decisions = new Map(resources.map((_, index) => [index, new Map<string, FactsDecision>()]));
    await this.decideEach(this.makeDrafts(questions, options), new Rows(), options, (index, decision) => {
      decisions.get(Math.floor(index / actions.length))?.set(actions[index % actions.length] as string, decision);
    });
    return decisions;
  }

  decideNow(request: Question): FactsDecision | undefined {
    if (this.sent?.isSent(request) === true) {
      try {
        return new SentDecision(this.engine.isAllowed(request), request) as FactsDecision;
      } catch (error) {
        // `absent` of an attribute that no source provides is not JSON.
        if (!(error instanceof NotJsonError)) throw error;
      }
    }
    const options = this.loopOptions({});
    const { question: asked, ask: first } = this.makeDrafts([request])[0] as Draft;
    let ask = first;
    const rows = new Rows();
    if (!this.selectors.isEmpty) {
      const at = this.selectOptions(options);
      const [before] = this.selectAll([asked], rows, at);
      if (takeKept(before?.needs ?? [], rows) < (before?.needs.length ?? 0)) return undefined;
      const { question, used, unknown } = this.selectAll([asked], rows, at)[0] as SelectedQuestion;
      if (unknown.length > 0) return { allowed: false, why: 'unknown', unknown, facts: used };
      ask = { ...this.makeAsks([question])[0], selected: used } as Ask;
    }
    for (;;) {
      const found = step(ask, rows, this.deciders, options);
      if ('decision' in found) return found.decision;
      if (takeKept(found.needs, rows) === 0) return undefined;
    }
  }

  for(given: Question['principal'], options: SessionOptions = {}): FactsSession {
    const { tenants } = options;
    const auxData = copyAuxData(options.auxData);
    const principal = copyChain(given);
    const rows = new Rows();
    const batch = new TurnBatch<Draft>((drafts, decided) => this.decideEach(drafts, rows, options, decided));
    const decide = async (action: string, resource: ResourceInput): Promise<FactsDecision> =>
      batch.add(this.makeDrafts([{ principal, resource, action, auxData, tenants }], options)[0] as Draft);
    return {
      decide,
      can: async (action: string, resource: ResourceInput) => {
        return isAllowed(await decide(action, resource));
      },
    } as FactsSession;
  }

  async principal(sent: Question['principal'], about: PrincipalQuery, options: DecideOptions = {}): Promise<object> {
    const { kinds, actions, scope, policyVersion, tenants } = about;
    if (this.deciders.reads === undefined) throw new Error(NO_FACTS);
    for (const kind of kinds)
      if (this.selectors.isOf(kind))
        throw new TypeError(`\`${kind}\` cannot be planned: a source sets the scope or the version of each resource`);
    const [rows, loop] = [new Rows(), this.loopOptions(options)];
    const given = await this.selectPrincipal(sent, rows, loop);
    const wanted = new Set<string>();
    const chain = chainOf(given);
    for (const kind of kinds)
      for (const actor of chain)
        for (const fact of this.deciders.reads(
          {},
          {
            kind,
            action: actions,
            roles: rolesForAny(this.engine, {
              principal: actor,
              resource: { kind, scope, policyVersion },
              actions,
              tenants,
            }),
            scope,
            version: policyVersion,
            principal: { id: actor.id, scope: actor.scope, policyVersion: actor.policyVersion },
          },
        ) ?? [])
          wanted.add(fact);
    const principals = this.preparePrincipals(given, findPlace(this.deciders, { scope, policyVersion }));
    for (;;) {
      const needs: Need[] = [];
      const unknown: UnknownFact[] = [];
      for (const { subject } of principals) {
        subject.take(rows, now(), loop.tx);
        subject.settleKeys();
        for (const attribute of subject.unknown.keys()) {
          if (!isAmong(factName('principal.attr', attribute), wanted)) continue;
          const next = subject.next(attribute);
          if (typeof next === 'object') needs.push(next);
          else unknown.push({ fact: subject.nameOf(attribute), source: subject.sourceOf(attribute), reason: next });
        }
      }
      if (unknown.length > 0) throw new FactsUnavailableError(unknown);
      if (needs.length === 0) break;
      await fetchRows([{ index: 0, needs }], false, rows, loop, () => {});
    }
    const [own, ...others] = principals.map(({ subject }) => subject.attr);
    const actors = given.actors?.map((actor, index) => ({ ...actor, attr: others[index] }));
    return { ...given, attr: own, ...(actors && { actors }) };
  }

  async isAllowed(request: Question, options: AnswerOptions = {}): Promise<boolean> {
    return isAllowed(await this.decide(request, { signal: options.signal, deadline: options.timeout }));
  }

  async check(
    { principal, resource, actions, auxData }: AnswerRequest,
    options: AnswerOptions = {},
  ): Promise<FactsAnswer> {
    if (auxData !== undefined) throw new TypeError('`auxData` must have verified claims, not tokens');
    const request = { principal, resources: [resource], actions } as ManyRequest;
    const decisions = await this.decideMany(request, { signal: options.signal, deadline: options.timeout });
    const allowed = actions.map(
      (action) => [action, isAllowed(decisions.get(0)?.get(action) as FactsDecision)] as const,
    );
    return { ...NO_SERVER, allowed: Object.fromEntries(allowed) };
  }

  private async decideEach(
    drafts: readonly Draft[],
    rows: Rows,
    options: DecideOptions,
    decided: (index: number, decision: FactsDecision) => void,
  ): Promise<void> {
    const loop = this.loopOptions(options);
    if (this.selectors.isEmpty) {
      const asks = drafts.map(({ ask }) => ask);
      return this.decideAsks(asks, rows, loop, decided);
    }
    const questions = drafts.map(({ question }) => question);
    const at = this.selectOptions(loop);
    await this.fetchSelectors(questions, rows, loop, at);
    const selected = this.selectAll(questions, rows, at);
    const open: number[] = [];
    for (const [index, { unknown, used, needs }] of selected.entries()) {
      if (unknown.length === 0 && needs.length === 0) open.push(index);
      else
        decided(index, {
          allowed: false,
          why: 'unknown',
          unknown: [...unknown, ...needs.map(notFetched)],
          facts: used,
        });
    }
    const known = open.map((index) => selected[index] as SelectedQuestion);
    const asks = this.makeAsks(
      known.map(({ question }) => question),
      options,
    ).map((ask, index): Ask => ({ ...ask, selected: known[index]?.used }));
    return this.decideAsks(asks, rows, loop, (at, decision) => decided(open[at] as number, decision));
  }

  private async decideAsks(
    asks: readonly Ask[],
    rows: Rows,
    loop: LoopOptions,
    decided: (index: number, decision: FactsDecision) => void,
  ): Promise<void> {
    if (loop.lock === undefined) return decideAll(asks, rows, this.deciders, loop, decided);
    const open = await lockRows(asks, rows, loop, decided);
    const left = open.map((index) => asks[index] as Ask);
    return decideAll(left, rows, this.deciders, loop, (at, decision) => decided(open[at] as number, decision));
  }

  /** Fetches what chooses the policies of some questions: first, as everything else depends on it. */
  private async fetchSelectors(
    questions: readonly Question[],
    rows: Rows,
    loop: LoopOptions,
    at: SelectOptions,
  ): Promise<void> {
    const waiting = this.selectAll(questions, rows, at).map(({ needs }, index) => ({ index, needs }));
    const open = waiting.filter(({ needs }) => needs.length > 0);
    if (open.length > 0) await fetchRows(open, false, rows, loop, () => {});
  }

  /** Selects for each question; those about the same principal or resource share it. */
  private selectAll(questions: readonly Question[], rows: Rows, at: SelectOptions): readonly SelectedQuestion[] {
    const principals = new Map<
      object,
      Omit<SelectedQuestion, 'question'> & { readonly input: Question['principal'] }
    >();
    const resources = new Map<object, Selected<ResourceInput>>();
    return questions.map((question) => {
      const principal = principals.get(question.principal) ?? this.selectors.ofChain(question.principal, rows, at);
      principals.set(question.principal, principal);
      const resource = resources.get(question.resource) ?? this.selectors.ofResource(question.resource, rows, at);
      resources.set(question.resource, resource);
      return {
        question: { ...question, principal: principal.input, resource: resource.input },
        used: [...principal.used, ...resource.used],
        unknown: [...principal.unknown, ...resource.unknown],
        needs: [...principal.needs, ...resource.needs],
      };
    });
  }

  /** Facts of one decision may have to be of one time. */
  private selectOptions({ tx, maxSkew }: LoopOptions): SelectOptions {
    const at = now();
    const isAnyAge = tx !== undefined || maxSkew === Number.POSITIVE_INFINITY;
    return { now: at, tx, ...(!isAnyAge && { oldest: at - maxSkew }) };
  }

  private async selectPrincipal(
    given: Question['principal'],
    rows: Rows,
    loop: LoopOptions,
  ): Promise<Question['principal']> {
    const principal = copyChain(given);
    if (this.selectors.isEmpty) return principal;
    const at = this.selectOptions(loop);
    const { needs } = this.selectors.ofChain(principal, rows, at);
    if (needs.length > 0) await fetchRows([{ index: 0, needs }], false, rows, loop, () => {});
    const { input, unknown, needs: left } = this.selectors.ofChain(principal, rows, at);
    if (unknown.length + left.length > 0) throw new FactsUnavailableError([...unknown, ...left.map(notFetched)]);
    return input;
  }

  private makeDrafts(given: readonly Question[], options: DecideOptions = {}): readonly Draft[] {
    const questions = copyQuestions(given);
    const asks = this.makeAsks(this.selectors.isOf(undefined) ? withSomeRoles(questions) : questions, options);
    // Once it is known which policies decide, the questions are asked anew.
    return questions.map((question, index) => ({ question, ask: asks[index] as Ask }));
  }

  /** The asks of questions that nobody else can change; those about the same principal or resource share what is known of it. */
  private makeAsks(questions: readonly Question[], options: DecideOptions = {}): readonly Ask[] {
    const resources = new Map<ResourceInput, Ask['resource']>();
    const principals = new Map<string, Map<Question['principal'], Ask['principals']>>();
    return questions.map(({ principal, resource, action, auxData, tenants }): Ask => {
      const of = resources.get(resource) ?? this.resourceOf(resource, options);
      resources.set(resource, of);
      const place = findPlace(this.deciders, of.input);
      const key = JSON.stringify([place.scope, place.version]);
      const atPlace = principals.get(key) ?? new Map<Question['principal'], Ask['principals']>();
      principals.set(key, atPlace);
      const prepared = atPlace.get(principal) ?? this.preparePrincipals(principal, place);
      atPlace.set(principal, prepared);
      return { principals: prepared, resource: of, action, auxData, tenants, wantsOutputs: options.outputs === true };
    });
  }

  private preparePrincipals(principal: Question['principal'], place: Place): Ask['principals'] {
    const { own, others } = loadersAt(this.loaders, undefined, place);
    return chainOf(principal).map((input, index) => {
      const path = index === 0 ? 'principal' : `principal.actors[${index - 1}]`;
      requireText(input.id, path, '.id');
      return { input, subject: new Subject('principal.attr', input.id, input.attr ?? {}, own, others, `${path}.attr`) };
    });
  }

  private resourceOf(input: ResourceInput, { lock }: DecideOptions = {}): Ask['resource'] {
    const { own, others } = loadersAt(this.loaders, sanitize(input.kind), findPlace(this.deciders, input));
    if (lock !== undefined && this.selectors.isOf(input.kind))
      throw new TypeError(`\`${input.kind}\`: a row cannot be locked if a source sets its scope or its version`);
    const locks = lock === undefined ? undefined : requireLocks(own, input);
    const { attr = {} } = input;
    const sent = locks === undefined ? attr : withoutLocked(attr, locks);
    return { input, subject: new Subject('resource.attr', input.id, sent, own, others), locks };
  }

  /** Tests whether a source may not use its cache: it provides a fact that must be fresh, or the key of such a source. */
  private freshLoaders(fresh: DecideOptions['fresh']): (loader: Loader) => boolean {
    if (fresh === undefined || fresh === true) return () => fresh === true;
    const facts = new Set(fresh);
    const isFresh = (loader: Loader): boolean =>
      [...loader.source.facts.values(), ...selectorNames(loader)].some((fact) => facts.has(fact));
    let before: number;
    do {
      before = facts.size;
      for (const loader of this.loaders)
        if (loader.source.keyFact !== undefined && isFresh(loader)) facts.add(loader.source.keyFact);
    } while (facts.size > before);
    return isFresh;
  }

  private loopOptions({ tx, lock, signal, fresh, deadline = this.deadline }: DecideOptions): LoopOptions {
    if (lock !== undefined && (tx === undefined || (lock !== 'share' && lock !== 'update')))
      throw new TypeError('`lock` must be `share` or `update`, in a transaction that is passed as `tx`');
    return {
      order: this.order,
      tx,
      lock,
      signal,
      until: now() + requireDeadline(deadline),
      isFresh: this.freshLoaders(fresh),
      maxSkew: this.maxSkew,
      instant: { ...this.deciders.clock() },
      now,
    };
  }
}

const NO_FACTS = 'the policies have no read sets: compile them with `authzc compile --facts`';

/** Questions that nobody else can change. */
function copyQuestions(questions: readonly Question[]): readonly Question[] {
  const principals = new Map<Question['principal'], Question['principal']>();
  const resources = new Map<ResourceInput, ResourceInput>();
  const claims = new Map<AuxDataInput | undefined, AuxDataInput | undefined>();
  return questions.map((question) => {
    const { principal: sender, resource: about, action, auxData: verified, tenants } = question;
    const resource = resources.get(about) ?? copyResource(about);
    resources.set(about, resource);
    const principal = principals.get(sender) ?? copyChain(sender);
    principals.set(sender, principal);
    const auxData = claims.get(verified) ?? copyAuxData(verified);
    claims.set(verified, auxData);
    return { principal, resource, action, auxData, tenants };
  });
}

/** Questions whose principals have roles, as far as it matters whether they are right: sources will say which ones. */
function withSomeRoles(questions: readonly Question[]): readonly Question[] {
  const known = new Map<Question['principal'], Question['principal']>();
  return questions.map((question) => {
    const { principal } = question;
    const roles = (given: readonly string[] | undefined): readonly string[] =>
      given === undefined || given.length === 0 ? ['any'] : given;
    const complete = known.get(principal) ?? {
      ...principal,
      roles: roles(principal?.roles),
      ...(principal?.actors && { actors: principal.actors.map((one) => ({ ...one, roles: roles(one?.roles) })) }),
    };
    known.set(principal, complete);
    return { ...question, principal: complete };
  });
}

/** A fact whose source has returned no row that is young enough. */
function notFetched({ fact, source }: Selected<unknown>['needs'][number]): UnknownFact {
  return { fact, source, reason: 'skew' };
}

/** Takes rows that sources have kept, outside of transactions; returns how many of those that are needed. */
function takeKept(needs: readonly Need[], rows: Rows): number {
  let taken = 0;
  for (const { loader, key, isFresh } of needs) {
    const row = isFresh ? undefined : loader.kept(key, { tx: undefined, isFresh: false });
    if (row === undefined) continue;
    rows.add(loader, key, row);
    taken += 1;
  }
  return taken;
}

const NO_SERVER = {
  outputs: [],
  validationErrors: [],
  meta: undefined,
  callId: '',
  requestId: '',
  bundleHash: '',
} as const;

/** A decision as a boolean, which would hide that facts are not available. */
function isAllowed(decision: FactsDecision): boolean {
  if (!decision.allowed && decision.why === 'unknown') throw new FactsUnavailableError(decision.unknown);
  return decision.allowed;
}

function requireDeadline(deadline: number): number {
  if (!(deadline > 0 && deadline <= LONGEST_DEADLINE))
    throw new TypeError('`deadline` must be a number of milliseconds above 0');
  return deadline;
}

function now(): number {
  return Date.now();
}
