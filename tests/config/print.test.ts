import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig, loadSettings } from '../../server/config.js';
import { printConfig } from '../../server/config/print.js';

const test = suite('printing the effective configuration');
let folder = '';
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'authz-print-'));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const TEXT = `server:
  httpListenAddr: "[::1]:80"
  udsFileMode: 0o700
  cors: {maxAge: 90m, allowedOrigins: ["https://*.example", "a#b: c, \\"d\\""]}
engine:
  defaultScope: "$$a: #b"
  globals: {big: 9223372036854775807, half: 0.5, list: [1, {deep: null}], text: "1", odd: "a\\nb"}
auxData:
  jwt:
    keySets:
      - {id: a, local: {file: k.jwks}, insecure: {optionalKid: true}}
audit: {mask: ['principal.attr["a.b"][*].c', 'metadata.x-y']}
`;

test('each value is followed by its source', () => {
  const file = fileOf('a.yaml', TEXT);
  const lines = printConfig(loadSettings({ file, sets: ['server.workers=2'], environment: {} })).split('\n');
  assert.is(lines[0], 'server:');
  for (const line of [
    `  httpListenAddr: "[::1]:80" # ${file}:2:3`,
    '  grpcListenAddr: :3593 # default',
    '  workers: 2 # --set server.workers',
    `    maxAge: 1h30m # ${file}:4:10`,
    '  # tls:',
    '    # cert: not set',
  ])
    assert.ok(lines.includes(line), `${line}\n${lines.join('\n')}`);
});

test('the printed configuration is equivalent to the original', () => {
  const config = (text: string) => loadConfig({ file: fileOf('b.yaml', text), environment: {} }).config;
  const printed = (text: string): string =>
    printConfig(loadSettings({ file: fileOf('b.yaml', text), environment: {} }));
  for (const text of ['', TEXT]) {
    // The location of a keyset is part of it.
    const placeless = (value: ReturnType<typeof config>) => ({
      ...value,
      jwt: { ...value.jwt, keySets: value.jwt.keySets.map((set) => ({ ...set, place: '' })) },
    });
    assert.equal(placeless(config(printed(text))), placeless(config(text)));
    assert.equal(loadConfig({ file: fileOf('b.yaml', printed(text)), environment: {} }).warnings, []);
  }
});

test('secrets are masked', () => {
  const hash = Buffer.from(`$2b$04$${'a'.repeat(53)}`).toString('base64');
  const keys = Buffer.from('{"kty":"oct","k":"hidden"}').toString('base64');
  const file = fileOf(
    'c.yaml',
    `server: {adminAPI: {adminCredentials: {username: u, passwordHash: ${hash}}}}\nauxData: {jwt: {keySets: [{id: a, local: {data: ${keys}}}, {id: b, remote: {url: "https://user:hidden@h/k?token=hidden"}}]}}\n`,
  );
  const printed = printConfig(loadSettings({ file, environment: {} }));
  assert.match(printed, 'passwordHash: "***"');
  for (const secret of [hash, keys, 'hidden', '$2b$']) assert.not.match(printed, secret);
  assert.match(printed, 'https://h/k');
});

test.run();
