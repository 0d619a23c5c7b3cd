import { createServer, type Server } from 'node:http';
import { Server as GrpcServer, ServerCredentials, type UntypedServiceImplementation } from '@grpc/grpc-js';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { TestCertificate } from '../certificate.js';

/** A span as received. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly message: string;
  /** In nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  /** `gauge`, `sum` or `histogram`. */
  readonly type: string;
}

/** A collector on loopback that understands OTLP over HTTP and gRPC, as far as the tests look. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly metrics: ReceivedMetric[] = [];
  readonly resources: Readonly<Record<string, unknown>>[] = [];
  readonly paths: string[] = [];
  readonly #server: Server;
  readonly #grpc = new GrpcServer();

  constructor() {
    for (const [service, path] of GRPC_SERVICES) {
      const bytes = (value: Buffer): Buffer => value;
      const Export = {
        path: `/${service}/Export`,
        requestStream: false,
        responseStream: false,
        requestSerialize: bytes,
        requestDeserialize: bytes,
        responseSerialize: bytes,
        responseDeserialize: bytes,
      };
      const handlers: UntypedServiceImplementation = {
        Export: (call: { readonly request: Buffer }, answer: (error: null, value: Buffer) => void) => {
          this.paths.push(Export.path);
          this.#take(path, call.request);
          answer(null, Buffer.alloc(0));
        },
      };
      this.#grpc.addService({ Export }, handlers);
    }
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts);
        this.paths.push(request.url ?? '');
        this.#take(request.url ?? '', request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
        response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
  }

  /** Listens and returns the endpoint. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The same over gRPC on a loopback address; with a certificate, over TLS. */
  async listenGrpc(certificate?: TestCertificate, host = '127.0.0.1'): Promise<string> {
    const pair = certificate && {
      cert_chain: Buffer.from(certificate.cert),
      private_key: Buffer.from(certificate.key),
    };
    const credentials =
      pair === undefined ? ServerCredentials.createInsecure() : ServerCredentials.createSsl(null, [pair]);
    const port = await new Promise<number>((resolve, reject) =>
      this.#grpc.bindAsync(`${host}:0`, credentials, (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      ),
    );
    return `${pair === undefined ? 'http' : 'https'}://${host}:${port}`;
  }

  close(): void {
    this.#grpc.forceShutdown();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #take(path: string, body: Uint8Array): void {
    for (const group of messages(fieldsOf(body), 1)) {
      for (const resource of messages(group, 1)) this.resources.push(attributesOf(messages(resource, 1)));
      for (const scope of messages(group, 2)) {
        const items = messages(scope, 2);
        if (path.endsWith('/traces')) this.spans.push(...items.map(spanOf));
        else this.metrics.push(...items.map(metricOf));
      }
    }
  }
}

const GRPC_SERVICES = [
  ['opentelemetry.proto.collector.trace.v1.TraceService', '/v1/traces'],
  ['opentelemetry.proto.collector.metrics.v1.MetricsService', '/v1/metrics'],
] as const;

type Fields = ReadonlyMap<number, readonly unknown[]>;

function spanOf(span: Fields): ReceivedSpan {
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentSpanId: hex(span, 4),
    name: text(span, 5),
    kind: Number(span.get(6)?.[0] ?? 0),
    attributes: attributesOf(messages(span, 9)),
    status: Number(messages(span, 15)[0]?.get(3)?.[0] ?? 0),
    message: text(messages(span, 15)[0] ?? new Map(), 2),
    start: BigInt(span.get(7)?.[0] as bigint),
    end: BigInt(span.get(8)?.[0] as bigint),
  };
}

function metricOf(metric: Fields): ReceivedMetric {
  const type = metric.has(5) ? 'gauge' : metric.has(7) ? 'sum' : metric.has(9) ? 'histogram' : 'other';
  return { name: text(metric, 1), unit: text(metric, 3), type };
}

function attributesOf(pairs: readonly Fields[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const value = messages(pair, 2)[0] as Fields;
      return [
        text(pair, 1),
        value.has(1)
          ? text(value, 1)
          : value.has(3)
            ? Number(value.get(3)?.[0])
            : doubleOf(value.get(4)?.[0] as bigint | undefined),
      ];
    }),
  );
}

function doubleOf(bits: bigint | undefined): number {
  return new Float64Array(BigInt64Array.of(bits ?? 0n).buffer)[0] as number;
}

/** The fields of a message by number: bytes or numbers. 64-bit fixed values are returned unchanged. */
function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, unknown[]>();
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    const value =
      type === WireType.LengthDelimited
        ? reader.bytes()
        : type === WireType.Varint
          ? reader.uint64()
          : type === WireType.Bit64
            ? BigInt(reader.sfixed64())
            : reader.float();
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

function messages(fields: Fields, number: number): readonly Fields[] {
  return (fields.get(number) ?? []).map((value) => fieldsOf(value as Uint8Array));
}

function text(fields: Fields, number: number): string {
  return Buffer.from((fields.get(number)?.[0] ?? []) as Uint8Array).toString('utf8');
}

function hex(fields: Fields, number: number): string {
  return Buffer.from((fields.get(number)?.[0] ?? []) as Uint8Array).toString('hex');
}
