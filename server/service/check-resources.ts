import { checkResourcesRequestViolations } from '../../proto/gen/validate/request.js';
import type {
  AuxData,
  CheckResourcesRequest,
  CheckResourcesResponse,
  Principal,
  RequestContext,
  Resource,
  ResultEntry,
} from '../../proto/gen/messages.js';
import { type Asks, prepare, type Step } from './prepare-call.js';
import type { ActionDecision, CheckCall, CheckEntry, Decider, Decision, VerifiedAuxData } from './decider.js';
import type { Violations } from '../../proto/wire/violation.js';
import { chooseDecider } from './bundle-choice.js';
import type { Call } from './call.js';
import type { CallIds } from './call-id.js';
import type { EvaluationTime, TokenTime } from './call-times.js';
import type { FactsOfCheck, FactsService } from './facts.js';
import type { TokenSubjectConfig } from '../config.js';
import { withFewViolations } from './few-violations.js';
import type { PropertyNames } from './property-names.js';
import { countRepeated, metadataLength } from './repeated-length.js';
import { refused, refuseViolations } from './rpc-error.js';
import { provideDocuments } from './tenants.js';
import { tellAssembled, tellChecked, tellVerified } from './watch.js';
import type { Watcher } from './watcher.js';
import { reportExceeded } from './within-limits.js';

/** What a check needs beside the request. */
export interface CheckService {
  /** Decides calls without a bundle. */
  readonly decider: Decider;
  /** The steps before a call is decided; absent: there are none, and only the decider decides. */
  readonly steps?: readonly Step[] | undefined;
  /** Completes questions with the facts that sources provide; absent: there are no sources. */
  readonly facts?: FactsService | undefined;
  readonly callIds: CallIds;
  readonly limits: RequestLimits;
  /**
   * Verifies the tokens of a request; rejects when one of them is not good, for whatever reason. Adds the time of each
   * token to those it is given.
   */
  readonly verify: (auxData: AuxData, times?: TokenTime[], callId?: string) => Promise<VerifiedAuxData>;
  /** How tokens become subjects of AuthZEN; absent: the caller says what a subject is. */
  readonly tokenSubject?: TokenSubjectConfig | undefined;
  /** Names of properties of AuthZEN, the own ones first; absent: there are no aliases. */
  readonly propertyNames?: readonly PropertyNames[] | undefined;
  /** Told of what is decided; often there are none. */
  readonly watchers: readonly Watcher[];
}

export interface RequestLimits {
  readonly maxActionsPerResource: number;
  readonly maxResourcesPerRequest: number;
}

/**
 * CheckResources: validation, number of resources, tokens, numbers of actions, decisions, in this order
 * (docs/spec/server.md#order-of-checks). Answers at once unless there are tokens to verify. Throws, or rejects with, an
 * RpcError.
 */
export function checkResources(
  service: CheckService,
  call: Call,
  request: CheckResourcesRequest,
): CheckResourcesResponse | Promise<CheckResourcesResponse> {
  accept(service, call, checkResourcesRequestViolations(request));
  limitResources(request.resources.length, service.limits);
  // Validation has seen to it that there is a principal.
  const principal = request.principal as Principal;
  const claims = prepareRequest(service, call, request.auxData, principal, (auxData) => ({
    checks: [
      { principal, resources: request.resources as readonly CheckEntry[], auxData, includeMeta: request.includeMeta },
    ],
  }));
  return claims instanceof Promise
    ? claims.then((verified) => respond(service, call, request, verified))
    : respond(service, call, request, claims);
}

/** Refuses a request that breaks rules; any other gets its call id (docs/spec/server.md#call-id). */
export function accept(service: Pick<CheckService, 'callIds'>, call: Call, violations: Violations): void {
  refuseViolations(violations);
  call.id = service.callIds.next(call.timestamp);
}

/** Refuses more resources than the configuration allows. */
export function limitResources(count: number, limits: RequestLimits): void {
  const limit = limits.maxResourcesPerRequest;
  if (count <= limit) return;
  throw refused(`number of resources in batch (${count}) exceeds configured limit (${limit})`);
}

/** Refuses an entry with more actions than the configuration allows: the first such one is named. */
export function limitActions(entries: readonly Pick<CheckEntry, 'actions'>[], limits: RequestLimits): void {
  const limit = limits.maxActionsPerResource;
  for (const { actions } of entries) {
    if (actions.length <= limit) continue;
    throw refused(`number of actions (${actions.length}) exceeds configured limit (${limit})`);
  }
}

/**
 * Verifies the tokens of a request, then prepares the call to decide about its principal. Returns the claims: at once
 * when there is nothing to wait for.
 */
export function prepareRequest(
  service: CheckService,
  call: Call,
  auxData: AuxData | undefined,
  principal: Principal,
  asked: (claims: VerifiedAuxData) => ReturnType<Asks>,
): VerifiedAuxData | Promise<VerifiedAuxData> {
  if (hasTokens(auxData))
    return verified(service, call, auxData).then(async (claims) => {
      await prepare(service.steps, call, [principal], () => asked(claims));
      return claims;
    });
  const waiting = prepare(service.steps, call, [principal], () => asked(NO_CLAIMS));
  return waiting === undefined ? NO_CLAIMS : waiting.then(() => NO_CLAIMS);
}

function hasTokens(auxData: AuxData | undefined): auxData is AuxData {
  return auxData !== undefined && (auxData.jwt !== undefined || auxData.jwts.size > 0);
}

/** Goes on with the claims of the tokens: at once when there are none to verify. */
export function withClaims<T>(
  service: VerifyingService,
  call: Call,
  auxData: AuxData | undefined,
  goOn: (claims: VerifiedAuxData) => T | Promise<T>,
): T | Promise<T> {
  return hasTokens(auxData) ? verified(service, call, auxData).then(goOn) : goOn(NO_CLAIMS);
}

type VerifyingService = Pick<CheckService, 'verify' | 'watchers'>;

/** A question to the engine, with what the audit log wants to know of the request it comes from. */
export interface CheckQuestion extends CheckCall {
  readonly requestId: string;
  readonly requestContext: RequestContext | undefined;
  /** Whether a decision that lacks a fact fails, and is no denial, whatever the configuration says. */
  readonly isWhole?: boolean | undefined;
}

/**
 * Calls the engine once, with the documents of tenants and the facts that the call has, and informs the watchers. Rejects
 * entries with too many actions, and returns one decision per entry.
 */
export function decide(service: CheckService, call: Call, asking: CheckQuestion): readonly Decision[] {
  limitActions(asking.resources, service.limits);
  const tenants = provideDocuments(call);
  const asked = tenants === undefined ? asking : { ...asking, tenants };
  const { watchers } = service;
  const decider = chooseDecider(service, call);
  const isWatched = watchers.length > 0;
  const evaluations: EvaluationTime[] | undefined = isWatched && call.trace !== undefined ? [] : undefined;
  const start = isWatched ? performance.now() : 0;
  let question = asked;
  let facts: FactsOfCheck | undefined;
  let decided: readonly Decision[];
  try {
    if (service.facts === undefined) decided = decider.check(asked, evaluations);
    else {
      const completed = service.facts.completeCheck(call, asked, asked.isWhole);
      ({ question, facts } = completed);
      decided = completed.decide(() => decider.check(completed.question, evaluations));
    }
  } catch (error) {
    throw reportExceeded(error, service, call, () => ({ kind: 'check', ...question }));
  }
  if (!isWatched) return checkedAnswer(call, question, decided);
  const duration = performance.now() - start;
  const decisions = checkedAnswer(call, question, decided);
  const times = evaluations && { start, evaluations };
  // One by one: spreading a question costs more than deciding it.
  const { requestId, principal, resources, auxData, requestContext, includeMeta } = question;
  tellChecked(watchers, call, {
    requestId,
    principal,
    resources,
    decisions,
    auxData,
    requestContext,
    includeMeta,
    duration,
    times,
    facts,
  });
  return decisions;
}

/** The decisions as they are answered; refuses what would make an answer that is many times as long as its request. */
function checkedAnswer(
  call: Call,
  { includeMeta }: CheckQuestion,
  decisions: readonly Decision[],
): readonly Decision[] {
  if (includeMeta) countRepeated(call, metadataLength(decisions));
  return withFewViolations(call, decisions);
}

const NO_CLAIMS: VerifiedAuxData = { jwt: {}, jwts: {} };

/**
 * The reason is not part of the error: a caller only learns that the token is bad (docs/spec/server.md#refused-tokens).
 */
async function verified(service: VerifyingService, call: Call, auxData: AuxData): Promise<VerifiedAuxData> {
  if (call.trace !== undefined) return verifiedAndTold(service, call, auxData);
  try {
    return await service.verify(auxData, undefined, call.id);
  } catch {
    throw refused('invalid auxData');
  }
}

async function verifiedAndTold(service: VerifyingService, call: Call, auxData: AuxData): Promise<VerifiedAuxData> {
  const tokens: TokenTime[] = [];
  const start = performance.now();
  let isRefused = false;
  try {
    return await service.verify(auxData, tokens, call.id);
  } catch {
    isRefused = true;
    throw refused('invalid auxData');
  } finally {
    tellVerified(service.watchers, call, { start, end: performance.now(), tokens: [...tokens], isRefused });
  }
}

function respond(
  service: CheckService,
  call: Call,
  request: CheckResourcesRequest,
  auxData: VerifiedAuxData,
): CheckResourcesResponse {
  const { requestId, includeMeta, requestContext } = request;
  // Validation has seen to it that principal and resources are there.
  const principal = request.principal as Principal;
  const resources = request.resources as readonly CheckEntry[];
  const decisions = decide(service, call, { requestId, principal, resources, auxData, includeMeta, requestContext });
  const start = call.trace !== undefined ? performance.now() : 0;
  const results: ResultEntry[] = [];
  for (let index = 0; index < resources.length; index++) {
    results.push(toResult((resources[index] as CheckEntry).resource, decisions[index] as Decision, includeMeta));
  }
  if (call.trace !== undefined) tellAssembled(service.watchers, call, { start, end: performance.now() });
  return { requestId, results, authzCallId: call.id };
}

/** What a response says of a resource. */
export function toResult(resource: Resource, decision: Decision, includeMeta: boolean): ResultEntry {
  const { effectiveDerivedRoles, validationErrors, outputs, unknown = NOTHING } = decision;
  const actions = byAction(decision.actions);
  const meta = includeMeta ? { actions, effectiveDerivedRoles, unknown } : undefined;
  return { resource, actions, validationErrors, meta, outputs };
}

const NOTHING: NonNullable<Decision['unknown']> = [];

/** Decisions in the order in which responses have them: by action. Insertion, because there are few. */
export function byAction(decisions: readonly ActionDecision[]): readonly ActionDecision[] {
  const sorted: ActionDecision[] = [];
  for (let index = 0; index < decisions.length; index++) {
    const decision = decisions[index] as ActionDecision;
    let place = index;
    while (place > 0 && (sorted[place - 1] as ActionDecision).action > decision.action) {
      sorted[place] = sorted[place - 1] as ActionDecision;
      place -= 1;
    }
    sorted[place] = decision;
  }
  return sorted;
}
