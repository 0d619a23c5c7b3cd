import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openOrigin } from '../../server/bundle/open-feed.js';
import type { Fetched, Origin, OriginError } from '../../server/bundle/origin.js';
import { S3Client } from '../../server/s3/s3-client.js';
import { S3_KEY, type S3Storage, startS3 } from '../support/server/s3.js';
import { bundleConfig } from '../support/sources/config.js';
import { LAST_RESORT } from '../support/timeout.js';

const test = suite('bundles from S3-compatible storage');

const saved = { ...process.env };
let storage: S3Storage;
let client: S3Client;
const opened: Origin[] = [];

test.before(async () => {
  storage = await startS3({ bucket: 'bundles' });
  Object.assign(process.env, S3_KEY);
  client = new S3Client({
    endpoint: storage.endpoint,
    region: 'us-east-1',
    bucket: 'bundles',
    pathStyle: true,
    credentials: { file: undefined, profile: undefined },
    timeout: LAST_RESORT,
  });
});

test.after(async () => {
  await Promise.all(opened.map((origin) => origin.close()));
  await client.close();
  await storage.close();
  for (const name of Object.keys(S3_KEY)) delete process.env[name];
  Object.assign(process.env, saved);
});

const put = (key: string, text: string): Promise<void> =>
  client.put(key, Buffer.from(text), { contentType: 'application/octet-stream' });

async function fetchFrom(
  source: string,
  known?: string,
  keys: { readonly [key: string]: string } = {},
): Promise<Fetched> {
  const s3 = { 's3.endpoint': storage.endpoint, 's3.region': 'us-east-1', 's3.pathStyle': 'true' };
  const origin = await openOrigin(bundleConfig(source, { ...s3, ...keys }));
  opened.push(origin);
  assert.is(origin.name, source);
  return origin.fetch(known, new AbortController().signal);
}

const reasonOf = (fetching: Promise<Fetched>): Promise<string> =>
  fetching.then(
    ({ kind }) => kind,
    (error: OriginError) => error.reason,
  );

test('an object is fetched once for each version', async () => {
  await put('live/policies.authzbundle', 'one');
  const first = await fetchFrom('s3://bundles/live/policies.authzbundle');
  assert.is(first.kind === 'fetched' && Buffer.from(first.bytes).toString(), 'one');
  const version = first.kind === 'fetched' ? first.version : '';
  assert.is((await fetchFrom('s3://bundles/live/policies.authzbundle', version)).kind, 'unchanged');
  await put('live/policies.authzbundle', 'other');
  const second = await fetchFrom('s3://bundles/live/policies.authzbundle', version);
  assert.is(second.kind === 'fetched' && Buffer.from(second.bytes).toString(), 'other');
});

test('what is not there, too large, or not allowed', async () => {
  assert.is(await reasonOf(fetchFrom('s3://bundles/none')), 'status');
  await put('large', 'x'.repeat(1000));
  assert.is(await reasonOf(fetchFrom('s3://bundles/large', undefined, { 'poll.maxSize': '999' })), 'too_large');
  process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong';
  assert.is(await reasonOf(fetchFrom('s3://bundles/large')), 'credentials');
  delete process.env['AWS_SECRET_ACCESS_KEY'];
  assert.is(
    await reasonOf(fetchFrom('s3://bundles/large', undefined, { 's3.credentialsFile': '/none' })),
    'credentials',
  );
  Object.assign(process.env, S3_KEY);
  const away = { 's3.endpoint': 'http://127.0.0.1:1' };
  assert.is(await reasonOf(fetchFrom('s3://bundles/large', undefined, away)), 'unreachable');
});

test.run();
