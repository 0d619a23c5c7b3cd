import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlain, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server as GrpcServer } from '@grpc/grpc-js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { healthcheck } from '../../packages/cli/commands/healthcheck.js';
import { makeTarget } from '../../packages/cli/health/target.js';
import { openListener } from '../../server/listen.js';
import { Health } from '../../server/service/health.js';
import { HEALTH_NAMES, type Services } from '../../server/service/services.js';
import { loadTls } from '../../server/tls/server-tls.js';
import { BodyBudget } from '../../server/transport/body-budget.js';
import { grpcListener } from '../../server/transport/grpc/grpc-listener.js';
import { grpcStreamHandler } from '../../server/transport/grpc/serve-stream.js';
import { addRpcServices } from '../../server/transport/grpc/rpc-services.js';
import { recordedContext } from '../support/cli/recorded-context.js';
import { makeCertificate } from '../support/certificate.js';

const test = suite('healthcheck');
const authority = makeCertificate('authority');
const certificate = makeCertificate('server', authority);
const closers: (() => void)[] = [];
let folder = '';
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'authz-health-'));
  writeFileSync(at('cert.pem'), certificate.cert);
  writeFileSync(at('key.pem'), certificate.key);
  writeFileSync(at('ca.pem'), authority.cert);
  writeFileSync(at('other.pem'), makeCertificate('other').cert);
});
test.after.each(() => {
  for (const close of closers.splice(0)) close();
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);

/** Runs the command in this process and keeps its output. */
async function ask(
  options: Partial<Parameters<typeof healthcheck>[0]>,
): Promise<{ readonly code: number; readonly out: string; readonly problem: string }> {
  const context = recordedContext();
  const code = await healthcheck({ kind: 'grpc', tls: true, timeout: '10m', ...options }, context);
  return { code, out: context.printed().trimEnd(), problem: context.said().trimEnd() };
}

async function httpServer(
  body: string,
  options: { readonly secure?: boolean; readonly path?: string; readonly status?: number } = {},
): Promise<string> {
  const answer = (
    request: { readonly url?: string | undefined },
    response: { writeHead: (status: number) => void; end: (text: string) => void },
  ): void => {
    response.writeHead(request.url === '/_authz/health' ? (options.status ?? 200) : 404);
    response.end(body);
  };
  const server: Server =
    options.secure === true
      ? createSecure({ cert: certificate.cert, key: certificate.key }, answer)
      : createPlain(answer);
  await new Promise<void>((resolve) =>
    options.path === undefined ? server.listen(0, '127.0.0.1', resolve) : server.listen(options.path, resolve),
  );
  closers.push(() => server.close());
  return options.path === undefined ? `127.0.0.1:${(server.address() as AddressInfo).port}` : `unix:${options.path}`;
}

async function grpcServer(
  options: { readonly secure?: boolean; readonly path?: string } = {},
): Promise<{ readonly address: string; readonly health: Health }> {
  const server = new GrpcServer();
  const health = new Health(HEALTH_NAMES);
  const release = { version: '', commit: '', buildDate: '', bundleHash: '', bundleProvenance: undefined };
  const services: Partial<Services> = { health, release, maxMessageSize: 4096, report: () => {} };
  addRpcServices(server, services as Services, '');
  const tls =
    options.secure === true
      ? loadTls({ cert: at('cert.pem'), key: at('key.pem'), caCert: undefined, watch: false }, () => undefined)
      : undefined;
  const target =
    options.path === undefined
      ? ({ kind: 'tcp', host: '127.0.0.1', port: 0 } as const)
      : ({ kind: 'unix', path: options.path } as const);
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
  const opened = await openListener({ address: target, socketMode: 0o766, onConnection: listener.take });
  closers.push(() => {
    tls?.close();
    void opened.close();
    void listener.stop(0);
  });
  return { address: opened.address, health };
}

test('a serving server is healthy over gRPC until it stops', async () => {
  const { address, health } = await grpcServer();
  assert.equal(await ask({ hostPort: address, tls: false }), { code: 0, out: 'SERVING', problem: '' });
  health.stop();
  assert.equal(await ask({ hostPort: address, tls: false }), { code: 1, out: 'NOT_SERVING', problem: '' });
});

test('a serving server is healthy over HTTP, and the response is printed', async () => {
  assert.equal(await ask({ kind: 'http', hostPort: await httpServer('{"status":"SERVING"}\n'), tls: false }), {
    code: 0,
    out: '{"status":"SERVING"}',
    problem: '',
  });
  assert.is(
    (await ask({ kind: 'http', hostPort: await httpServer('{"status":"NOT_SERVING"}', { status: 503 }), tls: false }))
      .code,
    1,
  );
  assert.is((await ask({ kind: 'http', hostPort: await httpServer('SERVING'), tls: false })).code, 1);
  assert.is((await ask({ kind: 'http', hostPort: await httpServer('x'.repeat(10_000)), tls: false })).code, 1);
});

test('both protocols work over Unix sockets', async () => {
  assert.is(
    (
      await ask({
        kind: 'http',
        hostPort: await httpServer('{"status":"SERVING"}', { path: at('http.sock') }),
        tls: false,
      })
    ).code,
    0,
  );
  assert.is((await ask({ hostPort: (await grpcServer({ path: at('grpc.sock') })).address, tls: false })).code, 0);
});

test('certificates are verified with a CA, unless verification is turned off', async () => {
  for (const [kind, hostPort] of [
    ['http', await httpServer('{"status":"SERVING"}', { secure: true })],
    ['grpc', (await grpcServer({ secure: true })).address],
  ] as const) {
    assert.is((await ask({ kind, hostPort, caCert: at('ca.pem') })).code, 0, kind);
    assert.is((await ask({ kind, hostPort, caCert: at('other.pem') })).code, 1, kind);
    assert.is((await ask({ kind, hostPort })).code, 1, kind);
    assert.is((await ask({ kind, hostPort, insecure: true })).code, 0, kind);
    assert.is((await ask({ kind, hostPort, tls: false })).code, 1, kind);
  }
});

test('with a configuration, it checks the address of the server, which must present the configured certificate', async () => {
  const { address } = await grpcServer({ secure: true });
  const config = (cert: string, key: string): string => {
    writeFileSync(
      at('config.yaml'),
      `server: {grpcListenAddr: ":${address.split(':')[1]}", tls: {cert: ${at(cert)}, key: ${at(key)}}}`,
    );
    return at('config.yaml');
  };
  assert.equal(await ask({ config: config('cert.pem', 'key.pem') }), { code: 0, out: 'SERVING', problem: '' });
  const other = makeCertificate('other');
  writeFileSync(at('other.pem'), other.cert);
  writeFileSync(at('other-key.pem'), other.key);
  assert.match(
    (await ask({ config: config('other.pem', 'other-key.pem') })).problem,
    'not the one in its configuration',
  );
});

test('a server that does not respond times out', async () => {
  const silent = createTcp(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  closers.push(() => silent.close());
  const hostPort = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  for (const kind of ['grpc', 'http'] as const) {
    for (const tls of [true, false])
      assert.equal(await ask({ kind, hostPort, tls, timeout: '50ms' }), {
        code: 1,
        out: '',
        problem: 'authzc: no answer in 50 ms',
      });
  }
});

test('invalid arguments end with 2', async () => {
  assert.is((await ask({ timeout: 'soon' })).code, 2);
  assert.is((await ask({ hostPort: 'nowhere' })).code, 2);
  assert.is((await ask({ config: 'x', hostPort: ':1' })).code, 2);
  assert.is((await ask({ config: at('none.yaml') })).code, 1);
});

test('environment variables replace flags, and `false` turns a flag off', () => {
  const target = (environment: { readonly [name: string]: string }, options = {}) =>
    makeTarget({ kind: 'grpc', tls: true, ...options }, environment);
  assert.equal(target({ AUTHZ_HC_HOSTPORT: 'h:1', AUTHZ_HC_NOTLS: 'true' }), {
    address: { kind: 'tcp', host: 'h', port: 1 },
    tls: undefined,
  });
  assert.equal(target({ AUTHZ_HC_NOTLS: 'false', AUTHZ_HC_INSECURE: '0' }).tls, { kind: 'authority', ca: undefined });
  assert.equal(target({ AUTHZ_HC_INSECURE: '1' }).tls, { kind: 'any' });
  assert.equal(target({ AUTHZ_HC_HOSTPORT: 'h:1' }, { hostPort: 'g:2', tls: false }).address, {
    kind: 'tcp',
    host: 'g',
    port: 2,
  });
  assert.equal(target({ AUTHZ_CONFIG: at('none.yaml'), AUTHZ_HC_HOSTPORT: 'h:1' }).address, {
    kind: 'tcp',
    host: 'h',
    port: 1,
  });
  assert.throws(() => target({ AUTHZ_CONFIG: at('none.yaml') }), 'file not found');
});

test.run();
