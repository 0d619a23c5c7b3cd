import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect as connectSocket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@grpc/grpc-js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tlsChannel } from '../../proto/tls-channel.js';
import { type Listener, openListener } from '../../server/listen.js';
import { loadTls, type ServerTls } from '../../server/tls/server-tls.js';
import { grpcServer } from '../../server/transport/grpc/grpc-server.js';
import { type HttpServer, httpServer } from '../../server/transport/http/http-server.js';
import { makeCertificate } from '../support/certificate.js';
import { send } from '../support/server/http-client.js';
import { testServices } from './services.js';
import { closeWithoutDelay, loopbackConfig } from '../support/server/start.js';

const test = suite('TLS on the HTTP port');
const certificate = makeCertificate('authz');
const CHECK =
  '{"principal":{"id":"a","roles":["u"]},"resources":[{"resource":{"kind":"k","id":"1"},"actions":["read"]}]}';
let folder = '';
let tls: ServerTls;
let http: HttpServer;
let listener: Listener;
let address = '';

test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'authz-tls-'));
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(files.cert, certificate.cert);
  writeFileSync(files.key, certificate.key);
  tls = loadTls({ ...files, caCert: undefined, watch: false }, () => {});
  const config = loopbackConfig();
  const services = testServices(config);
  const grpc = grpcServer(config.server, services, tls);
  http = httpServer(config.server, services, { grpc: async () => grpc, tls });
  listener = await openListener({ address: config.server.httpListenAddr, socketMode: 0o766, onConnection: http.take });
  address = listener.address;
});
test.after(async () => {
  tls.close();
  await listener.close();
  await http.stop(1000);
  rmSync(folder, { recursive: true });
});

test('HTTP/1.1 clients are served', async () => {
  const text = await new Promise<string>((resolve, reject) => {
    const [host, port] = address.split(':');
    const call = httpsRequest(
      { host, port, path: '/api/check/resources', method: 'POST', ca: certificate.cert, agent: false },
      (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve(`${response.httpVersion} ${response.statusCode} ${body}`));
      },
    );
    call.on('error', reject);
    call.end(CHECK);
  });
  assert.match(text, /^1\.1 200 .*"read":"EFFECT_ALLOW"/);
});

test('HTTP/2 clients are served', async () => {
  const session = connectHttp2(`https://${address}`, { ca: certificate.cert });
  const stream = session.request({ ':method': 'POST', ':path': '/api/check/resources' });
  const status = new Promise((resolve, reject) => {
    stream.on('response', (headers) => resolve(headers[':status']));
    session.on('error', reject);
  });
  stream.resume();
  stream.end(CHECK);
  assert.is(await status, 200);
  assert.ok(session.encrypted);
  session.close();
});

test('AuthZEN metadata has https URLs, over both versions of HTTP', async () => {
  const path = '/.well-known/authzen-configuration';
  const over1 = await new Promise<string>((resolve, reject) => {
    const [host, port] = address.split(':');
    httpsRequest({ host, port, path, ca: certificate.cert, agent: false }, (response) =>
      response.setEncoding('utf8').on('data', resolve),
    )
      .on('error', reject)
      .end();
  });
  const session = connectHttp2(`https://${address}`, { ca: certificate.cert });
  const over2 = await new Promise<string>((resolve, reject) => {
    session.on('error', reject);
    session.request({ ':path': path }).setEncoding('utf8').on('data', resolve);
  });
  session.close();
  for (const text of [over1, over2]) assert.is(JSON.parse(text).policy_decision_point, `https://${address}`);
});

test('gRPC clients are served', async () => {
  const { credentials, options } = tlsChannel(address, { ca: Buffer.from(certificate.cert) });
  const client = new Client(address, credentials, options);
  const same = (bytes: Buffer): Buffer => bytes;
  const reply = await new Promise<Buffer | undefined>((resolve, reject) => {
    client.makeUnaryRequest('/authz.svc.v1.AuthzService/ServerInfo', same, same, Buffer.alloc(0), (error, bytes) =>
      error === null ? resolve(bytes) : reject(error),
    );
  });
  assert.ok(reply?.includes('1.2.3'));
  client.close();
});

test('clients without TLS get an error that says so', async () => {
  const answer = await send(address, 'GET', '/_authz/health');
  assert.is(answer.status, 400);
  assert.match(answer.text, 'Client sent an HTTP request to an HTTPS server.');
});

test('an idle port is free again when the server has stopped', async () => {
  const session = connectHttp2(`https://${address}`, { ca: certificate.cert });
  const silent = connectSocket(Number(address.split(':')[1]), '127.0.0.1');
  await Promise.all([session, silent].map((one) => new Promise((resolve) => one.on('connect', resolve))));
  const closed = Promise.all([session, silent].map((one) => new Promise((resolve) => one.on('close', resolve))));
  await listener.close();
  await closeWithoutDelay(() => http.stop(60_000));
  await closed;
  const next = createServer();
  await new Promise<void>((resolve, reject) =>
    next.on('error', reject).listen(Number(address.split(':')[1]), '127.0.0.1', resolve),
  );
  next.close();
});

test.run();
