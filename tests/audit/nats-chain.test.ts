import { setTimeout as wait } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChainVerifier, type Verification } from '../../packages/cli/audit/chain-verifier.js';
import { type AuditLog, openAuditLog } from '../../server/audit/audit-log.js';
import { AUDIT_DEFAULTS, type NatsAuditConfig } from '../../server/config/audit-config.js';
import { configWith, sampleRecord } from '../support/audit/samples.js';
import { skip } from '../support/skip.js';
import { addStream, HAS_NATS, NATS_SERVER, type NatsServer, readStream, startNats, withNats } from './nats-server.js';
import { inTempFolder } from './temp-folder.js';
import { LAST_RESORT } from '../support/timeout.js';

/** Chains in a stream of NATS that does not take every message at first: they are stored in order, once. */
const test = suite('chains in NATS');

const open = async (
  { port }: NatsServer,
  problems: string[],
  changes: Partial<NatsAuditConfig> = {},
): Promise<AuditLog> => {
  const nats = {
    ...AUDIT_DEFAULTS.nats,
    servers: [`nats://127.0.0.1:${port}`],
    publishTimeout: 1000,
    retryTimeout: LAST_RESORT,
    ...changes,
  };
  const config = configWith({ backend: 'nats', nats, chain: { ...AUDIT_DEFAULTS.chain, enabled: true } });
  return (await openAuditLog(config, (message) => problems.push(message))) as AuditLog;
};

/** Of each chain: its last sequence number, its entries, those that are lost. */
const chainsOf = (chains: Verification['chains']): readonly (readonly number[])[] =>
  chains.map(({ sequence, entries, lost }) => [sequence, entries, lost]);

async function verified(connection: NatsConnection): Promise<Verification> {
  const verifier = new ChainVerifier({ isPartial: false, isReformatted: false, keys: [], checkpoints: [] });
  for (const [index, { text }] of (await readStream(connection)).entries()) verifier.add(text, `${index + 1}`);
  return verifier.end();
}

const withStream = (changes: object, run: (server: NatsServer, connection: NatsConnection) => Promise<void>) => () =>
  inTempFolder(async (folder) => {
    const server = await startNats({ folder });
    try {
      await withNats({ servers: `127.0.0.1:${server.port}` }, async (connection) => {
        await addStream(connection, changes);
        await run(server, connection);
      });
    } finally {
      await server.stop();
    }
  });

test(
  'entries that the stream refuses for a while are stored before those after them',
  withStream(
    { discard: 'new', max_msgs_per_subject: 25, discard_new_per_subject: true },
    async (server, connection) => {
      const problems: string[] = [];
      const log = await open(server, problems);
      // More entries of one kind than the stream takes, between entries of the other kind.
      for (let index = 0; index < 90; index++) log.sink.put(sampleRecord(index % 3 === 0 ? 0 : 1));
      await wait(400);
      const manager = await jetstreamManager(connection);
      await manager.streams.update('AUDIT', { max_msgs_per_subject: -1, discard_new_per_subject: false });
      await log.sink.close();
      const { chains, problems: found } = await verified(connection);
      assert.equal(found, []);
      assert.equal(chainsOf(chains), [[91, 91, 0]]);
      assert.equal(problems, []);
    },
  ),
);

test(
  'an entry that is too long for the stream is lost alone, and the chain says so',
  withStream({ max_msg_size: 4000 }, async (server, connection) => {
    const problems: string[] = [];
    const log = await open(server, problems);
    for (let index = 0; index < 40; index++) log.sink.put(sampleRecord(index, 0, index === 20 ? 4000 : 0));
    await log.sink.close();
    const { chains, problems: found } = await verified(connection);
    assert.equal(found, []);
    // 21 entries were sent in vain, and are all in the chain but the long one; the others have new places.
    const [chain] = chainsOf(chains);
    assert.equal(chain?.slice(1), [41, 20]);
    assert.match(problems.join('\n'), /1 audit entries could not be written: message size exceeds maximum allowed/);
    const entries = (await readStream(connection)).filter(({ subject }) => !subject.endsWith('.chain'));
    assert.is(entries.length, 39);
    assert.equal(log.sink.stats().failed, { access: 1, decision: 0 });
  }),
);

test(
  'several servers write to one stream, each its chain in order',
  withStream({}, async (server, connection) => {
    const problems: string[] = [];
    const logs = await Promise.all(Array.from({ length: 3 }, () => open(server, problems)));
    for (let index = 0; index < 1500; index++) {
      for (const log of logs) log.sink.put(sampleRecord(index));
      if (index % 100 === 0) await wait(5);
    }
    await Promise.all(logs.map((log) => log.sink.close()));
    const { chains, problems: found } = await verified(connection);
    assert.equal(found, []);
    assert.equal(problems, []);
    assert.equal(
      chains.map(({ entries }) => entries),
      [1501, 1501, 1501],
    );
  }),
);

test('servers of NATS that are killed while a chain is written lose, repeat and reorder nothing', () =>
  inTempFolder(async (folder) => {
    let server = await startNats({ folder });
    const address = { servers: `127.0.0.1:${server.port}` };
    try {
      await withNats(address, (connection) => addStream(connection));
      const problems: string[] = [];
      const log = await open(server, problems);
      for (let index = 0; index < 6000; index++) {
        log.sink.put(sampleRecord(index));
        if (index % 250 === 0) await wait(2);
        if (index % 1500 !== 1499) continue;
        await server.stop();
        await wait(100);
        server = await startNats({ folder, port: server.port });
      }
      await log.sink.close();
      const { chains, problems: found } = await withNats(address, verified);
      assert.equal(found, []);
      assert.equal(chainsOf(chains), [[6001, 6001, 0]]);
      assert.equal(problems, []);
    } finally {
      await server.stop();
    }
  }));

if (HAS_NATS) test.run();
else skip(import.meta.url, `nats-server is not installed (${NATS_SERVER})`);
