import type { AttributesMap, CheckResourceSetRequest, ResourceSet } from '../../../proto/legacy-messages.js';
import { attributes, flag, message, messageReader, messagesByName, readDocument, text, texts } from './message-reader.js';
import { readAuxData, readPrincipal } from './read-check-resources.js';

/** CheckResourceSetRequest from its JSON form (server.md 1.2). Throws an RpcError that says what is wrong and where. */
export function readCheckResourceSetRequest(body: Buffer): CheckResourceSetRequest {
  return readDocument(body, setRequest);
}

const setRequest = messageReader<CheckResourceSetRequest>({
  requestId: text,
  actions: texts,
  principal: message(readPrincipal),
  resource: message(
    messageReader<ResourceSet>({
      kind: text,
      policyVersion: text,
      instances: messagesByName(messageReader<AttributesMap>({ attr: attributes })),
      scope: text,
    }),
  ),
  includeMeta: flag,
  auxData: message(readAuxData),
});
