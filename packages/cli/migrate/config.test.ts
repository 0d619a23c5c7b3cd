import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../tests/support/oracle/random.js';
import { checkAgreements } from '../../../server/config/agreements.js';
import { readConfig } from '../../../server/config/read.js';
import { type Settled, settle } from '../../../server/config/settings.js';
import { findConfigs, isReferenceConfig } from './config-files.js';
import { type KeyNote, type TranslatedConfig, translateConfig } from './config.js';
import { SEED } from '../../../tests/support/effort.js';

const test = suite('the translation of configurations');

function translated(text: string): TranslatedConfig {
  const result = translateConfig(text);
  assert.ok(result, text);
  return result;
}

function load(text: string): Settled {
  const settled = settle(readConfig(text, 'f'));
  checkAgreements(settled);
  return settled;
}

const changes = (notes: readonly KeyNote[]): readonly string[] =>
  notes.filter(({ key }) => key !== 'server.aliases').map(({ change, key, line }) => `${change} ${key} ${line}`);

test('keys that the server has stay as they are, with their comments', () => {
  const text = `# ours
server: # ports
  httpListenAddr: ":3592"
  requestLimits: {maxActionsPerResource: 100} # many
storage:
  driver: disk
  disk: {directory: /policies, watchForChanges: true}
schema:
  enforcement: reject
`;
  const { text: own, notes } = translated(text);
  assert.equal(changes(notes), []);
  assert.is(own, text.replace(' # ports', '\n  # ports').replace('# many\n', '# many\n  aliases: [cerbos]\n'));
  assert.equal(load(own).warnings, []);
  assert.is(load(own).settings.storage.disk.watchForChanges, true);
});

test('all keys are reported at once, each with its line and what to do', () => {
  const { text, notes } = translated(`server:
  httpListenAddr: 3592
  playgroundEnabled: true
  logLevel: debug
  requestLimit: {}
  advanced: {http: {readTimeout: 30000000000}}
engine:
  numWorkers: 4
  lenientScopeSearch: on
storage:
  driver: postgres
  postgres: {url: "\${DB}"}
audit: {enabled: true}
schema: {enforcement: maybe, cacheSize: 5}
telemetry: {disabled: false}
tracing: {serviceName: x}
compile: {cacheDuration: 60s}
log: {format: json}
other: 1
hub: {credentials: {clientID: x}}
`);
  assert.equal(changes(notes).toSorted(), [
    'by hand schema.enforcement 14',
    'by hand server.httpListenAddr 2',
    'changed engine.lenientScopeSearch 9',
    'changed server.advanced.http.readTimeout 6',
    'removed compile 17',
    'removed engine.numWorkers 8',
    'removed hub 20',
    'removed log 18',
    'removed other 19',
    'removed schema.cacheSize 14',
    'removed server.logLevel 4',
    'removed server.playgroundEnabled 3',
    'removed server.requestLimit 5',
    'removed storage.driver 11',
    'removed storage.postgres 12',
    'removed telemetry 15',
    'removed tracing 16',
  ]);
  assert.ok(notes.every(({ advice }) => advice.length > 10));
  assert.match(
    notes.find(({ key }) => key === 'server.requestLimit')?.advice ?? '',
    'did you mean `server.requestLimits`',
  );
  assert.match(text, 'readTimeout: 30s');
  assert.match(text, 'lenientScopeSearch: true');
  assert.match(text, '#     postgres: {url: "$${DB}"}\n');
});

test('stores name what takes their place', () => {
  const advice = (storage: string): string =>
    translated(`storage: ${storage}\n`)
      .notes.filter(({ isOpen }) => isOpen === true)
      .map((note) => note.advice)
      .join('\n');
  const git = '{driver: git, git: {url: "https://x/p.git", branch: live, subDir: a/b, updatePollInterval: 10s}}';
  assert.match(advice(git), "`authzc serve --git 'https://x/p.git#live:a/b' --interval 10s`");
  assert.match(advice('{driver: git, git: {url: "https://x/p.git"}}'), "'https://x/p.git#master'");
  assert.match(
    advice('{driver: blob, blob: {bucket: "s3://b?region=eu", prefix: /x/}}'),
    '`bundle.source: s3://b/x/policies.authzbundle`',
  );
  assert.match(advice('{driver: blob, blob: {bucket: "gs://b"}}'), 'not read');
  for (const driver of ['sqlite3', 'postgres', 'mysql'])
    assert.match(advice(`{driver: ${driver}, ${driver}: {url: x}}`), 'export');
  assert.match(advice('{driver: overlay, overlay: {baseDriver: blob}}'), 'bundle.cache');
  assert.match(advice('{driver: hub, hub: {remote: {deploymentID: x}}}'), 'bundle.source');
  assert.match(advice('{driver: hub, hub: {local: {bundlePath: x.crbp}}}'), '.crbp');
  assert.match(advice('{driver: disk, disk: {directory: p.tar.gz}}'), 'unpack');
});

test('equal addresses, the audit backend of Hub, missing credentials and constraints are reported', () => {
  const equal = translated('server: {httpListenAddr: ":80", grpcListenAddr: ":80"}\n');
  assert.equal(changes(equal.notes), ['kept server.grpcListenAddr 1']);
  const hub = translated(
    'audit:\n  enabled: true\n  backend: hub\n  hub: {storagePath: /a, retentionPeriod: 24h, mask: {peer: [address]}}\n',
  );
  const { backend, local } = load(hub.text).settings.audit;
  assert.equal([backend, local.storagePath, local.retentionPeriod], ['local', '/a', 86_400_000]);
  assert.ok(hub.notes.some(({ key, isOpen }) => key === 'audit.hub' && isOpen === true));
  const admin = translated('server: {adminAPI: {enabled: true}}\n');
  assert.equal(changes(admin.notes), ['by hand server.adminAPI.enabled 1', 'by hand server.adminAPI.enabled 1']);
  assert.equal(changes(translated('audit: {enabled: true, backend: local}\n').notes), ['by hand audit.backend 1']);
  // What the environment has is not known.
  assert.equal(
    changes(translated('audit: {enabled: true, backend: "${B}", local: {storagePath: "${P}"}}\n').notes),
    [],
  );
});

test('files that are not a map in YAML are left alone, and configurations are found by content', () => {
  for (const text of ['', '[]', 'a: [', 'x', '{{ template }}', 'kind: ConfigMap\nstorage: {}\n', 'port: 1\n'])
    assert.is(translateConfig(text), undefined);
  for (const text of [
    'storage: {driver: disk}',
    'server:\n  httpListenAddr: ":3592"\n',
    '{"storage": {"driver": "git"}}',
  ])
    assert.ok(isReferenceConfig(text), text);
  for (const text of [
    'server: {port: 1}',
    'storage: {driver: ceph}',
    'storage: disk',
    'a:\n  storage: {driver: disk}\n',
    '[',
  ])
    assert.not.ok(isReferenceConfig(text), text);
});

test('variables in braces are read, although the file is not YAML before they are put in', () => {
  const text = `server: {httpListenAddr: ":3592", adminAPI: {enabled: true, adminCredentials: {username: \${USER}, passwordHash: \${HASH:none}}}}
storage: {driver: git, git: {url: "https://host/x.git", https: {password: \${TOKEN}, username: x}}}
engine: {globals: {list: [\${A}, \${B} ]}}
`;
  assert.ok(isReferenceConfig(text));
  const { text: translated = '' } = translateConfig(text) ?? {};
  assert.match(translated, 'username: "${USER}"');
  assert.match(translated, 'passwordHash: "${HASH:none}"');
  assert.match(translated, '["${A}", "${B}"]');
  assert.is(translateConfig(translated)?.text, translated);
});

test('files of other programs are not translated, unless they are named', () => {
  const text = 'server: {httpListenAddr: ":80"}\nstorage: {driver: postgres}\n';
  const findIn = (files: { readonly [path: string]: string }, named?: string) => {
    const { configs, findings } = findConfigs(new Map(Object.entries(files)), named, () => false);
    return [configs.map(({ path }) => path), findings.map(({ path }) => path)];
  };
  assert.equal(findIn({ 'config.yaml': text }), [[], ['config.yaml']]);
  assert.equal(findIn({ 'config.yaml': text }, 'config.yaml'), [['config.yaml'], []]);
  assert.equal(findIn({ 'config.yaml': text, 'README.md': 'cerbos config.yaml' }), [[], ['config.yaml']]);
  assert.equal(findIn({ 'cerbos/config.yaml': text }), [['cerbos/config.yaml'], []]);
  assert.equal(findIn({ 'config.yaml': `# cerbos\n${text}` }), [['config.yaml'], []]);
  assert.equal(
    findIn({ 'a/config.yaml': text, 'compose.yaml': 'image: cerbos/cerbos\ncommand: /config/config.yaml' }),
    [['a/config.yaml'], []],
  );
  assert.equal(findIn({ 'config.yaml': `${text}database: {}\n` }), [[], []]);
  assert.equal(findIn({ 'a/.cerbos.yaml': `${text}other: {}\n`, 'b/cerbos.yaml': 'services: {}\n' }), [
    ['a/.cerbos.yaml'],
    [],
  ]);
  assert.equal(findIn({ 'testdata/cerbos.yaml': text, '_schemas/cerbos.json': text, 'cerbos_test.yaml': text }), [
    [],
    [],
  ]);
});

const LINES: readonly (readonly [string, string])[] = [
  ['server', 'httpListenAddr: ":3592" # http'],
  ['server', 'grpcListenAddr: ":3592"'],
  ['server', 'playgroundEnabled: yes'],
  ['server', 'metricsEnabled: off'],
  ['server', 'logLevel: debug'],
  ['server', 'aliases: []'],
  ['server', 'nope: {a: [1, "#", {b: 2}]}'],
  ['server', 'adminAPI: {enabled: false}'],
  ['engine', 'defaultPolicyVersion: 20210210'],
  ['engine', 'numWorkers: 4 # cpus'],
  ['engine', 'policyLoaderTimeout: 5000000000'],
  ['storage', 'driver: git'],
  ['storage', 'git:\n    url: x # comment\n    # another\n    https: {password: "${SECRET}"}'],
  ['storage', 'disk: {directory: "${DIR:policies}", scratchDir: /tmp}'],
  ['telemetry', 'disabled: false'],
  ['log', 'level: |\n    debug\n    # not a comment'],
  ['audit', 'enabled: false'],
  ['schema', 'enforcement: warn'],
];

test('random configurations: the result has no unknown key and no warning, and translating twice changes nothing', () => {
  const random = new Random(SEED);
  for (let turn = 0; turn < 300; turn += 1) {
    const chosen = LINES.filter(() => random.pick([true, false, false]));
    const blocks = [...new Set(chosen.map(([block]) => block))];
    const text = blocks
      .map(
        (block) =>
          `${random.pick(['', '# about\n'])}${block}:\n${chosen
            .filter(([own]) => own === block)
            .map(([, line]) => `  ${line}\n`)
            .join('')}`,
      )
      .join(random.pick(['', '\n']));
    if (text === '') continue;
    const once = translated(text);
    const twice = translated(once.text);
    assert.is(twice.text, once.text, text);
    assert.equal(
      twice.notes.filter(({ change }) => change !== 'kept' && change !== 'by hand'),
      [],
      text,
    );
    const { warnings } = load(once.text.replaceAll('${DIR:policies}', 'policies'));
    assert.equal(warnings, [], once.text);
    // Nothing is lost: every word of the original is still there.
    for (const word of text.match(/[A-Za-z]{4,}/g) ?? [])
      assert.ok(once.text.includes(word), `${word} in ${once.text}`);
  }
});

test.run();
