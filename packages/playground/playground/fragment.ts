import type { PlaygroundInput } from './result.js';

/*
 * The playground in the fragment of a URL: the name of an example, or JSON, compressed, in base64url. Nothing of it is
 * sent to a server.
 */

/** The fragment of an address that has the state of the playground. */
export const FRAGMENT = '#playground';

/** The fragment that has a state; undefined if it is too long. */
export function writeFragment(state: string | undefined): string {
  return state === undefined ? FRAGMENT : `${FRAGMENT}=${state}`;
}

/** The state in the fragment of an address. */
export function stateIn(hash: string): string | undefined {
  return hash.startsWith(`${FRAGMENT}=`) ? hash.slice(FRAGMENT.length + 1) : undefined;
}

/** The name of the example that a state names. Base64url has no colon. */
export function exampleIn(state: string): string | undefined {
  return /^example:(.*)$/s.exec(state)?.[1];
}

/** The longest fragment in characters: browsers and chat programs accept links at least that long. */
const LONGEST = 32_768;
/** The longest unpacked state in bytes: a short link must not fill the memory. */
const MOST_UNPACKED = 1_048_576;

/** The state as text for a fragment; undefined if it is too long for a link. */
export async function packed(state: PlaygroundInput): Promise<string | undefined> {
  const { files, request } = state;
  const text = JSON.stringify({ files: files.map(({ path, text }) => [path, text]), request });
  if (text.length > MOST_UNPACKED) return undefined;
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const url = base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return url.length > LONGEST ? undefined : url;
}

/** The state that a fragment has. Rejects if it is not one. */
export async function unpacked(fragment: string): Promise<PlaygroundInput> {
  if (fragment.length > LONGEST) throw new Error('the link is too long');
  const binary = atob(fragment.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return readState(JSON.parse(await boundedText(stream)));
}

async function boundedText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = stream.getReader();
  let text = '';
  for (let length = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > MOST_UNPACKED) {
      await reader.cancel();
      throw new Error('the link unpacks to more than 1 MiB');
    }
    text += decoder.decode(value, { stream: true });
  }
}

function readState(value: unknown): PlaygroundInput {
  const { files, request } = value as { readonly files?: unknown; readonly request?: unknown };
  if (!Array.isArray(files) || typeof request !== 'string') throw new Error('the link has no policies');
  return {
    files: files.map((file: unknown) => {
      const [path, text] = Array.isArray(file) ? (file as readonly unknown[]) : [];
      if (typeof path !== 'string' || typeof text !== 'string') throw new Error('the link has a file without a text');
      return { path, text };
    }),
    request,
  };
}
