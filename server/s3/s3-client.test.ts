import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeCertificate } from '../../tests/support/certificate.js';
import { S3_KEY, type S3Storage, startS3 } from '../../tests/support/server/s3.js';
import { LAST_RESORT } from '../../tests/support/timeout.js';
import { S3Client, S3Error, type S3Options } from './s3-client.js';
import { readCredentials } from './s3-credentials.js';

const folder = mkdtempSync(join(tmpdir(), 'authz-s3-client-'));
const credentialsFile = join(folder, 'credentials');
writeFileSync(
  credentialsFile,
  `# keys\n[default]\naws_access_key_id = other\naws_secret_access_key=no\n\n[audit]\n; the writer\r\naws_access_key_id=${S3_KEY.AWS_ACCESS_KEY_ID}\naws_secret_access_key = ${S3_KEY.AWS_SECRET_ACCESS_KEY}\n`,
);
let storage: S3Storage;

const options = (changes: Partial<S3Options> = {}): S3Options => ({
  endpoint: storage.endpoint,
  region: 'us-east-1',
  bucket: 'bundles',
  pathStyle: true,
  credentials: { file: credentialsFile, profile: 'audit' },
  timeout: LAST_RESORT,
  ...changes,
});

const withClient = async (changes: Partial<S3Options>, run: (client: S3Client) => Promise<void>): Promise<void> => {
  const client = new S3Client(options(changes));
  try {
    await run(client);
  } finally {
    await client.close();
  }
};

const failure = async (promise: Promise<unknown>): Promise<S3Error> => {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, S3Error);
    return error as S3Error;
  }
  return assert.unreachable() as never;
};

const withServer = async (server: Server, run: (endpoint: string) => Promise<void>): Promise<void> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

test.before(async () => {
  storage = await startS3({ bucket: 'bundles' });
});

test.after(async () => {
  await storage.close();
  rmSync(folder, { recursive: true });
});

test('an object is written and read back, under any key', () =>
  withClient({}, async (client) => {
    for (const key of ['a/b/plain.json', "odd (1)+!*'~.gz", 'päth/ß 100%/x', 'a=b&c?d#e']) {
      const content = Buffer.from(`content of ${key}`);
      await client.put(key, content, { contentType: 'text/plain' });
      assert.equal((await client.get(key, { maxBytes: 1000 }))?.body, content);
    }
  }));

test('an object that has not changed is not read again', () =>
  withClient({}, async (client) => {
    await client.put('bundle', Buffer.from('one'), { contentType: 'text/plain' });
    const first = await client.get('bundle', { maxBytes: 10 });
    assert.type(first?.lastModified, 'string');
    assert.is(await client.get('bundle', { maxBytes: 10, ifNoneMatch: first?.etag }), undefined);
    await client.put('bundle', Buffer.from('two'), { contentType: 'text/plain' });
    assert.is((await client.get('bundle', { maxBytes: 10, ifNoneMatch: first?.etag }))?.body.toString(), 'two');
  }));

test('an object that is too large, one that is missing, and wrong credentials are errors that are not transient', () =>
  withClient({}, async (client) => {
    await client.put('large', Buffer.alloc(100_000), { contentType: 'text/plain' });
    const tooLarge = await failure(client.get('large', { maxBytes: 99_999 }));
    assert.is(tooLarge.message, 's3://bundles/large is larger than 99999 bytes');
    const missing = await failure(client.get('none', { maxBytes: 1 }));
    assert.equal([missing.status, missing.code, missing.isTransient], [404, 'NoSuchKey', false]);
    await withClient({ credentials: { file: credentialsFile, profile: undefined } }, async (stranger) => {
      const refused = await failure(stranger.get('large', { maxBytes: 1 }));
      assert.equal([refused.status, refused.isTransient], [403, false]);
    });
  }));

test('a wrong secret is refused: requests are signed', () => {
  const file = join(folder, 'wrong');
  writeFileSync(file, `[default]\naws_access_key_id=${S3_KEY.AWS_ACCESS_KEY_ID}\naws_secret_access_key=guessed\n`);
  return withClient({ credentials: { file, profile: undefined } }, async (client) => {
    const error = await failure(client.put('x', Buffer.from('x'), { contentType: 'text/plain' }));
    assert.is(error.code, 'SignatureDoesNotMatch');
    assert.not.match(error.message, 'guessed');
  });
});

test('a private CA verifies the endpoint, and without it the endpoint is not trusted', async () => {
  const certificate = makeCertificate('storage');
  const secure = await startS3({ bucket: 'bundles', certificate });
  try {
    await withClient({ endpoint: secure.endpoint, ca: Buffer.from(certificate.cert) }, async (client) => {
      await client.put('x', Buffer.from('x'), { contentType: 'text/plain' });
    });
    await withClient({ endpoint: secure.endpoint }, async (client) => {
      const error = await failure(client.get('x', { maxBytes: 1 }));
      assert.match(error.message, 'TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT)');
      assert.is(error.isTransient, true);
    });
  } finally {
    await secure.close();
  }
});

test('a silent endpoint, a slow body and a closed port are transient errors within the timeout', async () => {
  const slow = createServer((request, response) => {
    if (request.url?.endsWith('body') === true) response.write('a');
  });
  await withServer(slow, (endpoint) =>
    withClient({ endpoint, timeout: 200 }, async (client) => {
      for (const key of ['head', 'body']) {
        const error = await failure(client.get(key, { maxBytes: 10 }));
        assert.is(error.isTransient, true);
        assert.match(error.message, /no complete response in 200 ms|stalled/);
      }
    }),
  );
  await withClient({ endpoint: 'http://127.0.0.1:1' }, async (client) => {
    assert.match((await failure(client.get('x', { maxBytes: 10 }))).message, 'ECONNREFUSED');
  });
});

test('a bucket is a part of the host name unless the path has it, and a status of 5xx is transient', async () => {
  const seen: string[] = [];
  const failing = createServer((request, response) => {
    seen.push(`${request.headers.host?.replace(/:\d+$/, '')} ${request.url}`);
    response.writeHead(503).end('<Error><Code>SlowDown</Code><Message>later</Message></Error>');
  });
  await withServer(failing, async (endpoint) => {
    const named = endpoint.replace('127.0.0.1', 'localhost');
    await withClient({ endpoint: `${named}/base`, pathStyle: false }, async (client) => {
      const error = await failure(client.get('k', { maxBytes: 1 }));
      // Some platforms do not resolve names below localhost.
      if (error.status === undefined) seen.push('bundles.localhost /base/k');
      else assert.match(error.message, 'status 503 (SlowDown: later)');
    });
    await withClient({ endpoint: `${named}/base/` }, async (client) => {
      assert.is((await failure(client.get('k', { maxBytes: 1 }))).isTransient, true);
    });
  });
  assert.equal(seen, ['bundles.localhost /base/k', 'localhost /base/bundles/k']);
});

test('credentials come from the file that is named, then the environment, then the usual file', async () => {
  const none = { file: undefined, profile: undefined };
  const temporary = { ...S3_KEY, AWS_SESSION_TOKEN: 'token' };
  assert.equal(await readCredentials(none, temporary), {
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    sessionToken: 'token',
  });
  const named = { AWS_SHARED_CREDENTIALS_FILE: credentialsFile, AWS_PROFILE: 'audit' };
  assert.is((await readCredentials(none, named)).accessKeyId, 'S3RVER');
  assert.is((await readCredentials({ file: credentialsFile, profile: undefined }, temporary)).accessKeyId, 'other');
  try {
    await readCredentials({ file: credentialsFile, profile: 'missing' }, {});
    assert.unreachable();
  } catch (error) {
    assert.is(
      (error as Error).message,
      `the credentials file \`${credentialsFile}\` has no access key in the profile \`missing\``,
    );
  }
});

test.run();
