import type { CheckResourceBatchRequest } from '../../../proto/legacy-messages.js';
import { message, messageReader, messages, readDocument, text } from './message-reader.js';
import { readAuxData, readPrincipal, readResourceEntry } from './read-check-resources.js';

/** CheckResourceBatchRequest from its JSON form (server.md 1.2). Throws an RpcError that says what is wrong and where. */
export function readCheckResourceBatchRequest(body: Buffer): CheckResourceBatchRequest {
  return readDocument(body, batchRequest);
}

const batchRequest = messageReader<CheckResourceBatchRequest>({
  requestId: text,
  principal: message(readPrincipal),
  resources: messages(readResourceEntry),
  auxData: message(readAuxData),
});
