import type { CheckResourcesResponse, PlanResourcesResponse, ServerInfoResponse } from '../../proto/gen/messages.js';
import { printCheckResourcesRequest, printPlanResourcesRequest } from '../../proto/gen/json/request.js';
import {
  readCheckResourcesResponse,
  readPlanResourcesResponse,
  readServerInfoResponse,
} from '../../proto/gen/json/response.js';
import { JsonError } from '../../proto/wire/json-shape.js';
import { AuthzError } from './authz-error.js';
import { receivedText } from './received-text.js';
import { BUNDLE_HASH, MIN_BUNDLE, type Received, type Transport } from './transport.js';

/** The address of a decision point, and the connection options. */
export interface HttpOptions {
  /** `https://pdp.internal:3592`; a path is kept, for a proxy that serves it below one. */
  readonly url: string;
  /** Instead of the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Sent with every call: credentials for a proxy, trace context. A function is called for every call. */
  readonly headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>) | undefined;
}

/** Header values by name. */
export type HeaderValues = { readonly [name: string]: string };

/** A protocol over HTTP whose messages are JSON. */
export interface HttpProtocol {
  readonly check: Route;
  readonly plan: Route;
  readonly serverInfo: Route;
  readonly headers: HeaderValues;
  /** The error in a response body; undefined for a body that was not written by a decision point. */
  readonly errorOf: (body: { readonly [name: string]: unknown }) => AuthzError | undefined;
  /** The code of an error response without details. */
  readonly codeOf: (status: number) => AuthzError['code'];
}

export interface Route {
  readonly verb: 'GET' | 'POST';
  readonly path: string;
}

/** Calls over HTTP that only need `fetch`. Redirects are not followed: a decision point never redirects. */
export function httpTransport(protocol: HttpProtocol, options: HttpOptions): Transport {
  const base = parseBase(options.url);
  const send = options.fetch ?? fetch;

  const call = async (
    route: Route,
    body: string | undefined,
    signal: AbortSignal,
    minBundle?: string,
  ): Promise<Received<unknown>> => {
    const own = typeof options.headers === 'function' ? await options.headers() : options.headers;
    const { status, ok, text, bundleHash } = await received(
      send(base + route.path, {
        method: route.verb,
        headers: {
          ...own,
          ...protocol.headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(minBundle !== undefined && { [MIN_BUNDLE]: minBundle }),
        },
        ...(body !== undefined && { body }),
        redirect: 'manual',
        signal,
      }),
    );
    const json = parsed(text);
    if (ok && json !== undefined) return { message: json, bundleHash };
    if (ok) throw new AuthzError('internal', 'the response is not a JSON object');
    throw (
      (json === undefined ? undefined : protocol.errorOf(json)) ??
      new AuthzError(protocol.codeOf(status), `the server answered with status ${status}`)
    );
  };

  return {
    check: async (request, { signal, minBundle }): Promise<Received<CheckResourcesResponse>> => {
      const body = printCheckResourcesRequest(request);
      const { message, bundleHash } = await call(protocol.check, body, signal, minBundle);
      return { message: read(readCheckResourcesResponse, message), bundleHash };
    },
    plan: async (request, { signal, minBundle }): Promise<Received<PlanResourcesResponse>> => {
      const body = printPlanResourcesRequest(request);
      const { message, bundleHash } = await call(protocol.plan, body, signal, minBundle);
      return { message: read(readPlanResourcesResponse, message), bundleHash };
    },
    serverInfo: async (signal): Promise<ServerInfoResponse> => {
      const body = protocol.serverInfo.verb === 'GET' ? undefined : '{}';
      return read(readServerInfoResponse, (await call(protocol.serverInfo, body, signal)).message);
    },
    close: () => {},
  };
}

/** A response. Throws an AuthzError for invalid JSON. */
function read<Message>(readMessage: (value: unknown, name: string) => Message, json: unknown): Message {
  try {
    return readMessage(json, 'response');
  } catch (error) {
    throw error instanceof JsonError ? new AuthzError('internal', error.message) : error;
  }
}

/** Throws an AuthzError for an invalid HTTP address, so that the mistake shows when the program starts. */
function parseBase(url: string): string {
  if (!/^https?:\/\//i.test(url)) throw new AuthzError('invalid_argument', `\`${url}\` is not an http or https URL`);
  return url.replace(/\/+$/, '');
}

interface HttpAnswer {
  readonly status: number;
  readonly ok: boolean;
  readonly text: string;
  readonly bundleHash: string;
}

async function received(response: Promise<Response>): Promise<HttpAnswer> {
  try {
    const answer = await response;
    const bundleHash = answer.headers.get(BUNDLE_HASH) ?? '';
    return { status: answer.status, ok: answer.ok, text: await receivedText(answer), bundleHash };
  } catch (cause) {
    if (cause instanceof AuthzError) throw cause;
    throw new AuthzError('unavailable', `the server cannot be reached: ${getMessage(cause)}`, { cause });
  }
}

/** The message of fetch itself is "fetch failed"; the reason is in its cause. */
function getMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}

function parsed(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json)
      ? (json as { readonly [name: string]: unknown })
      : undefined;
  } catch {
    return undefined;
  }
}
