import type { CheckResourcesRequest } from '../messages.js';
import {
  type AuxDataDraft,
  type PrincipalDraft,
  readAuxData,
  readPrincipal,
  readRequestContext,
  readResourceEntry,
  type RequestContextDraft,
  type ResourceEntryDraft,
} from './request-parts.js';
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
        request.principal = readPrincipal(reader, request.principal);
        break;
      case (4 << 3) | BYTES:
        request.resources.push(readResourceEntry(reader));
        break;
      case (5 << 3) | BYTES:
        request.auxData = readAuxData(reader, request.auxData);
        break;
      case (6 << 3) | BYTES:
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
  includeMeta: boolean;
  principal: PrincipalDraft | undefined;
  resources: ResourceEntryDraft[];
  auxData: AuxDataDraft | undefined;
  requestContext: RequestContextDraft | undefined;
}
