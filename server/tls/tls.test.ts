import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttps, request } from 'node:https';
import { connect as connectHttp2, createSecureServer } from 'node:http2';
import { type AddressInfo, connect as connectTcp, type Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type ConnectionOptions } from 'node:tls';
import { Client, Metadata, Server as GrpcServer } from '@grpc/grpc-js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tlsChannel } from '../../proto/tls-channel.js';
import { makeCertificate } from '../../tests/support/certificate.js';
import { ConfigError } from '../config/config-error.js';
import { openListener } from '../listen.js';
import { BodyBudget } from '../transport/body-budget.js';
import { grpcListener } from '../transport/grpc/grpc-listener.js';
import { grpcStreamHandler } from '../transport/grpc/serve-stream.js';
import { loadTls, type ServerTls, type TlsEvent } from './server-tls.js';
import { until } from '../../tests/support/timeout.js';

const test = suite('TLS');
const authority = makeCertificate('authority');
const stranger = makeCertificate('stranger');
const first = makeCertificate('first', authority);
const second = makeCertificate('second', authority);
const client = makeCertificate('client', authority);
const foreign = makeCertificate('foreign', stranger);
let folder = '';
const opened: { close: () => unknown }[] = [];
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'authz-tls-'));
});
test.after.each(() => {
  for (const one of opened.splice(0)) one.close();
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);
const put = (name: string, text: string): void => writeFileSync(at(name), text);

function load(options: { readonly ca?: boolean; readonly watch?: boolean } = {}): {
  readonly tls: ServerTls;
  readonly events: TlsEvent[];
} {
  put('cert.pem', first.cert);
  put('key.pem', first.key);
  put('ca.pem', authority.cert);
  const events: TlsEvent[] = [];
  const tls = loadTls(
    {
      cert: at('cert.pem'),
      key: at('key.pem'),
      caCert: options.ca === true ? at('ca.pem') : undefined,
      watch: options.watch ?? false,
    },
    (event) => events.push(event),
  );
  opened.push(tls);
  return { tls, events };
}

async function listen(server: NetServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(server);
  return (server.address() as AddressInfo).port;
}

async function https(tls: ServerTls): Promise<number> {
  const server = createHttps(tls.options(), (_request, response) => response.end('hello'));
  tls.guardHttp(server);
  return listen(server);
}

/** The name in the certificate that a server presents, and whether it kept the connection. */
function handshake(
  port: number,
  options: ConnectionOptions = {},
): Promise<{ readonly name: string; readonly kept: boolean; readonly protocol: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: authority.cert, ...options });
    let name = '';
    let protocol = '';
    socket.on('error', (error) => (name === '' ? reject(error) : resolve({ name, kept: false, protocol })));
    socket.on('secureConnect', () => {
      name = String(socket.getPeerCertificate().subject.CN);
      protocol = String(socket.getProtocol());
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    socket.on('data', () => {
      resolve({ name, kept: true, protocol });
      socket.destroy();
    });
    socket.on('close', () => resolve({ name, kept: false, protocol }));
  });
}

function get(port: number, agent: { readonly ca: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', servername: 'localhost', ...agent, agent: false }, (response) =>
      response.on('data', (data: Buffer) => resolve(data.toString())),
    )
      .on('error', reject)
      .end();
  });
}

test('the server uses the certificate of the files, with TLS 1.2 or later', async () => {
  const port = await https(load().tls);
  assert.is(await get(port, { ca: authority.cert }), 'hello');
  assert.equal(await handshake(port, { maxVersion: 'TLSv1.2' }), { name: 'first', kept: true, protocol: 'TLSv1.2' });
  await handshake(port, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }).then(
    () => assert.unreachable('TLS 1.1'),
    () => undefined,
  );
});

test('plaintext HTTP has a response 400 that says so', async () => {
  const port = await https(load().tls);
  const answer = await new Promise<string>((resolve) => {
    const socket = connectTcp(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    let text = '';
    socket.on('data', (data) => {
      text += data.toString();
    });
    socket.on('close', () => resolve(text));
  });
  assert.match(
    answer,
    /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\n\r\nClient sent an HTTP request to an HTTPS server\.\n$/,
  );
});

test('HTTP/2 and HTTP/1.1 are served on one port', async () => {
  const { tls } = load();
  const secure = createSecureServer({ ...tls.options(), allowHTTP1: true }, (_request, response) =>
    response.end('hello'),
  );
  tls.guardHttp(secure);
  const port = await listen(secure);
  assert.is(await get(port, { ca: authority.cert }), 'hello');
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: authority.cert });
  const text = await new Promise<string>((resolve) =>
    session.request({ ':path': '/' }).on('data', (data: Buffer) => resolve(data.toString())),
  );
  session.destroy();
  assert.is(text, 'hello');
});

test('a client certificate is optional, but must be signed by a trusted CA', async () => {
  const port = await https(load({ ca: true }).tls);
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    assert.ok((await handshake(port, { maxVersion })).kept, maxVersion);
    assert.ok((await handshake(port, { maxVersion, cert: client.cert, key: client.key })).kept, maxVersion);
    const refused = await handshake(port, { maxVersion, cert: foreign.cert, key: foreign.key }).catch(() => ({
      kept: false,
    }));
    assert.not(refused.kept, maxVersion);
  }
});

test('invalid TLS settings fail the start with the key and the file', () => {
  put('cert.pem', first.cert);
  put('key.pem', first.key);
  put('other.pem', second.key);
  put('text.pem', 'no certificate');
  const problem = (cert: string, key: string, caCert?: string): string => {
    try {
      loadTls(
        { cert: at(cert), key: at(key), caCert: caCert === undefined ? undefined : at(caCert), watch: false },
        () => undefined,
      ).close();
    } catch (error) {
      assert.instance(error, ConfigError);
      return (error as Error).message.replaceAll(`${folder}/`, '');
    }
    return 'started';
  };
  assert.is(problem('none.pem', 'key.pem'), 'server.tls.cert: `none.pem` cannot be read: file not found');
  assert.is(problem('cert.pem', 'none.pem'), 'server.tls.key: `none.pem` cannot be read: file not found');
  assert.is(problem('cert.pem', 'key.pem', 'none.pem'), 'server.tls.caCert: `none.pem` cannot be read: file not found');
  assert.is(problem('text.pem', 'key.pem'), 'server.tls.cert: `text.pem` contains no certificate (PEM)');
  assert.is(problem('cert.pem', 'text.pem'), 'server.tls.key: `text.pem` contains no unencrypted private key (PEM)');
  assert.is(problem('cert.pem', 'key.pem', 'text.pem'), 'server.tls.caCert: `text.pem` contains no certificate (PEM)');
  assert.is(
    problem('cert.pem', 'other.pem'),
    'server.tls.key: the key in `other.pem` does not match the certificate in `cert.pem`',
  );
  assert.is(problem('cert.pem', 'key.pem'), 'started');
});

test('changed files are used from the next connection on, and invalid ones leave the last good certificate', async () => {
  const { tls, events } = load({ watch: true });
  const port = await https(tls);
  put('cert.pem', second.cert);
  await until(() => events.length > 0, 'an event');
  assert.is(events[0]?.kind, 'refused');
  assert.is((await handshake(port)).name, 'first');
  put('key.pem', second.key);
  await until(() => events.some((event) => event.kind === 'reloaded'), 'the new certificate');
  assert.is((await handshake(port)).name, 'second');
});

test('a signal reloads the files, and a problem is logged once', async () => {
  const { tls, events } = load();
  const port = await https(tls);
  put('cert.pem', second.cert);
  put('key.pem', second.key);
  process.emit('SIGHUP');
  assert.equal(events, [{ kind: 'reloaded' }]);
  assert.is((await handshake(port)).name, 'second');
  put('key.pem', 'x');
  tls.reload();
  tls.reload();
  assert.is(events.length, 2);
});

test('gRPC is served on the port too, follows the files, and stops with them', async () => {
  const { tls, events } = load({ ca: true });
  const server = new GrpcServer();
  const pass = (value: Buffer): Buffer => value;
  let peer = '';
  server.addService(
    {
      echo: {
        path: '/test/echo',
        requestStream: false,
        responseStream: false,
        requestSerialize: pass,
        requestDeserialize: pass,
        responseSerialize: pass,
        responseDeserialize: pass,
      },
    },
    {
      echo: (
        call: { request: Buffer; getPeer: () => string; getAuthContext: () => { transportSecurityType?: string } },
        done: (error: null, value: Buffer) => void,
      ) => {
        peer = `${call.getPeer()} ${call.getAuthContext().transportSecurityType}`;
        done(null, call.request);
      },
    },
  );
  const listener = grpcListener(grpcStreamHandler(server, new BodyBudget(0)), {
    maxConcurrentStreams: 0,
    maxConnectionAge: 0,
    connectionTimeout: 60_000,
    readHeaderTimeout: 0,
    readTimeout: 0,
    writeTimeout: 0,
    idleTimeout: 0,
    streamsRequest: () => false,
    tls,
  });
  const opened = await openListener({
    address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
    socketMode: 0o766,
    onConnection: listener.take,
  });
  const { address } = opened;
  const call = (...pair: readonly Buffer[]): Promise<string> => {
    const { credentials, options } = tlsChannel(address, {
      ca: Buffer.from(authority.cert),
      key: pair[0],
      cert: pair[1],
    });
    const caller = new Client(address, credentials, options);
    return new Promise<string>((resolve) => {
      const deadline = Date.now() + 60_000;
      caller.makeUnaryRequest(
        '/test/echo',
        pass,
        pass,
        Buffer.from('hi'),
        new Metadata(),
        { deadline },
        (error, value) => {
          caller.close();
          resolve(error === null ? String(value) : 'refused');
        },
      );
    });
  };
  assert.is(await call(), 'hi');
  assert.match(peer, /^127\.0\.0\.1:\d+ /);
  assert.is(await call(Buffer.from(client.key), Buffer.from(client.cert)), 'hi');
  assert.match(peer, /^127\.0\.0\.1:\d+ ssl$/);
  assert.is(await call(Buffer.from(foreign.key), Buffer.from(foreign.cert)), 'refused');
  put('cert.pem', second.cert);
  put('key.pem', second.key);
  tls.reload();
  assert.equal(events, [{ kind: 'reloaded' }]);
  const port = Number(address.split(':').at(-1));
  assert.is((await handshake(port, { ALPNProtocols: ['h2'] })).name, 'second');
  assert.is(await call(), 'hi');
  tls.close();
  await opened.close();
  await listener.stop(1000);
  assert.is(await call(), 'refused');
});

test.run();
