import type { CheckResult, Engine, FactNames, OutputEntry, PartialAnswer, PartialDecider } from '../engine/index.js';
import type { Instant } from '../policy/index.js';
import {
  type Ask,
  makeRequest,
  type Need,
  type Rows,
  type Subject,
  type UnknownFact,
  type UsedFact,
  wholeRequest,
} from './ask.js';
import { factName, isAmong, readAttribute } from './fact-names.js';
import type { LoadedRow } from './accept.js';
import type { Loader } from './loader.js';
import { narrowAnswer } from './narrow-answer.js';
import type { PreparedSource } from './source.js';
import type { RowLock } from './row-lock.js';

/** What was decided, or why nothing was. */
export type FactsDecision =
  | ({ readonly allowed: true; readonly facts: readonly UsedFact[] } & DecisionOutputs)
  | ({ readonly allowed: false; readonly why: 'policy'; readonly facts: readonly UsedFact[] } & DecisionOutputs)
  | {
      readonly allowed: false;
      readonly why: 'unknown';
      readonly unknown: readonly UnknownFact[];
      readonly facts: readonly UsedFact[];
    };

/** What a decision says besides the effect, if it was asked for `outputs`. */
export interface DecisionOutputs {
  readonly outputs?: readonly OutputEntry[];
  readonly effectiveDerivedRoles?: readonly string[];
  readonly validationErrors?: CheckResult['validationErrors'];
}

/** What decides, once facts are known. */
export interface Deciders {
  readonly engine: Engine;
  readonly partial: PartialDecider;
  /** Whether the engine rejects requests that violate schemas. */
  readonly rejects: (ask: Ask) => SchemaSides;
  /** The facts that schemas mention, for one of the principals; undefined if it is not known. */
  readonly schemaFacts: (ask: Ask, index: number) => FactNames | undefined;
  /** The facts on which the effect may depend; undefined if it is not known. */
  readonly effectFacts: (ask: Ask, index: number) => FactNames | undefined;
  /** The facts on which the whole response depends; undefined if it is not known. */
  readonly responseFacts: (ask: Ask, index: number) => FactNames | undefined;
  /** Runs something at one instant. */
  readonly at: <Result>(instant: Instant, work: () => Result) => Result;
  /** Called if the engine decides otherwise than the partial decider: a bug. */
  readonly onDisagreement: (ask: Ask) => void;
}

/** The sides of a request that have to satisfy a schema. */
export interface SchemaSides {
  readonly principal: boolean;
  readonly resource: boolean;
}

/** How the facts of some decisions are fetched. */
export interface LoopOptions {
  readonly order: 'frugal' | 'fast';
  readonly tx: unknown;
  readonly lock?: RowLock | undefined;
  readonly signal: AbortSignal | undefined;
  readonly until: number;
  readonly isFresh: (loader: Loader) => boolean;
  /** How far apart facts may have been fetched, in milliseconds. */
  readonly maxSkew: number;
  /** Whether no more is fetched: facts that are too far apart fail. */
  readonly isFinal?: boolean | undefined;
  readonly instant: Instant;
  readonly now: () => number;
  readonly watch?: WatchFetch | undefined;
  /** The header `authorization` of the caller, for sources that forward it. */
  readonly authorization?: string | undefined;
}

/** Told that a source is asked for the rows of some keys; returns what is told of these rows. */
export type WatchFetch = (source: PreparedSource, keys: number) => (rows: Iterable<LoadedRow>) => void;

/** Rounds that ask the cheapest sources alone. */
const FRUGAL_ROUNDS = 2;

/** An open question, and what it needs next. */
export interface Open {
  readonly index: number;
  readonly needs: readonly Need[];
}

/**
 * Decides several requests, and fetches only facts that may still matter. Each source is asked once in a round. A fact
 * that a source fails to return stays unknown.
 *
 * @param decided called with each decision as soon as it is made.
 */
export async function decideAll(
  asks: readonly Ask[],
  rows: Rows,
  deciders: Deciders,
  options: LoopOptions,
  decided: (index: number, decision: FactsDecision) => void,
): Promise<void> {
  let open: Set<number> = new Set(asks.keys());
  for (let round = 0; open.size > 0; round += 1) {
    const waiting: Open[] = [];
    for (const index of open) {
      const found = step(asks[index] as Ask, rows, deciders, options);
      if ('needs' in found) waiting.push({ index, needs: found.needs });
      else decided(index, found.decision);
    }
    open = new Set(waiting.map(({ index }) => index));
    const isFrugal = options.order === 'frugal' && round < FRUGAL_ROUNDS;
    await fetchRows(waiting, isFrugal, rows, options, (index) => {
      const found = step(asks[index] as Ask, rows, deciders, options);
      if ('needs' in found) return;
      open.delete(index);
      decided(index, found.decision);
    });
  }
}

/**
 * Asks sources for rows: once each, for every open question that may need them.
 *
 * @param ready called with a question once all that was asked for it is there.
 */
export async function fetchRows(
  waiting: readonly Open[],
  isFrugal: boolean,
  rows: Rows,
  options: LoopOptions,
  ready: (index: number) => void,
): Promise<void> {
  const chosen = new Map<Loader, Set<string>>();
  const renewed = new Set<Loader>();
  for (const { needs } of waiting) {
    const cheapest = Math.min(...needs.map(({ loader }) => loader.source.cost));
    for (const { loader } of needs)
      if (!isFrugal || loader.source.cost === cheapest) chosen.set(loader, chosen.get(loader) ?? new Set());
  }
  for (const { needs } of waiting)
    for (const { loader, key, isFresh } of needs) {
      chosen.get(loader)?.add(key);
      if (isFresh) renewed.add(loader);
    }
  const left = new Map(
    waiting.map(({ index, needs }) => [
      index,
      new Set(needs.map(({ loader }) => loader).filter((own) => chosen.has(own))),
    ]),
  );
  const { tx, signal, until, authorization } = options;
  await Promise.all(
    [...chosen].map(async ([loader, keys]) => {
      const isFresh = options.isFresh(loader) || renewed.has(loader);
      const end = options.watch?.(loader.source, keys.size);
      const loaded = await loader.load([...keys], { tx, signal, until, isFresh, authorization });
      end?.(loaded.values());
      for (const [key, row] of loaded) rows.add(loader, key, row);
      for (const [index, loaders] of left) {
        // What is decided does not wait for other sources.
        if (loaders.delete(loader) && loaders.size === 0) ready(index);
      }
    }),
  );
}

/** Decides with what is known, or says what to ask for. */
export function step(
  ask: Ask,
  rows: Rows,
  deciders: Deciders,
  options: LoopOptions,
): { readonly decision: FactsDecision } | { readonly needs: readonly Need[] } {
  const now = options.now();
  for (const subject of listSubjects(ask)) {
    subject.take(rows, now, options.tx);
    subject.settleKeys();
  }
  // Facts of one transaction are of one state.
  if (options.tx === undefined && options.maxSkew < Number.POSITIVE_INFINITY) {
    const selected = ask.selected ?? [];
    const newest = Math.max(...listSubjects(ask).map((subject) => subject.newest), ...selected.map(({ at = 0 }) => at));
    const old = selected.filter(({ at = newest }) => at < newest - options.maxSkew);
    if (old.length > 0)
      return {
        decision: {
          allowed: false,
          why: 'unknown',
          unknown: old.map(({ fact, from }) => ({ fact, source: from, reason: 'skew' })),
          facts: selected,
        },
      };
    for (const subject of listSubjects(ask))
      subject.renew(newest - options.maxSkew, options.isFinal === true ? undefined : rows);
  }
  const answer = deciders.at(options.instant, () => decideAnswer(ask, deciders));
  const facts = (): readonly UsedFact[] => [
    ...(ask.selected ?? []),
    ...listSubjects(ask).flatMap((subject) => subject.usedFacts()),
  ];
  if (typeof answer === 'boolean') return { decision: confirmed(ask, answer, deciders, options, facts()) };
  const needs: Need[] = [];
  const unknown: UnknownFact[] = [];
  for (const { subject, attribute } of answer) {
    const next = subject.next(attribute);
    if (typeof next === 'string')
      unknown.push({ fact: subject.nameOf(attribute), source: subject.sourceOf(attribute), reason: next });
    else needs.push(next);
  }
  return needs.length > 0
    ? { needs }
    : { decision: { allowed: false, why: 'unknown', unknown: sorted(unknown), facts: facts() } };
}

function sorted(unknown: readonly UnknownFact[]): readonly UnknownFact[] {
  return [...unknown].sort((a, b) => (a.fact < b.fact ? -1 : 1));
}

export function listSubjects({ principals, resource }: Ask): readonly Subject[] {
  return [...principals.map(({ subject }) => subject), resource.subject];
}

/** A fact of a principal, an actor or a resource. */
interface OpenFact {
  readonly subject: Subject;
  readonly attribute: string;
}

/** Whether the principal and all its actors are allowed, or what that depends on; one that is not decides for all. */
function decideAnswer(ask: Ask, deciders: Deciders): boolean | readonly OpenFact[] {
  if (ask.wantsOutputs === true) {
    const wanted = ask.principals.flatMap((_, index) => openFacts(ask, index, deciders.responseFacts(ask, index)));
    if (wanted.length > 0) return distinct(wanted);
  }
  const open: OpenFact[] = [];
  let isOpen = false;
  for (const [index, { subject }] of ask.principals.entries()) {
    const answer = answerOne(ask, index, deciders);
    if (answer === false) return false;
    if (answer === true) continue;
    isOpen = true;
    for (const fact of answer)
      for (const side of [subject, ask.resource.subject]) {
        const attribute = readAttribute(fact, side.root);
        if (attribute !== undefined && side.unknown.has(attribute)) open.push({ subject: side, attribute });
      }
  }
  if (!isOpen) return true;
  // Should a fact be of none of them, all are needed: nothing may be decided.
  return open.length > 0 ? distinct(open) : listSubjects(ask).flatMap(listOpenFacts);
}

/** Whether all is known on which the whole response to an ask depends: its outputs and derived roles, too. */
export function knowsResponse(ask: Ask, deciders: Deciders): boolean {
  return ask.principals.every((_, index) => openFacts(ask, index, deciders.responseFacts(ask, index)).length === 0);
}

/** The unknown facts of a principal and the resource that are among some; all of them if these are not known. */
function openFacts(ask: Ask, index: number, among: FactNames | undefined): readonly OpenFact[] {
  const { subject } = ask.principals[index] as Ask['principals'][number];
  return [subject, ask.resource.subject].flatMap((side) =>
    listOpenFacts(side).filter(({ attribute }) => isAmong(factName(side.root, attribute), among)),
  );
}

function listOpenFacts(subject: Subject): readonly OpenFact[] {
  return [...subject.unknown.keys()].map((attribute) => ({ subject, attribute }));
}

function distinct(facts: readonly OpenFact[]): readonly OpenFact[] {
  const seen = new Map<Subject, Set<string>>();
  return facts.filter(({ subject, attribute }) => {
    const own = seen.get(subject) ?? new Set();
    seen.set(subject, own);
    return own.size !== own.add(attribute).size;
  });
}

function answerOne(ask: Ask, index: number, deciders: Deciders): PartialAnswer {
  const { engine, partial, rejects, schemaFacts, effectFacts } = deciders;
  const { subject } = ask.principals[index] as Ask['principals'][number];
  const { resource, tenants } = ask;
  const unknown: FactNames = new Set([...subject.unknownFacts(), ...resource.subject.unknownFacts()]);
  const request = { ...makeRequest(ask, index), ...(tenants && { tenants }) };
  // With everything known, the engine alone decides, which it does in the end.
  if (unknown.size === 0) return ask.principals.length === 1 || engine.isAllowed(request);
  const roles = engine.tenants?.rolesFor(request).roles;
  const answer = narrowAnswer(
    partial.partial(
      roles === undefined ? request : { ...request, principal: { ...request.principal, roles } },
      unknown,
    ),
    () => effectFacts(ask, index),
    () => engine.isAllowed(request),
  );
  if (answer !== true) return answer;
  // A schema may reject what the policies allow.
  const sides = rejects(ask);
  if (!sides.principal && !sides.resource) return true;
  const mentioned = schemaFacts(ask, index);
  const checked = [
    ...(sides.principal ? subject.unknownFacts() : []),
    ...(sides.resource ? resource.subject.unknownFacts() : []),
  ].filter((fact) => isAmong(fact, mentioned));
  return checked.length === 0 || new Set(checked);
}

/** The engine decides; it must agree with what was concluded. */
function confirmed(
  ask: Ask,
  answer: boolean,
  { engine, at, onDisagreement, rejects }: Deciders,
  { instant }: LoopOptions,
  facts: readonly UsedFact[],
): FactsDecision {
  const result = ask.wantsOutputs === true ? at(instant, () => checkWhole(engine, ask)) : undefined;
  const allowed = result?.actions[0]?.allowed ?? at(instant, () => engine.isAllowed(wholeRequest(ask)));
  const isKnown = listSubjects(ask).every(({ unknown }) => unknown.size === 0);
  const { principal, resource } = rejects(ask);
  if (allowed !== answer && !isKnown && (allowed || !(principal || resource))) {
    onDisagreement(ask);
    return { allowed: false, why: 'unknown', unknown: [{ fact: '', source: '', reason: 'disagree' }], facts };
  }
  const more =
    result === undefined
      ? {}
      : {
          outputs: result.outputs,
          effectiveDerivedRoles: result.effectiveDerivedRoles,
          validationErrors: result.validationErrors,
        };
  return allowed ? { allowed, facts, ...more } : { allowed, why: 'policy', facts, ...more };
}

/** The whole answer to an ask with what is known. */
function checkWhole(engine: Engine, ask: Ask): CheckResult | undefined {
  const { resource, action, ...request } = wholeRequest(ask);
  return engine.check({ ...request, resources: [{ resource, actions: [action] }], includeMeta: true })[0];
}
