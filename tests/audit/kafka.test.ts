import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AuditConfig, AUDIT_DEFAULTS, type KafkaAuditConfig } from '../../server/config/audit-config.js';
import { type AuditLog, openAuditLog } from '../../server/audit/audit-log.js';
import { LAST_RESORT, until, within } from '../support/timeout.js';
import { type Broker, type BrokerOptions, startBroker } from './kafka-broker.js';
import { configWith, sampleRecord } from '../support/audit/samples.js';
import { inTempFolder } from './temp-folder.js';

const TOPIC = 'audit';
/** Error codes of the Kafka protocol. */
const NOT_ENOUGH_REPLICAS = 19;
const TOO_LARGE = 10;

const kafkaConfig = (brokers: readonly string[], changes: Partial<KafkaAuditConfig>): AuditConfig =>
  configWith({ backend: 'kafka', kafka: { ...AUDIT_DEFAULTS.kafka, topic: TOPIC, brokers, ...changes } });

/** Puts this many entries into a log over a broker stub, closes the log, and returns both. */
async function send(
  count: number,
  changes: Partial<KafkaAuditConfig>,
  options: Partial<BrokerOptions> = {},
): Promise<{ readonly broker: Broker; readonly log: AuditLog; readonly problems: readonly string[] }> {
  const broker = await startBroker({ topic: TOPIC, ...options });
  const problems: string[] = [];
  const log = (await openAuditLog(kafkaConfig([broker.address], changes), (message) =>
    problems.push(message),
  )) as AuditLog;
  try {
    for (let index = 0; index < count; index++) log.sink.put(sampleRecord(index, 1_700_000_000_000));
    await log.sink.close();
    // Without acknowledgements it is unknown when the messages have been read.
    if (changes.ack === 'none') await until(() => broker.records.length === count, 'all messages');
  } finally {
    await broker.close();
  }
  return { broker, log, problems };
}

const indexesOf = (broker: Broker): readonly number[] =>
  broker.records.map(({ value }) => JSON.parse(value.toString('utf8')).index).sort((a, b) => a - b);
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

test('an entry is a JSON message keyed by the call id, with headers for encoding and kind', async () => {
  const { broker, log, problems } = await send(2, {});
  assert.equal(problems, []);
  const [, decision] = broker.records;
  assert.is(decision?.topic, TOPIC);
  assert.is(decision?.key, '1'.padStart(26, '0'));
  assert.is(decision?.value.toString('utf8'), `{"callId":"${'1'.padStart(26, '0')}","index":1}`);
  assert.equal(
    [...(decision?.headers ?? [])],
    [
      ['authz.audit.encoding', 'json'],
      ['authz.audit.kind', 'decision'],
    ],
  );
  assert.is(decision?.timestamp, 1_700_000_000_000);
  assert.is(decision?.acks, -1);
  assert.equal(log.counts(), [
    { kind: 'access', written: 1, dropped: 0, failed: 0 },
    { kind: 'decision', written: 1, dropped: 0, failed: 0 },
  ]);
});

test('every entry arrives, across partitions, in batches of at most maxBufferedRecords', async () => {
  const { broker } = await send(1000, { maxBufferedRecords: 100 }, { partitions: 3 });
  assert.equal(indexesOf(broker), upTo(1000));
  assert.ok(broker.requests.every((count) => count <= 100));
  assert.is(new Set(broker.records.map(({ partition }) => partition)).size, 3);
});

test('with produceSync every entry is acknowledged before the next one is sent', async () => {
  const { broker } = await send(20, { produceSync: true });
  assert.equal(broker.requests, new Array(20).fill(1));
  assert.equal(
    broker.records.map(({ value }) => JSON.parse(value.toString('utf8')).index),
    upTo(20),
  );
});

test('without produceSync, requests follow each other before the first is acknowledged', async () => {
  const broker = await startBroker({ topic: TOPIC, delay: 2 * LAST_RESORT });
  const config = kafkaConfig([broker.address], { maxBufferedRecords: 10, closeTimeout: 10 });
  const log = (await openAuditLog(config, () => {})) as AuditLog;
  try {
    for (let index = 0; index < 40; index++) log.sink.put(sampleRecord(index));
    await until(() => broker.requests.length === 4, 'four requests');
    assert.is(log.sink.stats().queued, 40);
  } finally {
    await log.sink.close();
    await broker.close();
  }
});

test('entries arrive as they were made, although the broker refuses some at first and others use the memory of those it has', async () => {
  const refused = 4;
  const broker = await startBroker({
    topic: TOPIC,
    partitions: 3,
    delay: 10,
    errorOf: (request) => (request < refused ? NOT_ENOUGH_REPLICAS : 0),
  });
  const log = (await openAuditLog(kafkaConfig([broker.address], {}), () => {})) as AuditLog;
  const texts = upTo(600).map((index) => `{"index":${index},"text":"${String(index).repeat(3000)}"}`);
  try {
    for (const [index, text] of texts.entries()) {
      log.sink.put({ ...sampleRecord(index), json: log.sink.encode(text) });
      if (index % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 15));
    }
    await log.sink.close();
  } finally {
    await broker.close();
  }
  assert.ok(broker.requests.length > refused);
  assert.equal(broker.records.map(({ value }) => value.toString()).sort(), texts.toSorted());
});

test('`ack` sets the number of acknowledgements', async () => {
  for (const [ack, acks] of [
    ['leader', 1],
    ['none', 0],
  ] as const) {
    const { broker, log } = await send(5, { ack });
    assert.ok(
      broker.records.every((record) => record.acks === acks),
      ack,
    );
    assert.is(broker.records.length, 5);
    assert.is(log.sink.stats().written.access, 3);
  }
});

test('the first compression that the platform supports is used', async () => {
  for (const [compression, bits] of [
    ['gzip', 1],
    ['snappy', 2],
    ['lz4', 3],
  ] as const) {
    const { broker } = await send(5, { compression: [compression] });
    assert.equal(indexesOf(broker), upTo(5), compression);
    assert.ok(
      broker.records.every((record) => record.compression === bits),
      compression,
    );
  }
});

test('headers name the protobuf encoding', async () => {
  const { broker } = await send(1, { encoding: 'protobuf' });
  assert.is(broker.records[0]?.headers.get('authz.audit.encoding'), 'protobuf');
  assert.is(broker.records[0]?.value.subarray(0, 2).toString('hex'), '0a1a');
});

test('retriable errors of the broker are retried, and permanent ones are counted', async () => {
  const retried = await send(5, {}, { errorOf: (request) => (request === 0 ? NOT_ENOUGH_REPLICAS : 0) });
  assert.equal(indexesOf(retried.broker), upTo(5));
  const refused = await send(5, { produceSync: true }, { errorOf: (request) => (request === 2 ? TOO_LARGE : 0) });
  assert.equal(indexesOf(refused.broker), [0, 1, 3, 4]);
  assert.is(refused.log.sink.stats().failed.access, 1);
  assert.match(refused.problems.join('\n'), /^1 audit entries could not be written: /);
});

test('a broker that does not respond delays closing by closeTimeout at most', async () => {
  // The broker responds long after the test would have failed.
  const { log } = await within(send(3, { closeTimeout: 200 }, { delay: 2 * LAST_RESORT }), 'the end of the log');
  assert.is(log.sink.stats().written.access, 0);
});

test('unreachable brokers do not block the start, and are logged', async () => {
  const problems: string[] = [];
  const log = (await openAuditLog(kafkaConfig(['127.0.0.1:1'], { closeTimeout: 100 }), (message) =>
    problems.push(message),
  )) as AuditLog;
  log.sink.put(sampleRecord(0));
  await until(() => problems.length > 0, 'a line of the log');
  await log.sink.close();
});

test('TLS: the broker is verified with the given CA, and unreadable files fail the start', () =>
  inTempFolder(async (folder) => {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        '-days',
        '2',
        '-subj',
        '/CN=broker',
        '-addext',
        'subjectAltName=IP:127.0.0.1',
      ],
      { stdio: 'ignore' },
    );
    const tls = { caPath: cert, certPath: undefined, keyPath: undefined, reloadInterval: 0, insecureSkipVerify: false };
    const { broker, problems } = await send(3, { tls }, { tls: { key: readFileSync(key), cert: readFileSync(cert) } });
    assert.equal(problems, []);
    assert.equal(indexesOf(broker), upTo(3));
    try {
      await openAuditLog(kafkaConfig(['127.0.0.1:1'], { tls: { ...tls, caPath: join(folder, 'missing') } }), () => {});
      assert.unreachable();
    } catch (error) {
      assert.match(String(error), /audit\.kafka\.authentication\.tls\.caPath: .*ENOENT/);
    }
  }));

test('a user is authenticated by each mechanism, also with a password in a file', async () => {
  await inTempFolder(async (folder) => {
    const file = join(folder, 'password');
    writeFileSync(file, 'pass,word=1\n');
    for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const) {
      const user = { mechanism, username: 'audit', password: 'pass,word=1' };
      for (const password of [{ value: user.password }, { file }]) {
        const { broker, problems } = await send(3, { sasl: { ...user, password } }, { sasl: user });
        assert.equal(problems, []);
        assert.equal(indexesOf(broker), upTo(3));
      }
    }
  });
});

test('a broker that refuses the user gets no entry, and the problem has no password', async () => {
  const user = { mechanism: 'SCRAM-SHA-256', username: 'audit', password: 'right' } as const;
  const wrong: readonly NonNullable<KafkaAuditConfig['sasl']>[] = [
    { ...user, password: { value: 'canary' } },
    { ...user, username: 'canary', password: { value: 'right' } },
    { ...user, mechanism: 'PLAIN', password: { value: 'canary' } },
    { ...user, password: { file: '/none/password' } },
  ];
  for (const sasl of wrong) {
    const { broker, log, problems } = await send(1, { sasl, closeTimeout: LAST_RESORT }, { sasl: user });
    assert.equal(broker.records, []);
    assert.is(log.counts()[0]?.failed ?? 0, 1, problems.join());
    assert.ok(problems.length > 0);
    assert.not.match(problems.join(), 'canary');
  }
});

test('a broker that answers nonsense does not end the server', async () => {
  const user = { mechanism: 'SCRAM-SHA-256', username: 'audit', password: 'right' } as const;
  for (const lie of ['', 'nonsense', 'r=x,s=x,i=1', 'r=x', 'e=other-error']) {
    const sasl = { ...user, password: { value: 'right' } };
    const { broker, log } = await send(1, { sasl, closeTimeout: LAST_RESORT }, { sasl: { ...user, lie } });
    assert.equal(broker.records, []);
    assert.is(log.counts()[0]?.failed ?? 0, 1, lie);
  }
});

test.run();
