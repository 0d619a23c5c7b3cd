import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import canonicalize from 'canonicalize';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ChainVerifier, type Verification, type VerifierOptions } from '../../packages/cli/audit/chain-verifier.js';
import { type AuditLog, openAuditLog } from '../../server/audit/audit-log.js';
import type { AuditBackend } from '../../server/audit/backend.js';
import { canonicalJson } from '../../server/audit/chain/canonical-json.js';
import { hashEntry, withLink } from '../../server/audit/chain/link.js';
import { chainedBackend } from '../../server/audit/chain/chained-backend.js';
import { entryLines } from '../../server/audit/file/entry-line.js';
import { storedEntries } from '../../server/audit/local/stored-entries.js';
import { type AuditRecord, MAX_ENTRY_LENGTH, makeRecord, type StoredRecord } from '../../server/audit/record.js';
import { AUDIT_DEFAULTS, type AuditConfig, type ChainConfig } from '../../server/config/audit-config.js';
import { PROGRAMS, run } from '../support/cli/programs.js';
import { configWith } from '../support/audit/samples.js';
import { S3_KEY, startS3 } from '../support/server/s3.js';
import { skip } from '../support/skip.js';
import { compileBundles, remove, type Server, startProgram } from '../support/workers/server.js';
import { startBroker } from './kafka-broker.js';
import { addStream, HAS_NATS, NATS_SERVER, readStream, startNats, withNats } from './nats-server.js';
import { inTempFolder } from './temp-folder.js';
import { rounds } from '../support/effort.js';
import { until } from '../support/timeout.js';

/** Changes of a log that each test tries. A longer campaign: AUDIT_MUTATIONS=100000. */
const MUTATIONS = rounds(110);

const { publicKey, privateKey } = generateKeyPairSync('ed25519');

const chainConfig = (changes: Partial<ChainConfig> = {}): ChainConfig => ({
  ...AUDIT_DEFAULTS.chain,
  enabled: true,
  ...changes,
});

/** Like those of the watcher. */
const entryOf = (index: number): AuditRecord => {
  const callId = String(index).padStart(26, '0');
  const isAccess = index % 2 === 0;
  const entry = isAccess ? { callId, index, method: '/m' } : { auditTrail: {}, callId, index, text: 'é\u2028"\\' };
  const json = Buffer.from(canonicalJson(entry));
  return { kind: isAccess ? 'access' : 'decision', callId, time: Date.now(), json };
};

const verified = (lines: readonly (string | undefined)[], options: Partial<VerifierOptions> = {}): Verification => {
  const verifier = new ChainVerifier({ isPartial: false, isReformatted: false, keys: [], checkpoints: [], ...options });
  for (const [index, line] of lines.entries()) verifier.add(line, `log:${index + 1}`);
  return verifier.end();
};

const kindsOf = (lines: readonly (string | undefined)[], options: Partial<VerifierOptions> = {}): readonly string[] =>
  verified(lines, options).problems.map(({ kind, place }) => `${kind} ${place ?? ''}`.trimEnd());

/** A chain of a backend in memory that loses what it is told to. */
const chainOf = async (
  count: number,
  changes: Partial<ChainConfig> = {},
  written: (records: readonly StoredRecord[], batch: number) => number = ({ length }) => length,
): Promise<string[]> => {
  const lines: string[] = [];
  let batch = 0;
  const inner: AuditBackend<StoredRecord> = {
    batch: { minRecords: 1, maxWait: 0, maxRecords: 1, maxLength: 1 },
    write: async (records) => {
      const kept = written(records, batch++);
      lines.push(...records.slice(0, kept).map((record) => entryLines([record]).toString().trimEnd()));
      return { written: kept, error: kept < records.length ? new Error('lost') : undefined };
    },
    close: async () => {},
    reader: undefined,
    closeTimeout: undefined,
  };
  const chained = await chainedBackend(inner, chainConfig(changes), assert.unreachable);
  for (let index = 0; index < count; index += 5)
    await chained.write(Array.from({ length: 5 }, (_, place) => entryOf(index + place)));
  await chained.close();
  return lines;
};

/** Numbers that look random, the same each time. */
const randomNumbers = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** Changes of a log, each of which somebody may try: what it is, and the log after it. */
const MUTANTS: Record<string, (lines: readonly string[], random: (below: number) => number) => readonly string[]> = {
  'a character is replaced': (lines, random) => edited(lines, random, (char) => (char === 'x' ? 'y' : 'x')),
  'a digit is replaced': (lines, random) => {
    const at = random(lines.length);
    const line = lines[at] as string;
    const digits = [...line.matchAll(/\d/g)].map(({ index }) => index);
    const place = digits[random(digits.length)] as number;
    const other = String((Number(line[place]) + 1 + random(9)) % 10);
    return lines.with(at, line.slice(0, place) + other + line.slice(place + 1));
  },
  'a character is removed': (lines, random) => edited(lines, random, () => ''),
  'a character is inserted': (lines, random) => edited(lines, random, (char) => `${char} `),
  'a line is dropped': (lines, random) => lines.toSpliced(random(lines.length), 1),
  'lines are dropped': (lines, random) => lines.toSpliced(random(lines.length), 1 + random(5)),
  'two lines are swapped': (lines, random) => {
    const [a, b] = [random(lines.length), random(lines.length)];
    const other = a === b ? (a + 1) % lines.length : b;
    return lines.with(a, lines[other] as string).with(other, lines[a] as string);
  },
  'a line is repeated': (lines, random) =>
    lines.toSpliced(random(lines.length + 1), 0, lines[random(lines.length)] as string),
  'a line is inserted': (lines, random) => lines.toSpliced(random(lines.length) + 1, 0, '{"callId":"forged"}'),
  'the log is cut at a line': (lines, random) => lines.slice(0, random(lines.length)),
  'the log is cut within a line': (lines, random) => {
    const at = random(lines.length);
    const line = lines[at] as string;
    return [...lines.slice(0, at), line.slice(0, 1 + random(line.length - 1))];
  },
};

function edited(
  lines: readonly string[],
  random: (below: number) => number,
  change: (char: string) => string,
): readonly string[] {
  const at = random(lines.length);
  const line = lines[at] as string;
  const place = random(line.length);
  return lines.with(at, line.slice(0, place) + change(line[place] as string) + line.slice(place + 1));
}

/** Asserts that the log is good, and that all changes of it are found. Its end is known. */
function assertAllFound(lines: readonly string[], options: Partial<VerifierOptions> = {}, count = MUTATIONS): void {
  const whole = verified(lines, options);
  assert.equal(whole.problems, []);
  const known = { ...options, checkpoints: whole.chains };
  const random = randomNumbers(lines.length);
  for (const [name, mutant] of Object.entries(MUTANTS)) {
    for (let round = 0; round < count / Object.keys(MUTANTS).length; round++) {
      const changed = mutant(lines, random);
      const { problems } = verified(changed, known);
      if (problems.length === 0 && changed.join('\n') !== lines.join('\n'))
        throw new Error(`not found: ${name}\n${changed.find((line, index) => line !== lines[index])}`);
    }
  }
}

const linesIn = (text: string): string[] => text.split('\n').slice(0, -1);

test('the canonical form is the one of RFC 8785, and a value without one does not fail', () => {
  const random = randomNumbers(7);
  const keys = ['a', 'B', '10', '9', 'é', '\u{1f600}', '\ufb01', '__proto__', '"', '\u0001'];
  const scalars = [0, -0, 1e21, 1e-7, 0.1, true, null, '', 'é\u2028\u007f', '\b\u0000', 333333333.33333329];
  const valueOf = (depth: number): unknown => {
    const kind = random(depth > 3 ? 1 : 3);
    if (kind === 0) return scalars[random(scalars.length)];
    const members = Array.from({ length: random(5) }, () => valueOf(depth + 1));
    if (kind === 1) return members;
    return Object.fromEntries(members.map((member) => [keys[random(keys.length)] as string, member]));
  };
  for (let round = 0; round < 2000; round++) {
    const value = valueOf(0);
    assert.is(canonicalJson(value), canonicalize(value));
  }
  assert.is(canonicalJson({ b: undefined, a: '\ud800' }), '{"a":"\\ud800"}');
});

test('an untouched chain has no problem, and its summary names the last entry', async () => {
  const lines = await chainOf(20);
  const { problems, chains } = verified(lines);
  assert.equal(problems, []);
  assert.is(chains.length, 1);
  assert.is(chains[0]?.entries, 21);
  assert.is(chains[0]?.hash, JSON.parse(lines.at(-1) as string).chain.hash);
});

test('each kind of change is named at its line', async () => {
  const lines = await chainOf(20);
  const line = lines[9] as string;
  assert.equal(kindsOf(lines.with(9, line.replace('"index":8', '"index":9'))), ['edited log:10']);
  assert.equal(kindsOf(lines.with(9, line.replace('"log.kind":"access"', '"log.kind":"decision"'))), ['edited log:10']);
  assert.equal(kindsOf(lines.with(9, line.replace(':', ': '))), ['edited log:10']);
  assert.equal(kindsOf(lines.with(9, line.replace('"index":8', '"index":7,"index":8'))), ['edited log:10']);
  assert.equal(kindsOf(lines.toSpliced(9, 2)), ['dropped log:10']);
  assert.equal(kindsOf(lines.slice(3)), ['dropped log:1']);
  assert.equal(kindsOf(lines.with(9, lines[10] as string).with(10, line)), ['reordered log:11']);
  assert.equal(kindsOf(lines.toSpliced(10, 0, line)), ['repeated log:11']);
  assert.equal(kindsOf(lines.toSpliced(10, 0, 'junk')), ['inserted log:11']);
  assert.equal(kindsOf(lines.toSpliced(10, 0, '{}')), ['inserted log:11']);
  assert.equal(kindsOf(lines.with(10, undefined as never)), ['inserted log:11', 'dropped log:12']);
  assert.equal(kindsOf([]), ['unsigned']);
});

test('an entry that was forged with its hash does not fit into the chain', async () => {
  const [lines, others] = [await chainOf(20), await chainOf(20)];
  const id = JSON.parse(lines[0] as string).chain.id;
  const otherId = JSON.parse(others[0] as string).chain.id;
  const forged = (others[5] as string).replace(otherId, id);
  assert.equal(kindsOf(lines.with(5, forged)), ['edited log:6', 'replaced log:7']);
  assert.equal(kindsOf([...lines, ...others]), []);
});

test('the end of a log is only known by a checkpoint', async () => {
  const lines = await chainOf(20);
  const { chains } = verified(lines);
  const cut = lines.slice(0, -3);
  assert.equal(kindsOf(cut), []);
  assert.equal(kindsOf(cut, { checkpoints: chains }), ['dropped']);
  const rewritten = await chainOf(20);
  assert.equal(kindsOf(rewritten), []);
  assert.equal(kindsOf(rewritten, { checkpoints: chains }), ['dropped']);
});

test('a partial log is accepted on request, and so is another format', async () => {
  const lines = await chainOf(20);
  assert.equal(kindsOf(lines.slice(7), { isPartial: true }), []);
  assert.equal(kindsOf(lines.slice(7).toSpliced(3, 1), { isPartial: true }), ['dropped log:4']);
  const reformatted = lines.map((line) =>
    JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()), null, 1).replaceAll('\n', ''),
  );
  assert.is(kindsOf(reformatted).length, lines.length + 1);
  assert.equal(kindsOf(reformatted, { isReformatted: true }), []);
  const repeating = reformatted.with(4, (reformatted[4] as string).replace('{', '{"index":99,'));
  assert.equal(kindsOf(repeating, { isReformatted: true }), ['edited log:5']);
});

test('what the server lost is told by the log, and more than that is missing', async () => {
  const lines = await chainOf(40, {}, ({ length }, batch) => (batch === 2 ? 2 : batch === 4 ? 0 : length));
  const { problems, chains } = verified(lines);
  assert.equal(problems, []);
  assert.is(chains[0]?.lost, 3 + 5);
  const told = lines.findIndex((line) => line.includes('"event":"lost"'));
  assert.equal(kindsOf(lines.toSpliced(told - 1, 1)), [`dropped log:${told}`]);
  assertAllFound(lines);
});

test('signed checkpoints stop an author who can rewrite the whole log', () =>
  inTempFolder(async (folder) => {
    const signingKey = join(folder, 'key.pem');
    writeFileSync(signingKey, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const changes = { signingKey, checkpointEntries: 8 };
    const keys = [publicKey];
    const lines = await chainOf(60, changes);
    assert.equal(kindsOf(lines, { keys }), []);
    assert.is(verified(lines, { keys }).chains[0]?.signed, lines.length);
    assertAllFound(lines, { keys });
    const other = join(folder, 'other.pem');
    writeFileSync(other, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    for (const forged of [await chainOf(60), await chainOf(60, { ...changes, signingKey: other })])
      assert.ok(kindsOf(forged, { keys }).includes('unsigned'), 'a chain of somebody else');
    const unsigned = await chainOf(60, { ...changes, checkpointEntries: 1000 });
    assert.equal(kindsOf(unsigned.slice(0, -1), { keys }), []);
    // A rewritten end without checkpoints: more entries than the last signed entry allows.
    const end = rechained(lines, 20);
    assert.equal(kindsOf(end), []);
    assert.ok(kindsOf(end, { keys }).length > 0);
  }));

/** The log as somebody without the key can make it: an entry is changed, and the chain from there on made again. */
function rechained(lines: readonly string[], from: number): readonly string[] {
  const { hash: digest } = JSON.parse(lines[from - 1] as string).chain;
  let previous = digest as string;
  let sequence = Number(JSON.parse(lines[from - 1] as string).chain.sequence);
  return lines.map((line, index) => {
    const { chain, 'log.logger': logger, 'log.kind': kind, ...entry } = JSON.parse(line);
    if (index < from) return line;
    const content = canonicalJson(index === from ? { ...entry, forged: true } : entry);
    sequence += 1;
    const place = { id: chain.id as string, sequence, previous };
    previous = hashEntry(place, content);
    return `{"log.logger":"${logger}","log.kind":"${kind}",${withLink(place, previous, Buffer.from(content)).toString().slice(1)}`;
  });
}

test('masked entries, oversized ones and unpaired surrogates keep the chain valid', async () => {
  const entry = (annotations: { readonly [name: string]: unknown }): AuditRecord => {
    const mask = [{ root: 'requestContext' as const, steps: ['annotations', 'ssn'] }];
    const whole = { callId: '', timestamp: '2024-05-06T07:08:09Z', method: '/m', requestContext: { annotations } };
    return makeRecord('access', whole, 0, mask, canonicalJson);
  };
  const records = [
    entry({ ssn: '123-45-6789', z: 1, a: 2 }),
    entry({ long: 'x'.repeat(MAX_ENTRY_LENGTH) }),
    entry({ surrogate: '\ud800', 10: 'ten', 9: 'nine', ['__proto__']: 'own' }),
  ];
  const lines: string[] = [];
  const inner: AuditBackend<StoredRecord> = {
    batch: { minRecords: 1, maxWait: 0, maxRecords: 1, maxLength: 1 },
    write: async (written) => {
      lines.push(...written.map((record) => entryLines([record]).toString().trimEnd()));
      return { written: written.length, error: undefined };
    },
    close: async () => {},
    reader: undefined,
    closeTimeout: undefined,
  };
  const chained = await chainedBackend(inner, chainConfig(), assert.unreachable);
  await chained.write(records);
  await chained.close();
  assert.equal(kindsOf(lines), []);
  assert.match(lines[1] as string, '"ssn":"***"');
  assert.match(lines[2] as string, '"oversized":true');
});

/** Writes entries to a chained log, restarts it twice, and returns what the backend has. */
async function written(config: AuditConfig, count = 60): Promise<void> {
  for (let start = 0; start < 3; start++) {
    const problems: string[] = [];
    const log = (await openAuditLog(config, (message) => problems.push(message))) as AuditLog;
    for (let index = 0; index < count; index++) {
      log.sink.put(entryOf(start * count + index));
      if (index % 20 === 0) await log.sink.flush();
    }
    await log.sink.close();
    assert.equal(problems, []);
  }
}

test('files are verified over rotation, restarts and compression, and all changes are found', () =>
  inTempFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const logRotation = { maxFileSizeMB: 1, maxFileAgeDays: 0, maxFileCount: 0 };
    const file = { ...AUDIT_DEFAULTS.file, path, logRotation };
    await written(configWith({ backend: 'file', file, chain: chainConfig() }), 2000);
    const names = readdirSync(folder).sort();
    assert.ok(names.length > 1, 'the file was rotated');
    const lines = names.flatMap((name) => linesIn(readFileSync(join(folder, name), 'utf8')));
    const { problems, chains } = verified(lines);
    assert.equal(problems, []);
    assert.equal(
      chains.map(({ entries }) => entries),
      [6003],
    );
    const [first = ''] = names;
    writeFileSync(join(folder, `${first}.gz`), gzipSync(readFileSync(join(folder, first))));
    const others = [...names.slice(1), `${first}.gz`];
    const good = await run(PROGRAMS.authzc, ['audit', 'verify', ...others], folder);
    assert.equal([good.code, good.stdout], [0, 'no problem in 6,003 entries of 1 chain\n']);
    const bad = await run(PROGRAMS.authzc, ['audit', 'verify', '-o', 'json', ...names.slice(1)], folder);
    assert.is(bad.code, 1);
    const [problem] = JSON.parse(bad.stdout).problems;
    assert.equal([problem.kind, problem.place], ['dropped', `${names[1]}:1`]);
    // Torn by a kill.
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"log.logger":"authz.aud`);
    await written(configWith({ backend: 'file', file, chain: chainConfig() }), 1);
    const after = names.flatMap((name) => linesIn(readFileSync(join(folder, name), 'utf8')));
    assert.equal([verified(after).problems, verified(after).torn], [[], 1]);
    assertAllFound(lines.slice(0, 200), {}, 100);
  }));

test('a database is verified in the order of writing, also after entries have expired', () =>
  inTempFolder(async (folder) => {
    const local = { ...AUDIT_DEFAULTS.local, storagePath: folder };
    const config = configWith({ backend: 'local', local, chain: chainConfig() });
    await written(config);
    const lines = [...storedEntries(folder, 'written')];
    assert.is(lines.length, 183);
    assertAllFound(lines, {}, 100);
    const result = await run(PROGRAMS.authzc, ['audit', 'verify', folder], folder);
    assert.equal([result.code, result.stdout], [0, 'no problem in 183 entries of 1 chain\n']);
    const log = (await openAuditLog(config, assert.unreachable)) as AuditLog;
    // An access entry has the time at which its call began.
    for (const age of [200, 190, 199, 1, 300, 0])
      log.sink.put({ ...entryOf(age * 2), time: Date.now() - age * 3_600_000 });
    await log.sink.close();
    const expiring = { ...local, retentionPeriod: 3_600_000 };
    const expired = (await openAuditLog({ ...config, local: expiring }, assert.unreachable)) as AuditLog;
    await expired.sink.close();
    const rest = [...storedEntries(folder, 'written')];
    assert.equal(kindsOf(rest, { isPartial: true }), []);
  }));

test('topics of Kafka keep one chain in order', async () => {
  const broker = await startBroker({ topic: 'audit', partitions: 3 });
  const kafka = { ...AUDIT_DEFAULTS.kafka, topic: 'audit', brokers: [broker.address] };
  try {
    await written(configWith({ backend: 'kafka', kafka, chain: chainConfig() }));
    const lines = broker.records.map(({ value }) => value.toString('utf8'));
    assert.is(verified(lines).chains.length, 3);
    assertAllFound(lines, {}, 100);
  } finally {
    await broker.close();
  }
});

test('objects of S3 are verified in the order of their names, and a state file continues the chain', () =>
  inTempFolder(async (folder) => {
    Object.assign(process.env, S3_KEY);
    const storage = await startS3({ bucket: 'logs' });
    try {
      const s3 = { ...AUDIT_DEFAULTS.s3, bucket: 'logs', endpoint: storage.endpoint, pathStyle: true };
      const stateFile = join(folder, 'chain.json');
      await written(configWith({ backend: 's3', s3, chain: chainConfig({ stateFile }) }));
      const objects = [...storage.objects().values()].map((content) => gunzipSync(content).toString());
      const lines = objects.flatMap(linesIn);
      assert.is(verified(lines).chains.length, 1);
      assertAllFound(lines, {}, 100);
      for (const [index, content] of [...storage.objects().values()].entries())
        writeFileSync(join(folder, `${index}.ndjson.gz`), content);
      const names = objects.map((_, index) => `${index}.ndjson.gz`).reverse();
      const whole = await run(PROGRAMS.authzc, ['audit', 'verify', '--checkpoint', stateFile, ...names], folder);
      assert.equal([whole.code, whole.stdout], [0, 'no problem in 183 entries of 1 chain\n']);
      const cut = await run(PROGRAMS.authzc, ['audit', 'verify', '--checkpoint', stateFile, ...names.slice(1)], folder);
      assert.is(cut.code, 1);
      assert.match(cut.stdout, 'dropped: chain');
    } finally {
      await storage.close();
      for (const name of Object.keys(S3_KEY)) delete process.env[name];
    }
  }));

if (!HAS_NATS) skip(import.meta.url, `nats-server is not installed (${NATS_SERVER})`);
else
  test('a stream of NATS keeps the chain', () =>
    inTempFolder(async (folder) => {
      const server = await startNats({ folder });
      try {
        await withNats({ servers: `127.0.0.1:${server.port}` }, async (connection) => {
          await addStream(connection);
          const nats = { ...AUDIT_DEFAULTS.nats, servers: [`nats://127.0.0.1:${server.port}`] };
          await written(configWith({ backend: 'nats', nats, chain: chainConfig() }));
          const lines = (await readStream(connection)).map(({ text }) => text);
          assert.is(verified(lines).chains.length, 3);
          assertAllFound(lines, {}, 100);
        });
      } finally {
        await server.stop();
      }
    }));

test('a server with workers writes one chain over restarts and a kill, and all changes of it are found', () =>
  inTempFolder(async (folder) => {
    const bundles = compileBundles();
    const path = join(folder, 'audit.log');
    const signingKey = join(folder, 'key.pem');
    const public_ = join(folder, 'public.pem');
    const stateFile = join(folder, 'chain.json');
    writeFileSync(signingKey, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(public_, publicKey.export({ type: 'spki', format: 'pem' }));
    const sets = [
      'server.workers=2,audit.enabled=true,audit.backend=file,audit.mask={principal.attr.ssn}',
      `audit.file.path=${path}`,
      `audit.chain.enabled=true,audit.chain.checkpointEntries=50`,
      `audit.chain.signingKey=${signingKey}`,
      `audit.chain.stateFile=${stateFile}`,
    ];
    const servers: Server[] = [];
    try {
      for (const signal of ['SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
        const server = await startProgram(folder, bundles.view, sets);
        servers.push(server);
        const before = existsSync(path) ? linesIn(readFileSync(path, 'utf8')).length : 0;
        await Promise.all(Array.from({ length: 100 }, (_, index) => ask(server, index)));
        // An access and a decision each.
        await until(() => linesIn(readFileSync(path, 'utf8')).length >= before + 200, 'the entries of all calls');
        server.running.child.kill(signal);
        await server.running.ended;
      }
      const lines = linesIn(readFileSync(path, 'utf8'));
      const options = { keys: [publicKey] };
      const { chains } = verified(lines, options);
      assert.is(chains.length, 1);
      assert.ok((chains[0]?.entries ?? 0) > 600);
      assertAllFound(lines, options);
      const result = await run(
        PROGRAMS.authzc,
        ['audit', 'verify', '--key', public_, '--checkpoint', stateFile, path],
        folder,
      );
      assert.is(result.code, 0, result.stdout + result.stderr);
    } finally {
      for (const { running } of servers) running.child.kill('SIGKILL');
      remove(bundles.folder);
    }
  }));

async function ask({ http }: Server, index: number): Promise<void> {
  const attr = { ssn: '123-45-6789', text: `é\u2028 ${index}`, 9: 1, 10: 2.5, nested: { b: [1e21, -0], a: null } };
  const body = {
    principal: { id: 'ann', roles: ['user'], attr },
    resources: [{ resource: { kind: 'document', id: `d${index}` }, actions: ['view', 'edit'] }],
  };
  const response = await fetch(`http://${http}/api/check/resources`, { method: 'POST', body: JSON.stringify(body) });
  assert.is(response.status, 200, await response.text());
}

test.run();
