import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Answers a request whose body has been received; without a body, it is empty. `parameters` are the parts of the path
 * that the route names.
 */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  parameters: Parameters,
) => void;

/** Answers a request before its body has been received. */
export type EarlyHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Refuses a request before its body has been received, or returns false. */
export type Refusal = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Answers a request whose body cannot be read, or whose handler throws. */
export type Failed = (request: IncomingMessage, response: ServerResponse, thrown: unknown) => void;

export interface Parameters {
  readonly [name: string]: string | undefined;
}

/** A path with its handler, which writes to the response of the platform. */
export interface Route {
  readonly methods: readonly Method[];
  readonly path: string;
  readonly handler: Handler;
  readonly refuses?: Refusal | undefined;
  /** Whether it is answered before Fastify (docs/decisions/messages-and-transports.md#0041). */
  readonly isHot?: boolean | undefined;
}

/** The methods that routes have. */
export const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof ALL_METHODS)[number];
