import type { RequestListener } from 'node:http';
import { createServer, type Http2Server } from 'node:http2';
import type { GrpcStreams } from '../grpc-streams.js';
import { Http2Sessions, type SessionOptions, STREAM_WINDOW, type StreamHandler } from '../http2-sessions.js';
import { takeListener } from './take-listener.js';

/** How the HTTP/2 connections of the HTTP port are treated. */
export interface Http2Options extends Omit<SessionOptions, 'streamsRequest'> {
  /** The limit in bytes. */
  readonly maxHeaderSize: number;
  /** 0: no limit. */
  readonly maxConcurrentStreams: number;
  readonly handleRequest: RequestListener;
  /** Answers gRPC requests. If absent: they are requests like others. */
  readonly grpc: GrpcStreams | undefined;
}

/** Creates what serves the HTTP/2 connections of the HTTP port. */
export function createHttp2Sessions(options: Http2Options): Http2Sessions {
  const { server, handle } = http2Server(options);
  return new Http2Sessions(
    server,
    { ...options, streamsRequest: options.grpc?.streamsRequest ?? (() => false) },
    handle,
  );
}

/** A server for HTTP/2 sessions, and what handles their streams. */
function http2Server(options: Http2Options): { readonly server: Http2Server; readonly handle: StreamHandler } {
  const { maxConcurrentStreams, maxHeaderSize, grpc } = options;
  const settings = {
    maxHeaderListSize: maxHeaderSize,
    initialWindowSize: STREAM_WINDOW,
    ...(maxConcurrentStreams > 0 && { maxConcurrentStreams }),
  };
  // The two kinds of requests differ only in types, and only in members that are not used.
  const server = createServer({ settings }, options.handleRequest as unknown as Parameters<typeof createServer>[1]);
  const plain = takeListener<Parameters<StreamHandler>>(server, 'stream');
  const handle: StreamHandler = (stream, headers, flags, rawHeaders) => {
    if (stream.destroyed) {
      // The client has reset it already. The platform would throw if the request expects `100 Continue`.
      stream.on('error', () => {});
      return;
    }
    if (grpc !== undefined && isGrpc(headers['content-type'])) grpc.handleStream(stream, headers);
    else plain(stream, headers, flags, rawHeaders);
  };
  return { server, handle };
}

/** gRPC-Web has its own responses, over any HTTP version. */
function isGrpc(contentType: string | undefined): boolean {
  return contentType?.includes('application/grpc') === true && !contentType.includes('application/grpc-web');
}
