import { SignJWT } from 'jose';
import { type RunningApi, startApi } from '../../examples/contact-api/api.js';
import type { PdpSettings } from '../../examples/contact-api/settings.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { loadRepositoryBundle } from '../support/repository-bundle.js';
import { loopbackConfig } from '../support/server/start.js';

/** Long enough for every algorithm that a token may name. */
export const SECRET = 'a secret for tests only, which is as long as HS512 wants it: 64 bytes';

export const TRANSPORTS = ['in-process', 'rest', 'connect', 'grpc'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

/** Starts a PDP with the example's policies on free ports. */
export async function startPdp(): Promise<RunningServer> {
  const config = loopbackConfig();
  return startServer(config, await loadRepositoryBundle('examples/contact-api/policies'));
}

/** Starts the example on a free port with its own database. */
export function startExample(pdp: PdpSettings, database = ':memory:'): Promise<RunningApi> {
  return startApi({ secret: SECRET, port: 0, database, pdp });
}

/** The settings that connect to a PDP over a transport. */
export function pdpSettings(
  transport: TransportName,
  { httpAddress, grpcAddress }: { readonly httpAddress: string; readonly grpcAddress: string },
): PdpSettings {
  if (transport === 'in-process') return { transport };
  return { transport, address: transport === 'grpc' ? grpcAddress : `http://${httpAddress}` };
}

/** A token with claims. It is valid for an hour unless they say otherwise. */
export function signed(
  claims: { readonly [claim: string]: unknown },
  { secret = SECRET, alg = 'HS256' } = {},
): Promise<string> {
  return new SignJWT({ exp: inSeconds(3600), ...claims })
    .setProtectedHeader({ alg })
    .sign(new TextEncoder().encode(secret));
}

/** A time as tokens write it. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON.
  readonly json: any;
}

export interface Call {
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: unknown;
}

/** Sends one request. A body that is not a string is sent as JSON. */
export async function send(
  api: { readonly url: string },
  method: string,
  path: string,
  { token, headers = {}, body }: Call = {},
): Promise<Answer> {
  const response = await fetch(api.url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}
