import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readArchive } from '../../packages/bundle/index.js';
import { launch, PROGRAMS } from '../support/cli/programs.js';
import { newKey } from '../support/archives/keys.js';
import { archive } from '../support/archives/signed.js';
import { send } from '../support/server/http-client.js';
import { askRest } from '../support/workers/load.js';
import { compileBundles, discard, remove, replaceFile, type Server, startProgram } from '../support/workers/server.js';
import { until } from '../support/timeout.js';

/** A server of signed archives, as its operators see it. */
const test = suite('serving archives');

const bundles = compileBundles();
const servers: Server[] = [];
test.after.each(() => discard(servers));
test.after(() => remove(bundles.folder));

const VIEW = 'EFFECT_ALLOW EFFECT_DENY';
const EDIT = 'EFFECT_DENY EFFECT_ALLOW';
const [first, second] = await Promise.all([newKey('ed25519'), newKey('P-256')]);

/** A folder with a key file and a cache, and the settings that name them. */
function trusted(...sets: readonly string[]) {
  const folder = mkdtempSync(join(bundles.folder, 'trust-'));
  const keyFile = join(folder, 'keys.pem');
  const cache = join(folder, 'cache');
  writeFileSync(keyFile, first.publicPem);
  return { keyFile, cache, sets: [`bundle.trust.keys[0]=${keyFile}`, `bundle.cache=${cache}`, ...sets] };
}

async function start(bytes: Uint8Array | string, sets: readonly string[]): Promise<Server> {
  const server = await startProgram(bundles.folder, bytes, sets);
  servers.push(server);
  return server;
}

async function provenanceOf({ http }: Server): Promise<unknown> {
  const { text } = await send(http, 'POST', '/authz.svc.v1.AuthzService/ServerInfo', '{}', {
    'content-type': 'application/json',
  });
  return (JSON.parse(text) as { readonly bundleProvenance?: unknown }).bundleProvenance;
}

const metrics = async ({ http }: Server): Promise<string> => (await send(http, 'GET', '/_authz/metrics')).text;
const health = async ({ http }: Server): Promise<string> => (await send(http, 'GET', '/_authz/health')).text;

for (const workers of [1, 2]) {
  test(`${workers} processes: only what is signed, fresh and newer replaces a bundle, and the reasons are told`, async () => {
    const audit = join(bundles.folder, `audit-${workers}.log`);
    const { sets, keyFile, cache } = trusted(
      `server.workers=${workers}`,
      'audit.enabled=true',
      'audit.backend=file',
      `audit.file.path=${audit}`,
    );
    const source = { repository: 'https://git.example.org/p', revision: 'c0ffee', path: 'policies', dirty: true };
    const five = await archive(bundles.view, { sequence: 5, source, builder: 'ci 7' }, first);
    const server = await start(five, sets);
    assert.is(await askRest(server.http, false), VIEW);
    const provenance = {
      digest: readArchive(five).digest,
      compiler: '0.1.0',
      repository: 'https://git.example.org/p',
      revision: 'c0ffee-dirty',
      path: 'policies',
      builder: 'ci 7',
      sequence: '5',
      keys: [first.public.id],
    };
    assert.equal(await provenanceOf(server), provenance);
    assert.is((await send(server.http, 'GET', '/api/server_info')).text.includes('c0ffee'), false);

    const refused: readonly (readonly [reason: string, bytes: Uint8Array | string])[] = [
      ['unsigned', bundles.edit],
      ['unsigned', await archive(bundles.edit, { sequence: 6 })],
      ['untrusted', await archive(bundles.edit, { sequence: 6 }, second)],
      ['replayed', await archive(bundles.edit, { sequence: 4 }, first)],
      ['sequence_conflict', await archive(bundles.edit, { sequence: 5 }, first)],
      ['sequence_missing', await archive(bundles.edit, {}, first)],
      ['expired', await archive(bundles.edit, { sequence: 6, notAfter: '2001-01-01T00:00:00Z' }, first)],
      ['engine_unsupported', await archive(bundles.edit, { sequence: 6, engine: '^9.0.0' }, first)],
      ['malformed', five.subarray(0, five.length - 1)],
      ['not_loadable', await archive(bundles.edit, { sequence: 6, hash: 'another' }, first)],
    ];
    const counts = new Map<string, number>();
    for (const [reason, bytes] of refused) {
      replaceFile(server.bundle, bytes);
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
      await until(
        () => server.log().filter((line) => line['reason'] === reason).length === counts.get(reason),
        `a line about ${reason}`,
      );
    }
    assert.is(await askRest(server.http, false), VIEW);
    assert.equal(await provenanceOf(server), provenance);
    const told = await metrics(server);
    for (const [reason, count] of counts)
      assert.match(told, `authz_bundle_rejected_total{reason="${reason}"} ${count}\n`);
    assert.match(told, 'authz_bundle_sequence 5\n');
    assert.match(
      told,
      /authz_bundle_archive_info\{hash="[0-9a-f]{16}",digest="[0-9a-f]{64}",revision="c0ffee-dirty",builder="ci 7"\} 1\n/,
    );
    assert.match(told, /authz_bundle_signed_timestamp_seconds 1\d{9}\n/);

    // The other key is added: what it has signed is accepted without another change.
    replaceFile(server.bundle, await archive(bundles.edit, { sequence: 7 }, second));
    await until(() => server.log().filter((line) => line['reason'] === 'untrusted').length === 2, 'the second refusal');
    writeFileSync(keyFile, first.publicPem + second.publicPem);
    await until(async () => (await askRest(server.http, false)) === EDIT, 'the bundle of the second key');
    await until(() => readFileSync(join(cache, 'accepted.json'), 'utf8').includes('"sequence":7'), 'the memory');
    const [entry] = readFileSync(audit, 'utf8').split('\n');
    assert.equal(JSON.parse(entry ?? '').policySource.embeddedPdp.provenance, provenance);

    // After a restart, too, nothing older is served.
    replaceFile(server.bundle, five);
    const refusal = await failedStart(server.bundle, sets);
    assert.match(refusal, `${server.bundle}: has the sequence 5, and 7 was accepted before`);
  });
}

/** What a server says that cannot start. */
async function failedStart(bundle: string, sets: readonly string[]): Promise<string> {
  const running = launch(
    PROGRAMS.server,
    [
      '--bundle',
      bundle,
      ...[...sets, 'server.httpListenAddr=127.0.0.1:0', 'server.grpcListenAddr=127.0.0.1:0'].flatMap((set) => [
        '--set',
        set,
      ]),
    ],
    bundles.folder,
  );
  const { code, stderr } = await running.ended;
  assert.is(code, 1);
  return stderr;
}

test('a bundle that expires while it is served stays, and the server says so', async () => {
  const { sets } = trusted('server.workers=1', 'bundle.trust.clockSkew=0s');
  const server = await start(await archive(bundles.edit, {}, first), sets);
  assert.is(await health(server), '{"status":"SERVING"}\n');
  let notAfter = '';
  const isServed = async (): Promise<boolean> => (await askRest(server.http, false)) === VIEW;
  const refusals = (): number => server.log().filter(({ reason }) => reason === 'expired').length;
  // A busy machine may not load it in time, and gets longer.
  for (let seconds = 3; !(await isServed()); seconds *= 2) {
    notAfter = new Date(Date.now() + seconds * 1000).toISOString();
    const before = refusals();
    replaceFile(server.bundle, await archive(bundles.view, { notAfter }, first));
    await until(async () => (await isServed()) || refusals() > before, 'the bundle that expires');
  }
  await until(
    () => server.log().some(({ message }) => message === 'the bundle has expired; it is still served'),
    'the line about the expiry',
  );
  assert.is(await askRest(server.http, false), VIEW);
  assert.is(await health(server), `{"status":"SERVING","detail":"the bundle expired at ${notAfter}"}\n`);
  assert.match(await metrics(server), /authz_bundle_expiry_timestamp_seconds 1\d{9}(?:\.\d+)?\n/);
});

test('keys and a memory that cannot be used keep the server from starting', async () => {
  const bundle = join(mkdtempSync(join(bundles.folder, 'served-')), 'policies.authzbundle');
  writeFileSync(bundle, await archive(bundles.view, { sequence: 1 }, first));
  const { sets, keyFile, cache } = trusted('server.workers=1');
  writeFileSync(keyFile, first.privatePem);
  assert.match(await failedStart(bundle, sets), `the key file \`${keyFile}\` contains a private key`);
  writeFileSync(keyFile, first.publicPem);
  assert.match(
    await failedStart(bundle, [...sets, 'bundle.trust.required=2']),
    'there are 1 keys, and `bundle.trust.required` is 2',
  );
  writeFileSync(join(cache, 'accepted.json'), '{"sequence":');
  assert.match(await failedStart(bundle, sets), 'accepted.json` is damaged; delete it only if');
  assert.match(
    await failedStart(bundle, ['bundle.trust.required=2']),
    '`bundle.trust.keys`: without keys, no signature is verified',
  );
});

test('without keys, archives and modules are served alike', async () => {
  const server = await start(await archive(bundles.view, { sequence: 2 }), ['server.workers=1']);
  assert.is(await askRest(server.http, false), VIEW);
  replaceFile(server.bundle, await archive(bundles.edit, { sequence: 1 }));
  await until(async () => (await askRest(server.http, false)) === EDIT, 'the older archive');
  replaceFile(server.bundle, bundles.view);
  await until(async () => (await askRest(server.http, false)) === VIEW, 'the module');
  assert.is(await provenanceOf(server), undefined);
});

test.run();
