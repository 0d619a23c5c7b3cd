import { AuthzError } from './authz-error.js';

/** Size in bytes; filters may be long. */
export const MAX_ANSWER = 64 * 1024 * 1024;

/**
 * The body of a response as a string. Throws an AuthzError for a body that is longer than `MAX_ANSWER`, without reading
 * the rest.
 */
export async function receivedText(answer: Response): Promise<string> {
  const reader = answer.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > MAX_ANSWER) {
      reader.cancel().catch(() => {});
      throw new AuthzError('resource_exhausted', `the answer is longer than ${MAX_ANSWER} bytes`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
