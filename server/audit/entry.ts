import type {
  AccessLogEntry,
  ActionEffect,
  AuditTrail,
  AuxData as AuditAuxData,
  CheckInput,
  CheckOutput,
  DecisionLogEntry,
  EvaluationError,
  Peer as AuditPeer,
  PlanInput,
  PlanOutput,
  PolicySource,
  Principal as AuditPrincipal,
  Resource as AuditResource,
} from '../../proto/gen/audit-messages.js';
import type { OutputEntry as AuditOutput } from '../../proto/gen/messages.js';
import type {
  PlanResource,
  PlanResourcesRequest,
  Principal,
  RequestContext,
  Resource,
} from '../../proto/gen/messages.js';
import { type Attributes, setOwn } from '../../proto/wire/json-shape.js';
import type { CheckEntry, Decision, Plan, VerifiedAuxData } from '../service/decider.js';
import type { Call, Peer } from '../service/call.js';
import { CODES } from '../service/rpc-error.js';
import type { CallEnd, Checked, Exceeded, Planned } from '../service/watcher.js';
import type { MetadataRules } from './metadata-rules.js';
import { rfc3339 } from '../../proto/wire/moment.js';

export type AuditEntry = AccessLogEntry | DecisionLogEntry;

export type AuditKind = 'access' | 'decision';

/** What every entry of a call needs beside the call. */
export interface EntryContext {
  readonly metadata: MetadataRules;
  readonly policySource: PolicySource;
}

/** What the engine says of a decision beyond the decision itself. */
export interface DecisionDetails {
  /** For a check one list a resource, in order; for a plan one list. */
  readonly evaluationErrors: readonly (readonly EvaluationError[])[];
  /** By the name of the policy. */
  readonly effectivePolicies: { readonly [policy: string]: Attributes };
}

/** The access entry of a call that has ended (docs/spec/server.md#access-entries). */
export function accessEntry(
  call: Call,
  end: Pick<CallEnd, 'code' | 'requestContext'>,
  context: EntryContext,
): AccessLogEntry {
  return {
    callId: call.id,
    timestamp: rfc3339(call.timestamp),
    ...peerAndMetadata(call, context),
    method: call.method,
    ...(end.code === undefined ? {} : { statusCode: CODES[end.code].number }),
    ...sourceAndContext(context, end.requestContext),
  };
}

/**
 * The decision entry of one call of the engine (docs/spec/server.md#decision-entries). `now` is the time of writing, in
 * milliseconds since 1970.
 */
export function checkEntry(
  call: Call,
  checked: Checked,
  details: DecisionDetails,
  context: EntryContext,
  now: number,
): DecisionLogEntry {
  const inputs = checkInputs(checked);
  const outputs = checked.decisions.map((decision, index) =>
    checkOutput(checked, checked.resources[index] as CheckEntry, decision, details.evaluationErrors[index] ?? []),
  );
  return {
    callId: call.id,
    timestamp: rfc3339(now),
    ...peerAndMetadata(call, context),
    checkResources: { inputs, outputs },
    auditTrail: auditTrail(details),
    ...sourceAndContext(context, checked.requestContext),
  };
}

/** The decision entry of one call of the planner (docs/spec/server.md#decision-entries). */
export function planEntry(
  call: Call,
  planned: Planned,
  details: DecisionDetails,
  context: EntryContext,
  now: number,
): DecisionLogEntry {
  return {
    callId: call.id,
    timestamp: rfc3339(now),
    ...peerAndMetadata(call, context),
    planResources: {
      input: planInput(planned.request, planned.auxData),
      output: planOutput(planned.request, planned.plan, details.evaluationErrors.flat()),
    },
    auditTrail: auditTrail(details),
    ...sourceAndContext(context, planned.request.requestContext),
  };
}

/** The decision entry of a call that exceeded an evaluation limit: the request and the reason. */
export function exceededEntry(
  call: Call,
  { question, error }: Exceeded,
  context: EntryContext,
  now: number,
): DecisionLogEntry {
  const isCheck = question.kind === 'check';
  return {
    callId: call.id,
    timestamp: rfc3339(now),
    ...peerAndMetadata(call, context),
    ...(isCheck
      ? { checkResources: { inputs: checkInputs(question), outputs: [], error } }
      : { planResources: { input: planInput(question.request, question.auxData), error } }),
    auditTrail: {},
    ...sourceAndContext(context, isCheck ? question.requestContext : question.request.requestContext),
  };
}

function checkInputs(
  checked: Pick<Checked, 'requestId' | 'principal' | 'resources' | 'auxData'>,
): readonly CheckInput[] {
  const auxData = auxDataOf(checked.auxData);
  const principal = principalOf(checked.principal);
  return checked.resources.map((entry) => ({
    ...requestIdOf(checked.requestId),
    resource: resourceOf(entry.resource),
    principal,
    actions: entry.actions,
    ...auxData,
  }));
}

function peerAndMetadata(call: Call, context: EntryContext): Pick<AccessLogEntry, 'peer' | 'metadata'> {
  const peer = peerOf(call.peer());
  const metadata = context.metadata.logged(() => call.metadata());
  return { ...(peer === undefined ? {} : { peer }), ...(metadata === undefined ? {} : { metadata }) };
}

function peerOf({ address, authInfo, userAgent, forwardedFor }: Peer): AuditPeer | undefined {
  const peer = {
    ...text('address', address),
    ...text('authInfo', authInfo),
    ...text('userAgent', userAgent),
    ...text('forwardedFor', forwardedFor),
  };
  return isEmpty(peer) ? undefined : peer;
}

function sourceAndContext(
  context: EntryContext,
  request: RequestContext | undefined,
): Pick<AccessLogEntry, 'policySource' | 'requestContext'> {
  const policySource = sourceOf(context.policySource);
  if (request === undefined) return { policySource };
  const { annotations } = request;
  return { policySource, requestContext: isEmpty(annotations) ? {} : { annotations } };
}

/** A bundle without commit and build time names neither. */
function sourceOf({ embeddedPdp: { commitHash = '', builtAt = '', bundleHash = '' } }: PolicySource): PolicySource {
  return {
    embeddedPdp: {
      ...text('commitHash', commitHash),
      ...text('builtAt', isMoment(builtAt) ? builtAt : ''),
      ...text('bundleHash', bundleHash),
    },
  };
}

function isMoment(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

function auditTrail({ effectivePolicies }: DecisionDetails): AuditTrail {
  if (isEmpty(effectivePolicies)) return {};
  const policies: Record<string, { attributes?: Attributes }> = {};
  for (const policy of Object.keys(effectivePolicies).sort()) {
    const attributes = effectivePolicies[policy] as Attributes;
    setOwn(policies, policy, isEmpty(attributes) ? {} : { attributes });
  }
  return { effectivePolicies: policies };
}

function principalOf({ id, policyVersion, roles, attr, scope }: Principal): AuditPrincipal {
  return {
    id,
    ...text('policyVersion', policyVersion),
    ...list('roles', roles),
    ...map('attr', attr),
    ...text('scope', scope),
  };
}

function resourceOf({ kind, policyVersion, id, attr, scope }: Resource): AuditResource {
  return {
    kind,
    ...text('policyVersion', policyVersion),
    ...text('id', id),
    ...map('attr', attr),
    ...text('scope', scope),
  };
}

function planResourceOf({ kind, policyVersion, attr, scope }: PlanResource): AuditResource {
  return { kind, ...map('attr', attr), ...text('policyVersion', policyVersion), ...text('scope', scope) };
}

function auxDataOf({ jwt, jwts }: VerifiedAuxData): { readonly auxData?: AuditAuxData } {
  if (isEmpty(jwt) && isEmpty(jwts)) return {};
  const named: Record<string, { claims?: Attributes }> = {};
  for (const name of Object.keys(jwts)) setOwn(named, name, { ...map('claims', jwts[name]?.claims ?? {}) });
  return { auxData: { ...map('jwt', jwt), ...map('jwts', named) } };
}

function checkOutput(
  { requestId }: Checked,
  { resource }: CheckEntry,
  decision: Decision,
  errors: readonly EvaluationError[],
): CheckOutput {
  const actions: Record<string, ActionEffect> = {};
  for (const { action, effect, matchedPolicy, matchedScope } of decision.actions) {
    const name = effect === 1 ? 'EFFECT_ALLOW' : 'EFFECT_DENY';
    setOwn(actions, action, { effect: name, ...text('policy', matchedPolicy), ...text('scope', matchedScope) });
  }
  return {
    ...requestIdOf(requestId),
    resourceId: resource.id,
    actions,
    ...list('effectiveDerivedRoles', decision.effectiveDerivedRoles),
    ...list('validationErrors', decision.validationErrors),
    ...list('outputs', decision.outputs.map(outputOf)),
    ...list('evaluationErrors', errors),
  };
}

function outputOf(output: Decision['outputs'][number]): AuditOutput {
  const { src, action } = output;
  return 'error' in output ? { src, action, error: output.error } : { src, val: output.val, action };
}

function planInput(request: PlanResourcesRequest, auxData: VerifiedAuxData): PlanInput {
  return {
    ...requestIdOf(request.requestId),
    ...text('action', request.action),
    // Validation has seen to it that principal and resource are there.
    principal: principalOf(request.principal as Principal),
    resource: planResourceOf(request.resource as PlanResource),
    ...auxDataOf(auxData),
    ...(request.includeMeta ? { includeMeta: true as const } : {}),
    ...list('actions', actionsOf(request)),
  };
}

function planOutput(request: PlanResourcesRequest, plan: Plan, errors: readonly EvaluationError[]): PlanOutput {
  const { kind, policyVersion, scope } = request.resource as PlanResource;
  const scopes: Record<string, string> = {};
  for (const [action, matched] of plan.matchedScopes ?? []) setOwn(scopes, action, matched);
  return {
    ...requestIdOf(request.requestId),
    ...text('action', request.action),
    kind,
    ...text('policyVersion', policyVersion),
    ...text('scope', scope),
    filter: plan.filter,
    ...text('filterDebug', plan.filterDebug),
    ...list('validationErrors', plan.validationErrors),
    ...list('actions', actionsOf(request)),
    ...map('matchedScopes', scopes),
    ...list('evaluationErrors', errors),
  };
}

/** The older member of a request stands for a list of one. */
function actionsOf({ action, actions }: PlanResourcesRequest): readonly string[] {
  return action === '' ? actions : [action];
}

function requestIdOf(requestId: string): { readonly requestId?: string } {
  return text('requestId', requestId);
}

function text<K extends string>(name: K, value: string): { readonly [P in K]?: string } {
  return (value === '' ? {} : { [name]: value }) as { readonly [P in K]?: string };
}

function list<K extends string, T>(name: K, value: readonly T[]): { readonly [P in K]?: readonly T[] } {
  return (value.length === 0 ? {} : { [name]: value }) as { readonly [P in K]?: readonly T[] };
}

function map<K extends string, T extends object>(name: K, value: T): { readonly [P in K]?: T } {
  return (isEmpty(value) ? {} : { [name]: value }) as { readonly [P in K]?: T };
}

function isEmpty(value: object): boolean {
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}
