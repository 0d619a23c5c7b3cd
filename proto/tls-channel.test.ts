import { Client, Server, ServerCredentials, type ServiceError } from '@grpc/grpc-js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeCertificate, type TestCertificate } from '../tests/support/certificate.js';
import { type TlsPems, tlsChannel } from './tls-channel.js';

const same = (bytes: Buffer): Buffer => bytes;
const METHOD = {
  path: '/test.Echo/Echo',
  requestStream: false,
  responseStream: false,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
} as const;

/** Serves an echo on a loopback address while `run` is under way. */
async function serving(
  host: string,
  certificate: TestCertificate,
  run: (port: number) => Promise<void>,
): Promise<void> {
  const server = new Server();
  server.addService(
    { echo: METHOD },
    {
      echo: (call: { readonly request: Buffer }, done: (error: null, value: Buffer) => void) =>
        done(null, call.request),
    },
  );
  const pair = { cert_chain: Buffer.from(certificate.cert), private_key: Buffer.from(certificate.key) };
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(host, ServerCredentials.createSsl(null, [pair]), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  try {
    await run(port);
  } finally {
    server.forceShutdown();
  }
}

/** What the echo says, or why it does not. */
function callEcho(address: string, pems: TlsPems, insecure = false): Promise<string> {
  const { credentials, options } = tlsChannel(
    address,
    pems,
    insecure ? { rejectUnauthorized: false, checkServerIdentity: () => undefined } : {},
  );
  const client = new Client(address, credentials, options);
  return new Promise<string>((resolve) =>
    client.makeUnaryRequest(METHOD.path, same, same, Buffer.from('hi'), (error: ServiceError | null, value) =>
      resolve(error === null ? String(value) : error.details),
    ),
  ).finally(() => client.close());
}

const certificate = makeCertificate('server');
const pems = { ca: Buffer.from(certificate.cert) };

test('a server can be addressed by name and by IP address, in every form', () =>
  serving('127.0.0.1:0', certificate, async (port) => {
    for (const address of [
      `localhost:${port}`,
      `127.0.0.1:${port}`,
      `dns:127.0.0.1:${port}`,
      `dns:///127.0.0.1:${port}`,
      `ipv4:127.0.0.1:${port}`,
    ]) {
      assert.is(await callEcho(address, pems), 'hi', address);
    }
  }));

test('a server can be addressed by IPv6', () =>
  serving('[::1]:0', certificate, async (port) => {
    for (const address of [`[::1]:${port}`, `ipv6:[::1]:${port}`])
      assert.is(await callEcho(address, pems), 'hi', address);
  }));

test('the certificate must be valid for the IP address and signed by a trusted CA', () =>
  serving('127.0.0.2:0', certificate, async (port) => {
    assert.match(await callEcho(`127.0.0.2:${port}`, pems), "IP: 127.0.0.2 is not in the cert's list");
    assert.match(await callEcho(`127.0.0.2:${port}`, {}), 'self-signed certificate');
    assert.is(await callEcho(`127.0.0.2:${port}`, {}, true), 'hi');
  }));

test.run();
