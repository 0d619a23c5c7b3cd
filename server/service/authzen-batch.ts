import type {
  AccessEvaluationBatchRequest,
  AccessEvaluationBatchResponse,
  AccessEvaluationResponse,
  Evaluation,
  Resource,
  Subject,
} from '../../proto/gen/authzen-messages.js';
import { accessEvaluationBatchRequestViolations } from '../../proto/gen/validate/authorization.js';
import type { AuxData } from '../../proto/gen/messages.js';
import type { Attributes } from '../../proto/wire/json-shape.js';
import { prepared } from './prepare-call.js';
import type { CheckEntry, Decision, VerifiedAuxData } from './decider.js';
import {
  contextForConditions,
  toEntry,
  metaPrefix,
  isCopied,
  principalFor,
  readRequestId,
  readTokens,
} from './authzen-mapping.js';
import { accessEvaluation, type AnsweredEvaluation, toEvaluation } from './authzen.js';
import { chooseDecider } from './bundle-choice.js';
import type { Call } from './call.js';
import {
  accept,
  type CheckService,
  decide,
  limitActions,
  limitResources,
  type RequestLimits,
  withClaims,
} from './check-resources.js';
import { countRepeated } from './repeated-length.js';
import { refused, RpcError } from './rpc-error.js';

/**
 * AccessEvaluationBatch: several evaluations, each with its own subject, resource, action and context or those of the
 * batch. Each is decided separately, even if ids are equal (docs/spec/server.md#authzen, B). Results keep the order; if
 * a part is missing, the decision is false. A request without evaluations is answered as a single evaluation, as
 * AuthZEN requires. Throws, or rejects with, an RpcError.
 */
export function accessEvaluationBatch(
  service: CheckService,
  call: Call,
  request: AccessEvaluationBatchRequest,
): AccessEvaluationBatchResponse | Promise<AccessEvaluationBatchResponse> {
  if (request.evaluations.length === 0 && isComplete(request)) {
    const single = accessEvaluation(service, call, request);
    return single instanceof Promise ? single.then(batchOfOne) : batchOfOne(single);
  }
  accept(service, call, accessEvaluationBatchRequestViolations(withoutGaps(request)));
  limitEvaluations(request.evaluations.length, service.limits);
  const askers = makeAskers(request, service);
  const groups = makeGroups(askers, (context) => readTokens(service, call, context));
  for (const { resources } of groups) limitResources(resources.size, service.limits);
  const claims = groups.map(({ auxData }) => withClaims(service, call, auxData, (verified) => verified));
  const prefix = metaPrefix(request.context, service);
  const answered = (verified: readonly VerifiedAuxData[]): AccessEvaluationBatchResponse => {
    for (const { resources } of groups)
      limitActions(
        [...resources.values()].map((actions) => ({ actions: [...actions] })),
        service.limits,
      );
    const answers = request.evaluations.map(() => DENIED);
    chooseDecider(service, call).asOne(() => {
      for (const [index, { askers: members }] of groups.entries()) {
        for (const asker of members)
          answer(service, call, { ...asker, auxData: verified[index] as VerifiedAuxData, prefix }, answers);
      }
    });
    const evaluations = cut(answers, request.options?.evaluationsSemantic ?? '');
    return { evaluations, decision: undefined, response: undefined };
  };
  const goOn = (
    verified: readonly VerifiedAuxData[],
  ): AccessEvaluationBatchResponse | Promise<AccessEvaluationBatchResponse> => {
    const checks = groups.flatMap((group, index) => {
      const auxData = verified[index] as VerifiedAuxData;
      return group.askers.map(({ subject, entries }) => ({
        principal: principalFor(service, subject, auxData),
        resources: entries,
        auxData,
        includeMeta: prefix !== undefined,
      }));
    });
    return prepared(
      service,
      call,
      checks.map(({ principal }) => principal),
      () => ({ checks }),
      () => answered(verified),
    );
  };
  return claims.some((one) => one instanceof Promise)
    ? Promise.all(claims).then(goOn)
    : goOn(claims as readonly VerifiedAuxData[]);
}

function batchOfOne({ decision, response, prefix }: AnsweredEvaluation): AccessEvaluationBatchResponse {
  return { evaluations: [], decision, response, ...(prefix !== undefined && { prefix }) };
}

const DENIED: AccessEvaluationResponse = { decision: false, response: undefined };

function isComplete({ subject, resource, action }: Evaluation): boolean {
  return subject !== undefined && resource !== undefined && action !== undefined;
}

function limitEvaluations(count: number, { maxResourcesPerRequest, maxActionsPerResource }: RequestLimits): void {
  const limit = maxResourcesPerRequest * maxActionsPerResource;
  if (count > limit) throw refused(`number of evaluations (${count}) exceeds configured limit (${limit})`);
}

/** One subject in one context, with all that it asks: one call of the engine. */
interface Asker {
  readonly subject: Subject;
  readonly context: Attributes;
  readonly entries: CheckEntry[];
  /** Where the answer to each entry stands. */
  readonly places: number[];
}

/** A resource of the batch with many attributes is copied for each evaluation with properties of its own action. */
const MAX_COPIED_ATTRIBUTES = 1_000_000;

function tooManyCopies(): RpcError {
  const limit = MAX_COPIED_ATTRIBUTES.toLocaleString('en');
  return new RpcError(
    'resource_exhausted',
    `the resources of the evaluations have more than ${limit} attributes together`,
  );
}

/** Evaluations share a subject or a context when it is the very same object: that of the batch. */
function makeAskers(request: AccessEvaluationBatchRequest, service: CheckService): readonly Asker[] {
  const askers: Asker[] = [];
  const bySubject = new Map<Subject, Map<Attributes, Asker>>();
  const forConditions = new Map<Attributes, Attributes | undefined>();
  let copiedAttributes = 0;
  for (const [place, evaluation] of request.evaluations.entries()) {
    const subject = evaluation.subject ?? request.subject;
    const resource = evaluation.resource ?? request.resource;
    const action = evaluation.action ?? request.action;
    if (subject === undefined || resource === undefined || action === undefined || isPartial(evaluation)) continue;
    const context = chooseContext(evaluation, request);
    if (!forConditions.has(context)) forConditions.set(context, contextForConditions(context, service));
    const seen = forConditions.get(context);
    if (isCopied(resource.properties, action, seen, service))
      copiedAttributes += Object.keys(resource.properties).length;
    if (copiedAttributes > MAX_COPIED_ATTRIBUTES) throw tooManyCopies();
    const entry = toEntry(resource, action, seen, service);
    const known = bySubject.get(subject) ?? new Map<Attributes, Asker>();
    bySubject.set(subject, known);
    let asker = known.get(context);
    if (asker === undefined) {
      asker = { subject, context, entries: [], places: [] };
      known.set(context, asker);
      askers.push(asker);
    }
    asker.entries.push(entry);
    asker.places.push(place);
  }
  return askers;
}

function chooseContext(evaluation: Evaluation, request: Evaluation): Attributes {
  return Object.keys(evaluation.context).length === 0 ? request.context : evaluation.context;
}

/** The askers of one id with the same tokens: what the limits of a check are measured on. */
interface Group {
  readonly auxData: AuxData | undefined;
  readonly askers: Asker[];
  /** The actions asked about each resource, by its kind and id. */
  readonly resources: Map<string, Set<string>>;
}

function makeGroups(
  askers: readonly Asker[],
  tokensIn: (context: Attributes) => AuxData | undefined,
): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const asker of askers) {
    const auxData = tokensIn(asker.context);
    const key = JSON.stringify([asker.subject.id, auxData?.jwt, [...(auxData?.jwts ?? [])]]);
    const group: Group = groups.get(key) ?? { auxData, askers: [], resources: new Map() };
    groups.set(key, group);
    group.askers.push(asker);
    for (const { resource, actions } of asker.entries) {
      const name = JSON.stringify([resource.kind, resource.id]);
      const asked = group.resources.get(name) ?? new Set();
      group.resources.set(name, asked);
      for (const action of actions) asked.add(action);
    }
  }
  return [...groups.values()];
}

interface Question extends Asker {
  readonly auxData: VerifiedAuxData;
  readonly prefix: string | undefined;
}

function answer(
  service: CheckService,
  call: Call,
  { subject, context, entries, places, auxData, prefix }: Question,
  answers: AccessEvaluationResponse[],
): void {
  const requestId = readRequestId(context, service);
  const decisions = decide(service, call, {
    requestId,
    principal: principalFor(service, subject, auxData),
    resources: entries,
    auxData,
    includeMeta: prefix !== undefined,
    requestContext: undefined,
  });
  for (const [index, place] of places.entries()) {
    if (prefix !== undefined) countRepeated(call, requestId.length + entryLength(entries[index] as CheckEntry));
    answers[place] = toEvaluation(entries[index] as CheckEntry, decisions[index] as Decision, requestId, prefix);
  }
}

/** Length of what the metadata of an evaluation repeat: its resource, and its action twice. */
function entryLength({ resource: { kind, policyVersion, id, scope }, actions }: CheckEntry): number {
  return actions.reduce(
    (length, action) => length + 2 * action.length,
    kind.length + policyVersion.length + id.length + scope.length,
  );
}

/** The answers up to the one that decides the semantic, which is included. */
function cut(answers: readonly AccessEvaluationResponse[], semantic: string): readonly AccessEvaluationResponse[] {
  if (semantic !== 'deny_on_first_deny' && semantic !== 'permit_on_first_permit') return answers;
  const last = answers.findIndex(({ decision }) => decision === (semantic === 'permit_on_first_permit'));
  return last === -1 ? answers : answers.slice(0, last + 1);
}

/**
 * Whether an entity of an evaluation lacks its type, id or name: the evaluation is denied, and the others are decided (the
 * certification scenario of AuthZEN, 3.4.1). An entity replaces that of the batch as a whole (3.2.7), so nothing is filled in.
 */
function isPartial({ subject, resource, action }: Evaluation): boolean {
  return !isWhole(subject) || !isWhole(resource) || action?.name === '';
}

function isWhole(entity: Subject | Resource | undefined): boolean {
  return entity === undefined || (entity.type !== '' && entity.id !== '');
}

/** The batch as its rules see it: what an evaluation lacks is no reason to refuse all of them. */
function withoutGaps(request: AccessEvaluationBatchRequest): AccessEvaluationBatchRequest {
  if (!request.evaluations.some(isPartial)) return request;
  return { ...request, evaluations: request.evaluations.map((one) => (isPartial(one) ? filled(one) : one)) };
}

const FILLER = { type: '-', id: '-' };

function filled(evaluation: Evaluation): Evaluation {
  const { subject, resource, action } = evaluation;
  return {
    ...evaluation,
    subject: subject && { ...subject, ...FILLER },
    resource: resource && { ...resource, ...FILLER },
    action: action && { ...action, name: '-' },
  };
}
