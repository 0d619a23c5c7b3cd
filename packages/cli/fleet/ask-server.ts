/** What a server of a fleet says of itself. */
export interface ServerState {
  readonly url: string;
  /** Hash of the current bundle; undefined if the server did not answer. */
  readonly hash?: string;
  readonly version?: string;
  /** Why there is no answer. */
  readonly error?: string;
  /** Absent without credentials of the admin. */
  readonly rollout?: RolloutState;
  /** Why the admin API did not answer. */
  readonly adminError?: string;
}

/** The answer of GetRollout, as far as it is shown. */
export interface RolloutState {
  readonly current?: BundleState;
  readonly candidate?: BundleState;
  readonly previous?: BundleState;
  readonly stage?: string;
  readonly percent?: number;
  readonly rolloutId?: string;
  readonly refusedHash?: string;
  readonly lastError?: string;
}

/** A bundle of a server. */
export interface BundleState {
  readonly hash?: string;
  readonly digest?: string;
  readonly sequence?: string;
  /** RFC 3339. */
  readonly loadedAt?: string;
}

/** How servers are asked. */
export interface AskOptions {
  /** The value of the header `authorization`; undefined: the admin API is not asked. */
  readonly authorization: string | undefined;
  /** Limit for one server, in milliseconds. */
  readonly timeout: number;
}

/** Limit in characters: a server that is none may answer with anything. */
const LONGEST = 1024 * 1024;

/** Asks one server. Never rejects. */
async function askServer(url: string, options: AskOptions): Promise<ServerState> {
  const signal = AbortSignal.timeout(options.timeout);
  try {
    const { body, headers } = await get(`${url}/api/server_info`, signal, undefined);
    const hash = headers.get('grpc-metadata-authz-bundle-hash') ?? '';
    const version = body['version'];
    if (hash === '' || typeof version !== 'string') throw new Error('it is not an authz server');
    const state = { url, hash, version };
    if (options.authorization === undefined) return state;
    try {
      const { body: answer } = await get(`${url}/admin/bundle/rollout`, signal, options.authorization);
      return { ...state, rollout: (answer['rollout'] ?? {}) as RolloutState };
    } catch (error) {
      return { ...state, adminError: formatReason(error, options) };
    }
  } catch (error) {
    return { url, error: formatReason(error, options) };
  }
}

/** Asks all servers, some at a time; the states are in the order of the URLs. */
export async function askServers(
  urls: readonly string[],
  concurrency: number,
  options: AskOptions,
): Promise<readonly ServerState[]> {
  const states: ServerState[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < urls.length; index = next++)
      states[index] = await askServer(urls[index] as string, options);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, urls.length) }, work));
  return states;
}

interface Received {
  readonly body: { readonly [name: string]: unknown };
  readonly headers: Headers;
}

async function get(url: string, signal: AbortSignal, authorization: string | undefined): Promise<Received> {
  const answer = await fetch(url, {
    signal,
    redirect: 'error',
    ...(authorization !== undefined && { headers: { authorization } }),
  });
  const body = parsed(await received(answer));
  if (answer.ok) return { body, headers: answer.headers };
  const { message } = body;
  throw new Error(typeof message === 'string' ? message : `it answers with status ${answer.status}`);
}

async function received(answer: Response): Promise<string> {
  let text = '';
  if (answer.body === null) return text;
  const decoder = new TextDecoder();
  for await (const chunk of answer.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST) throw new Error('the answer is too long');
  }
  return text;
}

function parsed(text: string): Received['body'] {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Received['body']) : {};
  } catch {
    return {};
  }
}

/** The message of fetch itself is "fetch failed"; the reason is in its cause. */
function formatReason(error: unknown, { timeout }: AskOptions): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer in ${timeout} ms`;
  const { cause } = error;
  if (cause instanceof Error) return cause.message || ((cause as NodeJS.ErrnoException).code ?? error.message);
  return error.message;
}
