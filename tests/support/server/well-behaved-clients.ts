import { Agent, type ClientRequest, request as requestHttp } from 'node:http';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { Agent as TlsAgent, request as requestHttps } from 'node:https';
import { type ChannelCredentials, Client, credentials } from '@grpc/grpc-js';
import * as assert from 'uvu/assert';
import { until } from '../timeout.js';

/** The addresses of a server. */
export interface Addresses {
  readonly http: string;
  readonly grpc: string;
}

/** ServerReflectionRequest.list_services. */
const LIST_SERVICES = Buffer.from([0x3a, 0]);
/** An empty message in JSON, in the frame of Connect streams. */
const EMPTY_MESSAGE = Buffer.from('\0\0\0\0\x02{}');
const OPTIONS = { 'grpc.ssl_target_name_override': 'localhost' };

const same = (bytes: Buffer): Buffer => bytes;

/** Streams that are open all the time with little traffic: two of gRPC, one of Connect over HTTP/1.1. */
export class OpenStreams {
  /** The number of their connections. */
  static readonly CONNECTIONS: number = 3;
  readonly problems: string[] = [];
  readonly #watcher: Client;
  readonly #reflector: Client;
  readonly #watch;
  readonly #reflection;
  readonly #http1: ClientRequest;
  #reflections = 0;

  /** @param certificate the certificate of the server; undefined: plaintext. */
  constructor({ http, grpc }: Addresses, certificate?: string) {
    const options = { ...OPTIONS, 'grpc.use_local_subchannel_pool': 1 };
    this.#watcher = new Client(grpc, securityOf(certificate), options);
    this.#watch = this.#watcher.makeServerStreamRequest('/grpc.health.v1.Health/Watch', same, same, Buffer.alloc(0));
    this.#watch.on('data', () => {});
    this.#watch.on('error', (error) => this.problems.push(`watching health: ${error.message}`));
    this.#reflector = new Client(grpc, securityOf(certificate), options);
    this.#reflection = this.#reflector.makeBidiStreamRequest(
      '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
      same,
      same,
    );
    this.#reflection.on('data', () => {
      this.#reflections += 1;
    });
    this.#reflection.on('error', (error) => this.problems.push(`reflection: ${error.message}`));
    this.#reflection.write(LIST_SERVICES);
    this.#http1 = requestOf(
      http,
      '/grpc.health.v1.Health/Watch',
      { agent: false, method: 'POST', headers: { 'content-type': 'application/connect+json' } },
      certificate,
    );
    this.#http1.on('error', (error) => this.problems.push(`watching health over HTTP/1.1: ${error.message}`));
    this.#http1.on('response', (response) => {
      response.resume().once('end', () => this.problems.push('watching health over HTTP/1.1: the stream has ended'));
    });
    this.#http1.end(EMPTY_MESSAGE);
  }

  /** Rejects when one of them was cut. */
  async leave(): Promise<void> {
    this.#reflection.write(LIST_SERVICES);
    await until(() => this.#reflections === 2 || this.problems.length > 0, 'the last answers');
    this.close();
    assert.equal(this.problems, []);
  }

  close(): void {
    for (const call of [this.#watch, this.#reflection]) call.on('error', () => {}).cancel();
    for (const client of [this.#watcher, this.#reflector]) client.close();
    this.#http1
      .removeAllListeners()
      .on('error', () => {})
      .destroy();
  }
}

/** Well-behaved clients: streams, and repeated calls on keep-alive connections. */
export class WellBehavedClients {
  static readonly CONNECTIONS: number = OpenStreams.CONNECTIONS + 3;
  readonly #streams: OpenStreams;
  readonly #http2: ClientHttp2Session;
  readonly #agent: Agent;
  readonly #grpc: Client;
  readonly #askHttp1: () => ClientRequest;
  #answers = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(addresses: Addresses, certificate?: string) {
    const { http, grpc } = addresses;
    this.#streams = new OpenStreams(addresses, certificate);
    this.#http2 = connectHttp2(`${schemeOf(certificate)}://${http}`, { ca: certificate });
    for (const event of ['close', 'goaway', 'error'] as const)
      this.#http2.on(event, () => this.#problem(`the session of HTTP/2 had: ${event}`));
    this.#grpc = new Client(grpc, securityOf(certificate), OPTIONS);
    this.#agent = certificate === undefined ? new Agent(ONE_CONNECTION) : new TlsAgent(ONE_CONNECTION);
    this.#askHttp1 = () => requestOf(http, '/_authz/health', { agent: this.#agent }, certificate);
    this.#timer = setInterval(() => this.#ask(), 200);
    this.#ask();
  }

  #problem(problem: string): void {
    this.#streams.problems.push(problem);
  }

  #answered(status: number | undefined): void {
    if (status === 200) this.#answers++;
    else this.#problem(`status ${status}`);
  }

  #ask(): void {
    if (this.#http2.destroyed || this.#http2.closed) return;
    const stream = this.#http2.request({ ':path': '/_authz/health' });
    stream.on('response', ({ ':status': status }) => this.#answered(status));
    stream.on('error', (error) => this.#problem(`HTTP/2: ${error.message}`));
    stream.resume();
    const call = this.#askHttp1();
    call.on('response', (response) => this.#answered(response.resume().statusCode));
    call.on('error', (error) => this.#problem(`HTTP/1.1: ${error.message}`));
    call.end();
    this.#grpc.makeUnaryRequest('/grpc.health.v1.Health/Check', same, same, Buffer.alloc(0), (error) =>
      error === null ? this.#answers++ : this.#problem(`gRPC: ${error.message}`),
    );
  }

  /** Rejects when one of them had an unexpected response. */
  async leave(): Promise<void> {
    await until(() => this.#answers > 15 || this.#streams.problems.length > 0, 'answers to good clients');
    clearInterval(this.#timer);
    await this.#streams.leave();
    this.close();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#streams.close();
    this.#http2.removeAllListeners();
    this.#http2.on('error', () => {});
    this.#http2.destroy();
    this.#agent.destroy();
    this.#grpc.close();
  }
}

const ONE_CONNECTION = { keepAlive: true, maxSockets: 1 };

function schemeOf(certificate: string | undefined): string {
  return certificate === undefined ? 'http' : 'https';
}

function securityOf(certificate: string | undefined): ChannelCredentials {
  return certificate === undefined ? credentials.createInsecure() : credentials.createSsl(Buffer.from(certificate));
}

function requestOf(http: string, path: string, options: object, certificate: string | undefined): ClientRequest {
  const url = `${schemeOf(certificate)}://${http}${path}`;
  return certificate === undefined ? requestHttp(url, options) : requestHttps(url, { ...options, ca: certificate });
}
