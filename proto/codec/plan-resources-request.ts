import type { PlanResourcesRequest } from '../messages.js';
import { readJsonEntry } from './json-value.js';
import { type AuxDataDraft, type PrincipalDraft, readAuxData, readPrincipal, readRequestContext, type RequestContextDraft } from './request-parts.js';
import type { TextTable } from './text-table.js';
import { BYTES, VARINT, WireReader } from './wire-reader.js';

/** PlanResourcesRequest from its protobuf encoding, by the rules of `decodeCheckResourcesRequest`. Throws a WireError. */
export function decodePlanResourcesRequest(bytes: Buffer, texts?: TextTable): PlanResourcesRequest {
  const reader = new WireReader(bytes, texts);
  const request: Draft = {
    requestId: '',
    action: '',
    actions: [],
    principal: undefined,
    resource: undefined,
    auxData: undefined,
    includeMeta: false,
    requestContext: undefined,
  };
  while (reader.at < bytes.length) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | BYTES:
        request.requestId = reader.string();
        break;
      case (2 << 3) | BYTES:
        request.action = reader.string();
        break;
      case (3 << 3) | BYTES:
        request.principal = readPrincipal(reader, request.principal);
        break;
      case (4 << 3) | BYTES:
        request.resource = readPlanResource(reader, request.resource);
        break;
      case (5 << 3) | BYTES:
        request.auxData = readAuxData(reader, request.auxData);
        break;
      case (6 << 3) | VARINT:
        request.includeMeta = reader.bool();
        break;
      case (7 << 3) | BYTES:
        request.actions.push(reader.string());
        break;
      case (8 << 3) | BYTES:
        request.requestContext = readRequestContext(reader, request.requestContext);
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
  action: string;
  actions: string[];
  principal: PrincipalDraft | undefined;
  resource: PlanResourceDraft | undefined;
  auxData: AuxDataDraft | undefined;
  includeMeta: boolean;
  requestContext: RequestContextDraft | undefined;
}

interface PlanResourceDraft {
  kind: string;
  policyVersion: string;
  attr: Record<string, unknown>;
  scope: string;
}

function readPlanResource(reader: WireReader, known: PlanResourceDraft | undefined): PlanResourceDraft {
  const resource = known ?? { kind: '', policyVersion: '', attr: {}, scope: '' };
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | BYTES:
        resource.kind = reader.string();
        break;
      case (2 << 3) | BYTES:
        readJsonEntry(reader, resource.attr);
        break;
      case (3 << 3) | BYTES:
        resource.policyVersion = reader.string();
        break;
      case (4 << 3) | BYTES:
        resource.scope = reader.string();
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.checkEnd(end);
  return resource;
}
