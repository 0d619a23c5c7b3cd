import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignatureV4 } from '@smithy/signature-v4';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LAST_RESORT } from '../../tests/support/timeout.js';
import { PodCredentials } from './pod-credentials.js';
import { S3Client } from './s3-client.js';
import { readCredentials } from './s3-credentials.js';

const test = suite('credentials of a pod');
const folder = mkdtempSync(join(tmpdir(), 'authz-pod-'));
const tokenFile = join(folder, 'token');
writeFileSync(tokenFile, 'canary-token\n');
const servers: Server[] = [];
const HOUR = 3_600_000;

test.after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Seen {
  readonly request: IncomingMessage;
  readonly body: string;
}

/** A service whose answers are numbered, and what it was asked. */
async function startService(
  answer: (count: number) => { readonly status?: number; readonly body: string; readonly location?: string },
): Promise<{ readonly url: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    seen.push({ request, body });
    const { status = 200, body: text, location } = answer(seen.length);
    response.writeHead(status, location === undefined ? {} : { location }).end(text);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const xml = (count: number, expires: number): string =>
  `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>id${count}</AccessKeyId>` +
  `<SecretAccessKey>secret${count}</SecretAccessKey><SessionToken>session${count}</SessionToken>` +
  `<Expiration>${new Date(expires).toISOString()}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;
const json = (count: number, expires: number): string =>
  JSON.stringify({
    AccessKeyId: `id${count}`,
    SecretAccessKey: `secret${count}`,
    Token: `session${count}`,
    Expiration: new Date(expires).toISOString(),
  });
const webIdentity = (url: string): Record<string, string> => ({
  AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
  AWS_ROLE_ARN: 'arn:aws:iam::1:role/authz',
  AWS_ENDPOINT_URL_STS: url,
});
const podIdentity = (url: string): Record<string, string> => ({
  AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/v1/credentials`,
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile,
});

test('STS exchanges the token of a service account, and the agent of EKS is asked with one', async () => {
  const sts = await startService((count) => ({ body: xml(count, Date.now() + HOUR) }));
  const source = { file: undefined, profile: undefined };
  const expected = { accessKeyId: 'id1', secretAccessKey: 'secret1', sessionToken: 'session1' };
  const found = await readCredentials(source, webIdentity(sts.url));
  assert.equal({ ...found, expiration: undefined }, { ...expected, expiration: undefined });
  assert.is(sts.seen[0]?.request.method, 'POST');
  const asked = Object.fromEntries(new URLSearchParams(sts.seen[0]?.body));
  assert.equal(asked, {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: 'arn:aws:iam::1:role/authz',
    RoleSessionName: 'authz',
    WebIdentityToken: 'canary-token',
  });
  const agent = await startService((count) => ({ body: json(count, Date.now() + HOUR) }));
  const other = await readCredentials(source, podIdentity(agent.url));
  assert.equal({ ...other, expiration: undefined }, { ...expected, expiration: undefined });
  assert.is(agent.seen[0]?.request.url, '/v1/credentials');
  assert.is(agent.seen[0]?.request.headers.authorization, 'canary-token');
});

test('keys of the environment and files that are named come before the pod', async () => {
  const file = join(folder, 'credentials');
  writeFileSync(file, '[default]\naws_access_key_id=file\naws_secret_access_key=x\n');
  const pod = webIdentity('http://127.0.0.1:1');
  const none = { file: undefined, profile: undefined };
  const keys = { AWS_ACCESS_KEY_ID: 'keys', AWS_SECRET_ACCESS_KEY: 'x' };
  assert.is((await readCredentials(none, { ...pod, ...keys })).accessKeyId, 'keys');
  assert.is((await readCredentials(none, { ...pod, AWS_SHARED_CREDENTIALS_FILE: file })).accessKeyId, 'file');
  assert.is((await readCredentials({ file, profile: undefined }, { ...pod, ...keys })).accessKeyId, 'file');
});

test('they are renewed before they expire, once for all, and used while the service is away', async () => {
  let now = 1_900_000_000_000;
  let isAway = false;
  const service = await startService((count) =>
    isAway ? { status: 500, body: '' } : { body: json(count, now + HOUR) },
  );
  const pod = new PodCredentials(podIdentity(service.url), () => now);
  const readId = async (): Promise<string> => (await pod.read()).accessKeyId;
  assert.equal(await Promise.all([readId(), readId(), readId()]), ['id1', 'id1', 'id1']);
  now += HOUR - 6 * 60_000;
  assert.is(await readId(), 'id1');
  now += 2 * 60_000;
  assert.equal(await Promise.all([readId(), readId()]), ['id2', 'id2']);
  isAway = true;
  now += HOUR - 2 * 60_000;
  assert.equal([await readId(), await readId()], ['id2', 'id2']);
  assert.is(service.seen.length, 3, 'not at each request');
  now += 2 * 60_000;
  assert.match(await findMessage(pod.read()), 'no credentials: the agent of the pod: status 500');
  isAway = false;
  assert.is(await readId(), 'id5');
});

test('tokens go nowhere else, and are in no message', async () => {
  const other = await startService(() => ({ body: json(1, Date.now() + HOUR) }));
  const redirecting = await startService(() => ({ status: 307, body: '', location: other.url }));
  const denied = await startService(() => ({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }));
  const empty = await startService(() => ({ body: '{}' }));
  const messages = await Promise.all(
    [
      webIdentity(redirecting.url),
      podIdentity(redirecting.url),
      webIdentity('http://sts.example.com'),
      webIdentity('nowhere'),
      podIdentity('http://10.0.0.1'),
      podIdentity('http://169.254.169.254'),
      webIdentity(denied.url),
      podIdentity(empty.url),
      webIdentity(empty.url),
      { ...webIdentity(empty.url), AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'none') },
    ].map((environment) => findMessage(new PodCredentials(environment).read())),
  );
  assert.equal(other.seen, []);
  for (const message of messages) {
    assert.match(message, 'no credentials: ');
    assert.not.match(message, 'canary');
  }
  assert.match(messages[6] ?? '', 'status 403 (AccessDenied)');
});

test('requests are signed with them, and send their session', async () => {
  const sts = await startService((count) => ({ body: xml(count, Date.now() + HOUR) }));
  const storage = await startService(() => ({ body: 'policies' }));
  const variables = webIdentity(sts.url);
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  Object.assign(process.env, variables);
  const where = { endpoint: storage.url, region: 'eu-west-1', bucket: 'bundles', pathStyle: true };
  const client = new S3Client({ ...where, credentials: { file: undefined, profile: undefined }, timeout: LAST_RESORT });
  try {
    for (let count = 0; count < 2; count++)
      assert.is(String((await client.get('policies.js', { maxBytes: 100 }))?.body), 'policies');
  } finally {
    await client.close();
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
  assert.is(sts.seen.length, 1);
  const headers = storage.seen[1]?.request.headers ?? {};
  assert.is(headers['x-amz-security-token'], 'session1');
  assert.is(headers.authorization, await sign(headers, '/bundles/policies.js'));
});

test.run();

/** As the AWS SDK signs the headers of a request. */
async function sign(headers: IncomingMessage['headers'], path: string): Promise<string> {
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date'])) ?? [];
  const signer = new SignatureV4({
    service: 's3',
    region: 'eu-west-1',
    credentials: { accessKeyId: 'id1', secretAccessKey: 'secret1', sessionToken: 'session1' },
    uriEscapePath: false,
    applyChecksum: false,
    sha256: class {
      readonly #hash;
      constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
        this.#hash =
          secret === undefined ? createHash('sha256') : createHmac('sha256', Buffer.from(secret as Uint8Array));
      }
      update(data: string | ArrayBuffer | ArrayBufferView): void {
        this.#hash.update(Buffer.from(data as Uint8Array));
      }
      async digest(): Promise<Uint8Array> {
        return this.#hash.digest();
      }
      reset(): void {}
    },
  });
  const signed = await signer.sign(
    {
      method: 'GET',
      protocol: 'http:',
      hostname: 'localhost',
      path,
      headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
    },
    { signingDate: new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) },
  );
  return signed.headers['authorization'] ?? '';
}

async function findMessage(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: Error) => error.message,
  );
}
