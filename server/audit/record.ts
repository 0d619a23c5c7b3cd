import type { AuditEntry, AuditKind } from './entry.js';
import type {
  AccessLogEntry,
  ActionEffect,
  CheckInput,
  CheckOutput,
  DecisionLogEntry,
  PlanOutput,
} from '../../proto/gen/audit-messages.js';
import { shortened } from '../../packages/cel/runtime/code-points.js';
import { entryText } from './entry-text.js';
import { maskEntry } from './mask.js';
import type { MaskPath } from '../config/mask-path.js';

/**
 * An entry as backends keep it, already as JSON, so that a waiting entry keeps no part of its request in memory. The
 * bytes are outside the heap: strings that wait would be copied by the garbage collector.
 */
export interface StoredRecord {
  /** `chain`: an entry that a chain makes about itself. */
  readonly kind: AuditKind | 'chain';
  /** Empty: it is not about a call. */
  readonly callId: string;
  /** Time of the entry, in milliseconds since 1970. */
  readonly time: number;
  /** The entry as JSON in UTF-8, on one line. */
  readonly json: Buffer;
}

/** An entry about a call, that is queued for a backend. */
export interface AuditRecord extends StoredRecord {
  readonly kind: AuditKind;
}

/** Serializes an entry. */
export type EntryText = (entry: AuditEntry) => string;

/** Gives the UTF-8 of the JSON of an entry. */
export type EntryBytes = (text: string) => Buffer;

/**
 * Maximum size of an entry in characters. A larger one is `oversized`: it loses its attributes and, if that is not
 * enough, long strings, lists and maps are cut.
 */
export const MAX_ENTRY_LENGTH = 16 * 1024 * 1024;

/** The record of an entry: masked, and reduced if it is too long or nested too deeply. */
export function makeRecord(
  kind: AuditKind,
  entry: AuditEntry,
  time: number,
  mask: readonly MaskPath[],
  serialize: EntryText = entryText,
  encode: EntryBytes = Buffer.from,
): AuditRecord {
  const text =
    serializeEntry(entry, mask, serialize) ??
    serializeEntry(withoutContent(entry), mask, serialize) ??
    serialize(maskEntry(cut(withoutContent(entry)) as AuditEntry, mask));
  return { kind, callId: entry.callId, time, json: encode(text) };
}

/**
 * Undefined if the entry is too large. What it repeats is measured before it is serialized, so that the text of a short
 * request never fills the memory. What it has once, the request had too.
 */
function serializeEntry(entry: AuditEntry, mask: readonly MaskPath[], serialize: EntryText): string | undefined {
  try {
    if (roomBesideRepetitions(entry) < 0) return undefined;
    const text = serialize(maskEntry(entry, mask));
    return text.length > MAX_ENTRY_LENGTH ? undefined : text;
  } catch (error) {
    // The nesting exceeds the stack, or the length exceeds that of a string.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The number of characters that remain beside what an entry repeats; negative if that is too much. The principal, the
 * claims and the request id are in the input of every resource, the name of a policy is there for every action, and
 * outputs and errors may repeat anything.
 */
function roomBesideRepetitions(entry: AuditEntry): number {
  const checked = 'auditTrail' in entry ? entry.checkResources : undefined;
  if (checked === undefined) return roomAfter(entry, MAX_ENTRY_LENGTH);
  const { inputs, outputs } = checked;
  let room = MAX_ENTRY_LENGTH;
  if (inputs[0] !== undefined) {
    const { requestId = '', principal, auxData } = inputs[0];
    room -= inputs.length * (room - roomAfter([requestId, principal, auxData], room));
  }
  for (const { actions, effectiveDerivedRoles, outputs: emitted, validationErrors, evaluationErrors } of outputs) {
    if (room < 0) break;
    for (const action in actions) {
      const { policy = '', scope = '' } = actions[action] as ActionEffect;
      room -= policy.length + scope.length;
    }
    if (effectiveDerivedRoles !== undefined) room = roomAfter(effectiveDerivedRoles, room);
    if (emitted !== undefined) room = roomAfter(emitted, room);
    if (validationErrors !== undefined) room = roomAfter(validationErrors, room);
    if (evaluationErrors !== undefined) room = roomAfter(evaluationErrors, room);
  }
  return room;
}

/**
 * The number of characters that remain after the minimum that the JSON of a value takes; negative if it takes too many.
 */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length - 3;
  if (typeof value !== 'object' || value === null) return room - 2;
  let left = room - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) left = roomAfter(value[index], left);
    return left;
  }
  for (const key in value) {
    if (left < 0) break;
    left = roomAfter((value as { readonly [key: string]: unknown })[key], left - key.length - 3);
  }
  return left;
}

const MAX_CUT_TEXT = 256;
const MAX_CUT_MEMBERS = 100;

/** The value with its strings, lists and maps cut. */
function cut(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value, MAX_CUT_TEXT);
  if (Array.isArray(value)) return value.slice(0, MAX_CUT_MEMBERS).map(cut);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, MAX_CUT_MEMBERS);
  return Object.fromEntries(entries.map(([key, member]) => [shortened(key, MAX_CUT_TEXT), cut(member)]));
}

function withoutContent(entry: AuditEntry): AuditEntry {
  return 'auditTrail' in entry ? decisionWithoutContent(entry) : accessWithoutContent(entry);
}

function accessWithoutContent({ requestContext, metadata, ...rest }: AccessLogEntry): AccessLogEntry {
  return { ...rest, oversized: true };
}

function decisionWithoutContent({ requestContext, metadata, ...rest }: DecisionLogEntry): DecisionLogEntry {
  const { checkResources, planResources } = rest;
  if (checkResources !== undefined) {
    const inputs = checkResources.inputs.map(inputWithoutContent);
    const outputs = checkResources.outputs.map(
      ({ outputs: _, validationErrors, evaluationErrors, ...output }): CheckOutput => output,
    );
    return { ...rest, checkResources: { ...checkResources, inputs, outputs }, oversized: true };
  }
  if (planResources === undefined) return { ...rest, oversized: true };
  const { input, output } = planResources;
  return {
    ...rest,
    planResources: {
      ...planResources,
      input: inputWithoutContent(input),
      ...(output && { output: planWithoutContent(output) }),
    },
    oversized: true,
  };
}

function planWithoutContent({ validationErrors, evaluationErrors, filterDebug, ...output }: PlanOutput): PlanOutput {
  return { ...output, filter: { kind: output.filter.kind } };
}

function inputWithoutContent<I extends Pick<CheckInput, 'principal' | 'resource' | 'auxData'>>({
  auxData,
  ...input
}: I): Omit<I, 'auxData'> & Pick<CheckInput, 'principal' | 'resource'> {
  const { attr: _, actors, ...principal } = input.principal;
  const { attr: __, ...resource } = input.resource;
  const actorsAlone = actors?.map(({ attr: ___, ...actor }) => actor);
  return { ...input, principal: { ...principal, ...(actorsAlone && { actors: actorsAlone }) }, resource };
}
