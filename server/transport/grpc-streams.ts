import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';

/** Answers one HTTP/2 stream as gRPC. */
export type GrpcStreamHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** The gRPC requests that the HTTP listener receives. */
export interface GrpcStreams {
  readonly handleStream: GrpcStreamHandler;
  /** Whether requests to a path are message streams that may stay open indefinitely. */
  readonly streamsRequest: (path: string) => boolean;
}
