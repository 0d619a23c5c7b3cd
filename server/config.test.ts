// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment look like that.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Config, ConfigError, loadConfig } from './config.js';

const test = suite('configuration');
let folder = '';
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'authz-config-'));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

function fromFile(text: string, environment: { readonly [name: string]: string } = {}, sets: readonly string[] = []): Config {
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

test('without file and overrides the defaults hold', () => {
  const config = fromSets();
  assert.equal(config.server.httpListenAddr, { kind: 'tcp', host: undefined, port: 3592 });
  assert.equal(config.server.grpcListenAddr, { kind: 'tcp', host: undefined, port: 3593 });
  assert.equal(config.server.requestLimits, { maxActionsPerResource: 50, maxResourcesPerRequest: 50 });
  assert.is(config.server.grpc.maxRecvMsgSizeBytes, 4194304);
  assert.is(config.engine.defaultPolicyVersion, 'default');
  assert.is(config.schemaEnforcement, 'none');
});

test('an empty file, and empty blocks, are the defaults', () => {
  assert.equal(fromFile(''), fromSets());
  assert.equal(fromFile('server:\nengine:\n  globals:\nschema: {}\n'), fromSets());
});

test('JSON is a configuration too', () => {
  assert.is(fromFile('{"schema": {"enforcement": "warn"}}').schemaEnforcement, 'warn');
});

test('an unknown key is an error that names the key and its place', () => {
  assert.is(problem(() => fromFile('server:\n  httpListenAddr: ":1"\n  httpListenAdr: ":2"\n')), 'c.yaml:3:3: unknown key `server.httpListenAdr`');
  assert.is(problem(() => fromFile('engine: {}\nengin: {}\n')), 'c.yaml:2:1: unknown key `engin`');
  assert.is(problem(() => fromFile('storage:\n  disk:\n    dir: x\n')), 'c.yaml:3:5: unknown key `storage.disk.dir`');
  assert.is(problem(() => fromFile('__proto__: {}\nserver:\n  constructor: 1\n')), 'c.yaml:1:1: unknown key `__proto__`');
});

test('a wrong value is an error that says what is wanted', () => {
  assert.is(problem(() => fromFile('server:\n  requestLimits:\n    maxActionsPerResource: 0\n')), 'c.yaml:3:5: `server.requestLimits.maxActionsPerResource` must be an integer from 1 to 500, not `0`');
  assert.match(problem(() => fromFile('schema: {enforcement: Reject}')), 'one of `none`, `warn`, `reject`, not `Reject`');
  assert.match(problem(() => fromFile('server: {httpListenAddr: "localhost"}')), 'a listen address');
  assert.match(problem(() => fromFile('server: {httpListenAddr: ":70000"}')), 'a listen address');
  assert.match(problem(() => fromFile('engine: {defaultPolicyVersion: " "}')), 'not empty');
  assert.match(problem(() => fromFile('auxData: {jwt: {acceptableTimeSkew: -1s}}')), 'a duration');
  assert.match(problem(() => fromFile('server: {advanced: {http: {readTimeout: 5}}}')), 'a duration');
  assert.match(problem(() => fromFile('server: [1]')), '`server` must be a map');
  assert.match(problem(() => fromFile('engine: {globals: {if: 1}}')), 'global `if`');
});

test('what is not there yet and would be missed is refused, what would not be is a warning', () => {
  assert.match(problem(() => fromFile('server: {tls: {cert: a, key: b}}')), '`server.tls.cert`: TLS is not supported yet');
  assert.match(problem(() => fromFile('audit: {enabled: true, backend: file}')), 'audit log is not supported yet');
  assert.match(problem(() => fromFile('telemetry: {disabled: false}')), 'telemetry.disabled');
  fromFile('audit: {enabled: false, backend: file, file: {path: x}}\ntelemetry: {disabled: true}\nserver: {tls: {cert: "", key: ""}}');
  const { warnings } = loadConfig({ sets: ['compile.cacheSize=1', 'storage.driver=git', 'engine.numWorkers=4'], environment: {} });
  assert.is(warnings.length, 3);
  assert.match(warnings[0] as string, '`compile.cacheSize` has no effect');
});

test('bad YAML, a missing file and a folder are errors with a place', () => {
  assert.match(problem(() => fromFile('a: [')), /^c\.yaml:1:\d+: /);
  assert.match(problem(() => fromFile('server: {}\nserver: {}')), 'c.yaml:2:1');
  assert.match(problem(() => fromFile('- 1')), 'must be a map');
  assert.match(problem(() => fromFile('server: &a {}\nengine: *a')), 'anchors');
  assert.match(problem(() => loadConfig({ file: join(folder, 'none.yaml') })), 'ENOENT');
  assert.match(problem(() => loadConfig({ file: folder })), 'EISDIR');
});

test('the environment is put into the raw text and takes part in its typing', () => {
  const text = 'server: {requestLimits: {maxActionsPerResource: ${MAX:7}, maxResourcesPerRequest: $MANY}}\nengine: {defaultScope: "a$$b ${EMPTY:x} $ c"}';
  const config = fromFile(text, { MANY: '9', EMPTY: '' });
  assert.equal(config.server.requestLimits, { maxActionsPerResource: 7, maxResourcesPerRequest: 9 });
  assert.is(config.engine.defaultScope, 'a$b  $ c');
  assert.is(problem(() => fromFile('engine:\n  defaultScope: ${NOPE}')), 'c.yaml:2:17: environment variable `NOPE` is not set');
  assert.match(problem(() => fromFile('engine: {defaultScope: "${NOPE:}"}')), '`NOPE` is not set');
  assert.match(problem(() => fromFile('engine: {defaultScope: "${constructor}"}')), '`constructor` is not set');
  assert.is(fromFile('engine: {defaultScope: ${NOPE:""}}').engine.defaultScope, '');
});

test('integers of globals are bigints, other numbers are not', () => {
  const { globals } = fromFile('engine:\n  globals: {i: 42, d: 1.5, e: 1.0, big: 9223372036854775807, deep: [{n: -3}], s: "1", b: true, z: null}').engine;
  assert.equal(globals, { i: 42n, d: 1.5, e: 1, big: 9223372036854775807n, deep: [{ n: -3n }], s: '1', b: true, z: null });
});

test('overrides are merged over the file, map by map', () => {
  const config = fromFile('server:\n  requestLimits: {maxActionsPerResource: 7, maxResourcesPerRequest: 8}\n', {}, ['server.requestLimits.maxActionsPerResource=9']);
  assert.equal(config.server.requestLimits, { maxActionsPerResource: 9, maxResourcesPerRequest: 8 });
});

test('an override may set several keys, lists, and text with escapes', () => {
  const { globals } = fromSets('engine.globals.a=1,engine.globals.b=x', 'engine.globals.l={x,2,y\\,z}', 'engine.globals.m[1].n=true', 'engine.globals.t=a\\,b\\.c=d', 'engine.globals.e={}').engine;
  assert.equal(globals, { a: 1n, b: 'x', l: ['x', 2n, 'y,z'], m: [null, { n: true }], t: 'a,b.c=d', e: [] });
  assert.equal(fromSets('engine.globals.k.x\\.y=null').engine.globals, { k: { 'x.y': null } });
  assert.is(fromSets('engine.defaultPolicyVersion=20210210').engine.defaultPolicyVersion, '20210210');
});

test('a malformed override is an error that names it', () => {
  assert.is(problem(() => fromSets('server')), '--set server: `server` has no value');
  assert.match(problem(() => fromSets('')), 'wants key=value');
  assert.match(problem(() => fromSets('a..b=1')), 'a key is empty');
  assert.match(problem(() => fromSets('engine.globals.a[x]=1')), 'no index');
  assert.match(problem(() => fromSets('engine.globals.a[99999]=1')), 'no index');
  assert.match(problem(() => fromSets('engine.globals.a={x')), 'not closed');
  assert.is(problem(() => fromSets('server.foo=1')), '--set server.foo=1: unknown key `server.foo`');
});

test('keysets have a unique id and one source', () => {
  const sets = (text: string): string => problem(() => fromFile(`auxData:\n  jwt:\n    keySets:\n${text}`));
  assert.match(sets('      - {id: a, local: {file: x}}\n      - {id: a, local: {file: y}}'), 'c.yaml:5:9: keyset `a` is there twice');
  assert.match(sets('      - {id: a}'), 'one of `local` and `remote`');
  assert.match(sets('      - {id: a, local: {file: x, data: eA==}}'), 'one of `data` and `file`');
  assert.match(sets('      - {local: {file: x}}'), 'has no `id`');
  assert.match(sets('      - {id: a, remote: {url: x}}'), 'not supported yet');
  assert.match(sets('      - {id: a, lokal: {}}'), 'unknown key `auxData.jwt.keySets[0].lokal`');
});

test('listen addresses are host and port, a port, or a socket', () => {
  assert.equal(fromSets('server.httpListenAddr=127.0.0.1:0').server.httpListenAddr, { kind: 'tcp', host: '127.0.0.1', port: 0 });
  assert.equal(fromSets('server.httpListenAddr=\\[::1\\]:80').server.httpListenAddr, { kind: 'tcp', host: '::1', port: 80 });
  assert.equal(fromSets('server.httpListenAddr=unix:/a/b.sock').server.httpListenAddr, { kind: 'unix', path: '/a/b.sock' });
  assert.equal(fromFile('server: {udsFileMode: 0o700}').server.udsFileMode, 0o700);
  assert.equal(fromFile('server: {udsFileMode: "0o766"}').server.udsFileMode, 0o766);
});

test.run();
