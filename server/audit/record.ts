import type {
  AccessLogEntry,
  AuditEntry,
  AuditKind,
  CheckInput,
  CheckOutput,
  DecisionLogEntry,
  PlanOutput,
} from '../../proto/codec/audit-messages.js';
import { maskEntry } from './mask.js';
import type { MaskPath } from '../config/audit-config.js';

/** An entry on its way to a backend: ready as text, so that nothing of a request is kept alive while it waits. */
export interface AuditRecord {
  readonly kind: AuditKind;
  readonly callId: string;
  /** Of the entry, in milliseconds since 1970. */
  readonly time: number;
  /** The entry as JSON, on one line. */
  readonly text: string;
}

/** An entry may have so many characters; of a larger one the attributes are left out (`oversized`). */
export const MAX_ENTRY_LENGTH = 16 * 1024 * 1024;

/** The record of an entry: masked, and without its attributes when it is too long or nested too deep to be written. */
export function recordOf(kind: AuditKind, entry: AuditEntry, time: number, mask: readonly MaskPath[]): AuditRecord {
  return {
    kind,
    callId: entry.callId,
    time,
    text: textOf(entry, mask) ?? JSON.stringify(maskEntry(withoutContent(entry), mask)),
  };
}

/**
 * Undefined when there is too much of it: a principal stands in the input of every resource, so a short request can
 * make a long entry.
 */
function textOf(entry: AuditEntry, mask: readonly MaskPath[]): string | undefined {
  try {
    if (repeatedLength(entry) > MAX_ENTRY_LENGTH) return undefined;
    const text = JSON.stringify(maskEntry(entry, mask));
    return text.length > MAX_ENTRY_LENGTH ? undefined : text;
  } catch (error) {
    // Nested deeper than the stack is, or longer than a string can be.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function repeatedLength(entry: AuditEntry): number {
  if (!('checkResources' in entry) || entry.checkResources === undefined) return 0;
  const { inputs } = entry.checkResources;
  const [first] = inputs;
  if (first === undefined || inputs.length === 1) return 0;
  const shared = JSON.stringify(first.principal.attr ?? '').length + JSON.stringify(first.auxData ?? '').length;
  return shared * inputs.length;
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
  const { attr: _, ...principal } = input.principal;
  const { attr: __, ...resource } = input.resource;
  return { ...input, principal, resource };
}
