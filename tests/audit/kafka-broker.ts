import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { compressionsAlgorithmsByBitmask } from '@platformatic/kafka';
import { SaslServer, type SaslUser } from './kafka-sasl.js';

/** A record from a producer, as the broker stub decoded it. */
export interface KeptRecord {
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly value: Buffer;
  readonly headers: ReadonlyMap<string, string>;
  readonly timestamp: number;
  readonly compression: number;
  readonly acks: number;
}

export interface Broker {
  readonly address: string;
  readonly records: readonly KeptRecord[];
  /** The number of records in each Produce request. */
  readonly requests: readonly number[];
  readonly close: () => Promise<void>;
}

export interface BrokerOptions {
  readonly topic: string;
  readonly partitions?: number;
  /** The error code for a Produce request, by its index; 0 is success. */
  readonly errorOf?: (request: number) => number;
  /** Delay before a Produce request is answered, in milliseconds. */
  readonly delay?: number;
  readonly tls?: TlsOptions;
  /** Who may send anything else than requests about versions and authentication; by default, everybody. */
  readonly sasl?: SaslUser;
  /** Whether records are read and kept; by default they are. */
  readonly keeps?: boolean;
}

const PRODUCE = 0;
const METADATA = 3;
const SASL_HANDSHAKE = 17;
const API_VERSIONS = 18;
const SASL_AUTHENTICATE = 36;
/** Error codes of the Kafka protocol. */
const UNSUPPORTED_MECHANISM = 33;
const AUTHENTICATION_FAILED = 58;

/** The versions that the stub supports: those with compact requests. */
const VERSIONS = [
  [PRODUCE, 9, 9],
  [METADATA, 12, 12],
  [API_VERSIONS, 3, 3],
] as const;

/** A stub of a Kafka broker: answers ApiVersions, Metadata and Produce, checks the batches and keeps the records. */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const records: KeptRecord[] = [];
  const requests: number[] = [];
  const sockets = new Set<Socket>();
  const serve = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    const sasl = options.sasl && new SaslServer(options.sasl);
    let rest = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
        const length = rest.readInt32BE(0);
        answer(socket, rest.subarray(4, 4 + length), sasl);
        rest = rest.subarray(4 + length);
      }
    });
  };
  const server: Server = options.tls === undefined ? createServer(serve) : createTlsServer(options.tls, serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = (server.address() as { readonly port: number }).port;

  function answer(socket: Socket, request: Buffer, sasl: SaslServer | undefined): void {
    const reader = new Reader(request);
    const api = reader.int16();
    reader.int16();
    const correlation = reader.int32();
    reader.nullableString();
    if (api === SASL_HANDSHAKE) {
      const error = reader.shortString() === options.sasl?.mechanism ? 0 : UNSUPPORTED_MECHANISM;
      const mechanism = options.sasl?.mechanism ?? '';
      const body = new Writer().int16(error).int32(1).int16(mechanism.length).bytes(Buffer.from(mechanism));
      return void socket.write(framed(correlation, false, body));
    }
    reader.tags();
    if (api === SASL_AUTHENTICATE) {
      const bytes = sasl?.answer(reader.compactBytes());
      const error = bytes === undefined ? AUTHENTICATION_FAILED : 0;
      const body = new Writer()
        .int16(error)
        .uvarint(0)
        .uvarint((bytes?.length ?? 0) + 1);
      return void socket.write(
        framed(
          correlation,
          true,
          body
            .bytes(bytes ?? Buffer.alloc(0))
            .int64(0n)
            .tags(),
        ),
      );
    }
    if (api !== API_VERSIONS && sasl?.isDone === false) return void socket.destroy();
    if (api === API_VERSIONS) socket.write(framed(correlation, false, versions()));
    else if (api === METADATA)
      socket.write(framed(correlation, true, metadata(options.topic, options.partitions ?? 1, port)));
    else if (api === PRODUCE) produce(socket, correlation, reader);
    else socket.destroy();
  }

  function produce(socket: Socket, correlation: number, reader: Reader): void {
    const error = options.errorOf?.(requests.length) ?? 0;
    reader.compactString();
    const acks = reader.int16();
    reader.int32();
    const partitions: { readonly topic: string; readonly partition: number }[] = [];
    let count = 0;
    reader.compactArray(() => {
      const topic = reader.compactString();
      reader.compactArray(() => {
        const partition = reader.int32();
        const bytes = reader.compactBytes();
        const batch = options.keeps === false ? [] : batchOf(bytes);
        count += batch.length;
        if (error === 0) for (const record of batch) records.push({ ...record, topic, partition, acks });
        partitions.push({ topic, partition });
        reader.tags();
      });
      reader.tags();
    });
    requests.push(count);
    if (acks === 0) return;
    const respond = (): void => void socket.write(framed(correlation, true, produced(partitions, error)));
    if (options.delay === undefined) respond();
    else setTimeout(respond, options.delay).unref();
  }

  return {
    address: `127.0.0.1:${port}`,
    records,
    requests,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function versions(): Writer {
  const writer = new Writer().int16(0).uvarint(VERSIONS.length + 1);
  for (const [api, min, max] of VERSIONS) writer.int16(api).int16(min).int16(max).tags();
  return writer.int32(0).tags();
}

function metadata(topic: string, partitions: number, port: number): Writer {
  const writer = new Writer().int32(0).uvarint(2).int32(1).string('127.0.0.1').int32(port).uvarint(0).tags();
  writer
    .string('stand-in')
    .int32(1)
    .uvarint(2)
    .int16(0)
    .string(topic)
    .bytes(Buffer.alloc(16, 7))
    .int8(0)
    .uvarint(partitions + 1);
  for (let index = 0; index < partitions; index++) {
    writer.int16(0).int32(index).int32(1).int32(0).uvarint(2).int32(1).uvarint(2).int32(1).uvarint(1).tags();
  }
  return writer.int32(0).tags().tags();
}

function produced(
  partitions: readonly { readonly topic: string; readonly partition: number }[],
  error: number,
): Writer {
  const topics = [...new Set(partitions.map(({ topic }) => topic))];
  const writer = new Writer().uvarint(topics.length + 1);
  for (const topic of topics) {
    const own = partitions.filter((partition) => partition.topic === topic);
    writer.string(topic).uvarint(own.length + 1);
    for (const { partition } of own)
      writer.int32(partition).int16(error).int64(0n).int64(-1n).int64(0n).uvarint(1).uvarint(0).tags();
    writer.tags();
  }
  return writer.int32(0).tags();
}

function framed(correlation: number, hasTags: boolean, body: Writer): Buffer {
  const head = new Writer().int32(correlation);
  if (hasTags) head.tags();
  const content = Buffer.concat([head.done(), body.done()]);
  return Buffer.concat([new Writer().int32(content.length).done(), content]);
}

/** A record batch of version 2. */
function batchOf(bytes: Buffer): readonly Omit<KeptRecord, 'topic' | 'partition' | 'acks'>[] {
  const head = new Reader(bytes);
  head.skip(8 + 4 + 4);
  if (head.int8() !== 2) throw new Error('not a record batch of version 2');
  head.skip(4);
  const compression = head.int16() & 7;
  head.skip(4);
  const base = Number(head.int64());
  head.skip(8 + 8 + 2 + 4);
  const count = head.int32();
  const algorithm = compressionsAlgorithmsByBitmask[String(compression)];
  const content = compression === 0 ? head.rest() : (algorithm?.decompressSync(head.rest()) ?? Buffer.alloc(0));
  const reader = new Reader(content);
  return Array.from({ length: count }, () => {
    reader.varint();
    reader.int8();
    const timestamp = base + reader.varint();
    reader.varint();
    const key = reader.take(reader.varint()).toString('utf8');
    const value = Buffer.from(reader.take(reader.varint()));
    const headers = new Map<string, string>();
    for (let left = reader.varint(); left > 0; left--) {
      const name = reader.take(reader.varint()).toString('utf8');
      headers.set(name, reader.take(reader.varint()).toString('utf8'));
    }
    return { key, value, headers, timestamp, compression };
  });
}

class Reader {
  #at = 0;
  constructor(private readonly bytes: Buffer) {}
  take(length: number): Buffer {
    const start = this.#at;
    this.#at += Math.max(length, 0);
    return this.bytes.subarray(start, this.#at);
  }
  rest(): Buffer {
    return this.take(this.bytes.length - this.#at);
  }
  skip(length: number): void {
    this.#at += length;
  }
  int8 = (): number => this.take(1).readInt8();
  int16 = (): number => this.take(2).readInt16BE();
  int32 = (): number => this.take(4).readInt32BE();
  int64 = (): bigint => this.take(8).readBigInt64BE();
  uvarint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.take(1).readUInt8();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }
  varint(): number {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.take(1).readUInt8();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number((value >> 1n) ^ -(value & 1n));
    }
  }
  shortString(): string {
    return this.take(this.int16()).toString('utf8');
  }
  nullableString(): void {
    this.take(this.int16());
  }
  compactBytes(): Buffer {
    return this.take(this.uvarint() - 1);
  }
  compactString(): string {
    return this.compactBytes().toString('utf8');
  }
  compactArray(item: () => void): void {
    for (let left = this.uvarint() - 1; left > 0; left--) item();
  }
  tags(): void {
    this.uvarint();
  }
}

class Writer {
  readonly #parts: Buffer[] = [];
  #add(size: number, write: (bytes: Buffer) => void): this {
    const bytes = Buffer.alloc(size);
    write(bytes);
    this.#parts.push(bytes);
    return this;
  }
  int8 = (value: number): this => this.#add(1, (bytes) => bytes.writeInt8(value));
  int16 = (value: number): this => this.#add(2, (bytes) => bytes.writeInt16BE(value));
  int32 = (value: number): this => this.#add(4, (bytes) => bytes.writeInt32BE(value));
  int64 = (value: bigint): this => this.#add(8, (bytes) => bytes.writeBigInt64BE(value));
  bytes(bytes: Buffer): this {
    this.#parts.push(bytes);
    return this;
  }
  uvarint(value: number): this {
    const bytes: number[] = [];
    let rest = value;
    for (; rest > 127; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
    return this.bytes(Buffer.from([...bytes, rest]));
  }
  string(text: string): this {
    return this.uvarint(Buffer.byteLength(text) + 1).bytes(Buffer.from(text));
  }
  tags(): this {
    return this.uvarint(0);
  }
  done(): Buffer {
    return Buffer.concat(this.#parts);
  }
}
