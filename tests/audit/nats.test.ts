import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AuditLog, openAuditLog } from '../../server/audit/audit-log.js';
import { AUDIT_DEFAULTS, type AuditConfig, type NatsAuditConfig } from '../../server/config/audit-config.js';
import { configWith, sampleRecord } from '../support/audit/samples.js';
import { makeCertificate } from '../support/certificate.js';
import { skip } from '../support/skip.js';
import { addStream, HAS_NATS, NATS_SERVER, type NatsServer, readStream, startNats, withNats } from './nats-server.js';
import { inTempFolder } from './temp-folder.js';
import { LAST_RESORT, within } from '../support/timeout.js';

const natsConfig = (server: Pick<NatsServer, 'port'>, changes: Partial<NatsAuditConfig> = {}): AuditConfig =>
  configWith({
    backend: 'nats',
    nats: {
      ...AUDIT_DEFAULTS.nats,
      servers: [`nats://127.0.0.1:${server.port}`],
      publishTimeout: 500,
      retryTimeout: LAST_RESORT,
      ...changes,
    },
  });

const open = async (config: AuditConfig, problems: string[] = []): Promise<AuditLog> =>
  (await openAuditLog(config, (message) => problems.push(message))) as AuditLog;

const indexesOf = (messages: readonly { readonly text: string }[]): readonly number[] =>
  messages.map(({ text }) => JSON.parse(text).index);
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const testWithNats = HAS_NATS ? test : test.skip;

if (!HAS_NATS) skip(import.meta.url, `nats-server is not installed (${NATS_SERVER})`);

testWithNats('entries arrive in order, under the subject of their kind, each with an id', () =>
  inTempFolder(async (folder) => {
    const server = await startNats({ folder });
    try {
      await withNats({ servers: `127.0.0.1:${server.port}` }, async (connection) => {
        await addStream(connection);
        const problems: string[] = [];
        const log = await open(natsConfig(server), problems);
        for (let index = 0; index < 2000; index++) log.sink.put(sampleRecord(index));
        await log.sink.deliver(sampleRecord(2000));
        await log.sink.close();
        assert.equal(problems, []);
        const messages = await readStream(connection);
        assert.equal(indexesOf(messages), upTo(2001));
        assert.equal([messages[0]?.subject, messages[1]?.subject], ['authz.audit.access', 'authz.audit.decision']);
        assert.is(new Set(messages.map(({ id }) => id)).size, 2001);
        assert.is(log.sink.stats().written.access + log.sink.stats().written.decision, 2001);
      });
    } finally {
      await server.stop();
    }
  }),
);

testWithNats('a server that is away at the start, and one that is killed, lose and repeat nothing', () =>
  inTempFolder(async (folder) => {
    const first = await startNats({ folder });
    await withNats({ servers: `127.0.0.1:${first.port}` }, (connection) => addStream(connection));
    await first.stop();
    const log = await open(natsConfig(first));
    for (let index = 0; index < 500; index++) log.sink.put(sampleRecord(index));
    await wait(300);
    const second = await startNats({ folder, port: first.port });
    while (log.sink.stats().queued > 0) await wait(20);
    for (let index = 500; index < 3000; index++) {
      log.sink.put(sampleRecord(index));
      if (index === 1500) await wait(30);
    }
    await second.stop();
    await wait(300);
    const third = await startNats({ folder, port: first.port });
    try {
      await log.sink.close();
      assert.equal(log.sink.stats().failed, { access: 0, decision: 0 });
      const messages = await withNats({ servers: `127.0.0.1:${first.port}` }, readStream);
      assert.equal(
        [...new Set(indexesOf(messages))].sort((a, b) => a - b),
        upTo(3000),
      );
      assert.is(messages.length, 3000);
    } finally {
      await third.stop();
    }
  }),
);

testWithNats('without a stream, and without a server, entries are given up in time, counted and logged', () =>
  inTempFolder(async (folder) => {
    const server = await startNats({ folder });
    try {
      const problems: string[] = [];
      const log = await open(natsConfig(server, { retryTimeout: 300 }), problems);
      try {
        await log.sink.deliver(sampleRecord(0));
        assert.unreachable();
      } catch (error) {
        assert.is((error as Error).message, 'the audit entry could not be written');
      }
      await log.sink.close();
      assert.equal(log.sink.stats().failed, { access: 1, decision: 0 });
      assert.match(problems.join('\n'), /1 audit entries could not be written/);
    } finally {
      await server.stop();
    }
    const away = await open(natsConfig(server, { closeTimeout: 200 }));
    away.sink.put(sampleRecord(0));
    // What it waits for never answers.
    await within(away.sink.close(), 'the end of the log');
    assert.is(away.sink.stats().written.access, 0);
  }),
);

testWithNats('an entry that is too long is lost alone', () =>
  inTempFolder(async (folder) => {
    const server = await startNats({ folder });
    try {
      await withNats({ servers: `127.0.0.1:${server.port}` }, async (connection) => {
        await addStream(connection);
        const problems: string[] = [];
        const log = await open(natsConfig(server), problems);
        for (let index = 0; index < 10; index++)
          log.sink.put(sampleRecord(index, 0, index === 4 ? 2 * 1024 * 1024 : 0));
        await log.sink.close();
        assert.equal(indexesOf(await readStream(connection)), [0, 1, 2, 3, 5, 6, 7, 8, 9]);
        assert.match(problems.join('\n'), /1 audit entries could not be written: the entry has \d+ bytes/);
      });
    } finally {
      await server.stop();
    }
  }),
);

for (const [name, config, changes] of [
  ['for the server', 'max_payload: 4096', {}],
  ['for the stream', '', { max_msg_size: 4096 }],
] as const)
  testWithNats(
    `an entry that is too long ${name} is lost alone in the middle of a batch, and no other is repeated`,
    () =>
      inTempFolder(async (folder) => {
        const server = await startNats({ folder, config });
        try {
          await withNats({ servers: `127.0.0.1:${server.port}` }, async (connection) => {
            await addStream(connection, changes);
            const problems: string[] = [];
            const log = await open(natsConfig(server), problems);
            for (let index = 0; index < 10; index++) log.sink.put(sampleRecord(index, 0, index === 4 ? 8000 : 0));
            await log.sink.close();
            assert.equal(
              [...indexesOf(await readStream(connection))].sort((a, b) => a - b),
              [0, 1, 2, 3, 5, 6, 7, 8, 9],
            );
            assert.equal([log.sink.stats().failed.access, log.sink.stats().failed.decision], [1, 0]);
            assert.match(problems.join('\n'), /^1 audit entries could not be written: /);
          });
        } finally {
          await server.stop();
        }
      }),
  );

testWithNats('a private CA, a client certificate and a password of the environment', () =>
  inTempFolder(async (folder) => {
    const ca = makeCertificate('ca');
    const certificate = makeCertificate('nats', ca);
    const files = { ca: join(folder, 'ca.pem'), cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    writeFileSync(files.ca, ca.cert);
    writeFileSync(files.cert, certificate.cert);
    writeFileSync(files.key, certificate.key);
    const config = `
tls { cert_file: "${files.cert}", key_file: "${files.key}", ca_file: "${files.ca}", verify: true }
authorization { user: auditor, password: "s3cret-word" }
`;
    const server = await startNats({ folder: join(folder, 'store'), config });
    const tls = { caPath: files.ca, certPath: files.cert, keyPath: files.key };
    const secure = { servers: [`tls://127.0.0.1:${server.port}`], tls };
    process.env['NATS_USER'] = 'auditor';
    try {
      process.env['NATS_PASSWORD'] = 'wrong';
      const problems: string[] = [];
      const refused = await open(natsConfig(server, { ...secure, retryTimeout: 500 }), problems);
      refused.sink.put(sampleRecord(0));
      await refused.sink.close();
      assert.is(refused.sink.stats().failed.access, 1);
      process.env['NATS_PASSWORD'] = 's3cret-word';
      const options = { servers: `127.0.0.1:${server.port}`, user: 'auditor', pass: 's3cret-word' };
      const files2 = { caFile: files.ca, certFile: files.cert, keyFile: files.key };
      await withNats({ ...options, tls: files2 }, async (connection) => {
        await addStream(connection);
        const log = await open(natsConfig(server, secure), problems);
        log.sink.put(sampleRecord(0));
        await log.sink.close();
        assert.equal(indexesOf(await readStream(connection)), [0]);
      });
      assert.not.match(problems.join('\n'), 's3cret-word');
    } finally {
      delete process.env['NATS_USER'];
      delete process.env['NATS_PASSWORD'];
      await server.stop();
    }
  }),
);

test('files that cannot be read are errors of the configuration', async () => {
  try {
    await open(natsConfig({ port: 1 }, { credentialsPath: '/nowhere/a.creds' }));
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /^audit\.nats\.authentication\.credentialsPath: ENOENT/);
  }
});

test.run();
