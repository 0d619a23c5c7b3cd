import { parseTimestamp } from '../../cel/runtime/index.js';
import type { ActorInput, AuxDataInput, PrincipalInput, ResourceInput } from '../../../runtime/engine/index.js';
import type { Attributes, Instant } from '../../../runtime/policy/index.js';
import type { KeptFacts } from './reduced-request.js';

/** A line of an audit log (docs/spec/server.md#decision-entries). */
export type LoggedLine =
  | { readonly kind: 'check'; readonly check: RecordedCheck }
  /** A plan; a call that exceeded a limit, and has no decisions; an entry that was too long for its attributes. */
  | { readonly kind: 'plan' | 'exceeded' | 'oversized'; readonly time: Instant }
  /** An access entry; a line of another logger; not a whole entry. */
  | { readonly kind: 'access' | 'other' | 'damaged' };

/** A check, and what was decided. */
export interface RecordedCheck {
  readonly callId: string;
  /** When the entry was written, RFC 3339. */
  readonly timestamp: string;
  readonly time: Instant;
  readonly resources: readonly RecordedResource[];
  /** The SHA-256 of the documents of tenants that took part, by tenant; empty for a tenant without a document. */
  readonly tenants: ReadonlyMap<string, string>;
}

/** One resource of a check. */
export interface RecordedResource {
  readonly principal: PrincipalInput;
  readonly resource: ResourceInput;
  readonly auxData: AuxDataInput | undefined;
  readonly actions: readonly RecordedAction[];
  /** Whether a value was masked before the entry was written. */
  readonly isMasked: boolean;
  /** What is kept of attributes and claims; undefined if all are. */
  readonly kept: KeptFacts | 'none' | undefined;
}

export interface RecordedAction {
  readonly action: string;
  readonly effect: EffectName;
  /** The policy that decided; empty if the entry does not say. */
  readonly policy: string;
}

export type EffectName = 'EFFECT_ALLOW' | 'EFFECT_DENY';

/** Reads a line: as the file backend writes it, or an entry alone, as `authzc audit --raw` prints it. */
export function readLine(text: string): LoggedLine {
  try {
    return readEntry(readObject(JSON.parse(text.replace(/^\ufeff/, ''))), text.includes(`"${MASKED}"`));
  } catch {
    // A broken value can only end in an error, of JSON.parse or of a function here.
    return { kind: 'damaged' };
  }
}

/** What stands for a masked value (docs/operations.md#audit). */
const MASKED = '***';

type Json = { readonly [name: string]: unknown };

function readEntry(entry: Json, mayBeMasked: boolean): LoggedLine {
  const logger = entry['log.logger'];
  const kind = entry['log.kind'];
  if (logger !== undefined && logger !== 'authz.audit') return { kind: 'other' };
  if (kind === 'access' || Object.hasOwn(entry, 'method')) return { kind: 'access' };
  const { checkResources, planResources, oversized, timestamp } = entry;
  if (kind !== 'decision' && checkResources === undefined && planResources === undefined) return { kind: 'other' };
  const { seconds, nanos } = parseTimestamp(readString(timestamp)) ?? broken();
  const time = { seconds, nanos, offset: 0 };
  if (oversized === true) return { kind: 'oversized', time };
  if (planResources !== undefined) return { kind: 'plan', time };
  const { inputs, outputs, error } = readObject(checkResources);
  if (error !== undefined) return { kind: 'exceeded', time };
  const decided = readList(outputs);
  const resources = readList(inputs).map((input, index) =>
    readResource(readObject(input), decided[index], readKept(entry['facts'], index), mayBeMasked),
  );
  const tenants = new Map(readList(entry['tenants']).map((tenant) => readDigest(readObject(tenant))));
  const check = { callId: readString(entry['callId']), timestamp: readString(timestamp), time, resources, tenants };
  return { kind: 'check', check };
}

function readResource(
  input: Json,
  output: unknown,
  kept: RecordedResource['kept'],
  mayBeMasked: boolean,
): RecordedResource {
  const { kind, id: resourceId, ...resource } = readObject(input['resource']);
  const effects = readObject(readObject(output)['actions'] ?? {});
  const recorded = {
    principal: readPrincipal(readObject(input['principal'])),
    resource: { kind: readString(kind), id: readOptionalString(resourceId), ...readCommonFields(resource) },
    auxData: input['auxData'] === undefined ? undefined : readAuxData(readObject(input['auxData'])),
    actions: readList(input['actions']).map((action) => readAction(readString(action), effects)),
    isMasked: mayBeMasked && holdsMasked(input),
    kept,
  };
  return recorded.isMasked || isRequest(recorded) ? recorded : broken();
}

/** Whether servers and engines accept the names of a request: masked ones may be alike, others were changed. */
function isRequest({ principal, resource, actions }: Omit<RecordedResource, 'auxData' | 'isMasked' | 'kept'>): boolean {
  const names = [principal.id, resource.kind, resource.id, ...(principal.actors ?? []).map(({ id }) => id)];
  const roles = [principal, ...(principal.actors ?? [])].map((one) => one.roles);
  const asked = actions.map(({ action }) => action);
  return (
    names.every((name) => name !== '') &&
    roles.every((list) => list.length > 0 && isDistinct(list)) &&
    isDistinct(asked)
  );
}

const ALL: ReadonlySet<string> = new Set(['principal.attr.*', 'resource.attr.*', 'auxData.jwt.*']);

/** What an entry keeps of one input. What is not understood is not taken for everything. */
function readKept(facts: unknown, index: number): RecordedResource['kept'] {
  if (facts === undefined) return undefined;
  const { kept, inputs } = readObject(facts);
  if (kept === 'none') return 'none';
  if (kept !== 'read-set' && kept !== 'all') return broken();
  const { set, absent, partial, unknown } = readObject(readList(inputs)[index]);
  const names = (list: unknown): ReadonlySet<string> => new Set(readList(list).map(readString));
  if (kept === 'read-set')
    return { set: readString(set), absent: names(absent), partial: names(partial), unknown: names(unknown) };
  // All but what sources provide and nobody fetched.
  const lacking = names(unknown);
  return lacking.size === 0 ? undefined : { set: '', absent: ALL, partial: new Set(), unknown: lacking };
}

function isDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length && !names.includes('');
}

function readPrincipal({ actors, ...principal }: Json): PrincipalInput {
  return {
    ...readActor(principal),
    ...(actors !== undefined && { actors: readList(actors).map((actor) => readActor(readObject(actor))) }),
  };
}

function readActor({ id, roles, ...rest }: Json): ActorInput {
  return { id: readString(id), roles: readList(roles).map(readString), ...readCommonFields(rest) };
}

function readCommonFields({
  attr,
  policyVersion,
  scope,
}: Json): Pick<ResourceInput, 'attr' | 'policyVersion' | 'scope'> {
  return {
    ...(attr !== undefined && { attr: readObject(attr) as Attributes }),
    ...(policyVersion !== undefined && { policyVersion: readString(policyVersion) }),
    ...(scope !== undefined && { scope: readString(scope) }),
  };
}

function readDigest({ tenant, digest }: Json): readonly [tenant: string, digest: string] {
  return [readString(tenant), readOptionalString(digest)];
}

function readAuxData({ jwt, jwts }: Json): AuxDataInput {
  const named = Object.entries(readObject(jwts ?? {})).map(
    ([name, token]) => [name, { claims: readObject(readObject(token)['claims'] ?? {}) as Attributes }] as const,
  );
  return {
    ...(jwt !== undefined && { jwt: readObject(jwt) as Attributes }),
    ...(named.length > 0 && { jwts: Object.fromEntries(named) }),
  };
}

function readAction(action: string, effects: Json): RecordedAction {
  const { effect, policy } = readObject(Object.hasOwn(effects, action) ? effects[action] : undefined);
  if (effect !== 'EFFECT_ALLOW' && effect !== 'EFFECT_DENY') return broken();
  return { action, effect, policy: readOptionalString(policy) };
}

function holdsMasked(input: Json): boolean {
  const pending: unknown[] = [input];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (value === MASKED) return true;
    if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) pending.push(part);
  }
  return false;
}

function readObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : broken();
}

/** Empty lists are left out of entries. */
function readList(value: unknown = []): readonly unknown[] {
  return Array.isArray(value) ? value : broken();
}

function readString(value: unknown): string {
  return typeof value === 'string' ? value : broken();
}

/** Empty strings are left out of entries. */
function readOptionalString(value: unknown = ''): string {
  return readString(value);
}

function broken(): never {
  throw new Error('not a whole entry');
}
