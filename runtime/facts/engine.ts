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
import { requireResource, requireText, systemClock } from '../engine/parts.js';
import { NotJsonError } from '../../packages/cel/runtime/index.js';
import { type AnyPermissions, type Permissions, sanitize } from '../policy/index.js';
import { type Ask, loadersAt, type Need, type Place, Rows, Subject, type UnknownFact } from './ask.js';
import { type FactDeciders, findPlace, makeDeciders } from './deciders.js';
import { factName } from './fact-names.js';
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
import { decideAll, type FactsDecision, fetchRows, isAmong, type LoopOptions, step } from './loop.js';
import { TurnBatch } from './session.js';
import { SentDecision, type SentTest, sentTest } from './sent.js';
import { copyAuxData, copyPrincipal, copyResource, readSent } from './sent-request.js';
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

class SourcedEngine {
  readonly engine: Engine;
  private readonly deciders: FactDeciders;
  private readonly loaders: readonly Loader[];
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
    const ask = this.makeAsk(request, options);
    await this.decideEach([ask], new Rows(), options, (_, made) => {
      decision = made;
    });
    return decision as FactsDecision;
  }

  async decideMany(
    { principal, resources, actions: asked, auxData, tenants }: ManyRequest,
    options: DecideOptions = {},
  ): Promise<ReadonlyMap<number, ReadonlyMap<string, FactsDecision>>> {
    const prepared = new Map<string, Ask['principals']>();
    const actions = [...asked];
    const claims = copyAuxData(auxData);
    const asks = (resources as readonly ResourceInput[]).flatMap((resource) => {
      const of = this.resourceOf(resource, options);
      const place = findPlace(this.deciders, of.input);
      const key = JSON.stringify([place.scope, place.version]);
      const principals = prepared.get(key) ?? this.preparePrincipals(principal, place);
      prepared.set(key, principals);
      return actions.map(
        (action): Ask => ({
          principals,
          resource: of,
          action,
          auxData: claims,
          tenants,
          wantsOutputs: options.outputs === true,
        }),
      );
    });
    const decisions = new Map(resources.map((_, index) => [index, new Map<string, FactsDecision>()]));
    await this.decideEach(asks, new Rows(), options, (index, decision) => {
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
    const [ask, rows] = [this.makeAsk(request), new Rows()];
    for (;;) {
      const found = step(ask, rows, this.deciders, options);
      if ('decision' in found) return found.decision;
      const kept = found.needs.map(
        ({ loader, key, isFresh }) => [loader, key, isFresh ? undefined : loader.kept(key, KEPT)] as const,
      );
      if (kept.every(([, , row]) => row === undefined)) return undefined;
      for (const [loader, key, row] of kept) if (row !== undefined) rows.add(loader, key, row);
    }
  }

  for(given: Question['principal'], options: SessionOptions = {}): FactsSession {
    const { tenants } = options;
    const auxData = copyAuxData(options.auxData);
    const { actors, ...own } = copyPrincipal(given);
    const principal = { ...own, ...(actors && { actors: actors.map(copyPrincipal) }) };
    const rows = new Rows();
    const batch = new TurnBatch<Ask>((asks, decided) => this.decideEach(asks, rows, options, decided));
    const decide = async (action: string, resource: ResourceInput): Promise<FactsDecision> =>
      batch.add(this.makeAsk({ principal, resource, action, auxData, tenants }, options));
    return {
      decide,
      can: async (action: string, resource: ResourceInput) => {
        return isAllowed(await decide(action, resource));
      },
    } as FactsSession;
  }

  async principal(given: Question['principal'], about: PrincipalQuery, options: DecideOptions = {}): Promise<object> {
    const { kinds, actions, scope, policyVersion, tenants } = about;
    if (this.deciders.reads === undefined) throw new Error(NO_FACTS);
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
    const [rows, loop] = [new Rows(), this.loopOptions(options)];
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
    if (auxData !== undefined) throw new TypeError('a facts engine takes verified claims, and no tokens');
    const request = { principal, resources: [resource], actions } as ManyRequest;
    const decisions = await this.decideMany(request, { signal: options.signal, deadline: options.timeout });
    const allowed = actions.map(
      (action) => [action, isAllowed(decisions.get(0)?.get(action) as FactsDecision)] as const,
    );
    return { ...NO_SERVER, allowed: Object.fromEntries(allowed) };
  }

  private async decideEach(
    asks: readonly Ask[],
    rows: Rows,
    options: DecideOptions,
    decided: (index: number, decision: FactsDecision) => void,
  ): Promise<void> {
    const loop = this.loopOptions(options);
    if (loop.lock === undefined) return decideAll(asks, rows, this.deciders, loop, decided);
    const open = await lockRows(asks, rows, loop, decided);
    const left = open.map((index) => asks[index] as Ask);
    return decideAll(left, rows, this.deciders, loop, (at, decision) => decided(open[at] as number, decision));
  }

  private makeAsk({ principal, resource, action, auxData, tenants }: Question, options: DecideOptions = {}): Ask {
    const of = this.resourceOf(resource, options);
    return {
      resource: of,
      principals: this.preparePrincipals(principal, findPlace(this.deciders, of.input)),
      action,
      auxData: copyAuxData(auxData),
      tenants,
      wantsOutputs: options.outputs === true,
    };
  }

  private preparePrincipals(principal: Question['principal'], place: Place): Ask['principals'] {
    const { own, others } = loadersAt(this.loaders, undefined, place);
    return chainOf(principal).map((given, index) => {
      const input = copyPrincipal(given);
      const path = index === 0 ? 'principal' : `principal.actors[${index - 1}]`;
      requireText(input.id, path, '.id');
      const sent = readSent(input.attr, `${path}.attr`);
      return { input, subject: new Subject('principal.attr', input.id, sent, own, others, `${path}.attr`) };
    });
  }

  private resourceOf(resource: ResourceInput, { lock }: DecideOptions = {}): Ask['resource'] {
    requireResource(resource);
    const input = copyResource(resource);
    const { own, others } = loadersAt(this.loaders, sanitize(input.kind), findPlace(this.deciders, input));
    const locks = lock === undefined ? undefined : requireLocks(own, input);
    const given = readSent(input.attr, 'resource.attr');
    const sent = locks === undefined ? given : withoutLocked(given, locks);
    return { input, subject: new Subject('resource.attr', input.id, sent, own, others), locks };
  }

  /** Tests whether a source may not use its cache: it provides a fact that must be fresh, or the key of such a source. */
  private freshLoaders(fresh: DecideOptions['fresh']): (loader: Loader) => boolean {
    if (fresh === undefined || fresh === true) return () => fresh === true;
    const facts = new Set(fresh);
    const isFresh = ({ source }: Loader): boolean => [...source.facts.values()].some((fact) => facts.has(fact));
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

/** What is kept of a source, outside of transactions. */
const KEPT = { tx: undefined, isFresh: false };

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
