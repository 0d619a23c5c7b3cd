import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../server/config.js';
import { type Door, openDoor } from '../../server/listen.js';
import { grpcServer } from '../../server/transport/grpc/grpc-server.js';
import { httpServer } from '../../server/transport/http/http-server.js';
import { ROOT } from '../support/compiled.js';
import { testServices } from './services.js';

const test = suite('reflection over Connect and gRPC-Web');
const BUF = join(ROOT, 'node_modules', '.bin', 'buf');

let door: Door;
let stop: () => Promise<unknown>;
test.before(async () => {
  const { config } = loadConfig({ sets: ['server.httpListenAddr=127.0.0.1:0'], environment: {} });
  const services = testServices(config);
  const grpc = grpcServer(config.server, services);
  const http = await httpServer(config.server, services, { grpc });
  door = await openDoor({ address: config.server.httpListenAddr, socketMode: 0o766, welcome: http.take });
  stop = () => Promise.all([http.stop(1000), grpc.stop(1000)]);
});
test.after(async () => {
  await door.close();
  await stop();
});

for (const protocol of ['grpc', 'connect', 'grpcweb']) {
  test(`buf finds the methods over ${protocol}`, async () => {
    const { stdout } = await promisify(execFile)(BUF, ['curl', '--list-methods', '--http2-prior-knowledge', '--protocol', protocol, `http://${door.address}`]);
    assert.match(stdout, 'authz.svc.v1.AuthzService/CheckResources\n');
    assert.match(stdout, 'grpc.health.v1.Health/Watch\n');
    assert.not.match(stdout, 'AuthzAdminService');
  });
}

const path = (version: string): string => `http://${door.address}/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
const framed = (text: string): Buffer => Buffer.concat([Buffer.from([0, 0, 0, 0, text.length]), Buffer.from(text)]);

test('questions in JSON are answered in order, over HTTP/1.1', async () => {
  const body = Buffer.concat([framed('{"listServices":"*"}'), framed('{"fileContainingSymbol":"nope.Nope"}'), framed('{"fileByFilename":"authz/effect/v1/effect.proto"}')]);
  for (const version of ['v1', 'v1alpha']) {
    const response = await fetch(path(version), { method: 'POST', headers: { 'content-type': 'application/connect+json' }, body });
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    assert.match(text, /"originalRequest":\{"listServices":"\*"\}.*"authz\.svc\.v1\.AuthzService".*"errorCode":5.*"fileDescriptorProto":\["/s);
    assert.match(text, /\{\}$/);
  }
});

test('a question that is too long, and one that is none, end the stream with an error', async () => {
  for (const [body, code] of [[Buffer.from([0, 1, 0, 0, 0]), 'resource_exhausted'], [framed('{"x":1}'), 'invalid_argument'], [Buffer.from([0, 0, 0]), 'invalid_argument']] as const) {
    const response = await fetch(path('v1'), { method: 'POST', headers: { 'content-type': 'application/connect+json' }, body });
    assert.match(await response.text(), `"code":"${code}"`);
  }
});

test.run();
