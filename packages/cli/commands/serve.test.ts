import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasOneListener, writeAddress } from '../../../server/config/address.js';
import { loadConfig } from '../../../server/config.js';
import { atPort } from './serve.js';

const test = suite('--port');
const folder = mkdtempSync(join(tmpdir(), 'port-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('moves both listeners to one port', () => {
  assert.equal(addresses([]), { http: ':4000', grpc: ':4000', isOne: true });
});

test('keeps an address of gRPC that the command line sets', () => {
  assert.equal(addresses(['server.grpcListenAddr=127.0.0.1:4001']), {
    http: ':4000',
    grpc: '127.0.0.1:4001',
    isOne: false,
  });
});

test('makes one listener of two whose hosts differ, at that of HTTP', () => {
  const hosts = ['127.0.0.1', '', 'localhost', '[::1]', '10.0.0.1'];
  for (const http of hosts)
    for (const grpc of hosts) {
      const file = join(folder, 'authz.yaml');
      writeFileSync(file, `server: {httpListenAddr: "${http}:1", grpcListenAddr: "${grpc}:2"}\n`);
      const { isOne, http: written } = addresses([], file);
      assert.equal({ isOne, written }, { isOne: true, written: `${http}:4000` }, `${http} ${grpc}`);
    }
});

test('leaves a socket alone', () => {
  assert.equal(addresses(['server.httpListenAddr=unix:/tmp/h']), { http: 'unix:/tmp/h', grpc: ':4000', isOne: false });
});

test.run();

function addresses(sets: readonly string[], file?: string) {
  const { server } = atPort(loadConfig({ file, sets, environment: {} }), 4000).config;
  return {
    http: writeAddress(server.httpListenAddr),
    grpc: writeAddress(server.grpcListenAddr),
    isOne: hasOneListener(server),
  };
}
