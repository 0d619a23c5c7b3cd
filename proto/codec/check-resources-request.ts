import type { CheckResourcesRequest } from '../messages.js';
import { readJsonEntry } from './json-value.js';
import type { TextTable } from './text-table.js';
import { BYTES, VARINT, WireReader } from './wire-reader.js';

/**
 * CheckResourcesRequest from its protobuf encoding, attributes as plain JSON. Unknown fields are skipped, a message that comes
 * twice is merged, as the encoding asks. Throws a WireError for what is no such message.
 */
export function decodeCheckResourcesRequest(bytes: Buffer, texts?: TextTable): CheckResourcesRequest {
  const reader = new WireReader(bytes, texts);
  const request: Draft = {
    requestId: '',
    includeMeta: false,
    principal: undefined,
    resources: [],
    auxData: undefined,
    requestContext: undefined,
  };
  while (reader.at < bytes.length) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | BYTES:
        request.requestId = reader.string();
        break;
      case (2 << 3) | VARINT:
        request.includeMeta = reader.bool();
        break;
      case (3 << 3) | BYTES:
        request.principal ??= { id: '', policyVersion: '', roles: [], attr: {}, scope: '' };
        readPrincipal(reader, request.principal);
        break;
      case (4 << 3) | BYTES:
        request.resources.push(readResourceEntry(reader));
        break;
      case (5 << 3) | BYTES:
        request.auxData ??= { jwt: undefined, jwts: new Map() };
        readAuxData(reader, request.auxData);
        break;
      case (6 << 3) | BYTES:
        request.requestContext ??= { annotations: {} };
        readRequestContext(reader, request.requestContext);
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.checkEnd(bytes.length);
  return request;
}

interface Draft {
  requestId: string;
  includeMeta: boolean;
  principal: PrincipalDraft | undefined;
  resources: ResourceEntryDraft[];
  auxData: AuxDataDraft | undefined;
  requestContext: { annotations: Record<string, unknown> } | undefined;
}

interface PrincipalDraft {
  id: string;
  policyVersion: string;
  roles: string[];
  attr: Record<string, unknown>;
  scope: string;
}

interface ResourceEntryDraft {
  actions: string[];
  resource: ResourceDraft | undefined;
}

interface ResourceDraft {
  kind: string;
  policyVersion: string;
  id: string;
  attr: Record<string, unknown>;
  scope: string;
}

interface AuxDataDraft {
  jwt: TokenDraft | undefined;
  jwts: Map<string, TokenDraft>;
}

interface TokenDraft {
  token: string;
  keySetId: string;
}

function readPrincipal(reader: WireReader, principal: PrincipalDraft): void {
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | BYTES:
        principal.id = reader.string();
        break;
      case (2 << 3) | BYTES:
        principal.policyVersion = reader.string();
        break;
      case (3 << 3) | BYTES:
        principal.roles.push(reader.string());
        break;
      case (4 << 3) | BYTES:
        readJsonEntry(reader, principal.attr);
        break;
      case (5 << 3) | BYTES:
        principal.scope = reader.string();
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.checkEnd(end);
}

function readResourceEntry(reader: WireReader): ResourceEntryDraft {
  const end = reader.messageEnd();
  const entry: ResourceEntryDraft = { actions: [], resource: undefined };
  while (reader.at < end) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | BYTES:
        entry.actions.push(reader.string());
        break;
      case (2 << 3) | BYTES:
        entry.resource ??= { kind: '', policyVersion: '', id: '', attr: {}, scope: '' };
        readResource(reader, entry.resource);
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.checkEnd(end);
  return entry;
}

function readResource(reader: WireReader, resource: ResourceDraft): void {
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | BYTES:
        resource.kind = reader.string();
        break;
      case (2 << 3) | BYTES:
        resource.policyVersion = reader.string();
        break;
      case (3 << 3) | BYTES:
        resource.id = reader.string();
        break;
      case (4 << 3) | BYTES:
        readJsonEntry(reader, resource.attr);
        break;
      case (5 << 3) | BYTES:
        resource.scope = reader.string();
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.checkEnd(end);
}

function readAuxData(reader: WireReader, auxData: AuxDataDraft): void {
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | BYTES:
        auxData.jwt ??= { token: '', keySetId: '' };
        readToken(reader, auxData.jwt);
        break;
      case (2 << 3) | BYTES:
        readNamedToken(reader, auxData.jwts);
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.checkEnd(end);
}

function readNamedToken(reader: WireReader, jwts: Map<string, TokenDraft>): void {
  const end = reader.messageEnd();
  const token: TokenDraft = { token: '', keySetId: '' };
  let name = '';
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) name = reader.string();
    else if (tag === ((2 << 3) | BYTES)) readToken(reader, token);
    else reader.skip(tag);
  }
  reader.checkEnd(end);
  jwts.set(name, token);
}

function readToken(reader: WireReader, token: TokenDraft): void {
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) token.token = reader.string();
    else if (tag === ((2 << 3) | BYTES)) token.keySetId = reader.string();
    else reader.skip(tag);
  }
  reader.checkEnd(end);
}

function readRequestContext(reader: WireReader, context: { annotations: Record<string, unknown> }): void {
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) readJsonEntry(reader, context.annotations);
    else reader.skip(tag);
  }
  reader.checkEnd(end);
}
