import type { MethodDefinition } from '@grpc/grpc-js';

/**
 * How a service reads requests and writes responses. `decode` throws for bytes that are not a valid message: the caller
 * gets code 13.
 */
export interface Codec<Request, Response> {
  readonly decode: (bytes: Buffer) => Request;
  readonly encode: (response: Response) => Buffer;
}

/** Messages that handlers decode and encode. */
export const BYTES: Codec<Buffer, Buffer> = { decode: (bytes) => bytes, encode: (bytes) => bytes };

/** A method with one request and one response. */
export function unary<Request, Response>(
  service: string,
  name: string,
  codec: Codec<Request, Response>,
): MethodDefinition<Request, Response> {
  return method(service, name, codec, false, false);
}

/** A method with one request and many responses. */
export function serverStream<Request, Response>(
  service: string,
  name: string,
  codec: Codec<Request, Response>,
): MethodDefinition<Request, Response> {
  return method(service, name, codec, false, true);
}

/** A method with many requests and many responses. */
export function bidiStream<Request, Response>(
  service: string,
  name: string,
  codec: Codec<Request, Response>,
): MethodDefinition<Request, Response> {
  return method(service, name, codec, true, true);
}

function method<Request, Response>(
  service: string,
  name: string,
  codec: Codec<Request, Response>,
  requestStream: boolean,
  responseStream: boolean,
): MethodDefinition<Request, Response> {
  return {
    path: `/${service}/${name}`,
    requestStream,
    responseStream,
    requestDeserialize: codec.decode,
    responseSerialize: codec.encode,
    // The client half, which a server never uses.
    requestSerialize: clientSide,
    responseDeserialize: clientSide,
  };
}

function clientSide(): never {
  throw new Error('the server does not speak as a client');
}
