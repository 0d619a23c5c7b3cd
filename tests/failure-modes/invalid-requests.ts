import { request } from 'node:http';
import { connect } from 'node:net';
import { CHECK } from '../support/cli/policies.js';

/** A request that no server should accept. */
export interface InvalidRequest {
  readonly kind: string;
  /** Resolves with the status, or with 0 when the connection was closed without one. */
  readonly send: (http: string) => Promise<number>;
}

const GOOD = JSON.stringify(CHECK);
const PATH = '/api/check/resources';
const CONNECT = '/authz.svc.v1.AuthzService/CheckResources';
const JSON_TYPE = { 'content-type': 'application/json' };

/** The `index`th of an endless sequence of invalid requests. The kinds repeat in turn, each time slightly different. */
export function invalidRequest(index: number): InvalidRequest {
  const make = KINDS[index % KINDS.length] as (seed: number) => InvalidRequest;
  return make(Math.floor(index / KINDS.length));
}

/** The number of kinds. */
export const kindCount = (): number => KINDS.length;

const KINDS: readonly ((seed: number) => InvalidRequest)[] = [
  (seed) => post('JSON cut off', PATH, GOOD.slice(0, 1 + (seed % (GOOD.length - 1)))),
  (seed) =>
    post(
      'JSON with a wrong character',
      PATH,
      `${GOOD.slice(0, seed % GOOD.length)}\u0001${GOOD.slice(seed % GOOD.length)}`,
    ),
  () => post('no body', PATH, ''),
  () => post('not an object', PATH, '[1,2,3]'),
  (seed) => post('unknown field', PATH, JSON.stringify({ ...CHECK, [`field${seed}`]: 1 })),
  () => post('field twice', PATH, `{"requestId":"a","requestId":"b",${GOOD.slice(1)}`),
  () => post('wrong type', PATH, JSON.stringify({ ...CHECK, principal: 'ann' })),
  () => post('no principal', PATH, JSON.stringify({ ...CHECK, principal: undefined })),
  () => post('no actions', PATH, JSON.stringify({ ...CHECK, resources: [{ ...CHECK.resources[0], actions: [] }] })),
  () =>
    post(
      'too many actions',
      PATH,
      JSON.stringify({
        ...CHECK,
        resources: [{ ...CHECK.resources[0], actions: Array.from({ length: 60 }, (_, n) => `a${n}`) }],
      }),
    ),
  () =>
    post(
      'too many resources',
      PATH,
      JSON.stringify({ ...CHECK, resources: Array.from({ length: 60 }, () => CHECK.resources[0]) }),
    ),
  () =>
    post(
      'too deep',
      PATH,
      `{"principal":{"id":"a","roles":["u"],"attr":{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}}}`,
    ),
  () =>
    post(
      'bytes that are no UTF-8',
      PATH,
      Buffer.concat([Buffer.from('{"requestId":"'), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('"}')]),
    ),
  () => post('an invalid token', PATH, JSON.stringify({ ...CHECK, auxData: { jwt: { token: 'a.b.c' } } })),
  (seed) => call('unknown path', 'GET', `/nowhere/${seed}`, ''),
  (seed) => call('wrong method', ['PUT', 'DELETE', 'PATCH', 'GET'][seed % 4] as string, PATH, ''),
  (seed) =>
    post('bad protobuf', CONNECT, Buffer.from(Array.from({ length: 40 }, (_, n) => (n * 37 + seed * 101 + 7) & 255)), {
      'content-type': 'application/proto',
    }),
  () => post('an unsupported media type', CONNECT, GOOD, { 'content-type': 'text/nonsense' }),
  () => post('Connect with a bad timeout', CONNECT, GOOD.slice(1), { ...JSON_TYPE, 'connect-timeout-ms': 'soon' }),
  (seed) => raw('an invalid request line', `NONSENSE${seed} \r\n\r\n`),
  () => raw('a header without a name', `POST ${PATH} HTTP/1.1\r\nHost: x\r\n: none\r\n\r\n`),
  () => raw('two lengths', `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`),
  () =>
    raw(
      'length and chunks',
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ),
  () => raw('an invalid chunk', `POST ${PATH} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`),
  () => raw('bytes of TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])),
  () => raw('a path with a line break', 'GET /a\nb HTTP/1.1\r\nHost: x\r\n\r\n'),
];

/** A body over the size limit. It is sent rarely, because it is large. */
export const oversize: InvalidRequest = post('too large', PATH, `{"requestId":"${'x'.repeat(9 * 1024 * 1024)}"}`);

function post(
  kind: string,
  path: string,
  body: string | Buffer,
  headers: { readonly [name: string]: string } = {},
): InvalidRequest {
  return call(kind, 'POST', path, body, headers);
}

function call(
  kind: string,
  method: string,
  path: string,
  body: string | Buffer,
  headers: { readonly [name: string]: string } = {},
): InvalidRequest {
  return {
    kind,
    send: (http) =>
      new Promise((resolve) => {
        const outgoing = request(
          `http://${http}`,
          { method, path, headers: { ...headers }, agent: false, signal: AbortSignal.timeout(RESPONSE_TIMEOUT) },
          (response) => {
            response.resume().on('error', () => {});
            resolve(response.statusCode ?? 0);
          },
        );
        outgoing.on('error', () => resolve(0));
        outgoing.end(body);
      }),
  };
}

/** Maximum time to wait for a response, in milliseconds. */
const RESPONSE_TIMEOUT = 60_000;

function raw(kind: string, bytes: string | Buffer): InvalidRequest {
  return {
    kind,
    send: (http) =>
      new Promise((resolve) => {
        const [host, port] = http.split(':');
        const socket = connect(Number(port), host, () => socket.end(bytes));
        let text = '';
        socket.setTimeout(RESPONSE_TIMEOUT, () => socket.destroy());
        socket.on('data', (chunk) => {
          text += chunk.toString('latin1');
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)));
      }),
  };
}
