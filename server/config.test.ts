// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment look like that.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AUDIT_DEFAULTS } from './config/audit-config.js';
import { type Config, ConfigError, loadConfig } from './config.js';

const test = suite('configuration');
let folder = '';
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'authz-config-'));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

function fromFile(
  text: string,
  environment: { readonly [name: string]: string } = {},
  sets: readonly string[] = [],
): Config {
  const file = join(folder, 'c.yaml');
  writeFileSync(file, text);
  return loadConfig({ file, environment, sets }).config;
}

const fromSets = (...sets: string[]): Config => loadConfig({ sets, environment: {} }).config;

function problem(load: () => unknown): string {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replace(`${folder}/`, '');
    throw error;
  }
  return assert.unreachable('accepted') as never;
}

test('without file and overrides the defaults apply', () => {
  const config = fromSets();
  assert.equal(config.server.httpListenAddr, { kind: 'tcp', host: undefined, port: 3592 });
  assert.equal(config.server.grpcListenAddr, { kind: 'tcp', host: undefined, port: 3593 });
  assert.equal(config.server.requestLimits, {
    maxActionsPerResource: 50,
    maxResourcesPerRequest: 50,
    maxUnfinishedBytes: 268_435_456,
  });
  assert.is(config.server.grpc.maxRecvMsgSizeBytes, 4194304);
  assert.is(config.engine.defaultPolicyVersion, 'default');
  assert.is(config.schemaEnforcement, 'none');
});

test('an empty file, and empty blocks, are the defaults', () => {
  assert.equal(fromFile(''), fromSets());
  assert.equal(fromFile('server:\nengine:\n  globals:\nschema: {}\n'), fromSets());
});

test('the configuration can be JSON', () => {
  assert.is(fromFile('{"schema": {"enforcement": "warn"}}').schemaEnforcement, 'warn');
});

test('an unknown key is an error with the key and its location', () => {
  assert.is(
    problem(() => fromFile('server:\n  httpListenAddr: ":1"\n  httpListenAdr: ":2"\n')),
    'c.yaml:3:3: unknown key `server.httpListenAdr`; did you mean `server.httpListenAddr`?',
  );
  assert.is(
    problem(() => fromFile('engine: {}\nengin: {}\n')),
    'c.yaml:2:1: unknown key `engin`; did you mean `engine`?',
  );
  assert.is(
    problem(() => fromFile('storage:\n  disk:\n    dir: x\n')),
    'c.yaml:3:5: unknown key `storage.disk.dir`',
  );
  assert.is(
    problem(() => fromFile('__proto__: {}\nserver:\n  constructor: 1\n')),
    'c.yaml:1:1: unknown key `__proto__`',
  );
});

test('an invalid value is an error that names the expected type', () => {
  assert.is(
    problem(() => fromFile('server:\n  requestLimits:\n    maxActionsPerResource: 0\n')),
    'c.yaml:3:5: `server.requestLimits.maxActionsPerResource` must be an integer from 1 to 500, not `0`',
  );
  assert.match(
    problem(() => fromFile('schema: {enforcement: Reject}')),
    'one of `none`, `warn`, `reject`, not `Reject`',
  );
  assert.match(
    problem(() => fromFile('server: {httpListenAddr: "localhost"}')),
    'a listen address',
  );
  assert.match(
    problem(() => fromFile('server: {httpListenAddr: ":70000"}')),
    'a listen address',
  );
  assert.match(
    problem(() => fromFile('engine: {defaultPolicyVersion: " "}')),
    'non-empty',
  );
  assert.match(
    problem(() => fromFile('auxData: {jwt: {acceptableTimeSkew: -1s}}')),
    'a duration',
  );
  assert.match(
    problem(() => fromFile('server: {advanced: {http: {readTimeout: 5}}}')),
    'a duration',
  );
  assert.match(
    problem(() => fromFile('server: [1]')),
    '`server` must be a map',
  );
  assert.match(
    problem(() => fromFile('engine: {globals: {if: 1}}')),
    'global `if`',
  );
});

test('all problems are reported, in the order of the file', () => {
  const text = `server:
  wokers: 1
  requestLimits: {maxResourcesPerRequest: 0, maxActionsPerResource: x}
engine: 5
auxData:
  jwt:
    keySets:
      - {lokal: {file: x}, insecure: {optionalAlg: 1}}
server2: {}
telemetry: {disabled: false}
`;
  try {
    fromFile(text);
    assert.unreachable('accepted');
  } catch (error) {
    const { others, ...first } = error as ConfigError;
    assert.equal(
      [first, ...others].map(({ place, problem }) => `${place.replace(/^.*\//, '')}: ${problem}`),
      [
        'c.yaml:2:3: unknown key `server.wokers`; did you mean `server.workers`?',
        'c.yaml:3:19: `server.requestLimits.maxResourcesPerRequest` must be an integer from 1 to 500, not `0`',
        'c.yaml:3:46: `server.requestLimits.maxActionsPerResource` must be an integer from 1 to 500, not `x`',
        'c.yaml:4:1: `engine` must be a map',
        'c.yaml:8:10: unknown key `auxData.jwt.keySets[0].lokal`; did you mean `auxData.jwt.keySets[0].local`?',
        'c.yaml:8:9: `auxData.jwt.keySets[0]` has no `id`',
        'c.yaml:8:39: `auxData.jwt.keySets[0].insecure.optionalAlg` must be `true` or `false`, not `1`',
        'c.yaml:9:1: unknown key `server2`; did you mean `server`?',
        'c.yaml:10:13: `telemetry.disabled`: authz sends no telemetry',
      ],
    );
  }
  assert.match(
    problem(() => fromSets('server.tls.cert=c.pem', 'server.explain.enabled=true')),
    '--set server.tls.cert: `server.tls.cert` needs',
  );
});

test('names that every object has are no keys', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    for (const text of [`${name}: 1`, `server: {${name}: 1}`, `server: {aliases: [{${name}: 1}]}`])
      assert.match(
        problem(() => fromFile(text)),
        `unknown key \`${text.includes('aliases') ? 'server.aliases[0].' : text.includes('server') ? 'server.' : ''}${name}\``,
      );
    const attributes = fromFile(`server: {authzen: {subject: caller, token: {attributes: {${name}: sub}}}}`);
    assert.ok(attributes);
  }
  const { tokenSubject } = fromFile(
    'server: {authzen: {subject: token, token: {attributes: {constructor: sub}}}}\nauxData: {jwt: {keySets: [{id: k, local: {data: e30}}]}}',
  ).server;
  assert.equal(Object.keys(tokenSubject?.attributes ?? {}), ['constructor']);
});

test('ineffective settings are rejected when security depends on them, and otherwise cause a warning', () => {
  assert.match(
    problem(() => fromFile('telemetry: {disabled: false}')),
    'telemetry.disabled',
  );
  fromFile('telemetry: {disabled: true}\nserver: {tls: {cert: "", key: ""}}\nhub:\ntracing:\n');
  const { warnings } = loadConfig({
    sets: ['compile.cacheSize=1', 'storage.driver=git', 'engine.numWorkers=4', 'tracing.serviceName=x'],
    environment: {},
  });
  assert.is(warnings.length, 4);
  assert.match(warnings[0] as string, '`compile.cacheSize` has no effect');
  assert.match(warnings[3] as string, 'environment variables of OpenTelemetry');
});

test('TLS needs certificate and key, and one alone is an error instead of plaintext', () => {
  assert.is(fromSets().server.tls, undefined);
  assert.equal(fromSets('server.tls.cert=c.pem,server.tls.key=k.pem').server.tls, {
    cert: 'c.pem',
    key: 'k.pem',
    caCert: undefined,
    watch: true,
  });
  assert.is(
    problem(() => fromSets('server.tls.cert=c.pem')),
    '--set server.tls.cert: `server.tls.cert` needs `server.tls.key`',
  );
  assert.match(
    problem(() => fromFile('server: {tls: {key: k.pem, cert: ""}}')),
    'c.yaml:1:16: `server.tls.key` needs `server.tls.cert`',
  );
  assert.match(
    problem(() => fromSets('server.tls.caCert=ca.pem')),
    'needs `server.tls.cert`',
  );
});

/** Of the password `secret`. */
const HASH = '$2b$04$abcdefghijklmnopqrstuuDFmCnsElMGNQbrI3uYKzNVpW1CYVBFy';
const HASH_64 = Buffer.from(HASH).toString('base64');

test('the admin API needs custom credentials, and never prints them', () => {
  const block = (text: string): string => `server:\n  adminAPI:\n    enabled: true\n    adminCredentials: {${text}}\n`;
  assert.equal(fromFile(block(`username: a, passwordHash: ${HASH_64}`)).server.adminAPI, {
    username: 'a',
    passwordHash: HASH,
  });
  assert.is(fromFile(block('').replace('true', 'false')).server.adminAPI, undefined);
  assert.match(
    problem(() => fromFile(block('username: a'))),
    'c.yaml:3:5: `server.adminAPI.enabled` needs `server.adminAPI.adminCredentials.passwordHash`',
  );
  assert.match(
    problem(() => fromFile(block(`passwordHash: ${HASH_64}`))),
    'adminCredentials.username`',
  );
  for (const bad of ['secret', Buffer.from('secret').toString('base64'), HASH, `${HASH_64}!`]) {
    const said = problem(() => fromFile(block(`username: a, passwordHash: "${bad.replaceAll('$', '$$$$')}"`)));
    assert.match(said, 'must be base64 of a bcrypt hash');
    assert.not.match(said, bad);
    const flagSaid = problem(() =>
      fromSets(`server.adminAPI.adminCredentials.passwordHash=${bad.replaceAll('$', '$$$$').replaceAll(',', '')}`),
    );
    assert.not.match(flagSaid, bad);
  }
});

test('a bundle from another machine comes over TLS, or is verified', () => {
  const plain = [
    ['bundle.source=http://bundles.example.com/policies.js'],
    ['bundle.source=http://10.0.0.7/policies.js'],
    ['bundle.source=oci://registry.example.com/shop:live', 'bundle.oci.plainHttp=true'],
    ['bundle.source=s3://bundles/policies.js', 'bundle.s3.endpoint=http://storage.example.com'],
  ];
  for (const sets of plain) {
    assert.match(
      problem(() => fromSets(...sets)),
      '`bundle.source` needs TLS or `bundle.trust.keys`',
    );
    assert.is(fromSets(...sets, 'bundle.trust.keys[0]=release.pem').bundle.trust?.keys[0], 'release.pem');
  }
  const safe = [
    ['bundle.source=http://127.0.0.1:8080/policies.js'],
    ['bundle.source=http://localhost/policies.js'],
    ['bundle.source=http://[::1]:8080/policies.js'],
    ['bundle.source=https://bundles.example.com/policies.js'],
    ['bundle.source=oci://registry.example.com/shop:live'],
    ['bundle.source=oci://localhost:5000/shop:live', 'bundle.oci.plainHttp=true'],
    ['bundle.source=s3://bundles/policies.js'],
  ];
  for (const sets of safe) assert.is(fromSets(...sets).bundle.trust, undefined);
});

test('a user of Kafka has one password, which is not sent in plain text', () => {
  const key = 'audit.kafka.authentication.sasl';
  const user = [`${key}.mechanism=PLAIN`, `${key}.username=u`, `${key}.password=canary`];
  const tls = 'audit.kafka.authentication.tls.caPath=ca.pem';
  const remote = 'audit.kafka.brokers={kafka:9092}';
  const wrong: readonly (readonly [string, readonly string[]])[] = [
    ['`PLAIN` needs `audit.kafka.authentication.tls.caPath`', [...user, remote]],
    ['needs `audit.kafka.authentication.sasl.mechanism`', user.slice(1)],
    ['needs `audit.kafka.authentication.sasl.username`', [user[0] ?? '', user[2] ?? '']],
    ['needs one of', user.slice(0, 2)],
    ['needs one of', [...user, `${key}.passwordFile=x`]],
    ['must be one of `PLAIN`, `SCRAM-SHA-256`, `SCRAM-SHA-512`', [`${key}.mechanism=GSSAPI`]],
  ];
  for (const [expected, sets] of wrong) {
    const said = problem(() => fromSets(...sets));
    assert.match(said, expected);
    assert.not.match(said, 'canary');
  }
  assert.equal(fromSets(...user, remote, tls).audit.kafka.sasl?.password, { value: 'canary' });
  fromSets(...user, 'audit.kafka.brokers={localhost:9092,127.0.0.1:9093}');
  const scram = fromSets(`${key}.mechanism=SCRAM-SHA-512`, `${key}.username=u`, `${key}.passwordFile=/run/p`, remote);
  assert.equal(scram.audit.kafka.sasl, { mechanism: 'SCRAM-SHA-512', username: 'u', password: { file: '/run/p' } });
});

test('credentials of tenants and keys that verify tokens come over TLS, unless a switch says otherwise', () => {
  const keySet = (url: string): readonly string[] => [
    'auxData.jwt.keySets[0].id=k',
    `auxData.jwt.keySets[0].remote.url=${url}`,
  ];
  const there = 'tenants.example.com/{tenant}'.replaceAll('.', '\\.').replaceAll('{', '\\{').replaceAll('}', '\\}');
  const plain: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'keySets[0].remote.url` needs `https://`',
      'auxData.jwt.keySets[0].insecure.plainHttp',
      keySet('http://keys\\.example\\.com/'),
    ],
    [
      'keySets[0].remote.url` needs `https://`',
      'auxData.jwt.keySets[0].insecure.plainHttp',
      keySet('http://10\\.0\\.0\\.7/jwks'),
    ],
    [
      'keySets[0].remote.url` needs `https://`',
      'auxData.jwt.keySets[0].insecure.plainHttp',
      keySet('HTTP://user:canary@keys/'),
    ],
    ['`tenants.source` needs `https://`', 'tenants.http.plainHttp', [`tenants.source=http://user:canary@${there}`]],
    ['`tenants.source` needs `https://`', 'tenants.http.plainHttp', [`tenants.source=http://canary@${there}`]],
    [
      '`tenants.source` needs `https://`',
      'tenants.http.plainHttp',
      [`tenants.source=http://${there}`, 'tenants.http.tokenFile=/run/token'],
    ],
  ];
  for (const [expected, allowing, sets] of plain) {
    const said = problem(() => fromSets(...sets));
    assert.match(said, expected);
    assert.match(said, allowing.split('.').slice(-2).join('.'));
    assert.not.match(said, 'canary');
    fromSets(...sets, `${allowing}=true`);
  }
  const safe = [
    keySet('https://keys\\.example\\.com/'),
    keySet('http://127\\.0\\.0\\.1:1/'),
    keySet('http://localhost/'),
    [`tenants.source=https://user:secret@${there}`],
    [`tenants.source=http://${there}`],
    [`tenants.source=http://user:secret@localhost/\\{tenant\\}`],
  ];
  for (const sets of safe) fromSets(...sets);
});

test('the number of processes is the configured one, or one per core', () => {
  assert.is(fromSets().server.workers, undefined);
  assert.is(fromSets('server.workers=1').server.workers, 1);
  assert.match(
    problem(() => fromSets('server.workers=0')),
    'an integer from 1 to 256',
  );
  assert.match(
    problem(() => fromSets('server.workers=257')),
    'an integer from 1 to 256',
  );
});

test('without its block the audit log has its defaults', () => {
  assert.equal(fromSets().audit, AUDIT_DEFAULTS);
});

test('an audit log needs a backend, and the settings of that backend', () => {
  const audit = (text: string): Config['audit'] => fromFile(`audit:\n  enabled: true\n${text}`).audit;
  assert.is(audit('  backend: file\n').file.path, 'stdout');
  assert.is(audit('  backend: local\n  local: {storagePath: /x}').local.storagePath, '/x');
  assert.is(audit('  backend: kafka\n  kafka: {topic: t, brokers: ["a:1"]}').kafka.topic, 't');
  assert.match(
    problem(() => audit('')),
    'c.yaml:2:3: `audit.enabled` needs `audit.backend`',
  );
  assert.match(
    problem(() => audit('  backend: hub')),
    'c.yaml:3:3: `audit.backend` must be one of `file`, `local`, `kafka`, `nats`, `s3`, not `hub`',
  );
  assert.match(
    problem(() => audit('  backend: local')),
    'needs `audit.local.storagePath`',
  );
  assert.match(
    problem(() => audit('  backend: kafka\n  kafka: {brokers: ["a:1"]}')),
    'needs `audit.kafka.topic`',
  );
  assert.match(
    problem(() => audit('  backend: kafka\n  kafka: {topic: t}')),
    'needs `audit.kafka.brokers`',
  );
  assert.equal(audit('  backend: nats\n  nats: {servers: ["tls://n:4222"]}').nats.servers, ['tls://n:4222']);
  assert.is(audit('  backend: s3\n  s3: {bucket: logs, endpoint: "https://s3:9000"}').s3.endpoint, 'https://s3:9000');
  assert.match(
    problem(() => audit('  backend: nats')),
    'needs `audit.nats.servers`',
  );
  const password = problem(() => audit('  backend: nats\n  nats: {servers: ["nats://a:secret@n:4222"]}'));
  assert.match(password, '`audit.nats.servers[0]` must be a server without credentials');
  assert.not.match(password, 'secret');
  assert.match(
    problem(() => audit('  backend: s3')),
    'needs `audit.s3.bucket`',
  );
  assert.match(
    problem(() => audit('  backend: s3\n  s3: {bucket: b, endpoint: storage}')),
    '`audit.s3.endpoint` must be a URL',
  );
  assert.match(
    problem(() =>
      audit('  backend: kafka\n  kafka: {topic: t, brokers: ["a:1"], encoding: protobuf}\n  chain: {enabled: true}'),
    ),
    '`audit.chain.enabled` needs `audit.kafka.encoding: json`',
  );
  assert.match(
    problem(() => audit('  backend: kafka\n  kafka: {topic: t, brokers: [a]}')),
    '`audit.kafka.brokers[0]` must be a broker',
  );
  for (const [key, value] of [
    ['local.retentionPeriod', '59m'],
    ['local.retentionPeriod', '721h'],
    ['local.advanced.flushInterval', '999ms'],
    ['local.advanced.bufferSize', '0'],
    ['queue.maxEntries', '0'],
    ['kafka.ack', 'some'],
    ['kafka.compression', 'gzip'],
    ['mask', '{principal}'],
    ['file.path', '""'],
    ['bakend', 'file'],
  ] as const) {
    assert.match(
      problem(() => fromSets(`audit.${key}=${value === '""' ? '' : value}`)),
      `audit.${key}`,
      key,
    );
  }
  assert.match(
    problem(() => fromSets('audit.file.logRotation.maxFileCount=3')),
    'needs `audit.file.logRotation.maxFileSizeMB`',
  );
  assert.equal(fromSets('audit.file.logRotation.maxFileSizeMB=3').audit.file.logRotation, {
    maxFileSizeMB: 3,
    maxFileAgeDays: 0,
    maxFileCount: 0,
  });
  assert.equal(fromSets('audit.mask={principal.attr.ssn}').audit.mask, [{ root: 'principal', steps: ['attr', 'ssn'] }]);
});

test('a configuration is plain data that can be sent to another process', () => {
  const config = fromSets(
    'engine.globals.a=1',
    'audit.mask={principal.attr.ssn}',
    'auxData.jwt.keySets[0].id=k,auxData.jwt.keySets[0].remote.url=https://a/b',
  );
  assert.equal(structuredClone(config), config);
});

test('an unknown key suggests a key of another block if only one has its name', () => {
  assert.is(
    problem(() => fromSets('workers=1')),
    '--set workers: unknown key `workers`; did you mean `server.workers`?',
  );
  assert.is(
    problem(() => fromSets('server.idleTimeout=1s')),
    '--set server.idleTimeout: unknown key `server.idleTimeout`; did you mean `server.advanced.http.idleTimeout`?',
  );
  assert.is(
    problem(() => fromSets('enabled=true')),
    '--set enabled: unknown key `enabled`',
  );
});

test('an unknown key suggests the key of its block that shares most words', () => {
  for (const [written, likely] of [
    ['httpPort', 'httpListenAddr'],
    ['httpAddress', 'httpListenAddr'],
    ['port', 'httpListenAddr'],
    ['grpcPort', 'grpcListenAddr'],
    ['grpc-host', 'grpcListenAddr'],
  ])
    assert.match(
      problem(() => fromFile(`server:\n  ${written}: 1\n`)),
      `did you mean \`server.${likely}\`?`,
    );
  // Several share one word.
  assert.not.match(
    problem(() => fromFile('server:\n  listenQuickly: 1\n')),
    'did you mean',
  );
});

test('a key with a dot is not a path', () => {
  assert.is(
    problem(() => fromFile('"server.workers": 3')),
    'c.yaml:1:1: unknown key `server.workers`; use nested maps instead of dots',
  );
});

test('invalid YAML, a missing file and a folder are errors with a location', () => {
  assert.match(
    problem(() => fromFile('a: [')),
    /^c\.yaml:1:\d+: /,
  );
  assert.match(
    problem(() => fromFile('server: {}\nserver: {}')),
    'c.yaml:2:1',
  );
  assert.match(
    problem(() => fromFile('- 1')),
    'must be a map',
  );
  assert.match(
    problem(() => fromFile('server: &a {}\nengine: *a')),
    'anchors',
  );
  assert.match(
    problem(() => fromFile('server: {}\n---\nserver: {}')),
    'c.yaml:2:1: the configuration must be one document',
  );
  assert.match(
    problem(() => loadConfig({ file: join(folder, 'none.yaml') })),
    'file not found',
  );
  assert.match(
    problem(() => loadConfig({ file: folder })),
    'is a folder, not a file',
  );
});

test('environment variables are substituted in the raw text, before types are determined', () => {
  const text =
    'server: {requestLimits: {maxActionsPerResource: ${MAX:7}, maxResourcesPerRequest: $MANY}}\nengine: {defaultScope: "a$$b ${EMPTY:x} $ c"}';
  const config = fromFile(text, { MANY: '9', EMPTY: '' });
  const { maxActionsPerResource, maxResourcesPerRequest } = config.server.requestLimits;
  assert.equal([maxActionsPerResource, maxResourcesPerRequest], [7, 9]);
  assert.is(config.engine.defaultScope, 'a$b  $ c');
  assert.is(
    problem(() => fromFile('engine:\n  defaultScope: ${NOPE}')),
    'c.yaml:2:17: environment variable `NOPE` is not set',
  );
  assert.match(
    problem(() => fromFile('engine: {defaultScope: "${NOPE:}"}')),
    '`NOPE` is not set',
  );
  assert.match(
    problem(() => fromFile('engine: {defaultScope: "${constructor}"}')),
    '`constructor` is not set',
  );
  assert.is(fromFile('engine: {defaultScope: ${NOPE:""}}').engine.defaultScope, '');
});

test('integers of globals are bigints, other numbers are not', () => {
  const { globals } = fromFile(
    'engine:\n  globals: {i: 42, d: 1.5, e: 1.0, big: 9223372036854775807, deep: [{n: -3}], s: "1", b: true, z: null}',
  ).engine;
  assert.equal(globals, {
    i: 42n,
    d: 1.5,
    e: 1,
    big: 9223372036854775807n,
    deep: [{ n: -3n }],
    s: '1',
    b: true,
    z: null,
  });
});

test('overrides are merged over the file, map by map', () => {
  const config = fromFile('server:\n  requestLimits: {maxActionsPerResource: 7, maxResourcesPerRequest: 8}\n', {}, [
    'server.requestLimits.maxActionsPerResource=9',
  ]);
  const { maxActionsPerResource, maxResourcesPerRequest } = config.server.requestLimits;
  assert.equal([maxActionsPerResource, maxResourcesPerRequest], [9, 8]);
});

test('an override may set several keys, lists, and strings with escapes', () => {
  const { globals } = fromSets(
    'engine.globals.a=1,engine.globals.b=x',
    'engine.globals.l={x,2,y\\,z}',
    'engine.globals.m[1].n=true',
    'engine.globals.t=a\\,b\\.c=d',
    'engine.globals.e={}',
  ).engine;
  assert.equal(globals, { a: 1n, b: 'x', l: ['x', 2n, 'y,z'], m: [null, { n: true }], t: 'a,b.c=d', e: [] });
  assert.equal(fromSets('engine.globals.k.x\\.y=null').engine.globals, { k: { 'x.y': null } });
  assert.is(fromSets('engine.defaultPolicyVersion=20210210').engine.defaultPolicyVersion, '20210210');
});

test('a malformed override is an error that names it', () => {
  assert.is(
    problem(() => fromSets('server')),
    '--set server: `server` has no value: write server=VALUE',
  );
  assert.match(
    problem(() => fromSets('')),
    'must be key=value',
  );
  assert.match(
    problem(() => fromSets('a..b=1')),
    'a key is empty',
  );
  assert.match(
    problem(() => fromSets('engine.globals.a[x]=1')),
    'not a list index',
  );
  assert.match(
    problem(() => fromSets('engine.globals.a[99999]=1')),
    'not a list index',
  );
  assert.match(
    problem(() => fromSets('engine.globals.a={x')),
    'not closed',
  );
  assert.is(
    problem(() => fromSets('server.foo=1')),
    '--set server.foo: unknown key `server.foo`',
  );
  assert.is(
    problem(() => fromSets('server.wokers=1')),
    '--set server.wokers: unknown key `server.wokers`; did you mean `server.workers`?',
  );
});

test('keysets have a unique id and one source', () => {
  const sets = (text: string): string => problem(() => fromFile(`auxData:\n  jwt:\n    keySets:\n${text}`));
  assert.match(
    sets('      - {id: a, local: {file: x}}\n      - {id: a, local: {file: y}}'),
    'c.yaml:5:9: keyset `a` is duplicated',
  );
  assert.match(sets('      - {id: a}'), 'one of `local` and `remote`');
  assert.match(sets('      - {id: a, local: {file: x, data: eA==}}'), 'one of `data` and `file`');
  assert.match(sets('      - {local: {file: x}}'), 'has no `id`');
  assert.match(sets('      - {id: a, remote: {url: x}}'), 'a URL that begins with');
  assert.match(sets('      - {id: a, remote: {url: "file:///etc/passwd"}}'), 'a URL that begins with');
  assert.match(sets('      - {id: a, remote: {}}'), 'has no `url`');
  assert.match(sets('      - {id: a, remote: {url: "http://h", refreshInterval: 1ms}}'), 'a duration of 1s or more');
  assert.match(
    sets('      - {id: a, lokal: {}}'),
    'unknown key `auxData.jwt.keySets[0].lokal`; did you mean `auxData.jwt.keySets[0].local`?',
  );
});

test('listen addresses are host and port, a port, or a socket', () => {
  assert.equal(fromSets('server.httpListenAddr=127.0.0.1:0').server.httpListenAddr, {
    kind: 'tcp',
    host: '127.0.0.1',
    port: 0,
  });
  assert.equal(fromSets('server.httpListenAddr=\\[::1\\]:80').server.httpListenAddr, {
    kind: 'tcp',
    host: '::1',
    port: 80,
  });
  assert.equal(fromSets('server.httpListenAddr=unix:/a/b.sock').server.httpListenAddr, {
    kind: 'unix',
    path: '/a/b.sock',
  });
  for (const zero of ['0', '"0"', '"-0"', '0s'])
    assert.is(fromFile(`auxData: {jwt: {acceptableTimeSkew: ${zero}}}`).jwt.acceptableTimeSkew, 0, zero);
  assert.equal(fromFile('server: {udsFileMode: 0o700}').server.udsFileMode, 0o700);
  assert.equal(fromFile('server: {udsFileMode: "0o766"}').server.udsFileMode, 0o766);
});

test.run();
