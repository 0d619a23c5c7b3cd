import { execFile } from 'node:child_process';
import { createHash, randomFillSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deflateRawSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeManifest } from '../../packages/bundle/manifest.js';
import { writeZip } from '../../packages/bundle/zip.js';

/*
 * A source that nobody vouches for may send as much as `bundle.poll.maxSize` allows. It is refused in little more memory
 * than what it sent.
 */
const test = suite('large bundles that are refused');
const SIZE = 100_000_000;
const CHILD = join(dirname(fileURLToPath(import.meta.url)), 'read-large-bundle.ts');
let server: Server;
/** What is sent, by path. */
const bodies = new Map<string, { readonly body: Buffer; readonly isChunked: boolean }>();

test.before(async () => {
  const noise = randomFillSync(Buffer.alloc(SIZE));
  const files = { 'policies.js': { sha256: createHash('sha256').update(noise).digest('hex'), size: SIZE } };
  const manifest = writeManifest({ format: 1, created: 0, compiler: '1.0.0', engine: '1', hash: '0', files } as never);
  const unsigned = Buffer.from(
    writeZip([
      { name: 'manifest.json', deflated: deflateRawSync(manifest), crc: 0, size: manifest.length },
      { name: 'policies.js', deflated: noise, crc: 0, size: SIZE },
    ]),
  );
  const changed = Buffer.from(unsigned);
  changed[changed.length - 1] = 1;
  for (const [name, body] of Object.entries({ noise, unsigned, changed })) {
    bodies.set(`/${name}`, { body, isChunked: false });
    bodies.set(`/chunked/${name}`, { body, isChunked: true });
  }
  server = createServer(({ url = '' }, response) => {
    const { body, isChunked } = bodies.get(url) ?? { body: Buffer.alloc(0), isChunked: false };
    response.writeHead(200, isChunked ? {} : { 'content-length': body.length });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

test.after(() => {
  server.closeAllConnections();
  server.close();
});

test('memory is bounded by the size of what is sent, not by a multiple', async () => {
  for (const name of ['noise', 'changed', 'chunked/changed']) {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', CHILD, url]);
    const { reason, megabytes } = JSON.parse(stdout) as { readonly reason: string; readonly megabytes: number };
    if (process.env['SHOW'] !== undefined) console.log(name, reason, megabytes);
    assert.is(reason, name.endsWith('noise') ? 'unsigned' : 'malformed', name);
    // Buffers of the socket are garbage until V8 collects them.
    const most = 2.5;
    assert.ok(megabytes * 1e6 < SIZE * most, `${name}: ${megabytes} MB`);
  }
});

test.run();
