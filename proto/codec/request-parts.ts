import { readJsonEntry } from './json-value.js';
import { BYTES, type WireReader } from './wire-reader.js';

/** The messages that several requests have, while they are read: a message that comes twice is merged. */
export interface PrincipalDraft {
  id: string;
  policyVersion: string;
  roles: string[];
  attr: Record<string, unknown>;
  scope: string;
}

export interface ResourceDraft {
  kind: string;
  policyVersion: string;
  id: string;
  attr: Record<string, unknown>;
  scope: string;
}

export interface ResourceEntryDraft {
  actions: string[];
  resource: ResourceDraft | undefined;
}

export interface AuxDataDraft {
  jwt: TokenDraft | undefined;
  jwts: Map<string, TokenDraft>;
}

export interface TokenDraft {
  token: string;
  keySetId: string;
}

export interface RequestContextDraft {
  annotations: Record<string, unknown>;
}

/** authz.engine.v1.Principal, merged into what was read before. Begins before the length of the message. */
export function readPrincipal(reader: WireReader, known: PrincipalDraft | undefined): PrincipalDraft {
  const principal = known ?? { id: '', policyVersion: '', roles: [], attr: {}, scope: '' };
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
  return principal;
}

/** An entry of a check of several resources: actions (1) and resource (2). */
export function readResourceEntry(reader: WireReader): ResourceEntryDraft {
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

/** authz.request.v1.AuxData. */
export function readAuxData(reader: WireReader, known: AuxDataDraft | undefined): AuxDataDraft {
  const auxData = known ?? { jwt: undefined, jwts: new Map() };
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
  return auxData;
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

/** authz.request.v1.RequestContext. */
export function readRequestContext(reader: WireReader, known: RequestContextDraft | undefined): RequestContextDraft {
  const context = known ?? { annotations: {} };
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) readJsonEntry(reader, context.annotations);
    else reader.skip(tag);
  }
  reader.checkEnd(end);
  return context;
}
