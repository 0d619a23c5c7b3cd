import type {
  AccessLogEntry,
  ActionEffect,
  Actor as AuditActor,
  AuditTrail,
  AuxData as AuditAuxData,
  CheckInput,
  CheckOutput,
  DecisionLogEntry,
  EvaluationError,
  JWT,
  Peer as AuditPeer,
  PlanInput,
  PlanOutput,
  BundleProvenance,
  PolicySource,
  Principal as AuditPrincipal,
  Resource as AuditResource,
} from '../../proto/gen/audit-messages.js';
import type { OutputEntry as AuditOutput } from '../../proto/gen/messages.js';
import type {
  Actor,
  PlanResource,
  PlanResourcesRequest,
  Principal,
  RequestContext,
  Resource,
} from '../../proto/gen/messages.js';
import { isEmpty, setOwn } from '../../packages/cel/runtime/own-property.js';
import type { Attributes } from '../../proto/wire/json-shape.js';
import type { ActionDecision, CheckEntry, Decision, Plan, VerifiedAuxData } from '../service/decider.js';
import type { Call, Peer } from '../service/call.js';
import { CODES } from '../service/rpc-error.js';
import type { CallEnd, Checked, Exceeded, Planned } from '../service/watcher.js';
import type { MetadataRules } from './metadata-rules.js';
import { rfc3339 } from '../../proto/wire/moment.js';
import { isSameList } from './same-list.js';

export type AuditEntry = AccessLogEntry | DecisionLogEntry;

export type AuditKind = 'access' | 'decision';

/** What every entry of a call needs beside the call. */
export interface EntryContext {
  readonly metadata: MetadataRules;
  readonly policySource: PolicySource;
}

/** What the engine says of a decision beyond the decision itself. */
export interface DecisionDetails {
  /** Lists of errors: for a check one list a resource, in order; for a plan one list. */
  readonly evaluationErrors: readonly (readonly EvaluationError[])[];
  /** Policies by name. */
  readonly effectivePolicies: { readonly [policy: string]: Attributes };
  /** Derived roles of each resource of a check, in order. Absent: as the decisions have them. */
  readonly effectiveDerivedRoles?: readonly (readonly string[])[] | undefined;
}

/*
 * Entries leave out empty members. They are made for every call, of every resource, so members are assigned one by one:
 * spreading objects with one member or none took longer than everything else about an entry.
 */

/** The access entry of a call that has ended (docs/spec/server.md#access-entries). */
export function accessEntry(
  call: Call,
  end: Pick<CallEnd, 'code' | 'requestContext'>,
  context: EntryContext,
): AccessLogEntry {
  const entry = begun<AccessLogEntry>(call, call.timestamp, context);
  entry.method = call.method;
  if (end.code !== undefined) entry.statusCode = CODES[end.code].number;
  return ended(entry, context, end.requestContext);
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
  const entry = begun<DecisionLogEntry>(call, now, context);
  entry.checkResources = { inputs: checkInputs(checked), outputs: checkOutputs(checked, details) };
  entry.auditTrail = auditTrail(details);
  return ended(entry, context, checked.requestContext);
}

/** The decision entry of one call of the planner (docs/spec/server.md#decision-entries). */
export function planEntry(
  call: Call,
  planned: Planned,
  details: DecisionDetails,
  context: EntryContext,
  now: number,
): DecisionLogEntry {
  const entry = begun<DecisionLogEntry>(call, now, context);
  entry.planResources = {
    input: planInput(planned.request, planned.auxData),
    output: planOutput(planned.request, planned.plan, details.evaluationErrors.flat()),
  };
  entry.auditTrail = auditTrail(details);
  return ended(entry, context, planned.request.requestContext);
}

/** The decision entry of a call that exceeded an evaluation limit: the request and the reason. */
export function exceededEntry(
  call: Call,
  { question, error }: Exceeded,
  context: EntryContext,
  now: number,
): DecisionLogEntry {
  const entry = begun<DecisionLogEntry>(call, now, context);
  if (question.kind === 'check') entry.checkResources = { inputs: checkInputs(question), outputs: [], error };
  else entry.planResources = { input: planInput(question.request, question.auxData), error };
  entry.auditTrail = {};
  return ended(entry, context, question.kind === 'check' ? question.requestContext : question.request.requestContext);
}

/** A message whose members are being assigned. */
type Draft<Message> = { -readonly [Name in keyof Message]: Message[Name] };

/** The members that every entry begins with. The others are still missing. */
function begun<Entry extends AuditEntry>(call: Call, time: number, context: EntryContext): Draft<Entry> {
  const entry: Draft<Pick<AuditEntry, 'callId' | 'timestamp' | 'peer' | 'metadata'>> = {
    callId: call.id,
    timestamp: rfc3339(time),
  };
  const peer = toPeer(call.peer());
  if (!isEmpty(peer)) entry.peer = peer;
  const metadata = context.metadata.logged(() => call.metadata());
  if (metadata !== undefined) entry.metadata = metadata;
  return entry as Draft<Entry>;
}

/** An entry with its last members. */
function ended<Entry extends AuditEntry>(
  entry: Draft<Entry>,
  { policySource }: EntryContext,
  requestContext: RequestContext | undefined,
): Entry {
  entry.policySource = filledSource(policySource);
  if (requestContext !== undefined) {
    const { annotations } = requestContext;
    entry.requestContext = isEmpty(annotations) ? {} : { annotations };
  }
  return entry;
}

function toPeer({ address, authInfo, userAgent, forwardedFor }: Peer): AuditPeer {
  const peer: Draft<AuditPeer> = {};
  if (address !== '') peer.address = address;
  if (authInfo !== '') peer.authInfo = authInfo;
  if (userAgent !== '') peer.userAgent = userAgent;
  if (forwardedFor !== '') peer.forwardedFor = forwardedFor;
  return peer;
}

/** Bundles are few and entries many, and parsing a date takes as long as the rest of a source. */
function filledSource(source: PolicySource): PolicySource {
  const known = FILLED_SOURCES.get(source);
  if (known !== undefined) return known;
  const made = toSource(source);
  FILLED_SOURCES.set(source, made);
  return made;
}

const FILLED_SOURCES = new WeakMap<PolicySource, PolicySource>();

/** A bundle without commit and build time names neither. */
function toSource({ embeddedPdp }: PolicySource): PolicySource {
  const { commitHash = '', builtAt = '', bundleHash = '', provenance } = embeddedPdp;
  const source: Draft<PolicySource['embeddedPdp']> = {};
  if (commitHash !== '') source.commitHash = commitHash;
  if (!Number.isNaN(Date.parse(builtAt))) source.builtAt = builtAt;
  if (bundleHash !== '') source.bundleHash = bundleHash;
  if (provenance !== undefined) source.provenance = filled(provenance);
  return { embeddedPdp: source };
}

/** What the archive does not say is left out. */
function filled(provenance: BundleProvenance): BundleProvenance {
  return Object.fromEntries(Object.entries(provenance).filter(([, value]) => value.length > 0));
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

/** Inputs share the principal, the claims and lists of actions. */
function checkInputs({
  requestId,
  principal,
  resources,
  auxData,
}: Pick<Checked, 'requestId' | 'principal' | 'resources' | 'auxData'>): readonly CheckInput[] {
  const auditedPrincipal = toPrincipal(principal);
  const claims = toAuxData(auxData);
  const lists = new Alike<readonly string[]>(isSameList);
  return resources.map(({ resource, actions }) => {
    const input = withRequestId<CheckInput>(requestId);
    input.resource = toResource(resource);
    input.principal = auditedPrincipal;
    input.actions = lists.find(actions) ?? lists.add(actions, actions);
    if (claims !== undefined) input.auxData = claims;
    return input;
  });
}

/** The first member of a message. The others are still missing. */
function withRequestId<Message extends { readonly requestId?: string }>(requestId: string): Draft<Message> {
  const message = {} as Draft<Message>;
  if (requestId !== '') message.requestId = requestId;
  return message;
}

function toPrincipal(principal: Principal): AuditPrincipal {
  const audited: Draft<AuditPrincipal> = toActor(principal);
  const { actors } = principal;
  if (actors.length > 0) audited.actors = actors.map(toActor);
  return audited;
}

function toActor({ id, policyVersion, roles, attr, scope }: Actor): Draft<AuditActor> {
  const actor: Draft<AuditActor> = { id };
  if (policyVersion !== '') actor.policyVersion = policyVersion;
  if (roles.length > 0) actor.roles = roles;
  if (!isEmpty(attr)) actor.attr = attr;
  if (scope !== '') actor.scope = scope;
  return actor;
}

function toResource({ kind, policyVersion, id, attr, scope }: Resource): AuditResource {
  const resource = {} as Draft<AuditResource>;
  resource.kind = kind;
  if (policyVersion !== '') resource.policyVersion = policyVersion;
  if (id !== '') resource.id = id;
  if (!isEmpty(attr)) resource.attr = attr;
  if (scope !== '') resource.scope = scope;
  return resource;
}

function toPlanResource({ kind, policyVersion, attr, scope }: PlanResource): AuditResource {
  const resource: Draft<AuditResource> = { kind };
  if (!isEmpty(attr)) resource.attr = attr;
  if (policyVersion !== '') resource.policyVersion = policyVersion;
  if (scope !== '') resource.scope = scope;
  return resource;
}

/** Undefined without claims. */
function toAuxData({ jwt, jwts }: VerifiedAuxData): AuditAuxData | undefined {
  const auxData: Draft<AuditAuxData> = {};
  if (!isEmpty(jwt)) auxData.jwt = jwt;
  if (!isEmpty(jwts)) {
    const named: Record<string, JWT> = {};
    for (const name of Object.keys(jwts)) {
      const claims = jwts[name]?.claims ?? {};
      setOwn(named, name, isEmpty(claims) ? {} : { claims });
    }
    auxData.jwts = named;
  }
  return isEmpty(auxData) ? undefined : auxData;
}

/** Outputs share effects and lists of derived roles. */
function checkOutputs(
  { requestId, resources, decisions }: Checked,
  { evaluationErrors, effectiveDerivedRoles }: DecisionDetails,
): readonly CheckOutput[] {
  const effects = new Alike<Decision['actions'], CheckOutput['actions']>(hasSameEffects);
  const lists = new Alike<readonly string[]>(isSameList);
  return decisions.map((decision, index) => {
    const { actions, validationErrors, outputs } = decision;
    const derivedRoles = effectiveDerivedRoles?.[index] ?? decision.effectiveDerivedRoles;
    const errors = evaluationErrors[index];
    const output = withRequestId<CheckOutput>(requestId);
    output.resourceId = (resources[index] as CheckEntry).resource.id;
    output.actions = effects.find(actions) ?? effects.add(actions, toEffects(decision));
    if (derivedRoles.length > 0)
      output.effectiveDerivedRoles = lists.find(derivedRoles) ?? lists.add(derivedRoles, derivedRoles);
    if (validationErrors.length > 0) output.validationErrors = validationErrors;
    if (outputs.length > 0) output.outputs = outputs.map(toOutput);
    if (errors !== undefined && errors.length > 0) output.evaluationErrors = errors;
    return output;
  });
}

/**
 * Lists of a batch that are alike, with what was made of the first of each: most resources of a batch are asked about and
 * decided in a few ways.
 */
class Alike<List extends readonly unknown[], Made = List> {
  readonly #known: { readonly list: List; readonly made: Made }[] = [];

  constructor(private readonly isSame: (one: List, other: List) => boolean) {}

  /** What was made of a list alike; undefined if there is none. */
  find(list: List): Made | undefined {
    for (const { list: known, made } of this.#known) if (known === list || this.isSame(known, list)) return made;
    return undefined;
  }

  add(list: List, made: Made): Made {
    if (this.#known.length < MOST_ALIKE) this.#known.push({ list, made });
    return made;
  }
}

/** So many are compared with each: where all differ, comparing must cost less than the text. */
const MOST_ALIKE = 8;

function hasSameEffects(one: Decision['actions'], other: Decision['actions']): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) {
    const a = one[index] as ActionDecision;
    const b = other[index] as ActionDecision;
    if (a.effect !== b.effect || a.action !== b.action) return false;
    if (a.matchedPolicy !== b.matchedPolicy || a.matchedScope !== b.matchedScope) return false;
  }
  return true;
}

function toEffects({ actions }: Decision): CheckOutput['actions'] {
  const effects: Record<string, ActionEffect> = {};
  for (const { action, effect, matchedPolicy, matchedScope } of actions) {
    const effected: Draft<ActionEffect> = { effect: effect === 1 ? 'EFFECT_ALLOW' : 'EFFECT_DENY' };
    if (matchedPolicy !== '') effected.policy = matchedPolicy;
    if (matchedScope !== '') effected.scope = matchedScope;
    setOwn(effects, action, effected);
  }
  return effects;
}

function toOutput(output: Decision['outputs'][number]): AuditOutput {
  const { src, action } = output;
  return 'error' in output ? { src, action, error: output.error } : { src, val: output.val, action };
}

function planInput(request: PlanResourcesRequest, auxData: VerifiedAuxData): PlanInput {
  const actions = listActions(request);
  const claims = toAuxData(auxData);
  const input = withRequestId<PlanInput>(request.requestId);
  if (request.action !== '') input.action = request.action;
  // Validation has seen to it that principal and resource are there.
  input.principal = toPrincipal(request.principal as Principal);
  input.resource = toPlanResource(request.resource as PlanResource);
  if (claims !== undefined) input.auxData = claims;
  if (request.includeMeta) input.includeMeta = true;
  if (actions.length > 0) input.actions = actions;
  return input;
}

function planOutput(request: PlanResourcesRequest, plan: Plan, errors: readonly EvaluationError[]): PlanOutput {
  const { kind, policyVersion, scope } = request.resource as PlanResource;
  const { filter, filterDebug, validationErrors, matchedScopes } = plan;
  const actions = listActions(request);
  const output = withRequestId<PlanOutput>(request.requestId);
  if (request.action !== '') output.action = request.action;
  output.kind = kind;
  if (policyVersion !== '') output.policyVersion = policyVersion;
  if (scope !== '') output.scope = scope;
  output.filter = filter;
  if (filterDebug !== '') output.filterDebug = filterDebug;
  if (validationErrors.length > 0) output.validationErrors = validationErrors;
  if (actions.length > 0) output.actions = actions;
  if (matchedScopes !== undefined && matchedScopes.size > 0) {
    const scopes: Record<string, string> = {};
    for (const [action, matched] of matchedScopes) setOwn(scopes, action, matched);
    output.matchedScopes = scopes;
  }
  if (errors.length > 0) output.evaluationErrors = errors;
  return output;
}

/** The older member of a request stands for a list of one. */
function listActions({ action, actions }: PlanResourcesRequest): readonly string[] {
  return action === '' ? actions : [action];
}
