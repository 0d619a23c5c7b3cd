import type {
  AccessLogEntry,
  AuditEntry,
  AuditMetadata,
  AuditPeer,
  AuditTrail,
  DecisionLogEntry,
  PolicySource,
} from './audit-messages.js';
import { writeCheckInput, writeCheckOutput, writePlanInput, writePlanOutput } from './audit-engine.js';
import { writeBool, writeMap, writeText, writeValueMap, writeMessage, writeMessages } from './audit-fields.js';
import type { WireWriter } from '../wire/writer.js';

/**
 * An entry of the audit log in its protobuf encoding (docs/spec/server.md#audit-entries-in-protobuf, "Audit entries").
 */
export function encodeAuditEntry(entry: AuditEntry, writer: WireWriter): Buffer {
  writer.begin();
  writeAuditEntry(writer, entry);
  return writer.finish();
}

/** ListAuditLogEntriesResponse with one entry. */
export function encodeListAuditLogEntriesResponse(entry: AuditEntry, writer: WireWriter): Buffer {
  writer.begin();
  writeMessage(writer, 'auditTrail' in entry ? 2 : 1, entry, writeAuditEntry);
  return writer.finish();
}

function writeAuditEntry(writer: WireWriter, entry: AuditEntry): void {
  if ('auditTrail' in entry) writeDecision(writer, entry);
  else writeAccess(writer, entry);
}

function writeAccess(writer: WireWriter, entry: AccessLogEntry): void {
  writeMessage(writer, 9, entry.requestContext, writeRequestContext);
  writeMessage(writer, 8, entry.policySource, writePolicySource);
  writeBool(writer, 7, entry.oversized);
  if (entry.statusCode !== undefined) writer.varintField(6, entry.statusCode);
  writeText(writer, 5, entry.method);
  writeMetadata(writer, 4, entry.metadata);
  writeMessage(writer, 3, entry.peer, writePeer);
  writeMessage(writer, 2, entry.timestamp, writeTimestamp);
  writeText(writer, 1, entry.callId);
}

function writeDecision(writer: WireWriter, entry: DecisionLogEntry): void {
  writeMessage(writer, 19, entry.requestContext, writeRequestContext);
  writeMessage(writer, 18, entry.policySource, writePolicySource);
  writeBool(writer, 17, entry.oversized);
  writeMessage(writer, 16, entry.auditTrail, writeAuditTrail);
  writeMetadata(writer, 15, entry.metadata);
  writeMessage(writer, 8, entry.planResources, (inner, { input, output, error }) => {
    writeText(inner, 3, error);
    writeMessage(inner, 2, output, writePlanOutput);
    writeMessage(inner, 1, input, writePlanInput);
  });
  writeMessage(writer, 7, entry.checkResources, (inner, { inputs, outputs, error }) => {
    writeText(inner, 3, error);
    writeMessages(inner, 2, outputs, writeCheckOutput);
    writeMessages(inner, 1, inputs, writeCheckInput);
  });
  writeMessage(writer, 3, entry.peer, writePeer);
  writeMessage(writer, 2, entry.timestamp, writeTimestamp);
  writeText(writer, 1, entry.callId);
}

function writeRequestContext(writer: WireWriter, { annotations }: NonNullable<AccessLogEntry['requestContext']>): void {
  writeValueMap(writer, 1, annotations);
}

function writePolicySource(writer: WireWriter, { embeddedPdp }: PolicySource): void {
  writeMessage(writer, 6, embeddedPdp, (inner, { commitHash, builtAt, bundleHash }) => {
    writeText(inner, 101, bundleHash);
    writeMessage(inner, 3, builtAt, writeTimestamp);
    writeText(inner, 2, commitHash);
  });
}

function writeAuditTrail(writer: WireWriter, { effectivePolicies }: AuditTrail): void {
  writeMap(writer, 1, effectivePolicies, (inner, { attributes }) => writeValueMap(inner, 1, attributes));
}

function writeMetadata(writer: WireWriter, field: number, metadata: AuditMetadata | undefined): void {
  writeMap(writer, field, metadata, (inner, { values }) => {
    for (let index = values.length - 1; index >= 0; index--) inner.stringField(1, values[index] as string);
  });
}

function writePeer(writer: WireWriter, { address, authInfo, userAgent, forwardedFor }: AuditPeer): void {
  writeText(writer, 4, forwardedFor);
  writeText(writer, 3, userAgent);
  writeText(writer, 2, authInfo);
  writeText(writer, 1, address);
}

/** google.protobuf.Timestamp from RFC 3339; a text that is none is the beginning of 1970. */
function writeTimestamp(writer: WireWriter, text: string): void {
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds) || milliseconds < 0) return;
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? '';
  const nanos = Number(fraction.padEnd(9, '0'));
  if (nanos !== 0) writer.varintField(2, nanos);
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds !== 0) writer.varintField(1, seconds);
}
