import type { Json } from '../json.js';
import type { SentRequest } from './snippets.js';

/** The response of a server, and its duration. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  /** The duration in milliseconds. */
  readonly time: number;
  /** The length of the body in bytes. */
  readonly size: number;
  /** Undefined if it is not JSON. */
  readonly body: Json | undefined;
  readonly text: string;
}

/** Posts a request and reads the response. Rejects if the server cannot be reached. */
export async function ask({ url, headers, body }: Pick<SentRequest, 'url' | 'headers' | 'body'>): Promise<Answer> {
  const start = performance.now();
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const bytes = await response.arrayBuffer();
  const time = performance.now() - start;
  const text = new TextDecoder().decode(bytes);
  return {
    status: response.status,
    statusText: response.statusText,
    time,
    size: bytes.byteLength,
    body: parsed(text),
    text,
  };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
